package term

import (
	"io"
	"unicode/utf8"
)

// Screen is a writer for untrusted text on a terminal: characters that could control the terminal or disguise the text
// are made visible, as in SanitizeText. It holds back the bytes of an incomplete character until the rest arrives.
type Screen struct {
	w    io.Writer
	rest []byte
	buf  []byte
}

// NewScreen returns a Screen that writes to w.
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

// Flush writes the bytes held back, which are invalid UTF-8 if nothing follows.
func (s *Screen) Flush() error {
	if len(s.rest) == 0 {
		return nil
	}
	_, err := s.w.Write(SanitizeText(nil, s.rest))
	s.rest = nil
	return err
}

// partial returns the number of bytes at the end of text that start a character but do not complete it.
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
