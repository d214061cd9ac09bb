package analyze

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// Error says what is wrong with a statement. Its text begins with the place, as Trino's does: line 1:8: Column 'x' cannot be resolved.
type Error struct {
	Kind string       // COLUMN_NOT_FOUND, TYPE_MISMATCH and so on, as Trino names it
	At   trinosql.Pos // Line is 0 where Trino names no place
	Msg  string
	// Name is the name that was not found, for a hint: of a column, a table or a function.
	Name string
	// Hint is what was probably meant, "" if nothing is near.
	Hint string
	// Unsupported is set when Trino would take the statement and this package does not.
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

// failNowhere ends the analysis with an error for which Trino names no place.
func failNowhere(kind, format string, args ...any) {
	panic(failure{&Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}})
}

// before is the place of the words that stand right before a node and have none of their own.
type before struct {
	trinosql.Node
	words string
}

func (b before) Pos() trinosql.Pos {
	at := b.Node.Pos()
	at.Col -= len(b.words)
	at.Offset -= len(b.words)
	return at
}

// failNamed is fail for a name that was not found.
func failNamed(kind, name string, at trinosql.Node, format string, args ...any) {
	panic(failure{&Error{Kind: kind, At: at.Pos(), Msg: fmt.Sprintf(format, args...), Name: name}})
}
