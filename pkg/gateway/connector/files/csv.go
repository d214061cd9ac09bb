package files

import (
	"fmt"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile/csv"
)

// csvReader reads the records of a file and skips blank lines. In a file of one column, however, a blank line below the
// header is a record with NULL, as in imports.
type csvReader struct {
	in    *csv.Reader
	width int // number of fields of the first record, 0 until it is read
	rec   []byte

	quoted []bool // of the fields of the last record
}

// next reads a record and returns the number of its first line.
func (r *csvReader) next() (fields []string, line int64, err error) {
	for {
		if err := r.in.Read(); err != nil {
			return nil, 0, err
		}
		if !r.in.Blank() || r.width == 1 {
			break
		}
	}
	cells, line := r.in.Fields, r.in.Line
	if r.width == 0 {
		r.width = len(cells)
	}
	if len(cells) != r.width {
		return nil, 0, fmt.Errorf("line %d has %d fields, the first line %d", line, len(cells), r.width)
	}
	if len(cells) == 1 && cells[0].Null(1) { // the representation of NULL in a single column
		cells[0].Text = nil
	}
	r.rec, r.quoted = r.rec[:0], r.quoted[:0]
	for _, c := range cells {
		r.rec, r.quoted = append(r.rec, c.Text...), append(r.quoted, c.Quoted)
	}
	if r.in.Broken && !utf8.Valid(r.rec) {
		for i, c := range cells {
			if !utf8.Valid(c.Text) {
				return nil, 0, fmt.Errorf("line %d, field %d: invalid UTF-8: %q", line, i+1,
					c.Text[:min(len(c.Text), 60)])
			}
		}
	}
	all, from := string(r.rec), 0
	fields = make([]string, len(cells))
	for i, c := range cells {
		fields[i], from = all[from:from+len(c.Text)], from+len(c.Text)
	}
	return fields, line, nil
}
