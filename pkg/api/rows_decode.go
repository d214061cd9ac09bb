package api

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Rows decodes a result row by row from the wire, in memory that does not grow with the result: one window, which grows
// only to hold a single long row (up to 256 MiB). It is not safe for concurrent use.
//
// It accepts the same JSON as encoding/json, but is stricter: a string that is not valid UTF-8 is an error
// (encoding/json substitutes U+FFFD), one value nests at most 1000 levels deep, "columns" and "data" may occur once,
// their keys are matched exactly, a row's cell count and names must fit the columns, and only white space may follow
// the document. Lone surrogates in escapes are preserved, and become U+FFFD in Cell.AppendText.
type Rows struct {
	win    window
	body   io.Closer
	format Format // "" until detected
	state  rowsState
	err    error
	closed bool
	closeE error

	members int      // keys of the document seen so far
	keys    []string // the first few of them, for error texts
	data    bool     // "data" has occurred
	listed  bool     // "columns" has occurred
	failure ReplyError
	failed  bool // an error has occurred whatever else the document contains

	cols     []ResultColumn
	known    bool // cols are final as far as rows are concerned
	row      []Cell
	pending  bool  // a row was read by Columns and not yet returned by Next
	count    int64 // rows read, including a pending one
	why      error // details of the fault "explained"
	layout   layout
	template template
}

type rowsState uint8

const (
	atStart rowsState = iota
	atMember
	atFirstRow
	atRow
	atEnd
	atRest
)

// ReplyError is an error in place of a result, in a reply with a success status.
type ReplyError struct {
	Code    string // errorCode as text, "" if there was none
	Message string
}

func (e *ReplyError) Error() string {
	switch {
	case e.Code == "":
		return "the gateway answered with an error: " + e.Message
	case e.Message == "":
		return "the gateway answered with error " + e.Code
	default:
		return fmt.Sprintf("the gateway answered with error %s: %s", e.Code, e.Message)
	}
}

var errClosedEarly = errors.New("the result was closed before its end")

// NewRows decodes the reply of "Execute query" [S] in the given format; with "" it detects the format from the first
// row. Anything else is an error that says what was found, including rows in another format. Closing the Rows closes
// body; nothing else does.
//
// Keys of the document may come in any order and unknown ones are skipped. If the rows come before "columns", the
// columns are taken from the first row: for CELL_TYPED its cells, for SIMPLE its keys, for COMPACT column_1, column_2
// and so on, until "columns" gives the names; a "columns" that does not fit the rows is an error.
//
// CELL_TYPED cells are assigned to columns by "order" if that numbers the cells of the row from 0 or 1 and agrees with
// the names in "columns"; else by their position; else by their name. A cell without "value" is NULL. SIMPLE cells are
// assigned by name: a missing one is NULL, an unknown one an error, of a repeated one the last counts, and columns of
// the same name all get the value.
func NewRows(body io.ReadCloser, format Format) *Rows {
	return newRows(body, format, windowSize, maxWindow)
}

func newRows(body io.ReadCloser, format Format, size, most int) *Rows {
	r := &Rows{body: body, format: format}
	r.win.init(body, size, most)
	switch format {
	case CellTyped, Simple, Compact, "":
	default:
		r.fail(fmt.Errorf("unknown format %q", format))
	}
	return r
}

// Format returns the format of the rows: the one given to NewRows or, after the first row, the detected one.
func (r *Rows) Format() Format { return r.format }

// Bytes returns the number of bytes received so far.
func (r *Rows) Bytes() int64 { return r.win.base + int64(r.win.end) }

// OnWait makes the reader call do with true before each read of the source, which may block, and with false after it;
// nil removes the callback.
func (r *Rows) OnWait(do func(waits bool)) { r.win.wait = do }

// Columns reads as far as needed to determine the columns: to "columns", and to the first row if only that has the
// names or (CELL_TYPED) the types. Next still reports that row. A result without rows and "columns" has none.
func (r *Rows) Columns() ([]ResultColumn, error) {
	for !r.settled() && !r.pending && r.err == nil && !r.closed && r.state != atRest {
		r.pending = r.step()
	}
	if r.settled() || r.state == atRest {
		return slices.Clone(r.cols), nil
	}
	if r.err == nil {
		return nil, r.at(errClosedEarly)
	}
	return nil, r.err
}

// settled reports whether reading the first row would add nothing about the columns.
func (r *Rows) settled() bool {
	return r.count > 0 || r.known && (r.format == Simple || r.format == Compact)
}

// Next advances to the next row and reports whether there is one. Cells of the previous row are no longer valid.
func (r *Rows) Next() bool {
	if r.pending {
		r.pending = false
		return true
	}
	if r.closed {
		if r.err == nil && r.state != atRest {
			r.err = r.at(errClosedEarly)
		}
		return false
	}
	if w := &r.win; r.state == atRow && r.template.live && w.pos < w.end && w.buf[w.pos] == ',' {
		if n, f := r.template.match(w.buf, w.pos+1, w.end, r.row); f == sound {
			w.pos = n
			r.count++
			return true
		}
	}
	for r.err == nil && r.state != atRest {
		if r.step() {
			return true
		}
	}
	return false
}

// Row returns the cells of the current row, in column order. It is overwritten by the next call of Next.
func (r *Rows) Row() []Cell { return r.row }

// Err returns nil if there is no error, also after Close of an unfinished result; a *RowsError otherwise.
func (r *Rows) Err() error {
	if r.pending {
		return nil
	}
	return r.err
}

// Close closes the body; before the end, that tells the gateway to stop.
func (r *Rows) Close() error {
	if !r.closed {
		r.closed = true
		r.closeE = r.body.Close()
	}
	return r.closeE
}

var _ RowReader = (*Rows)(nil)

// at wraps an error with the position of the reader.
func (r *Rows) at(err error) error {
	return &RowsError{Rows: r.count, Offset: r.win.base + int64(r.win.pos), Err: err}
}

// fail ends the reading with err. It returns false.
func (r *Rows) fail(err error) bool {
	if r.err == nil {
		r.err = r.at(err)
	}
	return false
}

// faulty reports a scanner's fault at buf[i].
func (r *Rows) faulty(i int, f fault) bool {
	if r.err == nil {
		err := r.why
		if f != explained {
			err = errors.New(f.text(r.win.buf, i, r.win.end))
		}
		r.err = &RowsError{Rows: r.count, Offset: r.win.base + int64(i), Err: err}
	}
	return false
}

// more refills the window after a scan that ran out of bytes at stop.
func (r *Rows) more(stop int) bool {
	err := r.win.more(stop)
	switch {
	case err == nil:
		return true
	case errors.Is(err, errTooLong):
		what := fmt.Sprintf("row %d", r.count+1)
		if r.state != atRow && r.state != atFirstRow {
			what = "a value outside the rows"
		}
		return r.fail(fmt.Errorf("%s is longer than %d MiB", what, r.win.most>>20))
	default:
		r.win.pos = r.win.end
		return r.fail(ended(err))
	}
}
