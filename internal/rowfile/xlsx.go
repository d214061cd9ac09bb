package rowfile

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Book is an Excel workbook: its strings and styles, and the selected sheet.
type Book struct {
	Sheets []string // the names of all sheets
	Sheet  string   // the name of the selected sheet

	zip      *zip.Reader
	limit    int64  // bytes of the texts
	part     string // path of the selected sheet
	strings  []string
	styles   []dateStyle // by index of the cell format
	from1904 bool
}

// ErrNoSheet is the error for a sheet that a workbook does not have.
var ErrNoSheet = errors.New("the workbook has no sheet")

// bookSheet is an entry of the list of sheets.
type bookSheet struct {
	Name  string     `xml:"name,attr"`
	State string     `xml:"state,attr"`
	Attrs []xml.Attr `xml:",any,attr"`
}

// relation is the identifier of the relationship that leads to the sheet: r:id, in one of two namespaces.
func (s bookSheet) relation() string {
	for _, a := range s.Attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// openBook reads a workbook except its sheets. sheet is the name of the sheet to select; "" selects the first
// visible one.
func openBook(ctx context.Context, in io.ReaderAt, size int64, sheet string) (*Book, error) {
	return openWorkbook(ctx, in, size, sheet, max(leastStrings, stringsRatio*size))
}

func openWorkbook(ctx context.Context, in io.ReaderAt, size int64, sheet string, limit int64) (*Book, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("not a workbook: %w", zipFault(err))
	}
	if err := checkArchive(z); err != nil {
		return nil, err
	}
	b := &Book{zip: z, limit: limit}
	if err := safely.Try(func() error { return b.find(ctx, sheet) }); err != nil {
		return nil, bookFault(err)
	}
	return b, nil
}

// checkArchive refuses an archive that is no workbook.
func checkArchive(z *zip.Reader) error {
	for _, f := range z.File {
		switch {
		case strings.HasPrefix(f.Name, "xl/"), strings.HasPrefix(f.Name, "_rels/"), f.Name == "[Content_Types].xml":
			return nil
		case f.Name == "mimetype":
			return errors.New("this is an OpenDocument, which is not read: save it as .xlsx")
		}
	}
	return foreignError("ZIP")
}

// link is a relationship between two parts of a workbook.
type link struct {
	ID     string `xml:"Id,attr"`
	Target string `xml:"Target,attr"`
	Type   string `xml:"Type,attr"`
}

// links reads the relationships of a part, with the paths of their targets. The part "" is the whole workbook.
func (b *Book) links(ctx context.Context, from string) ([]link, error) {
	var all struct {
		Links []link `xml:"Relationship"`
	}
	dir, name := path.Split(from)
	if err := b.decode(ctx, path.Join(dir, "_rels", name+".rels"), &all); err != nil {
		return nil, err
	}
	for i, l := range all.Links {
		if all.Links[i].Target = path.Join(dir, l.Target); strings.HasPrefix(l.Target, "/") {
			all.Links[i].Target = l.Target[1:]
		}
	}
	return all.Links, nil
}

// main is the path of the part that lists the sheets.
func (b *Book) main(ctx context.Context) (string, error) {
	const usual = "xl/workbook.xml"
	if b.entry(path.Join("_rels", ".rels")) == nil {
		return usual, nil
	}
	links, err := b.links(ctx, "")
	if err != nil {
		return "", err
	}
	for _, l := range links {
		if strings.HasSuffix(l.Type, "/officeDocument") {
			if strings.HasSuffix(l.Target, ".bin") {
				return "", errors.New("this is a binary workbook (.xlsb): save it as .xlsx")
			}
			return l.Target, nil
		}
	}
	return usual, nil
}

// find selects the sheet.
func (b *Book) find(ctx context.Context, sheet string) error {
	at, err := b.main(ctx)
	if err != nil {
		return err
	}
	var main struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []bookSheet `xml:"sheets>sheet"`
	}
	if err := b.decode(ctx, at, &main); err != nil {
		return err
	}
	b.from1904 = main.Properties.Date1904 == "1" || main.Properties.Date1904 == "true"
	links, err := b.links(ctx, at)
	if err != nil {
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
		return fmt.Errorf("the workbook has only hidden sheets: %s", quoteAll(b.Sheets))
	default:
		return fmt.Errorf("%w %q; it has %s", ErrNoSheet, sheet, quoteAll(b.Sheets))
	}
	b.Sheet = chosen.Name
	texts, styles, id := "", "", chosen.relation()
	for _, l := range links {
		switch {
		case l.ID == id:
			b.part = l.Target
		case strings.HasSuffix(l.Type, "/sharedStrings"):
			texts = l.Target
		case strings.HasSuffix(l.Type, "/styles"):
			styles = l.Target
		}
	}
	if b.part == "" {
		return fmt.Errorf("the workbook lacks its sheet %q", chosen.Name)
	}
	if texts != "" {
		if err := b.readStrings(ctx, texts); err != nil {
			return err
		}
	}
	if styles != "" {
		return b.readStyles(ctx, styles)
	}
	return nil
}

// selected says which sheet is read if there are several and none was named; else it is "".
func (b *Book) selected(sheet string, way Way) string {
	if len(b.Sheets) < 2 || sheet != "" {
		return ""
	}
	return fmt.Sprintf("read sheet %q of %s; %s names another", b.Sheet, quoteAll(b.Sheets), way.name("sheet"))
}

// quoteAll is a quoted list of names for a message.
func quoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return strings.Join(out, ", ")
}

func (b *Book) tooManyStrings() error {
	return fmt.Errorf("the shared strings of the workbook are larger than %d MiB, "+
		"which is not read from a file of its size", b.limit>>20)
}

// readStrings reads the texts that cells refer to.
func (b *Book) readStrings(ctx context.Context, name string) error {
	p, err := b.open(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	left := b.limit
	for {
		t, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := t.(xml.StartElement)
		if n, err := strconv.ParseInt(attribute(e, "uniqueCount"), 10, 64); err == nil && n > b.limit/stringCost {
			return b.tooManyStrings() // without reading them
		}
		if ok && e.Name.Local == "si" {
			text, err := p.richText()
			if err != nil {
				return err
			}
			if left -= int64(len(text) + stringCost); left < 0 {
				return b.tooManyStrings()
			}
			b.strings = append(b.strings, text)
		}
	}
}
