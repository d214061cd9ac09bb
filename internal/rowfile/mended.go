package rowfile

import (
	"fmt"

	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// widthError is the error for a record with another number of fields than the first.
type widthError struct {
	line     int64
	n, width int
}

func (e *widthError) Error() string {
	return fmt.Sprintf("line %d: the record has %d fields, the first one has %d", e.line, e.n, e.width)
}

// textError is the error for a field that no column of strings holds.
type textError struct {
	line   int64
	column string
	err    error
	text   []byte
}

func (e *textError) Error() string {
	return fmt.Sprintf("line %d, column %s: %v: %q", e.line, e.column, e.err, e.text)
}

// checkText refuses a field that no column of strings holds.
func checkText(text []byte, line int64, at int, names []string) error {
	err := infer.CheckText(text)
	if err == nil {
		return nil
	}
	name := fmt.Sprint(at + 1)
	if at < len(names) {
		name = fmt.Sprintf("%q", names[at])
	}
	return &textError{line, name, err, append([]byte(nil), text[:min(len(text), 60)]...)}
}

// mended counts what --lenient has mended.
type mended struct {
	short, long, trimmed csv.Mended
	dialect              *csv.Dialect // nil for a text without quotes
}

// ragged returns a record of another width than the first. Empty fields beyond that width are left out.
func (m *mended) ragged(row []infer.Value, width int, line int64) []infer.Value {
	if len(row) < width {
		m.short.Add(line)
		return row
	}
	m.long.Add(line)
	for len(row) > width && len(row[len(row)-1].Text) == 0 {
		row = row[:len(row)-1]
	}
	return row
}

// notes says what was mended.
func (m *mended) notes() (notes []string) {
	add := func(c csv.Mended, one, many string) {
		if c.N > 0 {
			what := phrase.Plural(int(c.N), "1 "+one, "%d "+many)
			notes = append(notes, fmt.Sprintf("%s, first in line %d", what, c.Line))
		}
	}
	if m.dialect != nil {
		add(m.dialect.Quotes, "field with stray quotes, which are text", "fields with stray quotes, which are text")
		add(m.dialect.Blanks, "quoted field with blanks beside its quotes, which were left off",
			"quoted fields with blanks beside their quotes, which were left off")
	}
	add(m.short, "short row was filled with NULL", "short rows were filled with NULL")
	add(m.long, "row has more fields than the first", "rows have more fields than the first")
	add(m.trimmed, "value is read without the blanks around it", "values are read without the blanks around them")
	return notes
}
