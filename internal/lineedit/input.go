package lineedit

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/term"
	"github.com/muesli/cancelreader"
)

// input passes keys to the editor of one statement. Keys after the one that ends it are kept for the next: keys typed
// while a statement runs, or sent at once by a terminal without bracketed paste, must not be lost.
type input struct {
	tty *os.File

	reading sync.Mutex // locked by Read

	mu      sync.Mutex
	pending []byte // read, and not passed on
	passed  int    // bytes passed on for this statement
	command bool   // the first of them begins a command
	inPaste bool
	matched int  // bytes of a paste marker at the end of the passed bytes
	gate    bool // a key that may end the statement was passed on, and has not been handled

	wake chan struct{} // a gate key was handled
	done chan struct{} // closed when the editor ends
	from cancelreader.CancelReader
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// gateWait limits how long keys wait for a preceding one to be handled.
	gateWait = 300 * time.Millisecond
)

// open starts reading for one statement, or for the rest of one that begins with a text.
func (in *input) open(begin string) error {
	r, err := cancelreader.NewReader(in.tty)
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.from, in.done, in.wake, in.gate = r, make(chan struct{}), make(chan struct{}, 1), false
	in.passed, in.command = len(begin), strings.HasPrefix(begin, `\`)
	return nil
}

// end makes Read return, for the current statement.
func (in *input) end() {
	select {
	case <-in.done:
	default:
		close(in.done)
		in.from.Cancel()
	}
}

// release ends the read and waits for it. A read that cannot be ended keeps its bytes for the next statement.
func (in *input) release() {
	in.end()
	ended := make(chan struct{})
	from := in.from
	go func() {
		in.reading.Lock()
		defer in.reading.Unlock()
		_ = from.Close()
		close(ended)
	}()
	late := time.NewTimer(gateWait)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
}

// busy reports whether keys are being passed to the editor.
func (in *input) busy() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.gate || len(in.pending) > 0
}

// handled releases the keys after a gate key.
func (in *input) handled() {
	in.mu.Lock()
	in.gate = false
	in.mu.Unlock()
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

func (in *input) Read(p []byte) (int, error) {
	in.reading.Lock()
	defer in.reading.Unlock()
	in.mu.Lock()
	from, done, wake, gate := in.from, in.done, in.wake, in.gate
	in.mu.Unlock()
	if gate {
		late := time.NewTimer(gateWait)
		select {
		case <-wake:
		case <-late.C:
		case <-done:
		}
		late.Stop()
	}
	if ended(done) {
		return 0, io.EOF
	}
	in.mu.Lock()
	in.gate = false
	waiting, mayLeave := len(in.pending) > 0, in.passed == 0 || in.command
	in.mu.Unlock()
	if !waiting {
		buf := make([]byte, 4096)
		n, err := in.take(from, buf, mayLeave)
		in.mu.Lock()
		in.pending = append(in.pending, buf[:n]...)
		in.mu.Unlock()
		if n == 0 {
			if err == nil || errors.Is(err, cancelreader.ErrCanceled) {
				err = io.EOF
			}
			return 0, err
		}
	}
	if ended(done) { // the bytes are for the next statement
		return 0, io.EOF
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	n := in.next(min(len(p), len(in.pending)))
	copy(p, in.pending[:n])
	if in.passed == 0 {
		in.command = in.pending[0] == '\\'
	}
	in.passed += n
	in.pending = append(in.pending[:0], in.pending[n:]...)
	return n, nil
}

// take reads keys. If mayLeave is set, because a key such as Ctrl-D or a command such as \q may end the program, it
// reads one key at a time: the keys after it belong to the next program that reads the terminal.
func (in *input) take(from io.Reader, buf []byte, mayLeave bool) (int, error) {
	if !mayLeave {
		return from.Read(buf)
	}
	n, err := from.Read(buf[:1])
	if n == 0 || err != nil || buf[0] < utf8.RuneSelf && buf[0] != escape {
		return n, err
	}
	// the rest of a character or of an escape sequence, which must not be split
	rest := min(term.Waiting(in.tty), len(buf)-1)
	if rest <= 0 {
		return n, nil
	}
	more, err := from.Read(buf[1 : 1+rest])
	return 1 + more, err
}

func ended(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// next returns the number of bytes that may be passed on: up to the first key that may end the statement.
func (in *input) next(limit int) int {
	for i, c := range in.pending[:limit] {
		mark := pasteBegin
		if in.inPaste {
			mark = pasteEnd
		}
		switch {
		case c == mark[in.matched]:
			in.matched++
		case c == mark[0]:
			in.matched = 1
		default:
			in.matched = 0
		}
		if in.matched == len(mark) {
			in.inPaste, in.matched = !in.inPaste, 0
		}
		if !in.inPaste && (c == '\r' || c == '\n' || c == ctrlC || c == ctrlD || c == ctrlL || c == ctrlZ) {
			in.gate = true
			select { // of an earlier key
			case <-in.wake:
			default:
			}
			return i + 1
		}
	}
	return limit
}

const (
	ctrlC  = 0x03
	ctrlD  = 0x04
	ctrlL  = 0x0c
	ctrlZ  = 0x1a
	escape = 0x1b
)

// Write, Close and Fd make input a terminal for the editor, which puts it into raw mode.
func (in *input) Write(p []byte) (int, error) { return in.tty.Write(p) }
func (in *input) Close() error                { return nil }
func (in *input) Fd() uintptr                 { return in.tty.Fd() }

// output is the terminal without queries, whose replies could arrive when a pager or another program reads, and without
// changes of the cursor shape, which is the user's choice.
type output struct{ tty *os.File }

func (o output) Write(p []byte) (int, error) {
	clean := p
	for _, ask := range []string{"\x1b[?u", "\x1b[?2026$p", "\x1b[?2027$p", "\x1b[1 q"} {
		clean = bytes.ReplaceAll(clean, []byte(ask), nil)
	}
	if _, err := o.tty.Write(clean); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o output) Read(p []byte) (int, error) { return o.tty.Read(p) }
func (o output) Close() error               { return nil }
func (o output) Fd() uintptr                { return o.tty.Fd() }
