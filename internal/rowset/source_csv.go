package rowset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
)

// csvRows reads the output of csvFormat and tsvFormat: in csv an empty field without quotes is NULL and "" is the empty
// string, in tsv \N is NULL. Both require a header. A blank line is skipped; in a csv file of one column it is NULL, as
// is \N.
type csvRows struct {
	src  *fileSource
	tsv  bool
	cols []api.ResultColumn
	row  []api.Cell

	line  int64 // line of the file at which the current record ends
	raw   []byte
	arena []byte
	field []byte
	ends  []int
	err   error
}

func (r *csvRows) Columns() ([]api.ResultColumn, error) {
	if r.cols != nil || r.err != nil {
		return r.cols, r.err
	}
	skipMark(r.src.Reader)
	if r.err = r.record(); errors.Is(r.err, io.EOF) {
		r.err = errors.New("the file is empty and has no header")
	}
	if r.err != nil {
		return nil, r.err
	}
	cols := make([]api.ResultColumn, len(r.ends))
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

func (r *csvRows) Next() bool {
	if _, err := r.Columns(); err != nil {
		return false
	}
	for {
		if err := r.record(); err != nil {
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			return false
		}
		if len(r.ends) > 1 || len(r.cols) == 1 || r.ends[0] > len("null") || r.arena[0] != 'n' {
			break
		}
	}
	if len(r.ends) != len(r.cols) {
		r.err = fmt.Errorf("line %d: %d fields, the header has %d", r.line, len(r.ends), len(r.cols))
		return false
	}
	r.cut()
	return true
}

func (r *csvRows) Row() []api.Cell { return r.row }
func (r *csvRows) Err() error      { return r.err }
func (r *csvRows) Close() error    { return r.src.Close() }

// cut creates the cells from the arena.
func (r *csvRows) cut() {
	r.row = r.row[:0]
	from := 0
	for _, end := range r.ends {
		r.row = append(r.row, api.Cell(r.arena[from:end:end]))
		from = end
	}
}

// readLine reads a line with its line feed, of any length.
func (r *csvRows) readLine() error {
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
		case len(piece) == 0 || len(r.raw) > 256<<20:
			return fmt.Errorf("line %d: %w", r.line+1, err)
		}
	}
}

// record reads one record into arena and ends.
func (r *csvRows) record() error {
	r.arena, r.ends = r.arena[:0], r.ends[:0]
	if err := r.readLine(); err != nil {
		return err
	}
	if r.tsv {
		return r.tabs(bytes.TrimRight(r.raw, "\r\n"))
	}
	rest := r.raw
	for {
		if len(rest) > 0 && rest[0] == '"' {
			var err error
			if rest, err = r.quoted(rest[1:]); err != nil {
				return err
			}
		} else {
			n := bytes.IndexByte(rest, ',')
			end := n
			if n < 0 {
				n = len(rest)
				end = len(bytes.TrimRight(rest, "\r\n"))
			}
			if end == 0 || n == len(rest) && len(r.ends) == 0 && len(r.cols) == 1 && string(rest[:end]) == csv.Null {
				r.arena = append(r.arena, "null"...)
			} else if err := r.text(rest[:end]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		r.ends = append(r.ends, len(r.arena))
		if len(rest) == 0 || rest[0] != ',' {
			return nil
		}
		rest = rest[1:]
	}
}

// quoted reads a field after its opening quote, over any number of lines, and returns the text after the closing one.
func (r *csvRows) quoted(rest []byte) ([]byte, error) {
	begun := r.line
	r.field = r.field[:0]
	for {
		n := bytes.IndexByte(rest, '"')
		if n < 0 {
			r.field = append(r.field, rest...)
			if err := r.readLine(); err != nil {
				return nil, fmt.Errorf("line %d: the quoted field does not end", begun)
			}
			rest = r.raw
			continue
		}
		r.field = append(r.field, rest[:n]...)
		rest = rest[n+1:]
		if len(rest) > 0 && rest[0] == '"' {
			r.field = append(r.field, '"')
			rest = rest[1:]
			continue
		}
		if after := bytes.TrimRight(rest, "\r\n"); len(after) > 0 && after[0] != ',' {
			return nil, fmt.Errorf("line %d: %q follows a closing quote", r.line, after[:1])
		}
		return rest, r.text(r.field)
	}
}

// tabs reads a line of the text format of COPY.
func (r *csvRows) tabs(line []byte) error {
	for field := range bytes.SplitSeq(line, []byte{'\t'}) {
		switch {
		case string(field) == csv.Null, len(line) == 0:
			r.arena = append(r.arena, "null"...)
		case bytes.IndexByte(field, '\\') < 0:
			if err := r.text(field); err != nil {
				return err
			}
		default:
			r.field = r.field[:0]
			for i := 0; i < len(field); i++ {
				c := field[i]
				if c == '\\' && i+1 < len(field) {
					i++
					switch c = field[i]; c {
					case 't':
						c = '\t'
					case 'n':
						c = '\n'
					case 'r':
						c = '\r'
					}
				}
				r.field = append(r.field, c)
			}
			if err := r.text(r.field); err != nil {
				return err
			}
		}
		r.ends = append(r.ends, len(r.arena))
	}
	return nil
}

// text appends a string as JSON.
func (r *csvRows) text(t []byte) error {
	if !utf8.Valid(t) {
		return fmt.Errorf("line %d: the text is not valid UTF-8", r.line)
	}
	for _, c := range t {
		if c < ' ' || c == '"' || c == '\\' {
			r.arena = append(r.arena, cell.Text(string(t))...)
			return nil
		}
	}
	r.arena = append(append(append(r.arena, '"'), t...), '"')
	return nil
}
