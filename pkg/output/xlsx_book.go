package output

import (
	"archive/zip"
	"compress/flate"
	"fmt"
	"io"
	"strings"
)

// Cell styles, by their index in the styles part.
const (
	stylePlain = "0"
	styleBold  = "1"
	styleDay   = "2"
	styleStamp = "3"
)

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	sheetNS  = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	officeNS = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`

	// The default content type of xml parts is that of sheets, so that they need not be counted before they are
	// written.
	typesPart = xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`

	rootPart = xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="` + officeNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`

	stylesPart = xmlHead + `<styleSheet ` + sheetNS + `>` +
		`<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" ` +
		`formatCode="yyyy-mm-dd hh:mm:ss.000"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz ` +
		`val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill ` +
		`patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
)

// xlsxBook is the archive of a workbook.
type xlsxBook struct {
	zip     *zip.Writer
	packing *deflater // of the current part
	out     io.Writer // the sheet
	sheets  int
}

func newXLSXBook(w io.Writer) (*xlsxBook, error) {
	b := &xlsxBook{zip: zip.NewWriter(w)}
	// Sheets are so repetitive that the fastest level loses little, and the others take most of the time.
	b.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		b.leave()
		var err error
		b.packing, err = newDeflater(w)
		return b.packing, err
	})
	for _, part := range [][2]string{{"[Content_Types].xml", typesPart}, {"_rels/.rels", rootPart},
		{"xl/styles.xml", stylesPart}} {
		if err := b.part(part[0], part[1]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *xlsxBook) part(name, text string) error {
	w, err := b.zip.Create(name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// sheet starts the next sheet; with a heading its first line stays on screen.
func (b *xlsxBook) sheet(heading bool) (err error) {
	b.sheets++
	if b.out, err = b.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", b.sheets)); err != nil {
		return err
	}
	text := xmlHead + `<worksheet ` + sheetNS + `>`
	if heading {
		text += `<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
	}
	return b.write([]byte(text + `<sheetData>`))
}

func (b *xlsxBook) write(rows []byte) error {
	_, err := b.out.Write(rows)
	return err
}

func (b *xlsxBook) endSheet() error { return b.write([]byte(`</sheetData></worksheet>`)) }

// close writes the list of sheets and the directory of the archive. A workbook that was not closed cannot be opened.
func (b *xlsxBook) close() error {
	var book, rels strings.Builder
	for i := 1; i <= b.sheets; i++ {
		fmt.Fprintf(&book, `<sheet name="Sheet%d" sheetId="%d" r:id="rId%d"/>`, i, i, i)
		fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`,
			i, officeNS, i)
	}
	fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`, b.sheets+1, officeNS)
	err := b.part("xl/workbook.xml", xmlHead+`<workbook `+sheetNS+` xmlns:r="`+officeNS+
		`"><bookViews><workbookView/></bookViews><sheets>`+book.String()+`</sheets></workbook>`)
	if err == nil {
		err = b.part("xl/_rels/workbook.xml.rels",
			xmlHead+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
				rels.String()+`</Relationships>`)
	}
	if err == nil {
		err = b.zip.Close()
	}
	return err
}

// leave stops the background goroutine. It is unnecessary after close.
func (b *xlsxBook) leave() {
	if b.packing != nil {
		b.packing.end()
	}
}

// deflater compresses concurrently with the goroutine that writes to it.
type deflater struct {
	in    chan []byte
	back  chan packed // buffers that can be reused
	done  chan error
	ended bool
}

type packed struct {
	buf []byte
	err error
}

func newDeflater(w io.Writer) (*deflater, error) {
	z, err := flate.NewWriter(w, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	d := &deflater{in: make(chan []byte, 1), back: make(chan packed, 2), done: make(chan error, 1)}
	d.back <- packed{}
	d.back <- packed{}
	go func() {
		var err error
		for buf := range d.in {
			if err == nil {
				_, err = z.Write(buf)
			}
			d.back <- packed{buf[:0], err}
		}
		if err == nil {
			err = z.Close()
		}
		d.done <- err
	}()
	return d, nil
}

// Write compresses and writes a copy of p in the background; it may return the error of an earlier Write.
func (d *deflater) Write(p []byte) (int, error) {
	b := <-d.back
	if b.err != nil {
		d.back <- b
		return 0, b.err
	}
	d.in <- append(b.buf, p...)
	return len(p), nil
}

// Close waits until all is compressed and written.
func (d *deflater) Close() error {
	d.end()
	return <-d.done
}

func (d *deflater) end() {
	if !d.ended {
		d.ended = true
		close(d.in)
	}
}

// appendSheetText appends text for XML. A reader of workbooks interprets _x0041_ as A, so the underscore before such
// text is itself encoded this way, and XML would convert a carriage return to a line feed.
func appendSheetText(dst, t []byte) []byte {
	from := 0
	for i, c := range t {
		sign := ""
		switch c {
		case '&':
			sign = "&amp;"
		case '<':
			sign = "&lt;"
		case '>':
			sign = "&gt;"
		case '\r':
			sign = "&#xD;"
		case '_':
			if !codeLike(t[i:]) {
				continue
			}
			sign = "_x005F_"
		default:
			continue
		}
		dst = append(append(dst, t[from:i]...), sign...)
		from = i + 1
	}
	return append(dst, t[from:]...)
}

// codeLike reports whether text starts like _x0041_.
func codeLike(t []byte) bool {
	if len(t) < 7 || t[1] != 'x' || t[6] != '_' {
		return false
	}
	for _, c := range t[2:6] {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}
