package rowfile

import "fmt"

// Format is the format of a file.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"  // the text format of PostgreSQL's COPY: backslash escapes instead of quotes
	JSON    Format = "json" // objects in one list or consecutive, such as one per line, or the rows of a result
	Parquet Format = "parquet"
	XLSX    Format = "xlsx"
)

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

	Samples bool // Learn stores samples of the values
}

// OptionError is an error in the options: the file may be read with others.
type OptionError struct{ text string }

func (e *OptionError) Error() string { return e.text }

func optionf(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }

func (f *File) checkOptions() error {
	switch o := f.opt; {
	case o.Delimiter != 0 && f.Format != CSV:
		return optionf("--delimiter: the file is %s, which has no delimiter", f.Format)
	case o.Escape == EscapeBackslash && f.Format != CSV:
		return optionf("--escape: the file is %s, which has no escapes of its own", f.Format)
	case o.Sheet != "" && f.Format != XLSX:
		return optionf("--sheet: the file is %s, which has no sheets", f.Format)
	case o.NoHeader && (f.Format == JSON || f.Format == Parquet):
		return optionf("--no-csv-header: the file is %s, which names its columns", f.Format)
	}
	return nil
}
