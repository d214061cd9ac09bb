package intake

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

// book is a workbook: its strings and styles, and the sheet that is read.
type book struct {
	zip      *zip.Reader
	sheet    string // path of its part
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

// openBook reads all of a workbook but its sheets.
func (d *Document) openBook() error {
	st, err := d.file.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(d.file, st.Size())
	if err != nil {
		return fmt.Errorf("not a workbook: %w", err)
	}
	b := &book{zip: z}
	d.book = b
	var main struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []bookSheet `xml:"sheets>sheet"`
	}
	if err := b.part("xl/workbook.xml", &main); err != nil {
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
	if err := b.part("xl/_rels/workbook.xml.rels", &links); err != nil {
		return err
	}
	var names []string
	var chosen *bookSheet
	for i, s := range main.Sheets {
		names = append(names, s.Name)
		if chosen == nil && (d.opt.Sheet == "" && s.State != "hidden" && s.State != "veryHidden" || s.Name == d.opt.Sheet) {
			chosen = &main.Sheets[i]
		}
	}
	if chosen == nil {
		return fmt.Errorf("the workbook has no sheet %q; it has %s", d.opt.Sheet, quoteAll(names))
	}
	if d.opt.Sheet == "" && len(names) > 1 {
		d.remark("read sheet %q of %s; --sheet names another", chosen.Name, quoteAll(names))
	}
	texts, styles := "", ""
	for _, l := range links.Links {
		target := path.Join("xl", l.Target)
		if strings.HasPrefix(l.Target, "/") {
			target = l.Target[1:]
		}
		switch {
		case l.ID == chosen.ID:
			b.sheet = target
		case strings.HasSuffix(l.Type, "/sharedStrings"):
			texts = target
		case strings.HasSuffix(l.Type, "/styles"):
			styles = target
		}
	}
	if b.sheet == "" {
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

func quoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return strings.Join(out, ", ")
}

func (b *book) open(name string) (io.ReadCloser, error) {
	at := slices.IndexFunc(b.zip.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if at < 0 {
		return nil, fmt.Errorf("not a workbook: it has no %s", name)
	}
	return b.zip.File[at].Open()
}

// part decodes a whole part.
func (b *book) part(name string, into any) error {
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

// richText is a string, plain or in runs of different formats. Phonetic runs are not part of it.
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

func (b *book) readStrings(name string) error {
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

// sheetRows reads the rows of a sheet that have values.
type sheetRows struct {
	io.Closer
	dec    *xml.Decoder
	book   *book
	n      int64
	header []string
	row    []value
	ended  bool
}

func (d *Document) sheetRows() (rowSource, error) {
	f, err := d.book.open(d.book.sheet)
	if err != nil {
		return nil, err
	}
	r := &sheetRows{Closer: f, dec: xml.NewDecoder(f), book: d.book}
	if d.opt.NoHeader {
		return r, nil
	}
	first, err := r.next()
	if errors.Is(err, io.EOF) {
		err = errors.New("the sheet is empty and has no header")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r.header = []string{}
	for _, v := range first {
		r.header = append(r.header, string(v.text))
	}
	return r, nil
}

func (r *sheetRows) at() int64       { return r.n }
func (r *sheetRows) names() []string { return r.header }

func (r *sheetRows) next() ([]value, error) {
	for {
		t, err := r.dec.Token()
		if errors.Is(err, io.EOF) && !r.ended {
			err = io.ErrUnexpectedEOF
		}
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, fmt.Errorf("the sheet is damaged after row %d: %w", r.n, err)
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
			return nil, fmt.Errorf("the sheet is damaged after row %d: %w", r.n, err)
		}
		if r.n++; raw.R > 0 {
			r.n = raw.R
		}
		any := false
		r.row = r.row[:0]
		for _, c := range raw.Cells {
			at := len(r.row)
			if c.Ref != "" {
				var ok bool
				if at, ok = columnOf(c.Ref); !ok {
					return nil, fmt.Errorf("row %d has a cell %q", r.n, c.Ref)
				}
			}
			v, err := r.book.value(c)
			if err != nil {
				return nil, fmt.Errorf("row %d, cell %s: %w", r.n, c.Ref, err)
			}
			if v.kind == null {
				continue
			}
			any = true
			for len(r.row) <= at {
				r.row = append(r.row, value{})
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

// value is the value of a cell: a formula's is the one that was stored with it.
func (b *book) value(c sheetCell) (value, error) {
	if c.Type == "inlineStr" {
		if c.Inline == nil {
			return value{}, nil
		}
		return value{[]byte(c.Inline.text()), str}, nil
	}
	if c.V == nil {
		if c.F != nil {
			return value{}, errors.New("a formula without a stored value; a program that calculates it must save the workbook first")
		}
		return value{}, nil
	}
	text := *c.V
	switch c.Type {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= len(b.strings) {
			return value{}, fmt.Errorf("it refers to string %q, and the workbook has %d", text, len(b.strings))
		}
		return value{[]byte(b.strings[n]), str}, nil
	case "str":
		return value{[]byte(unescapeXLSX(text)), str}, nil
	case "b":
		if text == "1" {
			return value{[]byte("true"), field}, nil
		}
		return value{[]byte("false"), field}, nil
	case "d":
		return value{[]byte(text), str}, nil
	case "e":
		return value{[]byte(text), opaque}, nil
	}
	if c.Style >= 0 && c.Style < len(b.styles) && b.styles[c.Style] != noDate {
		s, err := b.dateText(text, b.styles[c.Style])
		return value{[]byte(s), field}, err
	}
	return value{bytes.TrimSpace([]byte(text)), field}, nil
}
