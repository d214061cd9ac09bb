package trinosql

import (
	"errors"
	"fmt"
	"strings"
)

// Error reports why a text is not a statement, or not one that this package supports. Its text begins with the place,
// as Trino's does: `line 1:8: mismatched input 'FROM'. Expecting: <expression>`.
type Error struct {
	At  Pos
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d:%d: %s", e.At.Line, e.At.Col, e.Msg) }

// Fault returns Trino's error for a text that is not a valid statement. It is nil for a valid one.
func Fault(text string) *Error {
	_, err := Parse(text)
	var fault *Error
	errors.As(err, &fault)
	return fault
}

func (p *parser) fail(at Pos, format string, args ...any) error {
	return &Error{At: at, Msg: fmt.Sprintf(format, args...)}
}

// unexpected is the error for the token at i where one of the things named was expected.
func (p *parser) unexpected(expecting ...string) error {
	t := p.tok
	switch t.kind {
	case kBackquoted:
		return p.fail(t.from, "backquoted identifiers are not supported; use double quotes to quote identifiers")
	case kDigitIdent:
		return p.fail(t.from, "identifiers must not start with a digit; surround the identifier with double quotes")
	}
	return p.fail(t.from, "mismatched input '%s'. Expecting: %s", p.show(t), strings.Join(expecting, ", "))
}

// show is a token as Trino shows it in an error.
func (p *parser) show(t token) string {
	if t.kind == kEOF {
		return "<EOF>"
	}
	text := p.lex.text[t.from.Offset:t.end]
	if len(text) > 200 { // an error must not repeat a long text
		text = strings.ToValidUTF8(text[:200], "") + "..."
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text)
}
