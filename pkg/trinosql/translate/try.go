package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// try writes TRY. DuckDB allows no subquery, aggregate or window function in it, and Trino evaluates those before it:
// they are written outside.
func (p *printer) try(x trinosql.Expr) {
	if p.tried != nil { // within another TRY: what is evaluated before this one is evaluated before the outer one
		p.put(tryOpen, x, tryClose)
		return
	}
	p.tried = &tried{}
	defer func() { p.tried = nil }()
	text := p.capture(func() { p.expr(x) })
	if len(p.tried.texts) > 0 || p.inGroups || p.tried.outer {
		p.tried = &tried{columns: true}
		text = p.capture(func() { p.expr(x) })
	}
	queries := p.tried
	// the lambda keeps DuckDB from evaluating a part outside TRY because the part also occurs elsewhere
	if len(queries.texts) == 0 {
		p.put("list_transform([", strconv.Itoa(p.made), "], lambda ", p.name("x"), ": ", tryOpen, text,
			tryClose, ")[1]")
		return
	}
	p.put("list_transform([struct_pack(", strings.Join(queries.texts, ", "), ")], lambda ", queries.name, ": ", tryOpen,
		text, tryClose, ")[1]")
}

// tried collects the parts of the operand of TRY that are evaluated before it.
type tried struct {
	name    string
	columns bool // columns are evaluated before it, too
	outer   bool // it has a column of an outer query, which DuckDB does not allow in a lambda
	texts   []string
	lambdas int // being written
}

// outOfTry writes a part that Trino evaluates before TRY. Within TRY the part is moved out of it.
func (p *printer) outOfTry(write func()) {
	t := p.tried
	if t == nil {
		write()
		return
	}
	p.tried = nil
	text := p.capture(write)
	p.tried = t
	if t.name == "" {
		t.name = p.name("x")
	}
	t.texts = append(t.texts, fmt.Sprintf("f%d := %s", len(t.texts)+1, text))
	p.put(field(t.name, len(t.texts)-1))
}

// volatile writes a non-deterministic call, which DuckDB does not allow in TRY.
func (p *printer) volatile(c *call, text string) {
	if p.tried != nil && p.tried.lambdas > 0 {
		p.refuse(c.node, "%s in a lambda in TRY is not supported on zone local", strings.TrimSuffix(text, "()"))
	}
	p.outOfTry(func() { p.put(text) })
}
