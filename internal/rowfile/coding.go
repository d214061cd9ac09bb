package rowfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Coding is a text encoding: its name in lower case, "" for UTF-8.
type Coding string

// Encodings that are detected.
const (
	UTF8    Coding = ""
	UTF16LE Coding = "utf-16le"
	UTF16BE Coding = "utf-16be"
)

// CodingOf detects the encoding of a text from its first bytes: by its byte order mark, or by the high bytes of UTF-16,
// which are at most 6 up to the Arabic alphabet; guessed is set when there was no mark.
func CodingOf(head []byte) (c Coding, guessed bool) {
	high := [2]int{}
	for i, c := range head {
		if c < 7 {
			high[i%2]++
		}
	}
	switch half := len(head) / 2; {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return UTF16LE, false
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return UTF16BE, false
	case half > 1 && high[0] <= half/8 && high[1] > half/2:
		return UTF16LE, true
	case half > 1 && high[1] <= half/8 && high[0] > half/2:
		return UTF16BE, true
	}
	return UTF8, false
}

// utf32 returns the name of the UTF-32 in which a text is written, from its first bytes; "" if it is in none.
func utf32(head []byte) string {
	for name, order := range map[string]binary.ByteOrder{"UTF-32LE": binary.LittleEndian,
		"UTF-32BE": binary.BigEndian} {
		n := 0
		for ; 4*n+4 <= len(head); n++ {
			c := rune(order.Uint32(head[4*n:]))
			if n == 0 && c == '\ufeff' {
				return "UTF-32"
			}
			if !unicode.IsPrint(c) && !strings.ContainsRune("\t\r\n", c) {
				break
			}
		}
		if n > 1 && n == len(head)/4 {
			return name
		}
	}
	return ""
}

func (c Coding) String() string {
	switch c {
	case UTF8:
		return "UTF-8"
	case UTF16LE:
		return "UTF-16, little endian"
	case UTF16BE:
		return "UTF-16, big endian"
	}
	return string(c)
}

// codingNamed finds an encoding by one of the usual spellings of its name. utf16 is set for UTF-16 of any byte order.
func codingNamed(name string) (c Coding, utf16 bool, err error) {
	switch bare := bareName(name); bare {
	case "utf8":
		return UTF8, false, nil
	case "utf16":
		return UTF16LE, true, nil
	case "utf16le":
		return UTF16LE, false, nil
	case "utf16be":
		return UTF16BE, false, nil
	default:
		if charmapOf(bare) == nil {
			return "", false, fmt.Errorf("the encoding %q is not known: windows-1250 to windows-1258, iso-8859-1 "+
				"(latin-1) to iso-8859-16, koi8-r, macintosh, cp437, cp850 and other code pages are, and utf-16", name)
		}
		return Coding(strings.ToLower(name)), false, nil
	}
}

// bareName is a name of an encoding without what spellings of it differ in.
func bareName(name string) string {
	bare := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	switch {
	case bare == "latin1" || bare == "l1":
		return "iso88591"
	case bare == "latin9":
		return "iso885915"
	case strings.HasPrefix(bare, "cp125"):
		return "windows" + bare[2:]
	case strings.HasPrefix(bare, "ibm"):
		return "cp" + strings.TrimPrefix(strings.TrimPrefix(bare, "ibm"), "codepage")
	}
	return bare
}

// charmapOf finds an encoding of one byte a character; nil if there is none of this name.
func charmapOf(bare string) *charmap.Charmap {
	for _, e := range charmap.All {
		if m, ok := e.(*charmap.Charmap); ok && bareName(m.String()) == bare {
			return m
		}
	}
	return nil
}

// chosenCoding takes the encoding of the options instead of the detected one, unless the file begins with the mark of
// another.
func (f *File) chosenCoding(head []byte) error {
	found, want := f.Coding, f.opt.coding
	marked := bytes.HasPrefix(head, []byte(Mark)) || bytes.HasPrefix(head, []byte("\xff\xfe")) ||
		bytes.HasPrefix(head, []byte("\xfe\xff"))
	if f.opt.utf16 && found != UTF8 {
		want = found
	}
	if marked && found != want && !(f.opt.Anyhow && found != UTF8) {
		return f.opt.errorf("encoding", "the file begins with the byte order mark of %s", found)
	}
	if !marked || found == want {
		f.Coding = want
	}
	return nil
}

// noText is the error of a file that is neither binary nor text in UTF-8.
func (f *File) noText(head []byte) error {
	if bytes.IndexByte(head, 0) >= 0 {
		return errors.New("neither text nor a Parquet file nor a workbook")
	}
	return f.advised(errors.New("neither text in UTF-8 nor a Parquet file nor a workbook"), "encoding", "windows-1252")
}

// Decode returns text in UTF-8, without a byte order mark if it was UTF-16.
func (c Coding) Decode(r io.ReadCloser) io.ReadCloser {
	d := &decoder{ReadCloser: r, order: binary.LittleEndian, first: true, line: 1}
	switch c {
	case UTF8:
		return r
	case UTF16LE:
	case UTF16BE:
		d.order = binary.BigEndian
	default:
		d.table, d.coding = charmapOf(bareName(string(c))), c
	}
	d.src = bufio.NewReaderSize(r, Window)
	return d
}

// decoder converts text to UTF-8. What is not in its encoding is an error, never a replacement character.
type decoder struct {
	io.ReadCloser
	src    *bufio.Reader
	order  binary.ByteOrder // of UTF-16
	table  *charmap.Charmap // of the encodings of one byte a character; nil for UTF-16
	coding Coding
	first  bool
	line   int64
	Made
}

func (r *decoder) Read(p []byte) (int, error) { return r.Made.Read(p, r.character) }

func (r *decoder) character() error {
	next := r.next
	if r.table != nil {
		next = r.byte
	}
	c, err := next()
	if err == nil && (!r.first || c != '\ufeff') {
		if c == '\n' {
			r.line++
		}
		r.Out = utf8.AppendRune(r.Out, c)
	}
	r.first = false
	return err
}

// byte reads a character of one byte. The controls that an encoding of Windows has where it has no character are none.
func (r *decoder) byte() (rune, error) {
	b, err := r.src.ReadByte()
	if err != nil {
		return 0, err
	}
	c := r.table.DecodeByte(b)
	if c == utf8.RuneError || c >= 0x80 && c < 0xa0 && strings.HasPrefix(r.table.String(), "Windows") {
		return 0, fmt.Errorf("line %d: the byte 0x%02x is no character of %s", r.line, b, r.coding)
	}
	return c, nil
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
