package rowset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
)

// tsvRecords splits what tsvFormat of pkg/output writes, the text format of PostgreSQL's COPY: \N is NULL, and a backslash
// escapes tabs and line ends.
type tsvRecords struct {
	src   *fileSource
	line  int64
	raw   []byte
	field []byte
}

func (r *tsvRecords) at() int64 { return r.line }

// readLine reads a line with its line feed, of any length.
func (r *tsvRecords) readLine() error {
	r.raw = r.raw[:0]
	for {
		piece, err := r.src.ReadSlice('\n')
		r.raw = append(r.raw, piece...)
		switch {
		case err == nil || errors.Is(err, io.EOF) && len(r.raw) > 0:
			r.line++
			return nil
		case errors.Is(err, io.EOF):
			return err
		case len(piece) == 0 || len(r.raw) > longestRecord:
			return fmt.Errorf("line %d: %w", r.line+1, err)
		}
	}
}

func (r *tsvRecords) record(c *cells, _ int) error {
	c.reset()
	if err := r.readLine(); err != nil {
		return err
	}
	line := bytes.TrimRight(r.raw, "\r\n")
	if len(line) == 0 {
		return nil
	}
	for field := range bytes.SplitSeq(line, []byte{'\t'}) {
		if string(field) == csv.Null {
			c.null()
			continue
		}
		if rowfile.Escaped(field) {
			r.field, _ = rowfile.Unescape(r.field[:0], field) // what begins no escape stands for itself
			field = r.field
		}
		if !utf8.Valid(field) {
			return notUTF8(r.line)
		}
		c.text(field)
	}
	return nil
}
