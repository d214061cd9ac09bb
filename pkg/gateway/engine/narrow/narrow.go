// Package narrow determines which conditions and limits of a statement can be pushed down to a source, and converts
// them to the source's types.
package narrow

import "github.com/dig-cli/dig/pkg/late"

// Narrowing is the pushdown of a statement: conditions on one table, joined by AND, and a limit. The engine applies all
// of them again, so a condition may be omitted, but none may exclude a row that the statement needs.
type Narrowing struct {
	Conds []Condition
	Limit int64 // -1: none; valid only if every condition is applied exactly
	Count bool  // no column of the table is used: its rows are only counted
}

// Empty reports whether a source must read everything.
func (n Narrowing) Empty() bool { return n.Conds == nil && n.Limit < 0 && !n.Count }

// Everything is the Narrowing without conditions.
func Everything() Narrowing { return Narrowing{Limit: -1} }

// Condition compares a column with constants.
type Condition struct {
	Column string
	Op     string // as in engine.Filter
	Values []Constant
}

// Constant is a value as written in a statement.
type Constant struct {
	Kind Kind
	Text string
}

// Kind is the form of a constant.
type Kind int

// The kinds of constants.
const (
	Text Kind = iota
	Int
	Decimal
	Double
	Bool
	Date
	Timestamp // with or without zone
	UUID
	Param // the string bound to a ?
)

// The text forms of numbers and UUIDs.
var (
	DecimalText = late.Regexp(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$`)
	DoubleText  = late.Regexp(`(?i)^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$`)
	UUIDText    = late.Regexp(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)
