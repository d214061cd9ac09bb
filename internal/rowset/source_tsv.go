package rowset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
)

// tsvRecords splits what tsvFormat of pkg/output writes, the text format of PostgreSQL's COPY: \N is NULL, and a
// backslash escapes tabs and line ends.
type tsvRecords struct {
	src   *fileSource
	line  int64
	raw   []byte
	field []byte
}

func (r *tsvRecords) at() int64 { return r.line }

func (r *tsvRecords) record(c *cells, _ int) error {
	c.reset()
	var err error
	switch r.raw, err = rowfile.ReadLine(r.src.Reader, r.raw, longestRecord); {
	case errors.Is(err, io.EOF):
		return err
	case err != nil:
		return fmt.Errorf("line %d: %w", r.line+1, err)
	}
	r.line++
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
			// after a backslash that does not begin an escape, the character is copied
			r.field, _ = rowfile.Unescape(r.field[:0], field)
			field = r.field
		}
		if !utf8.Valid(field) {
			return notUTF8(r.line)
		}
		c.text(field)
	}
	return nil
}
