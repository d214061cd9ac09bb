package rowfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Coding is a text encoding.
type Coding uint8

// The encodings.
const (
	UTF8 Coding = iota
	UTF16LE
	UTF16BE
)

// CodingOf detects the encoding of a text from its first bytes: by its byte order mark, or by the zero bytes of UTF-16;
// guessed is set when there was no mark.
func CodingOf(head []byte) (c Coding, guessed bool) {
	zeros := [2]int{}
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(head) / 2; {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return UTF16LE, false
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return UTF16BE, false
	case half > 1 && zeros[0] <= half/8 && zeros[1] > half/2:
		return UTF16LE, true
	case half > 1 && zeros[1] <= half/8 && zeros[0] > half/2:
		return UTF16BE, true
	}
	return UTF8, false
}

func (c Coding) String() string {
	return [...]string{"UTF-8", "UTF-16, little endian", "UTF-16, big endian"}[c]
}

// Decode returns text in UTF-8, without a byte order mark if it was UTF-16.
func (c Coding) Decode(r io.ReadCloser) io.ReadCloser {
	if c == UTF8 {
		return r
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if c == UTF16BE {
		order = binary.BigEndian
	}
	return &decoder{ReadCloser: r, src: bufio.NewReaderSize(r, Window), order: order, first: true, line: 1}
}

// decoder converts UTF-16 to UTF-8. Invalid UTF-16 is an error, never a replacement character.
type decoder struct {
	io.ReadCloser
	src   *bufio.Reader
	order binary.ByteOrder
	first bool
	line  int64
	Made
}

func (r *decoder) Read(p []byte) (int, error) { return r.Made.Read(p, r.character) }

func (r *decoder) character() error {
	c, err := r.next()
	if err == nil && (!r.first || c != '\ufeff') {
		if c == '\n' {
			r.line++
		}
		r.Out = utf8.AppendRune(r.Out, c)
	}
	r.first = false
	return err
}

func (r *decoder) next() (rune, error) {
	a, err := r.unit()
	if err != nil || !utf16.IsSurrogate(a) {
		return a, err
	}
	b, err := r.unit()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if c := utf16.DecodeRune(a, b); err == nil && c != utf8.RuneError {
		return c, nil
	}
	return 0, fmt.Errorf("line %d: an unpaired surrogate in UTF-16", r.line)
}

func (r *decoder) unit() (rune, error) {
	var b [2]byte
	_, err := io.ReadFull(r.src, b[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("line %d: the text ends within a character of UTF-16", r.line)
	}
	return rune(r.order.Uint16(b[:])), err
}

// Made is the output buffer of a reader, filled up to a window at a time, and the error that ends it.
type Made struct {
	Out []byte
	at  int
	err error
}

// Read reads the bytes that next appends to Out.
func (m *Made) Read(p []byte, next func() error) (int, error) {
	for m.at == len(m.Out) {
		if m.err != nil {
			return 0, m.err
		}
		m.Out, m.at = m.Out[:0], 0
		for len(m.Out) < Window && m.err == nil {
			m.err = next()
		}
	}
	n := copy(p, m.Out[m.at:])
	m.at += n
	return n, nil
}
