package files

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestNamed reads files by their paths, whatever they are called, and several of them as one table.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	wide := []byte{0xff, 0xfe}
	for _, c := range utf16.Encode([]rune("n;t\n1,5;\u00e9\n")) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	for name, data := range map[string][]byte{
		"a.txt": []byte("n,t\n1,x\n"), "b.json": []byte(`[{"n":2.5,"t":"y"}]`), "c": packed(t, "n,t\n3,z\n"),
		"d.csv.zst": z.EncodeAll([]byte("n,t\n4,\n"), nil),
		"e.dat":     []byte(`{"n":5,"t":"w"}`), "wide.csv": wide, "other.csv": []byte("n,u\n1,2\n"),
		"bytes.bin": {1, 0, 2,
			0xff, 5}, "cut.csv.gz": packed(t, "n,t\n"+strings.Repeat("1,2\n", 9000))[:60],
		"old.xlsx": []byte("\xd0\xcf\x11\xe0 and more"), "bad.xlsx": []byte("n,t\n"),
		"ragged.csv": []byte("n,t\n1,2\n1\n"), "plain.csv.gz": []byte("n,t\n1,2\n"), "none.csv": nil,
		"none.json": []byte("[]"), "blank.ndjson": nil, "bare.json": []byte("{}\n{}\n"),
	} {
		write(t, filepath.Join(dir, name), data)
	}
	for _, c := range []struct{ files, want string }{
		{"a.txt", "n bigint, t varchar: [1 x]"},
		{"c", "n bigint, t varchar: [3 z]"},
		{"e.dat", "n bigint, t varchar: [5 w]"},
		{"wide.csv", "n varchar, t varchar: [1,5 \u00e9]"},
		{"a.txt b.json c d.csv.zst e.dat", "n decimal(2,1), t varchar: [1.0 x] [2.5 y] [3.0 z] [4.0 <nil>] [5.0 w]"},
		{"a.txt other.csv", `file other.csv has no column "t", and a.txt has one`},
		{"bytes.bin", "file bytes.bin: neither text nor a Parquet file nor a workbook"},
		{"cut.csv.gz", "file cut.csv.gz: the file ends in the middle of its gzip data: it was cut off"},
		{"old.xlsx", "file old.xlsx: this is a workbook of Excel 2003"},
		{"bad.xlsx", "file bad.xlsx: not a workbook"},
		{"plain.csv.gz", "n bigint, t bigint: [1 2]"},
		{"ragged.csv", "file ragged.csv: line 3: the record has 1 fields, the first one has 2"},
		{"none.csv", "file none.csv: the file is empty"},
		{"none.json", "file none.json: it has no columns, because it has no records"},
		{"blank.ndjson", "file blank.ndjson: it has no columns"},
		{"bare.json", "file bare.json: it has no columns: they are the members of its records, and it has 2 records " +
			"without members"},
		{".", "file " + filepath.Base(dir) + ": not a file"},
		{"absent.csv", "file absent.csv: no such file"},
		{"a.txt absent.csv", "file absent.csv: no such file"},
	} {
		var paths []string
		for _, name := range strings.Fields(c.files) {
			paths = append(paths, filepath.Join(dir, name))
		}
		if got := namedText(paths); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.files, got, c.want)
		}
	}
}

// namedText is the columns and rows of files, or the error.
func namedText(paths []string) string {
	ctx := context.Background()
	s, err := Named(ctx, connector.Reach{}, paths, rowfile.Options{})
	if err != nil {
		return err.Error()
	}
	var cols, names []string
	infos, _ := s.Columns(ctx)
	for _, c := range infos {
		cols, names = append(cols, c.Name+" "+c.Type), append(names, c.Name)
	}
	out := strings.Join(cols, ", ") + ":"
	b, err := s.Scan(ctx, engine.ScanRequest{Columns: names, Limit: -1})
	if err != nil {
		return err.Error()
	}
	defer b.Close()
	for {
		rows, err := b.Next(ctx)
		if err == io.EOF {
			return out
		}
		if err != nil {
			return err.Error()
		}
		for _, r := range rows {
			out += fmt.Sprint(" ", r)
		}
	}
}

// TestNamedTextsOfUTF8: a character of several bytes may stand at the end of a file, and where the bytes end that tell
// its form.
func TestNamedTextsOfUTF8(t *testing.T) {
	dir := t.TempDir()
	for pad := range 8 {
		for name, text := range map[string]string{
			"short": "x\n" + strings.Repeat("a", pad) + "\u20ac" + strings.Repeat("b", 7-pad),
			"last":  "x\n" + strings.Repeat("a", pad) + "\u20ac",
			"long":  "x\n" + strings.Repeat("a", (4<<10)-10+pad) + strings.Repeat("\u20ac", 9),
		} {
			path := filepath.Join(dir, fmt.Sprint(name, pad))
			write(t, path, []byte(text))
			if got, want := namedText([]string{path}), "x varchar: ["+text[2:]+"]"; got != want {
				t.Errorf("%s%d: %.60q", name, pad, got)
			}
		}
	}
	path := filepath.Join(dir, "latin1")
	write(t, path, []byte("x\nabc\xe9"))
	if got := namedText([]string{path}); !strings.Contains(got, "neither text") {
		t.Error(got)
	}
}
