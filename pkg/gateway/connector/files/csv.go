package files

import (
	"bufio"
	"fmt"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
)

// csvReader reads the records of a file. Blank lines are skipped.
type csvReader struct {
	in    *csv.Reader
	width int // of the first record, 0 before it
	rec   []byte
}

// separator detects the separator of a file: a comma, or if its first line has none, a semicolon or tab.
func separator(in *bufio.Reader) byte {
	head, _ := in.Peek(in.Size())
	quoted, seen := false, map[byte]bool{}
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		} else if !quoted && c == '\n' {
			break
		} else if !quoted {
			seen[c] = true
		}
	}
	for _, c := range []byte{',', ';', '\t'} {
		if seen[c] {
			return c
		}
	}
	return ','
}

// next reads a record and returns the number of its first line.
func (r *csvReader) next() (fields []string, line int64, err error) {
	for blank := true; blank; {
		if err := r.in.Read(); err != nil {
			return nil, 0, err
		}
		f := r.in.Fields
		blank = len(f) == 1 && len(f[0].Text) == 0 && !f[0].Quoted
	}
	cells, line := r.in.Fields, r.in.Line
	if r.width == 0 {
		r.width = len(cells)
	}
	if len(cells) != r.width {
		return nil, 0, fmt.Errorf("line %d has %d fields, the first line %d", line, len(cells), r.width)
	}
	if len(cells) == 1 && !cells[0].Quoted && string(cells[0].Text) == csv.Null { // the representation of NULL in a single column
		cells[0].Text = nil
	}
	r.rec = r.rec[:0]
	for _, c := range cells {
		r.rec = append(r.rec, c.Text...)
	}
	if r.in.Broken && !utf8.Valid(r.rec) {
		return nil, 0, fmt.Errorf("line %d: invalid UTF-8", line)
	}
	all, from := string(r.rec), 0
	fields = make([]string, len(cells))
	for i, c := range cells {
		fields[i], from = all[from:from+len(c.Text)], from+len(c.Text)
	}
	return fields, line, nil
}
