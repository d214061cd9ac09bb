package analyze

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// Error is an error in a statement. Its text begins with the position, as Trino's does: line 1:8: Column 'x' cannot be
// resolved.
type Error struct {
	Kind string       // Trino's name of the error: COLUMN_NOT_FOUND, TYPE_MISMATCH and so on
	At   trinosql.Pos // Line is 0 where Trino reports no position
	Msg  string
	// Name is the name of a column, table or function that was not found.
	Name string
	// Hint is the probable correction, "" if there is none.
	Hint string
	// Unsupported is set when Msg names what is valid in Trino and not supported by this package.
	Unsupported bool
}

func (e *Error) Error() string {
	if e.At.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d:%d: %s", e.At.Line, e.At.Col, e.Msg)
}

// failure carries an *Error up to Analyze.
type failure struct{ err *Error }

// fail ends the analysis.
func fail(kind string, at trinosql.Node, format string, args ...any) {
	panic(failure{&Error{Kind: kind, At: at.Pos(), Msg: fmt.Sprintf(format, args...)}})
}

// failNowhere ends the analysis with an error for which Trino reports no position.
func failNowhere(kind, format string, args ...any) {
	panic(failure{&Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}})
}

// before is the place of a keyword directly before a node.
type before struct {
	trinosql.Node
	word string
}

func (b before) Pos() trinosql.Pos {
	at := b.Node.Pos()
	at.Col -= len(b.word)
	at.Offset -= len(b.word)
	return at
}

// clause is the place of a keyword of a node.
type clause struct {
	trinosql.Node
}

func (c clause) Pos() trinosql.Pos { return c.Node.(interface{ Clause() trinosql.Pos }).Clause() }

// failNamed is fail for a name that was not found.
func failNamed(kind, name string, at trinosql.Node, format string, args ...any) {
	panic(failure{&Error{Kind: kind, At: at.Pos(), Msg: fmt.Sprintf(format, args...), Name: name}})
}
