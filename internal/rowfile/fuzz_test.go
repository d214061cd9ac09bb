package rowfile

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FuzzPacked reads compressed texts: whatever the bytes are, the result is a text or an error.
func FuzzPacked(f *testing.F) {
	text := []byte("a,b\n1,x\n2,yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n")
	var g bytes.Buffer
	z := gzip.NewWriter(&g)
	_, _ = z.Write(text)
	_ = z.Close()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(g.Bytes())
	f.Add(append(g.Bytes(), g.Bytes()...))
	f.Add(e.EncodeAll(text, nil))
	f.Add(e.EncodeAll(bytes.Repeat(text, 1000), nil))
	f.Add([]byte("\xff\xfea\x00,\x00"))
	f.Add(text)
	f.Fuzz(func(t *testing.T, in []byte) {
		file, err := Open(t.Context(), bytes.NewReader(in), int64(len(in)), "a.csv", Options{})
		if err != nil {
			return
		}
		defer file.Close()
		if r, err := file.text(t.Context()); err == nil {
			_, _ = io.CopyN(io.Discard, r, 4<<20)
		}
	})
}

// FuzzWorkbook reads workbooks, whatever the bytes of the archive are.
func FuzzWorkbook(f *testing.F) {
	names, err := filepath.Glob("../../cmd/testdata/files/*.xlsx")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add(archive(f, plainBook, plainLinks, plainStrings, plainStyles, plainSheet))
	f.Fuzz(func(t *testing.T, in []byte) { readBook(t, in) })
}

// FuzzSheet reads workbooks with any parts.
func FuzzSheet(f *testing.F) {
	f.Add(plainBook, plainLinks, plainStrings, plainStyles, plainSheet)
	f.Fuzz(func(t *testing.T, book, links, texts, styles, sheet string) {
		readBook(t, archive(t, book, links, texts, styles, sheet))
	})
}

const (
	plainBook  = `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="0"/><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`
	plainLinks = `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="s.xml"/><Relationship Id="r2" ` +
		`Type="x/sharedStrings" Target="t.xml"/><Relationship Id="r3" Type="x/styles" Target="f.xml"/></Relationships>`
	plainStrings = `<sst><si><t>a</t></si><si><r><t>b_x000D_</t></r><rPh><t>no</t></rPh></si></sst>`
	plainStyles  = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm [h]:mm"/></numFmts><cellXfs><xf ` +
		`numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>`
	plainSheet = `<?xml version="1.0" encoding="UTF-8"?><worksheet><sheetData><row r="1"><c r="A1" ` +
		`t="s"><v>0</v></c><c t="inlineStr"><is><t>x</t></is></c></row>` +
		`<row><c s="1"><v>60.5</v></c><c r="XFD2" t="b"><v>1</v></c></row><row ` +
		`r="9"><c><f>1</f><v>1.8100000000000001E+1</v></c><c t="e"><v>#N/A</v></c></row></sheetData></worksheet>`
)

func archive(t testing.TB, book, links, texts, styles, sheet string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range [][2]string{{"xl/workbook.xml", book}, {"xl/_rels/workbook.xml.rels", links}, {"xl/t.xml", texts},
		{"xl/f.xml", styles}, {"xl/s.xml", sheet}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: p[0]}) // stored, so that a byte more is one
		if err == nil {
			_, err = w.Write([]byte(p[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readBook(t *testing.T, in []byte) {
	t.Helper()
	b, err := openBook(t.Context(), bytes.NewReader(in), int64(len(in)), "")
	if err != nil {
		return
	}
	rows, err := (&File{book: b}).sheetRows(t.Context())
	if err != nil {
		return
	}
	defer rows.Close()
	for range 1000 {
		row, err := rows.Next(t.Context())
		if err != nil {
			return
		}
		if len(row) > sheetColumns {
			t.Fatalf("a row of %d cells", len(row))
		}
	}
}
