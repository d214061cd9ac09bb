// Package pipe opens files that may be named pipes without waiting for the other end forever.
package pipe

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// Open opens an existing file to read (os.O_RDONLY) or write (os.O_WRONLY). The result is an *os.File unless the file
// is a named pipe: opening one, and reading and writing it, end with the cause of the context.
func Open(ctx context.Context, path string, flag int) (io.ReadWriteCloser, error) {
	if st, err := os.Stat(path); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, flag, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		stop := context.AfterFunc(ctx, func() { _ = o.f.SetDeadline(time.Unix(1, 0)) })
		return &file{o.f, ctx, stop}, nil
	case <-ctx.Done():
		go func() { // when the other end is opened
			if o := <-done; o.err == nil {
				_ = o.f.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// file is an open pipe.
type file struct {
	f    *os.File
	ctx  context.Context
	stop func() bool
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	return n, f.cause(err)
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, f.cause(err)
}

func (f *file) cause(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) && f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	return err
}

func (f *file) Close() error {
	f.stop()
	return f.f.Close()
}
