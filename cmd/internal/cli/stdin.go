package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Stdin reads standard input in a way that an interrupt ends: a read of a terminal or a pipe cannot be broken off, only left.
type Stdin struct {
	Ctx context.Context
	In  io.Reader
}

type chunk struct {
	b   []byte
	err error
}

// await is what read gives, unless the run is interrupted before.
func (s *Stdin) await(read func() ([]byte, error)) ([]byte, error) {
	got := make(chan chunk, 1)
	go func() {
		b, err := read()
		got <- chunk{b, err}
	}()
	select {
	case c := <-got:
		return c.b, c.err
	case <-s.Ctx.Done():
		return nil, context.Canceled
	}
}

func (s *Stdin) Read(p []byte) (int, error) {
	b, err := s.await(func() ([]byte, error) {
		b := make([]byte, len(p)) // p is the caller's again after an interrupt
		n, err := s.In.Read(b)
		return b[:n], err
	})
	return copy(p, b), err
}

// Hidden reads a line of the terminal without showing it. ok is false when there is no terminal.
func (e *Env) Hidden() (line string, ok bool, err error) {
	s, _ := e.In.(*Stdin)
	if s == nil {
		return "", false, nil
	}
	file, ok := s.In.(*os.File)
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

// Data is standard input where a file is expected. Someone at a terminal is told that it is waited for.
func (e *Env) Data() io.Reader {
	if e.InTerm && e.ErrTerm {
		fmt.Fprintln(e.Err, "reading from the terminal; Ctrl-D on a line of its own ends")
	}
	return e.In
}
