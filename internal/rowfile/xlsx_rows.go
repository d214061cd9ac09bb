package rowfile

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// sheetCell is a cell as written.
type sheetCell struct {
	Ref    string
	Type   string
	Style  int
	V      *string
	F      bool
	Inline *string
}

// SheetRows reads the rows of a sheet that have values.
type SheetRows struct {
	io.Closer
	Header []string // the first of these rows, unless it is data

	part  *part
	book  *Book
	at    int64 // the number of the last row read, as in the sheet
	row   []infer.Value
	ended bool

	cells      area
	noFormulas bool // a formula without a stored value is NULL
}

// rows opens the sheet.
func (b *Book) rows(ctx context.Context) (*SheetRows, error) {
	p, err := b.open(ctx, b.part)
	if err != nil {
		return nil, err
	}
	return &SheetRows{Closer: p, part: p, book: b}, nil
}

// sheetRows opens the rows of the sheet. Unless it is data, the first of them with values has the names of the columns.
func (f *File) sheetRows(ctx context.Context) (Rows, error) {
	r, err := f.book.rows(ctx)
	if err != nil {
		return nil, err
	}
	r.cells, r.noFormulas = f.opt.area, f.opt.noFormulas
	r.cells.from = max(r.cells.from, f.opt.begin()+1)
	if f.opt.NoHeader() {
		return r, nil
	}
	r.Header = []string{}
	if err = f.header(ctx, r, &r.Header, new(int)); errors.Is(err, errEmpty) {
		err = errors.New("the sheet is empty and has no header")
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Names are the names of the header; nil without one.
func (r *SheetRows) Names() []string { return r.Header }

// At is the number of the last row, as in the sheet.
func (r *SheetRows) At() int64 { return r.at }

// Next reads a row, and returns io.EOF after the last. A row of empty texts alone is none.
func (r *SheetRows) Next(ctx context.Context) (row []infer.Value, err error) {
	r.part.ctx = ctx
	if err = safely.Try(func() error { row, err = r.next(); return err }); err == nil || errors.Is(err, io.EOF) {
		return row, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, bookFault(err)
}

func (r *SheetRows) next() ([]infer.Value, error) {
	for {
		t, err := r.part.next()
		if errors.Is(err, io.EOF) && r.ended {
			return nil, io.EOF
		}
		if err != nil {
			return nil, fmt.Errorf("after row %d: %w", r.at, eof(err))
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local == "sheetData" {
				r.ended = true
			}
		case xml.StartElement:
			if t.Name.Local != "row" {
				continue
			}
			any, err := r.readRow(t)
			if err != nil {
				return nil, err
			}
			if any {
				return r.row, nil
			}
		}
	}
}

// readRow reads the cells of a row. A cell without an address follows the previous one, whether that has a value or
// not.
func (r *SheetRows) readRow(e xml.StartElement) (any bool, err error) {
	before := r.at
	if r.at++; attribute(e, "r") != "" {
		if n, err := strconv.ParseInt(attribute(e, "r"), 10, 64); err == nil && n > 0 {
			r.at = n
		}
	}
	r.row = r.row[:0]
	if r.at < r.cells.from || r.cells.to > 0 && r.at > r.cells.to {
		return false, r.part.skip()
	}
	size := 0
	for next := 0; ; next++ {
		c, ok, err := r.cell()
		if err != nil {
			return false, fmt.Errorf("after row %d: %w", before, err)
		}
		if !ok {
			return any, nil
		}
		if c.Ref != "" {
			if next, ok = columnOf(c.Ref); !ok {
				return false, fmt.Errorf("row %d has a cell %q", r.at, c.Ref)
			}
		}
		if next >= sheetColumns {
			return false, fmt.Errorf("row %d has more than %d cells", r.at, sheetColumns)
		}
		at := next - r.cells.column
		if at < 0 || r.cells.columns > 0 && at >= r.cells.columns {
			continue
		}
		v, err := r.book.value(c)
		if errors.Is(err, errNoResult) && r.noFormulas {
			continue
		}
		if err == nil {
			err = infer.CheckText(v.Text)
		}
		if err != nil {
			return false, fmt.Errorf("row %d, cell %s: %w", r.at, address(next, r.at), err)
		}
		if v.Kind == infer.Null {
			continue
		}
		if size += len(v.Text); size > longestRow {
			return false, fmt.Errorf("row %d has more than %d MiB", r.at, longestRow>>20)
		}
		any = any || len(v.Text) > 0
		for len(r.row) <= at {
			r.row = append(r.row, infer.Value{})
		}
		r.row[at] = v
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// cell reads the next cell of a row; ok is false after the last.
func (r *SheetRows) cell() (c sheetCell, ok bool, err error) {
	for {
		t, err := r.part.next()
		if err != nil {
			return c, false, eof(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			return c, false, nil
		case xml.StartElement:
			if t.Name.Local == "c" {
				c, err = r.part.cell(t)
				return c, true, err
			}
			if err := r.part.skip(); err != nil {
				return c, false, err
			}
		}
	}
}

// cell reads a cell up to its end.
func (p *part) cell(e xml.StartElement) (c sheetCell, err error) {
	c.Ref, c.Type = attribute(e, "r"), attribute(e, "t")
	if s := attribute(e, "s"); s != "" {
		if c.Style, err = strconv.Atoi(s); err != nil {
			return c, fmt.Errorf("a cell has the format %q", s)
		}
	}
	for {
		t, err := p.next()
		if err != nil {
			return c, eof(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			return c, nil
		case xml.StartElement:
			var text string
			switch t.Name.Local {
			case "v":
				text, err = p.text()
				c.V = &text
			case "is":
				text, err = p.richText()
				c.Inline = &text
			default:
				c.F = c.F || t.Name.Local == "f"
				err = p.skip()
			}
			if err != nil {
				return c, err
			}
		}
	}
}

// address is the reference of a cell.
func address(column int, row int64) string {
	name := ""
	for n := column; n >= 0; n = n/26 - 1 {
		name = string(rune('A'+n%26)) + name
	}
	return name + strconv.FormatInt(row, 10)
}

// columnOf returns the index of the column of a reference such as AB12.
func columnOf(ref string) (int, bool) {
	n := 0
	for i := range len(ref) {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			return n - 1, i > 0
		}
		if n = n*26 + int(c-'A') + 1; n > 16384 {
			return 0, false
		}
	}
	return n - 1, n > 0
}

// errNoResult is the error for a formula that was never calculated.
var errNoResult = errors.New("a formula without a stored value; a program that calculates it must save the workbook " +
	"first")

// value is the value of a cell; of a formula it is the stored result.
func (b *Book) value(c sheetCell) (infer.Value, error) {
	if c.Type == "inlineStr" {
		if c.Inline == nil {
			return infer.Value{}, nil
		}
		return infer.Value{Text: []byte(*c.Inline), Kind: infer.String}, nil
	}
	if c.V == nil || *c.V == "" && c.Type != "str" { // some programs write <v/> for a cell without a value
		if c.F {
			return infer.Value{}, errNoResult
		}
		return infer.Value{}, nil
	}
	text := *c.V
	switch c.Type {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= len(b.strings) {
			return infer.Value{}, fmt.Errorf("it refers to string %q, and the workbook has %d", text, len(b.strings))
		}
		return infer.Value{Text: []byte(b.strings[n]), Kind: infer.String}, nil
	case "str":
		return infer.Value{Text: []byte(unescapeXLSX(text)), Kind: infer.String}, nil
	case "b":
		switch strings.TrimSpace(text) {
		case "1", "true":
			return infer.Value{Text: []byte("true"), Kind: infer.Field}, nil
		case "0", "false":
			return infer.Value{Text: []byte("false"), Kind: infer.Field}, nil
		}
		return infer.Value{}, fmt.Errorf("%q is neither true nor false", text)
	case "d":
		return infer.Value{Text: []byte(text), Kind: infer.Field}, nil
	case "e":
		return infer.Value{Text: []byte(text), Kind: infer.Opaque}, nil
	}
	if c.Style >= 0 && c.Style < len(b.styles) && b.styles[c.Style] != noDate {
		s, err := b.dateText(text, b.styles[c.Style])
		return infer.Value{Text: []byte(s), Kind: infer.Field}, err
	}
	if text, ok := shortest(strings.TrimSpace(text)); ok {
		return infer.Value{Text: []byte(text), Kind: infer.Double}, nil
	}
	return infer.Value{Text: []byte(strings.TrimSpace(text)), Kind: infer.Field}, nil
}

// shortest is a number as the shortest text of its double, because Excel stores doubles, with 17 digits. Integers of a
// bigint and numbers of at most 15 digits keep their text. A number that a DECIMAL may hold has no exponent, and one
// beyond bigint has a point. Spreadsheets know no negative zero. ok is false for what is not a number.
func shortest(s string) (text string, ok bool) {
	digits, plain := 0, true
	for _, c := range s {
		switch {
		case c == 'e' || c == 'E' || c == '+':
			plain = false
		case c >= '0' && c <= '9':
			if digits > 0 || c != '0' {
				digits++
			}
		case c != '.' && c != '-':
			return s, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s, false
	}
	if plain && f != 0 {
		whole, rest, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
		_, err := strconv.ParseInt(s, 10, 64)
		plain = (err == nil || digits <= 15 && rest != "") && whole != "" && point == (rest != "") &&
			(whole == "0" || strings.TrimLeft(whole, "0") == whole)
	}
	size := math.Abs(f)
	switch text = strconv.FormatFloat(f, 'f', -1, 64); {
	case f == 0:
		return "0", true
	case plain:
		return s, true
	case size >= 1e-10 && size < 1<<63:
		return text, true
	case size >= 1e-10 && size < 1e28:
		return text + ".0", true
	}
	return strconv.FormatFloat(f, 'E', -1, 64), true
}
