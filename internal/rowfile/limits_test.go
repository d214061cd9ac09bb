package rowfile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("index out of range") }
func (panicking) Close() error             { return nil }

// TestPanicOfDecompressor: it is an error of the data, also of later reads.
func TestPanicOfDecompressor(t *testing.T) {
	u := &unpacker{in: panicking{}, name: "zstd"}
	for range 2 {
		var packed *PackedError
		if n, err := u.Read(make([]byte, 10)); n != 0 || !errors.As(err, &packed) ||
			err.Error() != "its zstd data is damaged" {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// packed is a workbook whose parts are compressed: a large one takes few bytes.
func packed(t *testing.T, texts, sheet io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range []struct {
		name string
		in   io.Reader
	}{{"xl/workbook.xml", strings.NewReader(plainBook)}, {"xl/_rels/workbook.xml.rels", strings.NewReader(plainLinks)},
		{"xl/t.xml", texts}, {"xl/f.xml", strings.NewReader(plainStyles)}, {"xl/s.xml", sheet}} {
		w, err := z.Create(p.name)
		if err == nil {
			_, err = io.Copy(w, p.in)
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

// repeated is a text between n repetitions of a part.
func repeated(begin, part string, n int, end string) io.Reader {
	many := strings.Repeat(part, 1000)
	in := []io.Reader{strings.NewReader(begin)}
	for range n / 1000 {
		in = append(in, strings.NewReader(many))
	}
	return io.MultiReader(append(in, strings.NewReader(end))...)
}

// TestLimits: workbooks that are small as files and large as texts are refused, with the part and the limit.
func TestLimits(t *testing.T) {
	sheet := func() io.Reader { return strings.NewReader(plainSheet) }
	texts := func() io.Reader { return strings.NewReader(plainStrings) }
	long := strings.Repeat("0123456789", 10)
	for name, c := range map[string]struct {
		texts, sheet io.Reader
		want         string
	}{
		"texts": {repeated("<sst>", "<si><t>"+long+"</t></si>", 10_000, "</sst>"), sheet(),
			"the shared strings of the workbook are larger than 1 MiB"},
		"texts without text": {repeated("<sst>", "<si/>", 50_000, "</sst>"), sheet(),
			"the shared strings of the workbook are larger than 1 MiB"},
		"many texts": {strings.NewReader(`<sst uniqueCount="50000">`), sheet(),
			"the workbook are larger than 1 MiB"},
		"fewer texts": {strings.NewReader(`<sst uniqueCount="1000"/>`), strings.NewReader("<a>"),
			"xl/s.xml of the workbook: unexpected end"},
		"a long text": {repeated("<sst><si><t>", long, 100_000, "</t></si></sst>"), sheet(),
			"xl/t.xml of the workbook: it has an element or a text of more than 4 MiB"},
		"a text in pieces": {repeated("<sst><si><t>", long+"<!---->", 100_000, "</t></si></sst>"), sheet(),
			"xl/t.xml of the workbook: it has a text of more than 4 MiB"},
		"depth": {texts(), repeated("<worksheet>", "<a>", 1_000, ""),
			"xl/s.xml of the workbook: its elements are nested deeper than 256 levels"},
		"attributes": {texts(), repeated("<worksheet ", `a="" `, 1_000_000, ">"),
			"xl/s.xml of the workbook: it has an element or a text of more than 4 MiB"},
		"cells": {texts(), repeated(`<worksheet><sheetData><row>`, "<c/>", 20_000,
			"</row></sheetData></worksheet>"), "row 1 has more than 16384 cells"},
		"a row": {repeated("<sst><si><t>", long, 40_000, "</t></si></sst>"),
			repeated(`<worksheet><sheetData><row>`, `<c t="s"><v>0</v></c>`, 1000, "</row></sheetData></worksheet>"),
			"row 1 has more than 64 MiB"},
		"cut off": {texts(), strings.NewReader("<worksheet><sheetData><row><c><v>1</v></c></row><row>"),
			"after row 1: xl/s.xml of the workbook: unexpected end of the file"},
		"not XML": {texts(), strings.NewReader("<worksheet><sheetData></row>"),
			"xl/s.xml of the workbook: it is not valid XML at byte "},
	} {
		limit := int64(leastStrings)
		if strings.Contains(name, "texts") {
			limit = 1 << 20
		}
		raw := packed(t, c.texts, c.sheet)
		b, err := openWorkbook(t.Context(), bytes.NewReader(raw), int64(len(raw)), "", limit)
		if err == nil {
			var rows *SheetRows
			if rows, err = b.rows(t.Context()); err == nil {
				for err == nil {
					_, err = rows.Next(t.Context())
				}
				rows.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s (%d bytes): %v", name, len(raw), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	raw := packed(t, texts(), repeated(`<worksheet><sheetData>`, "<row/>", 100_000, "</sheetData></worksheet>"))
	b, err := openBook(ctx, bytes.NewReader(raw), int64(len(raw)), "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.rows(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	cancel()
	if _, err := rows.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
