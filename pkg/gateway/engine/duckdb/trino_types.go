//go:build cgo

package duckdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// typed is a type as the rules for Trino's dialect see it: its lower-case name and, for nested ones, what it holds.
func typed(name string, kids ...*vtype) *vtype {
	switch name {
	case "array":
		name = "array(" + kids[0].name + ")"
	case "map":
		name = "map(" + kids[0].name + ", " + kids[1].name + ")"
	}
	return &vtype{name: name, kids: kids}
}

func decimalType(p, s int) *vtype {
	return typed(fmt.Sprintf("decimal(%d,%d)", min(p, 38), min(s, 38)))
}

var integerNames = []string{"tinyint", "smallint", "integer", "bigint"}

func (t *vtype) isInt() bool     { return slices.Contains(integerNames, t.name) }
func (t *vtype) isDecimal() bool { return strings.HasPrefix(t.name, "decimal(") }
func (t *vtype) isFloat() bool   { return t.name == "double" || t.name == "real" }
func (t *vtype) isNumber() bool  { return t.isInt() || t.isDecimal() || t.isFloat() }
func (t *vtype) isText() bool    { return t.name == "varchar" }
func (t *vtype) isArray() bool   { return strings.HasPrefix(t.name, "array(") }
func (t *vtype) isMap() bool     { return strings.HasPrefix(t.name, "map(") }
func (t *vtype) isRow() bool     { return strings.HasPrefix(t.name, "row(") }
func (t *vtype) isZoned() bool   { return t.name == "timestamp with time zone" }
func (t *vtype) isStamp() bool   { return strings.HasPrefix(t.name, "timestamp") && !t.isZoned() }
func (t *vtype) isUnknown() bool { return t.name == "unknown" }
func (t *vtype) isInterval() bool {
	return strings.HasPrefix(t.name, "interval")
}

// precision is the number of digits of the second of a timestamp.
func (t *vtype) precision() int {
	if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(t.name, "timestamp("), ")")); err == nil {
		return n
	}
	return 6
}

// stampType is timestamp(p) among the precisions that DuckDB has.
func stampType(p int) *vtype {
	switch {
	case p == 0:
		return typed("timestamp(0)")
	case p <= 3:
		return typed("timestamp(3)")
	case p <= 6:
		return typed("timestamp")
	}
	return typed("timestamp(9)")
}

// decimals are the precision and scale a number counts as among decimals.
func (t *vtype) decimals() (p, s int) {
	switch t.name {
	case "tinyint":
		return 3, 0
	case "smallint":
		return 5, 0
	case "integer":
		return 10, 0
	case "bigint":
		return 19, 0
	}
	_, _ = fmt.Sscanf(t.name, "decimal(%d,%d)", &p, &s)
	return p, s
}

// sql is the type in DuckDB's SQL.
func (t *vtype) sql() string {
	switch {
	case t.isArray():
		return t.kids[0].sql() + "[]"
	case t.isMap():
		return "MAP(" + t.kids[0].sql() + ", " + t.kids[1].sql() + ")"
	case t.isRow() && len(t.kids) > 0:
		var f []string
		for i, k := range t.kids {
			f = append(f, sqltext.Quote(t.names[i])+" "+k.sql())
		}
		return "STRUCT(" + strings.Join(f, ", ") + ")"
	case t.isInterval():
		return "INTERVAL"
	}
	switch t.name {
	case "timestamp(0)":
		return "TIMESTAMP_S"
	case "timestamp(3)":
		return "TIMESTAMP_MS"
	case "timestamp(9)":
		return "TIMESTAMP_NS"
	case "timestamp with time zone":
		return "TIMESTAMPTZ"
	}
	return duckType(t.name)
}

// commonType is the type that values of both types become in Trino, or nil.
func commonType(a, b *vtype) *vtype {
	switch {
	case a == nil || b == nil:
		return nil
	case a.name == b.name || b.isUnknown():
		return a
	case a.isUnknown():
		return b
	case a.isNumber() && b.isNumber():
		for _, name := range []string{"double", "real"} {
			if a.name == name || b.name == name {
				return typed(name)
			}
		}
		if a.isInt() && b.isInt() {
			return typed(integerNames[max(slices.Index(integerNames, a.name), slices.Index(integerNames, b.name))])
		}
		p1, s1 := a.decimals()
		p2, s2 := b.decimals()
		s := max(s1, s2)
		return decimalType(max(p1-s1, p2-s2)+s, s)
	case a.isStamp() && b.isStamp():
		return stampType(max(a.precision(), b.precision()))
	case a.name == "date" && (b.isStamp() || b.isZoned()), a.isStamp() && b.isZoned():
		return b
	case b.name == "date" && (a.isStamp() || a.isZoned()), b.isStamp() && a.isZoned():
		return a
	case a.isArray() && b.isArray():
		if k := commonType(a.kids[0], b.kids[0]); k != nil {
			return typed("array", k)
		}
	case a.isMap() && b.isMap():
		if k, v := commonType(a.kids[0], b.kids[0]), commonType(a.kids[1], b.kids[1]); k != nil && v != nil {
			return typed("map", k, v)
		}
	}
	return nil
}

