package rowfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// skipped is a text without its first lines. A line ends with a line feed, or with a carriage return that none follows.
type skipped struct {
	io.ReadCloser
	src  *bufio.Reader
	left int64
}

func (s *skipped) Read(p []byte) (int, error) {
	for s.left > 0 {
		c, err := s.src.ReadByte()
		if err != nil {
			return 0, err
		}
		if c == '\r' {
			if next, _ := s.src.Peek(1); len(next) == 1 && next[0] == '\n' { // an error is returned again by ReadByte
				continue
			}
		}
		if c == '\n' || c == '\r' {
			s.left--
		}
	}
	return s.src.Read(p)
}

// shortened is a text without its last lines that are not blank, and the blank ones among and after these.
type shortened struct {
	io.ReadCloser
	lines int
	buf   []byte // what was read and not returned
	ready int    // bytes of it that are not of the last lines
	err   error
}

func (t *shortened) Read(p []byte) (int, error) {
	for t.ready == 0 {
		if t.err != nil {
			return 0, t.err
		}
		if len(t.buf) > csv.MaxRecord {
			return 0, fmt.Errorf("the last %d lines are longer than %d MiB", t.lines, csv.MaxRecord>>20)
		}
		n := len(t.buf)
		t.buf = append(t.buf, make([]byte, Window)...)
		n, t.err = io.ReadAtLeast(t.ReadCloser, t.buf[n:], 1)
		t.buf = t.buf[:len(t.buf)-Window+n]
		if errors.Is(t.err, io.EOF) {
			t.ready = lastLines(t.buf, t.lines)
		} else {
			t.ready = lastLines(t.buf, t.lines+1) // the last of them may be a part of a line
		}
	}
	n := copy(p, t.buf[:t.ready])
	t.buf, t.ready = t.buf[n:], t.ready-n
	return n, nil
}

// lastLines returns where the last n lines of a text begin that are not blank.
func lastLines(text []byte, n int) int {
	at := len(text)
	for ; n > 0 && at > 0; at = lineStart(text, at) {
		if len(bytes.TrimSpace(text[lineStart(text, at):at])) > 0 {
			n--
		}
	}
	return at
}

// lineStart returns where the line begins that ends at a place.
func lineStart(text []byte, end int) int {
	if end > 0 && text[end-1] == '\n' {
		end--
	}
	if end > 0 && text[end-1] == '\r' {
		end--
	}
	return bytes.LastIndexAny(text[:end], "\r\n") + 1
}

// heldBack are rows without the last n of them.
type heldBack struct {
	Rows
	held []heldRow // n and the one that was returned, in a ring
	at   int       // of the oldest
	full bool
	line int64 // of the row that was returned
}

type heldRow struct {
	line int64
	row  []infer.Value
	text []byte
}

func holdBack(r Rows, n int) Rows { return &heldBack{Rows: r, held: make([]heldRow, n+1)} }

func (h *heldBack) At() int64 { return h.line }

func (h *heldBack) Next(ctx context.Context) ([]infer.Value, error) {
	for {
		row, err := h.Rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		h.held[h.at].set(row, h.Rows.At())
		if h.at = (h.at + 1) % len(h.held); h.at == 0 {
			h.full = true
		}
		if h.full {
			h.line = h.held[h.at].line
			return h.held[h.at].row, nil
		}
	}
}

// set copies a row.
func (h *heldRow) set(row []infer.Value, line int64) {
	h.line, h.row, h.text = line, append(h.row[:0], row...), h.text[:0]
	for _, v := range row {
		h.text = append(h.text, v.Text...)
	}
	from := 0
	for i, v := range row {
		h.row[i].Text = h.text[from : from+len(v.Text) : from+len(v.Text)]
		from += len(v.Text)
	}
}
