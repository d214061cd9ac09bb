package rowfile

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/late"
)

// The limits of a workbook. A cell of a spreadsheet has at most 32,767 characters, and a sheet 16,384 columns.
const (
	longestToken = 4 << 20   // bytes of an element with its attributes, of a piece of text or of a cell
	longestRow   = 64 << 20  // bytes of the texts of a row
	deepest      = 256       // elements within each other
	largestPart  = 64 << 20  // bytes of a part other than sheets and texts
	leastStrings = 256 << 20 // bytes of the texts of any workbook, and for each byte of the file:
	stringsRatio = 20
	stringCost   = 32 // bytes that a text takes besides its characters
	sheetColumns = 16384
)

// part reads a part of a workbook, which is XML, token by token and within the limits. Its size is limited only by
// decode.
type part struct {
	name  string
	ctx   context.Context
	src   *bufio.Reader
	file  io.Closer
	raw   *xml.Decoder
	dec   *xml.Decoder // checks that elements are closed
	left  int          // bytes that the token may still have
	whole int64        // bytes that the part may still have, -1 for any number
	depth int
}

// entry finds a part; nil if there is none.
func (b *Book) entry(name string) *zip.File {
	for _, f := range b.zip.File {
		if strings.EqualFold(f.Name, name) {
			return f
		}
	}
	return nil
}

func (b *Book) open(ctx context.Context, name string) (*part, error) {
	f := b.entry(name)
	if f == nil {
		return nil, fmt.Errorf("not a workbook: it has no %s", name)
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s of the workbook: %w", name, zipFault(err))
	}
	return newPart(ctx, name, in), nil
}

func newPart(ctx context.Context, name string, in io.ReadCloser) *part {
	p := &part{name: name, ctx: ctx, file: in, whole: -1}
	p.src = bufio.NewReaderSize(readFunc(func(to []byte) (int, error) {
		if err := p.ctx.Err(); err != nil {
			return 0, err
		}
		return in.Read(to)
	}), 64<<10)
	p.raw = xml.NewDecoder(p)
	p.raw.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "us-ascii") {
			return in, nil
		}
		return nil, &limitError{fmt.Sprintf("its encoding is %s; UTF-8 is supported", charset)}
	}
	p.dec = xml.NewTokenDecoder(p)
	return p
}

func (p *part) Close() error { return p.file.Close() }

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// limitError is an error for a workbook beyond a limit.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// ReadByte reads for the decoder.
func (p *part) ReadByte() (byte, error) {
	if p.left--; p.left < 0 {
		return 0, &limitError{fmt.Sprintf("it has an element or a text of more than %d MiB", longestToken>>20)}
	}
	if p.whole == 0 {
		return 0, &limitError{fmt.Sprintf("it is larger than %d MiB", largestPart>>20)}
	}
	p.whole--
	return p.src.ReadByte()
}

func (p *part) Read(to []byte) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	c, err := p.ReadByte()
	if err != nil {
		return 0, err
	}
	to[0] = c
	return 1, nil
}

// Token reads the next token for the decoder that checks them.
func (p *part) Token() (xml.Token, error) {
	p.left = longestToken
	t, err := p.raw.RawToken()
	switch t.(type) {
	case xml.StartElement:
		p.depth++
	case xml.EndElement:
		p.depth--
	}
	if p.depth > deepest {
		return nil, &limitError{fmt.Sprintf("its elements are nested deeper than %d levels", deepest)}
	}
	return t, err
}

// next returns the next token, and io.EOF at the end of the part.
func (p *part) next() (xml.Token, error) {
	t, err := p.dec.Token()
	if errors.Is(err, io.EOF) && p.depth == 0 {
		return nil, io.EOF
	}
	return t, p.fault(err)
}

func (p *part) skip() error { return p.fault(p.dec.Skip()) }

// fault describes an error in the words of this package.
func (p *part) fault(err error) error {
	if err == nil {
		return nil
	}
	var limit *limitError
	var wrong *xml.SyntaxError
	switch {
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case errors.As(err, &limit):
		err = limit
	case errors.As(err, &wrong) && wrong.Msg != "unexpected EOF":
		err = fmt.Errorf("it is not valid XML at byte %d", p.raw.InputOffset())
	default:
		err = zipFault(err)
	}
	return fmt.Errorf("%s of the workbook: %w", p.name, err)
}

// zipFault describes an error of an archive.
func zipFault(err error) error {
	var damaged flate.CorruptInputError
	var wrong *xml.SyntaxError
	switch {
	case errors.Is(err, zip.ErrFormat):
		return errors.New("its list of parts is damaged, or the file was cut off")
	case errors.Is(err, zip.ErrAlgorithm):
		return errors.New("it is compressed by an unknown method")
	case errors.Is(err, zip.ErrChecksum):
		return errors.New("its data is damaged: the checksum does not match")
	case errors.As(err, &damaged):
		return errors.New("its compressed data is damaged")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &wrong):
		return errors.New("unexpected end of the file")
	}
	return err
}

// bookFault turns a panic of a decoder into an error of the workbook.
func bookFault(err error) error {
	var p *safely.Panic
	if errors.As(err, &p) {
		return errors.New("the workbook is damaged, and cannot be read")
	}
	return err
}

// decode decodes a whole part.
func (b *Book) decode(ctx context.Context, name string, into any) error {
	p, err := b.open(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	p.whole = largestPart
	return p.fault(p.dec.Decode(into))
}

// text reads the text of an element that was opened, up to its end. Elements within it are skipped.
func (p *part) text() (string, error) {
	var out []byte
	for {
		t, err := p.next()
		if err != nil {
			return "", eof(err)
		}
		switch t := t.(type) {
		case xml.CharData:
			if out = append(out, t...); len(out) > longestToken {
				return "", p.fault(&limitError{fmt.Sprintf("it has a text of more than %d MiB", longestToken>>20)})
			}
		case xml.StartElement:
			if err := p.skip(); err != nil {
				return "", err
			}
		case xml.EndElement:
			return string(out), nil
		}
	}
}

func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("unexpected end of the file")
	}
	return err
}

// richText reads a string, plain or in runs with different formats, up to the end of its element. Phonetic runs are not
// part of it.
func (p *part) richText() (string, error) {
	var out strings.Builder
	for depth := 0; ; {
		t, err := p.next()
		if err != nil {
			return "", eof(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				text, err := p.text()
				if err != nil {
					return "", err
				}
				if out.WriteString(text); out.Len() > longestToken {
					return "", p.fault(&limitError{fmt.Sprintf("it has a text of more than %d MiB", longestToken>>20)})
				}
			case "r":
				depth++
			default:
				if err := p.skip(); err != nil {
					return "", err
				}
			}
		case xml.EndElement:
			if depth == 0 {
				return unescapeXLSX(out.String()), nil
			}
			depth--
		}
	}
}

var escapedXLSX = late.Regexp(`_x[0-9A-Fa-f]{4}_`)

// unescapeXLSX decodes the characters that XML cannot contain.
func unescapeXLSX(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escapedXLSX().ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseUint(e[2:6], 16, 16)
		if err != nil || n >= 0xd800 && n < 0xe000 {
			return e
		}
		return string(rune(n))
	})
}
