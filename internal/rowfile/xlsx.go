package rowfile

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// Book is an Excel workbook: its strings and styles, and the selected sheet.
type Book struct {
	Sheets []string // the names of all sheets
	Sheet  string   // the name of the selected sheet

	zip      *zip.Reader
	part     string // path of the selected sheet
	strings  []string
	styles   []dateStyle // by index of the cell format
	from1904 bool
}

// bookSheet is an entry of the list of sheets.
type bookSheet struct {
	Name  string `xml:"name,attr"`
	State string `xml:"state,attr"`
	ID    string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
}

// OpenWorkbook reads a workbook except its sheets. sheet is the name of the sheet to select; "" selects the first visible one.
func OpenWorkbook(in io.ReaderAt, size int64, sheet string) (*Book, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("not a workbook: %w", err)
	}
	b := &Book{zip: z}
	return b, b.find(sheet)
}

// find selects the sheet.
func (b *Book) find(sheet string) error {
	var main struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []bookSheet `xml:"sheets>sheet"`
	}
	if err := b.decode("xl/workbook.xml", &main); err != nil {
		return err
	}
	b.from1904 = main.Properties.Date1904 == "1" || main.Properties.Date1904 == "true"
	var links struct {
		Links []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
			Type   string `xml:"Type,attr"`
		} `xml:"Relationship"`
	}
	if err := b.decode("xl/_rels/workbook.xml.rels", &links); err != nil {
		return err
	}
	var chosen *bookSheet
	for i, s := range main.Sheets {
		b.Sheets = append(b.Sheets, s.Name)
		if chosen == nil && (sheet == "" && s.State != "hidden" && s.State != "veryHidden" || s.Name == sheet) {
			chosen = &main.Sheets[i]
		}
	}
	switch {
	case chosen != nil:
	case len(b.Sheets) == 0:
		return errors.New("the workbook has no sheets")
	case sheet == "":
		return fmt.Errorf("the workbook has only hidden sheets: %s", QuoteAll(b.Sheets))
	default:
		return fmt.Errorf("the workbook has no sheet %q; it has %s", sheet, QuoteAll(b.Sheets))
	}
	b.Sheet = chosen.Name
	texts, styles := "", ""
	for _, l := range links.Links {
		target := path.Join("xl", l.Target)
		if strings.HasPrefix(l.Target, "/") {
			target = l.Target[1:]
		}
		switch {
		case l.ID == chosen.ID:
			b.part = target
		case strings.HasSuffix(l.Type, "/sharedStrings"):
			texts = target
		case strings.HasSuffix(l.Type, "/styles"):
			styles = target
		}
	}
	if b.part == "" {
		return fmt.Errorf("the workbook lacks its sheet %q", chosen.Name)
	}
	if texts != "" {
		if err := b.readStrings(texts); err != nil {
			return err
		}
	}
	if styles != "" {
		return b.readStyles(styles)
	}
	return nil
}

// Selected says which sheet is read if there are several; else it is "".
func (b *Book) Selected() string {
	if len(b.Sheets) < 2 {
		return ""
	}
	return fmt.Sprintf("read sheet %q of %s", b.Sheet, QuoteAll(b.Sheets))
}

// QuoteAll is a quoted list of names for a message.
func QuoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return strings.Join(out, ", ")
}

func (b *Book) open(name string) (io.ReadCloser, error) {
	at := slices.IndexFunc(b.zip.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if at < 0 {
		return nil, fmt.Errorf("not a workbook: it has no %s", name)
	}
	return b.zip.File[at].Open()
}

// decode decodes a whole part.
func (b *Book) decode(name string, into any) error {
	f, err := b.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := xml.NewDecoder(f).Decode(into); err != nil {
		return fmt.Errorf("%s of the workbook: %w", name, err)
	}
	return nil
}

// richText is a string, plain or in runs with different formats. Phonetic runs are not part of it.
type richText struct {
	T *string `xml:"t"`
	R []struct {
		T string `xml:"t"`
	} `xml:"r"`
}

func (t richText) text() string {
	var s strings.Builder
	if t.T != nil {
		s.WriteString(*t.T)
	}
	for _, r := range t.R {
		s.WriteString(r.T)
	}
	return unescapeXLSX(s.String())
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

func (b *Book) readStrings(name string) error {
	f, err := b.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	dec := xml.NewDecoder(f)
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the strings of the workbook: %w", err)
		}
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "si" {
			var s richText
			if err := dec.DecodeElement(&s, &e); err != nil {
				return fmt.Errorf("the strings of the workbook: %w", err)
			}
			b.strings = append(b.strings, s.text())
		}
	}
}

