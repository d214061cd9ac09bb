package build

import (
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// Condition is a Group or a Test.
type Condition interface{ sql() string }

// Group requires all conditions of All, and one of Any. A list without conditions requires nothing.
type Group struct{ All, Any []Condition }

func (g Group) sql() string {
	var parts []string
	for _, l := range []struct {
		word string
		of   []Condition
	}{{" AND ", g.All}, {" OR ", g.Any}} {
		var terms []string
		for _, c := range l.of {
			if t := c.sql(); t != "" {
				terms = append(terms, t)
			}
		}
		if len(terms) > 0 {
			parts = append(parts, "("+strings.Join(terms, l.word)+")")
		}
	}
	return strings.Join(parts, " AND ")
}

// Test compares a column with values. The column is the parts of its name, each of which is quoted.
type Test struct {
	Column []string
	Op     Op
	Values []Value
}

// Op is an operator of a Test.
type Op string

// The operators. In and NotIn take at least one value, Between and NotBetween two, IsNull and IsNotNull none, the
// others one.
const (
	Equal          Op = "="
	NotEqual       Op = "<>"
	Less           Op = "<"
	LessOrEqual    Op = "<="
	Greater        Op = ">"
	GreaterOrEqual Op = ">="
	In             Op = "IN"
	NotIn          Op = "NOT IN"
	Like           Op = "LIKE"
	NotLike        Op = "NOT LIKE"
	Between        Op = "BETWEEN"
	NotBetween     Op = "NOT BETWEEN"
	IsNull         Op = "IS NULL"
	IsNotNull      Op = "IS NOT NULL"
)

func (t Test) sql() string {
	vals := make([]string, len(t.Values))
	for i, v := range t.Values {
		vals[i] = v.literal
	}
	s := sqltext.Quote(t.Column...) + " " + string(t.Op)
	switch t.Op {
	case IsNull, IsNotNull:
		return s
	case In, NotIn:
		return s + " (" + strings.Join(vals, ", ") + ")"
	}
	return s + " " + strings.Join(vals, " AND ")
}

// Value is a constant.
type Value struct{ literal string }

// ValueOf returns the constant of a decoded JSON value. It fails for a value that SQL cannot compare with.
func ValueOf(v any) (Value, error) {
	s, err := sqltext.Value(v)
	return Value{s}, err
}
