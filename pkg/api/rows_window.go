package api

import (
	"errors"
	"fmt"
	"io"
)

const (
	windowSize = 256 << 10 // smaller ones cost more system calls, larger ones do not fit in the CPU cache
	// maxWindow limits one row (or one value outside the rows); a longer one is an error.
	maxWindow = 256 << 20
	// A row is parsed again from its start when the window ends inside it. For small rows this happens at every read,
	// so that a row is available as soon as its last byte is; the number of bytes scanned repeatedly is kept below this
	// plus four times the row.
	freeRescans = 1 << 20
)

// window is the part of the document in memory: buf[pos:end] is not yet consumed, and pad bytes follow size.
type window struct {
	src  io.Reader
	buf  []byte // len = size + pad
	size int
	most int // limit of size
	pos  int
	end  int
	base int64            // offset of buf[0] in the document
	vain int              // bytes scanned repeatedly since the last complete unit
	rerr error            // the error at the end of the source
	wait func(waits bool) // see Rows.OnWait
}

func (w *window) init(src io.Reader, size, most int) {
	*w = window{src: src, buf: make([]byte, size+pad), size: size, most: most}
}

var (
	errNoProgress = errors.New("the source returns neither bytes nor an error")
	errTooLong    = errors.New("too long")
)

// more reads further, keeping buf[pos:end], which moves to the front; tokens found before become invalid. stop is how
// far the caller had scanned. It fails with the source's error, or errTooLong if the unread part fills the largest
// window.
func (w *window) more(stop int) error {
	w.vain += stop - w.pos
	if w.rerr != nil {
		return w.rerr
	}
	if w.pos > 0 {
		copy(w.buf, w.buf[w.pos:w.end])
		w.base += int64(w.pos)
		w.end -= w.pos
		w.pos = 0
	}
	for got, idle := false, 0; ; {
		if w.end == w.size {
			if w.size >= w.most {
				return errTooLong
			}
			w.grow()
		}
		if w.wait != nil {
			w.wait(true)
		}
		n, err := w.src.Read(w.buf[w.end:w.size])
		if w.wait != nil {
			w.wait(false)
		}
		w.end += n
		got = got || n > 0
		if idle++; n > 0 {
			idle = 0
		} else if err == nil && idle == 100 {
			err = errNoProgress
		}
		if err != nil {
			if w.rerr = err; !got {
				return err
			}
			return nil
		}
		if got && w.vain <= freeRescans+4*w.end {
			return nil
		}
	}
}

func (w *window) grow() {
	w.size = min(2*w.size, w.most)
	buf := make([]byte, w.size+pad)
	copy(buf, w.buf[:w.end])
	w.buf = buf
}

// ended converts the reason why the source ended inside the document to the reader's error.
func ended(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", ErrTruncated, err)
	case errors.Is(err, io.EOF):
		return ErrTruncated
	default:
		return err
	}
}
