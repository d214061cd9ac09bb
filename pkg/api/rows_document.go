package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// step reads one element: a row (true), a key of the document with its value, or the end.
func (r *Rows) step() bool {
	switch r.state {
	case atStart:
		r.open()
	case atMember:
		r.member()
	case atFirstRow, atRow:
		return r.nextRow()
	case atEnd:
		r.rest()
	}
	return false
}

// peek skips white space and returns the next byte without consuming it.
func (r *Rows) peek() (byte, bool) {
	w := &r.win
	for {
		if w.pos = skipSpace(w.buf, w.pos, w.end); w.pos < w.end {
			w.vain = 0
			return w.buf[w.pos], true
		}
		if !r.more(w.pos) {
			return 0, false
		}
	}
}

// value reads one complete value. It is valid until the window moves.
func (r *Rows) value() (Cell, bool) {
	if _, ok := r.peek(); !ok {
		return nil, false
	}
	w := &r.win
	for {
		n, f := scanValue(w.buf, w.pos, w.end, 0)
		switch f {
		case sound:
			v := Cell(w.buf[w.pos:n:n])
			w.pos, w.vain = n, 0
			return v, true
		case short:
			if !r.more(n) {
				return nil, false
			}
		default:
			return nil, r.faulty(n, f)
		}
	}
}

func (r *Rows) open() {
	c, ok := r.peek()
	if !ok {
		if r.Bytes() == 0 && errors.Is(r.err, ErrTruncated) {
			r.err = r.at(fmt.Errorf("%w: the reply is empty", ErrTruncated))
		}
		return
	}
	if c != '{' {
		r.fail(fmt.Errorf("%w: expected a JSON object, found %s", ErrNotResult, found(r.win.buf[r.win.pos:r.win.end])))
		return
	}
	r.win.pos++
	r.state = atMember
}

func (r *Rows) member() {
	c, ok := r.peek()
	if !ok {
		return
	}
	if c == '}' {
		r.win.pos++
		r.state = atEnd
		r.judge()
		return
	}
	if r.members > 0 {
		if c != ',' {
			r.faulty(r.win.pos, stray)
			return
		}
		r.win.pos++
		if c, ok = r.peek(); !ok {
			return
		}
	}
	if c != '"' {
		r.faulty(r.win.pos, stray)
		return
	}
	token, ok := r.value()
	if !ok {
		return
	}
	key := text(token)
	if c, ok = r.peek(); !ok {
		return
	}
	if c != ':' {
		r.faulty(r.win.pos, stray)
		return
	}
	r.win.pos++
	r.members++
	if len(r.keys) < 8 {
		r.keys = append(r.keys, key)
	}
	switch key {
	case "columns":
		r.readColumns()
	case "data":
		r.openData()
	default:
		if v, ok := r.value(); ok {
			r.note(key, v)
		}
	}
}

// text returns the text of a scanned token.
func text(c Cell) string {
	b, _ := c.AppendText(nil)
	return string(b)
}

// textOrEmpty decodes a string or null like encoding/json does for a string field.
func textOrEmpty(c Cell) string {
	if c.IsNull() {
		return ""
	}
	return text(c)
}

func (r *Rows) openData() {
	if r.data {
		r.fail(errors.New("duplicate \"data\""))
		return
	}
	r.data = true
	c, ok := r.peek()
	switch {
	case !ok:
	case c == '[':
		r.win.pos++
		r.state = atFirstRow
	case c == 'n':
		r.value()
	default:
		r.fail(fmt.Errorf("\"data\" is not an array but %s", found(r.win.buf[r.win.pos:r.win.end])))
	}
}

