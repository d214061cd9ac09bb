package output

import (
	"io"
	"unicode/utf8"
)

// Screen is a writer for text that goes to a terminal and may hold anything: what could steer the terminal or disguise the text
// becomes visible, as SanitizeText does it. It holds back the bytes of a character that is not complete until the rest comes.
type Screen struct {
	w    io.Writer
	rest []byte
	buf  []byte
}

// NewScreen makes a Screen over w.
func NewScreen(w io.Writer) *Screen { return &Screen{w: w} }

func (s *Screen) Write(b []byte) (int, error) {
	text := b
	if len(s.rest) > 0 {
		text = append(s.rest, b...)
		s.rest = nil
	}
	whole := len(text) - partial(text)
	if whole < len(text) {
		s.rest = append([]byte(nil), text[whole:]...)
	}
	s.buf = SanitizeText(s.buf[:0], text[:whole])
	if _, err := s.w.Write(s.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what is held back, which is not UTF-8 if nothing else comes.
func (s *Screen) Flush() error {
	if len(s.rest) == 0 {
		return nil
	}
	_, err := s.w.Write(SanitizeText(nil, s.rest))
	s.rest = nil
	return err
}

// partial is the number of bytes at the end of text that begin a character but do not end it.
func partial(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

// screened puts a Screen before a terminal for the forms that write values as they are. A table makes them visible itself, and has
// colours besides.
func screened(w io.Writer, o Options) (io.Writer, func() error) {
	if !o.Terminal || o.format() == Table && o.JQ == "" {
		return w, func() error { return nil }
	}
	s := NewScreen(w)
	return s, s.Flush
}
