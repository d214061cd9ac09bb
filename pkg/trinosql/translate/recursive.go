package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// recursionLimit is the maximum number of steps of a recursive query in Trino.
const recursionLimit = 10

const tooDeep = `"~error"('Recursion depth limit exceeded (10). Use ''max_recursion_depth'' session property to ` +
	`modify the limit.')`

// recursive writes a query of WITH RECURSIVE that refers to itself.
func (p *printer) recursive(q *trinosql.NamedQuery, r *analyze.Recursion, n *namedQuery) {
	distinct := !q.Query.Body.(*trinosql.SetOp).All
	for range r.Fields {
		n.columns = append(n.columns, p.name("c"))
	}
	p.named[q] = n
	columns := strings.Join(n.columns, ", ")
	anchor := p.capture(func() { p.body(r.Anchor) })
	all := *n
	if distinct { // the steps read the rows with duplicates
		n.name = p.name("q")
	}
	step, ok := r.Step.(*trinosql.Select)
	if ok && !p.a.Selects[step].Grouped && !step.Distinct && p.refersDirectly(step, r.Reference) {
		p.counted(step, n, columns, anchor)
	} else {
		p.unrolled(r, n, columns, anchor)
	}
	if distinct {
		p.put(", ", all.name, " AS (SELECT DISTINCT ", columns, " FROM ", n.name, ")")
		*n = all
	}
}

// refersDirectly reports whether a reference to a recursive query is in the FROM of a SELECT and not in a subquery
// there.
func (p *printer) refersDirectly(s *trinosql.Select, ref *trinosql.TableRef) bool {
	found := false
	for _, r := range s.From {
		trinosql.Inspect(r, func(n trinosql.Node) bool {
			switch n := n.(type) {
			case *trinosql.Query, *trinosql.Sampled:
				return false
			case *trinosql.TableRef:
				found = found || n == ref
			}
			return true
		})
	}
	return found
}

// counted writes a recursive query as one of DuckDB, with a column that counts the steps.
func (p *printer) counted(step *trinosql.Select, n *namedQuery, columns, anchor string) {
	n.depth = p.name("d")
	p.put(n.name, "(", columns, ", ", n.depth, ") AS (SELECT *, 0 FROM (", anchor, ") UNION ALL ")
	p.selectBody(step, func() {
		p.put(", CASE WHEN ", n.ref, " = ", strconv.Itoa(recursionLimit), " THEN ", tooDeep, " ELSE ",
			n.ref, " + 1 END")
	})
	p.put(")")
}

// unrolled writes a recursive query as Trino runs it: one query for each step, over the result of the previous one.
func (p *printer) unrolled(r *analyze.Recursion, n *namedQuery, columns, anchor string) {
	whole := n.name
	names := []string{p.name("q")}
	p.put(names[0], "(", columns, ") AS (", anchor, "), ")
	for i := range recursionLimit + 1 {
		n.name = names[i]
		name := p.name("q")
		step := p.capture(func() { p.body(r.Step) })
		p.put(name, "(", columns, ") AS (", step, "), ")
		names = append(names, name)
	}
	n.name = whole
	p.put(whole, " AS (")
	p.w.Join(" UNION ALL ", len(names), func(i int) { p.put("SELECT ", columns, " FROM ", names[i]) })
	p.put(" WHERE ", tooDeep, " IS NULL)")
}