// sheetCell is a cell as written.
type sheetCell struct {
	Ref    string    `xml:"r,attr"`
	Type   string    `xml:"t,attr"`
	Style  int       `xml:"s,attr"`
	V      *string   `xml:"v"`
	F      *struct{} `xml:"f"`
	Inline *richText `xml:"is"`
}

type sheetRow struct {
	R     int64       `xml:"r,attr"`
	Cells []sheetCell `xml:"c"`
}

// SheetRows reads the rows of a sheet that have values.
type SheetRows struct {
	io.Closer
	Header []string // the first of these rows, unless it is data
	At     int64    // the number of the last row read, as in the sheet

	dec   *xml.Decoder
	book  *Book
	row   []Value
	ended bool
}

// Rows opens the sheet. With header, the first row with values has the names of the columns.
func (b *Book) Rows(header bool) (*SheetRows, error) {
	f, err := b.open(b.part)
	if err != nil {
		return nil, err
	}
	r := &SheetRows{Closer: f, dec: xml.NewDecoder(f), book: b}
	if !header {
		return r, nil
	}
	first, err := r.Next()
	if errors.Is(err, io.EOF) {
		err = errors.New("the sheet is empty and has no header")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r.Header = []string{}
	for _, v := range first {
		r.Header = append(r.Header, string(v.Text))
	}
	return r, nil
}

// Next reads a row, and returns io.EOF after the last.
func (r *SheetRows) Next() ([]Value, error) {
	for {
		t, err := r.dec.Token()
		if errors.Is(err, io.EOF) && !r.ended {
			err = io.ErrUnexpectedEOF
		}
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, fmt.Errorf("the sheet is damaged after row %d: %w", r.At, err)
		}
		if e, ok := t.(xml.EndElement); ok && e.Name.Local == "sheetData" {
			r.ended = true
		}
		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "row" {
			continue
		}
		var raw sheetRow
		if err := r.dec.DecodeElement(&raw, &e); err != nil {
			return nil, fmt.Errorf("the sheet is damaged after row %d: %w", r.At, err)
		}
		if r.At++; raw.R > 0 {
			r.At = raw.R
		}
		any := false
		r.row = r.row[:0]
		for _, c := range raw.Cells {
			at := len(r.row)
			if c.Ref != "" {
				var ok bool
				if at, ok = columnOf(c.Ref); !ok {
					return nil, fmt.Errorf("row %d has a cell %q", r.At, c.Ref)
				}
			}
			v, err := r.book.value(c)
			if err != nil {
				return nil, fmt.Errorf("row %d, cell %s: %w", r.At, c.Ref, err)
			}
			if v.Kind == Null {
				continue
			}
			any = true
			for len(r.row) <= at {
				r.row = append(r.row, Value{})
			}
			r.row[at] = v
		}
		if any {
			return r.row, nil
		}
	}
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

// value is the value of a cell; of a formula it is the stored result.
func (b *Book) value(c sheetCell) (Value, error) {
	if c.Type == "inlineStr" {
		if c.Inline == nil {
			return Value{}, nil
		}
		return Value{[]byte(c.Inline.text()), String}, nil
	}
	if c.V == nil || *c.V == "" && c.Type != "str" { // some programs write <v/> for a cell without a value
		if c.F != nil {
			return Value{}, errors.New("a formula without a stored value; a program that calculates it must save the workbook first")
		}
		return Value{}, nil
	}
	text := *c.V
	switch c.Type {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= len(b.strings) {
			return Value{}, fmt.Errorf("it refers to string %q, and the workbook has %d", text, len(b.strings))
		}
		return Value{[]byte(b.strings[n]), String}, nil
	case "str":
		return Value{[]byte(unescapeXLSX(text)), String}, nil
	case "b":
		switch strings.TrimSpace(text) {
		case "1", "true":
			return Value{[]byte("true"), Field}, nil
		case "0", "false":
			return Value{[]byte("false"), Field}, nil
		}
		return Value{}, fmt.Errorf("%q is neither true nor false", text)
	case "d":
		return Value{[]byte(text), String}, nil
	case "e":
		return Value{[]byte(text), Opaque}, nil
	}
	if c.Style >= 0 && c.Style < len(b.styles) && b.styles[c.Style] != noDate {
		s, err := b.dateText(text, b.styles[c.Style])
		return Value{[]byte(s), Field}, err
	}
	return Value{bytes.TrimSpace([]byte(text)), Field}, nil
}
