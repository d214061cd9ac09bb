package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Stdin reads standard input so that an interrupt ends the read: a blocking read of a terminal or a pipe cannot be
// cancelled, only abandoned.
type Stdin struct {
	Ctx context.Context
	In  io.Reader
}

type chunk struct {
	b   []byte
	err error
}

// await returns the result of read unless the run is interrupted first.
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
		b := make([]byte, len(p)) // p belongs to the caller again after an interrupt
		n, err := s.In.Read(b)
		return b[:n], err
	})
	return copy(p, b), err
}

// Hidden reads a line of the terminal without echoing it. ok is false if there is no terminal.
func (p *Prompter) Hidden() (line string, ok bool, err error) {
	s, _ := p.In.(*Stdin)
	if s == nil {
		return "", false, nil
	}
	file, ok := s.In.(*os.File)
	if !ok || !p.InTerm {
		return "", false, nil
	}
	fd := int(file.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", true, err
	}
	raw, err := s.await(func() ([]byte, error) { return term.ReadPassword(fd) })
	if errors.Is(err, context.Canceled) {
		_ = term.Restore(fd, before) // restores the echo
		return "", true, err
	}
	fmt.Fprintln(p.Out)
	return string(raw), true, err
}
