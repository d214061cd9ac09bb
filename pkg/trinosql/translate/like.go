package translate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// like writes LIKE. Values of type char are padded.
func (p *printer) like(x *trinosql.LikeExpr) {
	value := p.operand(x.X)
	if t := p.typeOf(x.X); t.Kind == types.Char {
		value = operand{write: func() { p.put("rpad(", x.X, ", ", strconv.Itoa(t.N), ", ' ')") }}
	}
	if x.Not {
		p.put("(NOT ")
		defer p.put(")")
	}
	pattern, constant := x.Pattern.(*trinosql.StringLit)
	if constant && x.Escape == nil {
		p.likeConstant(value, pattern.Value, "~~", "like", "")
		return
	}
	if escape, ok := x.Escape.(*trinosql.StringLit); ok && constant {
		if text, ok := withBackslash(pattern.Value, escape.Value); ok {
			p.likeConstant(value, text, "like_escape", "like_escape", `, '\'`)
			return
		}
	}
	if x.Escape == nil {
		p.put(`CAST("~like"(`)
	} else {
		p.put(`CAST("~like_escape"(`)
	}
	p.put(value, ", ", x.Pattern)
	if x.Escape != nil {
		p.put(", ", x.Escape)
	}
	p.put(") AS BOOLEAN)")
}

// likeConstant matches a constant pattern. DuckDB tries every position of a string for each % within the pattern, which
// cannot be interrupted: where that could take long a function of this program is used, which needs one pass for each
// %.
func (p *printer) likeConstant(value operand, pattern, native, ours, escape string) {
	inner := strings.Count(strings.Trim(pattern, "%"), "%")
	call := func(name string, v operand) { p.put(name, "(", v, ", ", quoteText(pattern), escape, ")") }
	if inner == 0 && len(pattern) <= 1000 {
		call(fmt.Sprintf("system.main.%q", native), value)
		return
	}
	p.bindOnce([]operand{value}, func(args []operand) {
		p.put("CASE WHEN strlen(", args[0])
		p.put(") < ", strconv.Itoa(int(math.Pow(1e8, 1/float64(inner+1)))), " THEN ")
		call(fmt.Sprintf("system.main.%q", native), args[0])
		p.put(" ELSE CAST(")
		call(`"~`+ours+`"`, args[0])
		p.put(" AS BOOLEAN) END")
	})
}

// withBackslash converts a pattern to one with a backslash as its escape character. It returns false if the pattern is
// invalid.
func withBackslash(pattern, escape string) (string, bool) {
	if len([]rune(escape)) != 1 || len(escape) > 3 { // more than 3 bytes are a surrogate pair in Java
		return "", false
	}
	e := []rune(escape)[0]
	var b strings.Builder
	escaped := false
	for _, c := range pattern {
		switch {
		case escaped && c != '%' && c != '_' && c != e:
			return "", false
		case escaped && (c == '%' || c == '_' || c == '\\'):
			b.WriteString(`\` + string(c))
		case !escaped && c == e:
			escaped = true
			continue
		case c == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteRune(c)
		}
		escaped = false
	}
	return b.String(), !escaped
}
