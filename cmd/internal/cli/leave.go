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

// leaving is an output that an interrupt gets past: a write to a pipe that nobody reads cannot be broken off, only left. It must not
// hold up the end of the process, which may hold locks.
type leaving struct {
	ctx  context.Context
	w    io.Writer
	left atomic.Bool // a write is still on its way
}

// Leavable lets an interrupt end the writing to w. Files are always taken.
func Leavable(ctx context.Context, w io.Writer) io.Writer {
	if RegularFile(w) {
		return w
	}
	return &leaving{ctx: ctx, w: w}
}

// Unwrap is the output itself, for other programs to write to.
func (l *leaving) Unwrap() io.Writer { return l.w }

func (l *leaving) Write(p []byte) (int, error) {
	if l.left.Load() {
		return 0, context.Canceled
	}
	if len(p) < 4096 { // such as the buffers of package fmt, which are used again at once
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

// unwrapped is the output behind w.
func unwrapped(w io.Writer) io.Writer {
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}