func (r *Rows) readColumns() {
	if r.listed {
		r.fail(errors.New("duplicate \"columns\""))
		return
	}
	r.listed = true
	v, ok := r.value()
	if !ok || v.IsNull() {
		return
	}
	if v.Kind() != CellArray {
		r.fail(fmt.Errorf("\"columns\" is not an array but %s", found(v)))
		return
	}
	var list []*ResultColumn
	if err := json.Unmarshal(v, &list); err != nil {
		r.fail(fmt.Errorf("\"columns\": %w", err))
		return
	}
	cols := make([]ResultColumn, len(list))
	for i, c := range list {
		if c == nil {
			r.fail(fmt.Errorf("\"columns\": number %d is null", i+1))
			return
		}
		cols[i] = *c
	}
	if !r.known {
		r.cols, r.known = cols, true
	} else if err := r.layout.reconcile(r.format, r.cols, cols); err != nil {
		r.fail(err)
	}
}

// note stores the members of the gateway's error bodies (four shapes: a number, a string or null for errorCode; error,
// message, reason and code besides or instead of it) [L].
func (r *Rows) note(key string, v Cell) {
	if v.IsNull() || v.Kind() == CellObject || v.Kind() == CellArray {
		return
	}
	s := text(v)
	switch key {
	case "errorCode", "error", "code":
		if s == "" || s == "0" || s == "false" {
			return
		}
		r.failed = r.failed || key != "code"
		if r.failure.Code == "" || key == "errorCode" {
			r.failure.Code = s
		}
	case "message", "reason":
		if r.failure.Message == "" || key == "message" {
			r.failure.Message = s
		}
	}
}

// judge checks the document when its closing brace was read.
func (r *Rows) judge() {
	f := r.failure
	switch {
	case r.failed, !r.data && (f.Code != "" || f.Message != ""):
		r.fail(&f)
	case !r.data && r.members == 0:
		r.fail(fmt.Errorf("%w: an empty object without \"data\"", ErrNotResult))
	case !r.data:
		quoted := make([]string, len(r.keys))
		for i, k := range r.keys {
			quoted[i] = strconv.Quote(k)
		}
		r.fail(fmt.Errorf("%w: no \"data\", found only %s", ErrNotResult, strings.Join(quoted, ", ")))
	}
}

// rest checks that only white space follows, and that the source ends without an error.
func (r *Rows) rest() {
	w := &r.win
	for {
		if w.pos = skipSpace(w.buf, w.pos, w.end); w.pos < w.end {
			r.fail(fmt.Errorf("unexpected %s after the end of the document", found(w.buf[w.pos:w.end])))
			return
		}
		switch err := w.more(w.pos); {
		case err == nil:
		case err == io.EOF:
			r.state = atRest
			return
		default:
			r.fail(ended(err))
			return
		}
	}
}

// nextRow reads one row, or the end of "data".
func (r *Rows) nextRow() bool {
	c, ok := r.peek()
	if !ok {
		return false
	}
	if c == ']' {
		r.win.pos++
		r.state = atMember
		return false
	}
	if r.state == atRow {
		if c != ',' {
			return r.faulty(r.win.pos, stray)
		}
		r.win.pos++
		if _, ok = r.peek(); !ok {
			return false
		}
	}
	w := &r.win
	for {
		n, f := r.readRow()
		switch f {
		case sound:
			w.pos, w.vain = n, 0
			r.state = atRow
			r.count++
			return true
		case short:
			if !r.more(n) {
				return false
			}
		default:
			return r.faulty(n, f)
		}
	}
}

// readRow tries the learned layout on the row at the window's position, then the general parser, and learns from that.
func (r *Rows) readRow() (int, fault) {
	w, t := &r.win, &r.template
	if t.live {
		n, f := t.match(w.buf, w.pos, w.end, r.row)
		if f == sound || f == short && w.rerr == nil {
			return n, f
		}
		t.missed()
	}
	n, f := r.parseRow(w.buf, w.pos, w.end)
	if f != sound {
		return n, f
	}
	if err := r.placeRow(); err != nil {
		r.why = err
		return w.pos, explained
	}
	t.learn(w.buf[w.pos:n], w.pos, &r.layout, len(r.cols))
	return n, sound
}