// typeParser reads a type of Trino from tokens.
type typeParser struct {
	tokens []token
	length int  // of a varchar(n) that stands alone, else -1
	failed bool // no type of Trino, or one that has no counterpart
	deep   bool
	levels int
}

// maxTypeDepth bounds how deep types nest: the name of each holds the names of all within.
const maxTypeDepth = 50

func (p *typeParser) peek(s string) bool { return len(p.tokens) > 0 && p.tokens[0].is(s) }

func (p *typeParser) accept(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *typeParser) expect(s string) {
	if !p.accept(s) {
		p.failed = true
	}
}

// numbers reads (n, m).
func (p *typeParser) numbers() []int {
	if !p.accept("(") {
		return nil
	}
	var out []int
	for !p.failed {
		if len(p.tokens) == 0 || p.tokens[0].kind != tokNumber {
			p.failed = true
			return nil
		}
		n, err := strconv.Atoi(p.tokens[0].text)
		p.failed = p.failed || err != nil
		out = append(out, n)
		p.tokens = p.tokens[1:]
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return out
}

// parse reads one type.
func (p *typeParser) parse() *vtype {
	if p.levels++; p.levels > maxTypeDepth {
		p.failed = true
	}
	defer func() { p.levels-- }()
	if p.failed || len(p.tokens) == 0 || !p.tokens[0].isName() {
		p.failed = true
		return typed("unknown")
	}
	name := strings.ToLower(p.tokens[0].text)
	top := !p.deep
	p.tokens, p.deep = p.tokens[1:], true
	switch name {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "real", "date", "uuid", "varbinary", "json":
		return typed(name)
	case "int":
		return typed("integer")
	case "double":
		p.accept("precision")
		return typed("double")
	case "varchar":
		if n := p.numbers(); len(n) == 1 {
			if p.length = n[0]; !top {
				p.failed = true
			}
		}
		return typed("varchar")
	case "decimal", "dec", "numeric":
		n := append(p.numbers(), 38, 0)
		if len(n) == 3 {
			n[1] = 0
		}
		if n[0] < 1 || n[0] > 38 || n[1] > n[0] {
			p.failed = true
		}
		return decimalType(n[0], n[1])
	case "timestamp", "time":
		digits := append(p.numbers(), 3)[0]
		if p.accept("with") {
			p.expect("time")
			p.expect("zone")
			p.failed = p.failed || name == "time"
			return typed("timestamp with time zone")
		}
		if p.accept("without") {
			p.expect("time")
			p.expect("zone")
		}
		if p.failed = p.failed || digits > 9 || name == "time" && digits > 6; name == "time" {
			return typed("time")
		}
		return stampType(digits)
	case "array":
		closing := map[bool]string{true: ")", false: ">"}[p.peek("(")]
		if !p.accept("(") {
			p.expect("<")
		}
		k := p.parse()
		p.expect(closing)
		return typed("array", k)
	case "map":
		p.expect("(")
		k := p.parse()
		p.expect(",")
		v := p.parse()
		p.expect(")")
		return typed("map", k, v)
	case "row":
		return p.row()
	}
	p.failed = true
	return typed(name)
}

func (p *typeParser) row() *vtype {
	t := &vtype{}
	var f []string
	p.expect("(")
	for !p.failed {
		if len(p.tokens) < 2 || !p.tokens[0].isName() || p.tokens[1].is(",") || p.tokens[1].is(")") || p.tokens[1].is("(") {
			p.failed = true // a field without a name
			break
		}
		t.names = append(t.names, p.tokens[0].text)
		p.tokens = p.tokens[1:]
		k := p.parse()
		t.kids = append(t.kids, k)
		f = append(f, fieldName(t.names[len(t.names)-1])+k.name)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	t.name = "row(" + strings.Join(f, ", ") + ")"
	return t
}
