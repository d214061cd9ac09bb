package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// read reads statements or a command.
func (s *shell) read(ctx context.Context) (string, error) {
	first, more := s.prompt()
	begun := s.begun
	s.begun = ""
	if s.editor != nil {
		return s.editor.Read(ctx, first, more, begun)
	}
	var text strings.Builder
	text.WriteString(begun)
	var cleared atomic.Bool // by an interrupt, which also drops the line in the terminal's buffer
	defer s.trap(func() {
		cleared.Store(true)
		fmt.Fprint(s.e.Err, "\n"+first)
	})()
	for {
		if s.e.InTerm {
			p := first
			if text.Len() > 0 {
				p = more
			}
			fmt.Fprint(s.e.Err, p)
		}
		line, err := s.lines.next()
		if cleared.Swap(false) {
			text.Reset()
		}
		text.WriteString(line)
		if all := text.String(); err != nil || mayEnd(all, line) && done(all) {
			if err == io.EOF && strings.TrimSpace(all) != "" {
				err = nil
			}
			return all, err
		}
	}
}

// noStatement has characters with which no statement begins: commands of this shell, and of others, which are no
// statements to be continued.
const noStatement = `\.:!?#@`

// done reports whether a text is complete: a command, or statements that end with a semicolon.
func done(text string) bool {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return true
	}
	if strings.IndexByte(noStatement, trimmed[0]) >= 0 { // a command ends with its line
		_, rest, more := strings.Cut(trimmed, "\n")
		return !more || done(rest)
	}
	if unfinished(trimmed) {
		return false
	}
	if _, ok := commandWord(trimmed); ok {
		return true
	}
	last, begun := "", 0
	sqltext.Scan(text, false, func(from, to int) {
		if last == ";" {
			begun = from
		}
		last = text[from:to]
	})
	if parts := trinosql.Split(text); last == ";" && len(parts) > 0 {
		return parts[len(parts)-1].Ended // it may be in the body of a function
	}
	return last == ";" || last == "" && !strings.HasPrefix(trimmed, "/*") || text[begun] == '\\' ||
		commandAfter(text) > 0
}

// pieces divides a text as if its lines were typed: a command ends with its line. Each piece comes with the 1-based
// number of its last line.
func pieces(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n, begun, at := 0, 0, 0 // the piece is text[begun:at]
		for line := range strings.SplitAfterSeq(text, "\n") {
			n, at = n+1, at+len(line)
			if piece := text[begun:at]; mayEnd(piece, line) && done(piece) && strings.TrimSpace(piece) != "" {
				if !yield(n, piece) {
					return
				}
				begun = at
			}
		}
		if strings.TrimSpace(text[begun:]) != "" {
			yield(n, text[begun:])
		}
	}
}

// mayEnd reports whether a text that was not complete before its last line can be so with it. It is a shortcut: done
// reads the whole text.
func mayEnd(text, line string) bool {
	return strings.ContainsAny(line, `;\`) || strings.TrimSpace(text[:len(text)-len(line)]) == ""
}

// unfinished reports whether a long text is certainly incomplete, by its last line alone. It is a shortcut: done is
// called for every line of pasted text.
func unfinished(trimmed string) bool {
	at := strings.LastIndexByte(trimmed, '\n') + 1
	return at > 1<<10 && !strings.Contains(trimmed, "/*") && strings.IndexByte(trimmed, '\\') < 0 &&
		!strings.Contains(trimmed[at:], "--") &&
		strings.IndexByte(trimmed[at:], ';') < 0
}

// commandAfter returns where a command begins below an incomplete statement, on the last line, or behind the statement
// on that line if the command is about it; 0 if there is none. On a line of its own it may be unknown: no statement
// continues with a backslash.
func commandAfter(text string) int {
	text = strings.TrimRight(text, " \t\n")
	line := strings.LastIndexByte(text, '\n') + 1
	at, some := -1, false
	sqltext.Scan(text, false, func(from, _ int) {
		if from >= line && at < 0 && text[from] == '\\' {
			at = from
		}
		some = some || at < 0
	})
	if at < 0 || !some {
		return 0
	}
	if name, _, ok := commandOf(text[at:]); !ok || strings.TrimSpace(text[line:at]) != "" && !goes(name) {
		return 0
	}
	return at
}

// goes reports whether a command runs the statement before it.
func goes(name string) bool {
	return slices.Contains([]string{"g", "go", "gx", "crosstabview", "watch"}, name)
}

// lineReader reads lines, and removes a byte order mark at the beginning of the input.
type lineReader struct {
	r   io.Reader
	buf []byte
	err error

	some bool // the beginning, which may be a byte order mark, was read
}

func (l *lineReader) next() (string, error) {
	for {
		for i, c := range l.buf {
			if c == '\n' {
				line := string(l.buf[:i+1])
				l.buf = l.buf[i+1:]
				return line, nil
			}
		}
		if l.err != nil {
			line := string(l.buf)
			l.buf = nil
			return line, l.err
		}
		p := make([]byte, 4096)
		n, err := l.r.Read(p)
		l.buf, l.err = append(l.buf, p[:n]...), err
		if !l.some && (len(l.buf) >= len(rowfile.Mark) || err != nil) {
			l.buf, l.some = bytes.TrimPrefix(l.buf, []byte(rowfile.Mark)), true
		}
	}
}
