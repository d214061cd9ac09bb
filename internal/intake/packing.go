package intake

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// packing is how a file is compressed.
type packing int

const (
	notPacked packing = iota
	gzipped
	zstandard
)

// coding is how text is encoded.
type coding int

const (
	utf8Text coding = iota
	utf16LE
	utf16BE
)

const window = 256 << 10

// unpack finds out how the file is compressed.
func (d *Document) unpack() error {
	head := make([]byte, 4)
	n, err := d.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		d.packing, d.Name = gzipped, strings.TrimSuffix(d.Name, ".gz")
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d.packing, d.Name = zstandard, strings.TrimSuffix(strings.TrimSuffix(d.Name, ".zst"), ".zstd")
	}
	return nil
}

// raw returns the unpacked bytes of the file, from its start.
func (d *Document) raw() (io.ReadCloser, error) {
	file := io.NewSectionReader(d.file, 0, d.at.Size())
	switch d.packing {
	case gzipped:
		return gzip.NewReader(bufio.NewReaderSize(file, window))
	case zstandard:
		z, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(file), nil
}

// decode finds out how the text is encoded: by its mark, or by the zeros that UTF-16 has and UTF-8 has not.
func (d *Document) decode() error {
	head, err := d.head(64, d.raw)
	if err != nil {
		return err
	}
	zeros := [2]int{}
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(head) / 2; {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		d.coding = utf16LE
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		d.coding = utf16BE
	case half > 1 && zeros[0] <= half/8 && zeros[1] > half/2:
		d.coding = utf16LE
		d.remark("read as UTF-16, little endian")
	case half > 1 && zeros[1] <= half/8 && zeros[0] > half/2:
		d.coding = utf16BE
		d.remark("read as UTF-16, big endian")
	}
	return nil
}

// head reads the first n bytes.
func (d *Document) head(n int, open func() (io.ReadCloser, error)) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := make([]byte, n)
	n, err = io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && n > 0 && d.packing == notPacked {
		err = nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) { // either a short document or one that is cut off, which is reported when it is read to its end
		err = nil
	}
	return b[:n], err
}

// text returns the text of the file in UTF-8, from its start, without a byte order mark if it was UTF-16.
func (d *Document) text() (io.ReadCloser, error) {
	r, err := d.raw()
	if err != nil {
		return nil, err
	}
	return d.decoded(r), nil
}

func (d *Document) decoded(r io.ReadCloser) io.ReadCloser {
	if d.coding == utf8Text {
		return r
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if d.coding == utf16BE {
		order = binary.BigEndian
	}
	return &decoder{ReadCloser: r, src: bufio.NewReaderSize(r, window), order: order, first: true, line: 1}
}

// decoder converts UTF-16 to UTF-8. What is no UTF-16 is an error, never a replacement character.
type decoder struct {
	io.ReadCloser
	src   *bufio.Reader
	order binary.ByteOrder
	first bool
	line  int64
	made
}

func (r *decoder) Read(p []byte) (int, error) { return r.read(p, r.character) }

func (r *decoder) character() error {
	c, err := r.next()
	if err == nil && (!r.first || c != '\ufeff') {
		if c == '\n' {
			r.line++
		}
		r.out = utf8.AppendRune(r.out, c)
	}
	r.first = false
	return err
}

// made is the text that a reader makes, up to a window at a time, and the error that ends it.
type made struct {
	out []byte
	at  int
	err error
}

// read reads what next appends to out.
func (m *made) read(p []byte, next func() error) (int, error) {
	for m.at == len(m.out) {
		if m.err != nil {
			return 0, m.err
		}
		m.out, m.at = m.out[:0], 0
		for len(m.out) < window && m.err == nil {
			m.err = next()
		}
	}
	n := copy(p, m.out[m.at:])
	m.at += n
	return n, nil
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
