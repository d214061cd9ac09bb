package cli

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"time"
)

// lastWord is how long a write may still take after an interrupt.
const lastWord = 500 * time.Millisecond

// interruptibleWriter is an output whose writes can be abandoned on an interrupt: a write to a pipe that nobody reads
// cannot be cancelled. It must not delay the exit of the process, which may hold locks.
type interruptibleWriter struct {
	ctx  context.Context
	w    io.Writer
	left atomic.Bool // a write is still in progress
}

// interruptible makes writes to w end on an interrupt. Regular files are not wrapped, because they do not block.
func interruptible(ctx context.Context, w io.Writer) io.Writer {
	if RegularFile(w) {
		return w
	}
	return &interruptibleWriter{ctx: ctx, w: w}
}

// Unwrap returns the output itself, for other programs to write to.
func (l *interruptibleWriter) Unwrap() io.Writer { return l.w }

func (l *interruptibleWriter) Write(p []byte) (int, error) {
	if l.left.Load() {
		return 0, context.Canceled
	}
	if len(p) < 4096 { // such as the buffers of package fmt, which are reused immediately
		p = bytes.Clone(p)
	}
	type written struct {
		n   int
		err error
	}
	done := make(chan written, 1)
	go func() {
		n, err := l.w.Write(p)
		done <- written{n, err}
	}()
	select {
	case d := <-done:
		return d.n, d.err
	case <-l.ctx.Done():
	}
	late := time.NewTimer(lastWord)
	defer late.Stop()
	select {
	case d := <-done:
		return d.n, d.err
	case <-late.C:
		l.left.Store(true)
		return 0, context.Canceled
	}
}

// unwrapped returns the output behind w.
func unwrapped(w io.Writer) io.Writer {
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}
