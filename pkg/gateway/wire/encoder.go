package wire

import (
	"io"
	"slices"
	"strconv"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
)

const (
	writeSize = 64 << 10 // from which the buffer of a reply is written
	firstSize = 2 << 10  // of the buffer: most replies are small
	fewCells  = 64       // of such a reply
)

// encoder writes rows in one of the three formats.
type encoder struct {
	w      io.Writer
	start  func() // called before the first byte is written; then nil
	format api.Format
	cols   []api.ResultColumn
	buf    []byte
	before [][]byte // the text before each value of a row, from the end of the previous value
	end    []byte   // the text after the last value of a row
	begun  bool
	broken bool // the reader has closed the connection
}

func newEncoder(w io.Writer, format api.Format, cols []api.ResultColumn, start func()) *encoder {
	e := &encoder{w: w, start: start, format: format, cols: cols, buf: make([]byte, 0, firstSize)}
	open, end := "[", "]"
	if format == api.Simple {
		open, end = "{", "}"
	}
	lead := open
	for i, c := range cols {
		p := []byte(lead)
		switch format {
		case api.Compact:
		case api.Simple:
			p = append(jsontext.AppendString(p, []byte(c.Name)), ':')
		default:
			p = jsontext.AppendString(append(p, `{"name":`...), []byte(c.Name))
			p = jsontext.AppendString(append(p, `,"displayName":`...), []byte(c.DisplayName))
			p = jsontext.AppendString(append(p, `,"dataType":`...), []byte(c.DataType))
			p = strconv.AppendInt(append(p, `,"order":`...), int64(i), 10)
			p = append(p, `,"value":`...)
		}
		e.before = append(e.before, p)
		lead = ","
		if format != api.Compact && format != api.Simple {
			lead = "},"
		}
	}
	e.end = []byte(end)
	if len(cols) > 0 && format != api.Compact && format != api.Simple {
		e.end = []byte("}" + end)
	}
	return e
}

// head writes the columns. dataType is an addition of this gateway: it provides the types to readers of COMPACT and
// SIMPLE.
func (e *encoder) head() {
	b := append(e.buf, `{"columns":[`...)
	for i, c := range e.cols {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(append(b, `{"catalogName":`...), []byte(c.CatalogName))
		b = jsontext.AppendString(append(b, `,"schemaName":`...), []byte(c.SchemaName))
		b = jsontext.AppendString(append(b, `,"tableName":`...), []byte(c.TableName))
		b = jsontext.AppendString(append(b, `,"columnName":`...), []byte(c.Name))
		b = append(jsontext.AppendString(append(b, `,"dataType":`...), []byte(c.DataType)), '}')
	}
	e.buf = append(b, `],"data":[`...)
}

func (e *encoder) rows(vecs []batch.Vec, n int) error {
	b := e.buf
	if n*len(vecs) > fewCells {
		b = slices.Grow(b, max(0, writeSize+writeSize/4-len(b))) // names may be longer
	}
	for i := range n {
		if e.begun {
			b = append(b, ',')
		}
		e.begun = true
		for k := range vecs {
			b = append(b, e.before[k]...)
			if v := &vecs[k]; v.Null(i) {
				b = append(b, "null"...)
			} else {
				b = v.AppendJSON(b, i)
			}
		}
		b = append(b, e.end...)
		if len(b) >= writeSize {
			if err := e.write(b); err != nil {
				e.buf, e.broken = b[:0], true
				return err
			}
			b = b[:0]
		}
	}
	e.buf = b
	return nil
}

func (e *encoder) write(b []byte) error {
	if e.start != nil {
		e.start()
		e.start = nil
	}
	_, err := e.w.Write(b)
	return err
}

// cut writes the rows that were computed before the error, if a part of the reply is written. Otherwise the error can
// be the reply, which over a network has no other way to say what happened.
func (e *encoder) cut(rows int64, fault error) (int64, error) {
	if e.start != nil {
		return 0, fault
	}
	if !e.broken {
		_, _ = e.w.Write(e.buf)
	}
	return rows, fault
}

func (e *encoder) tail() error { return e.write(append(e.buf, "]}"...)) }
