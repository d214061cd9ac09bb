// Package narrow says what of a statement a source may do early, and puts it into the source's own types.
package narrow

import "github.com/dig-cli/dig/pkg/late"

// Narrowing is what of a statement a source may do early: conditions on one table, joined by AND, and a limit. The engine applies all
// of them again, so a condition may be left out, but none may be in it that a wanted row fails.
type Narrowing struct {
	Conds []Condition
	Limit int64 // -1: none; holds only when every condition is applied exactly
	Count bool  // no column of the table is looked at: its rows are only counted
}

// Empty reports whether a source is to read everything.
func (n Narrowing) Empty() bool { return n.Conds == nil && n.Limit < 0 && !n.Count }

// Everything narrows nothing.
func Everything() Narrowing { return Narrowing{Limit: -1} }

// Condition compares a column with constants.
type Condition struct {
	Column string
	Op     string // as in engine.Filter
	Values []Constant
}

// Constant is a value as it is written in a statement.
type Constant struct {
	Kind Kind
	Text string
}

// Kind is how a constant is written.
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
	Param // the text bound to a ?
)

// The texts of numbers and UUIDs.
var (
	DecimalText = late.Regexp(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$`)
	DoubleText  = late.Regexp(`(?i)^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$`)
	UUIDText    = late.Regexp(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)
