package rowset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
)

// longestRecord is the size of the longest row of a file in bytes, as in the gateway's replies.
const longestRecord = 256 << 20

// fieldRows reads a file of text fields with a header. Its split function differs between csv and tsv.
type fieldRows struct {
	src   *fileSource
	split splitter
	cols  []api.ResultColumn
	row   []api.Cell
	cells cells
	err   error
}

// splitter splits a file into records.
type splitter interface {
	// record reads the next record as cells, io.EOF after the last; columns is the number of columns, 0 for the header.
	// A blank line has no cells.
	record(c *cells, columns int) error
	// at is the line of the last record.
	at() int64
}

// cells holds the cells of one record, encoded as JSON in one buffer.
type cells struct {
	arena []byte
	ends  []int
}

func (c *cells) reset() { c.arena, c.ends = c.arena[:0], c.ends[:0] }

func (c *cells) null() {
	c.arena = append(c.arena, "null"...)
	c.ends = append(c.ends, len(c.arena))
}

// raw adds a value that is JSON already.
func (c *cells) raw(t []byte) {
	c.arena = append(c.arena, t...)
	c.ends = append(c.ends, len(c.arena))
}

func (c *cells) text(t []byte) {
	for _, b := range t {
		if b < ' ' || b == '"' || b == '\\' {
			c.arena = append(c.arena, cell.Text(string(t))...)
			c.ends = append(c.ends, len(c.arena))
			return
		}
	}
	c.arena = append(append(append(c.arena, '"'), t...), '"')
	c.ends = append(c.ends, len(c.arena))
}

func (r *fieldRows) Columns() ([]api.ResultColumn, error) {
	if r.cols != nil || r.err != nil {
		return r.cols, r.err
	}
	if r.err = r.split.record(&r.cells, 0); errors.Is(r.err, io.EOF) {
		r.err = errors.New("the file is empty and has no header")
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(r.cells.ends) == 0 { // a blank line
		r.cells.null()
	}
	cols := make([]api.ResultColumn, len(r.cells.ends))
	r.cut()
	for i, c := range r.row {
		if !c.IsNull() {
			name, err := c.AppendText(nil)
			if err != nil {
				r.err = err
				return nil, err
			}
			cols[i].Name = string(name)
		}
	}
	r.cols = cols
	return cols, nil
}

func (r *fieldRows) Next() bool {
	if _, err := r.Columns(); err != nil {
		return false
	}
	for {
		if err := r.split.record(&r.cells, len(r.cols)); err != nil {
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			return false
		}
		if len(r.cells.ends) > 0 {
			break
		}
		if len(r.cols) == 1 { // a blank line is NULL there
			r.cells.null()
			break
		}
	}
	if n := len(r.cells.ends); n != len(r.cols) {
		r.err = fmt.Errorf("line %d: %d fields, the header has %d", r.split.at(), n, len(r.cols))
		return false
	}
	r.cut()
	return true
}

func (r *fieldRows) Row() []api.Cell { return r.row }
func (r *fieldRows) Err() error      { return r.err }
func (r *fieldRows) Close() error    { return r.src.Close() }

// cut creates the cells from the arena.
func (r *fieldRows) cut() {
	r.row = r.row[:0]
	from := 0
	for _, end := range r.cells.ends {
		r.row = append(r.row, api.Cell(r.cells.arena[from:end:end]))
		from = end
	}
}

func notUTF8(line int64) error { return fmt.Errorf("line %d: the text is not valid UTF-8", line) }

// csvRecords splits what csvFormat of pkg/output writes: an empty field without quotes is NULL and "" is the empty
// string; \N is NULL too in a file of one column.
type csvRecords struct{ in *csv.Reader }

func newCSVRecords(src *bufio.Reader) *csvRecords {
	start, _ := src.Peek(src.Size()) // an error is returned again by the reader
	returns := rowfile.EndsWithReturns(start)
	comma := rowfile.Delimiter(start, len(start) < src.Size(), returns, false)
	r := &csvRecords{csv.NewReader(src, comma, csv.Window)}
	r.in.CR, r.in.Longest = returns, longestRecord
	return r
}

func (r *csvRecords) at() int64 { return r.in.Line }

func (r *csvRecords) record(c *cells, columns int) error {
	c.reset()
	if err := r.in.Read(); err != nil {
		return err
	}
	if r.in.Blank() {
		return nil
	}
	for _, f := range r.in.Fields {
		switch {
		case r.in.Broken && !utf8.Valid(f.Text): // it may also contain a NUL, which is text here
			return notUTF8(r.in.Line)
		case f.Null(max(columns, len(r.in.Fields))):
			c.null()
		default:
			c.text(f.Text)
		}
	}
	return nil
}
