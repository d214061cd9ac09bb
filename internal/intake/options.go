package intake

import "fmt"

// Escape determines whether backslashes in a file with delimiters are escapes, as in TSV. By default this is detected.
type Escape string

// The values other than the default.
const (
	EscapeBackslash Escape = "backslash"
	EscapeNone      Escape = "none"
)

// Options determine how a file is read. Zero values are detected.
type Options struct {
	Format    Format
	Delimiter byte   // the delimiter of CSV
	Escape    Escape // whether backslashes are escapes
	Sheet     string // in a workbook
	NoHeader  bool   // the first record is data
	Nulls     []string
}

// OptionError is an error in the options: the file may be read with others.
type OptionError struct{ text string }

func (e *OptionError) Error() string { return e.text }

func optionf(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }
