package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// stdin reads standard input in a way that an interrupt ends: a read of a terminal or a pipe cannot be broken off, only left.
type stdin struct {
	ctx context.Context
	in  io.Reader
}

type chunk struct {
	b   []byte
	err error
}

// await is what read gives, unless the run is interrupted before.
func (s *stdin) await(read func() ([]byte, error)) ([]byte, error) {
	got := make(chan chunk, 1)
	go func() {
		b, err := read()
		got <- chunk{b, err}
	}()
	select {
	case c := <-got:
		return c.b, c.err
	case <-s.ctx.Done():
		return nil, context.Canceled
	}
}

func (s *stdin) Read(p []byte) (int, error) {
	b, err := s.await(func() ([]byte, error) {
		b := make([]byte, len(p)) // p is the caller's again after an interrupt
		n, err := s.in.Read(b)
		return b[:n], err
	})
	return copy(p, b), err
}

// hidden reads a line of the terminal without showing it. ok is false when there is no terminal.
func (e *Env) hidden() (line string, ok bool, err error) {
	s, _ := e.In.(*stdin)
	if s == nil {
		return "", false, nil
	}
	file, ok := s.in.(*os.File)
	if !ok || !e.InTerm {
		return "", false, nil
	}
	fd := int(file.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", true, err
	}
	raw, err := s.await(func() ([]byte, error) { return term.ReadPassword(fd) })
	if errors.Is(err, context.Canceled) {
		_ = term.Restore(fd, before) // what is typed is shown again
		return "", true, err
	}
	fmt.Fprintln(e.Err)
	return string(raw), true, err
}

// data is standard input where a file is expected. Someone at a terminal is told that it is waited for.
func (e *Env) data() io.Reader {
	if e.InTerm && e.ErrTerm {
		fmt.Fprintln(e.Err, "reading from the terminal; Ctrl-D on a line of its own ends")
	}
	return e.In
}
