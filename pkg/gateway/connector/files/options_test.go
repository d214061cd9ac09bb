package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// optionCases are files with options: what is before the rows, a row, what is after them, and the rows that are found,
// each by its number. Options of workbooks alone, which are not divided, are in TestFileShapes.
var optionCases = []struct {
	name, head, row, tail string
	options               []string
	want, last            string
}{
	{"plain.csv", "a,b\n", "%[1]d,x\n", "", nil, "%[1]d|x", ""},
	{"format.txt", "a,b\n", "%[1]d,x\n", "", []string{"file-format", "csv"}, "%[1]d|x", ""},
	{"encoding.csv", "a,b\n", "%[1]d,\xe9\n", "", []string{"encoding", "windows-1252"}, "%[1]d|é", ""},
	{"wide.csv", "a,b\n", "%[1]d,é\n", "", []string{"encoding", "utf-16be"}, "%[1]d|é", ""},
	{"encoding.ndjson", "", `{"a":%[1]d,"b":"` + "\xe9\"}\n", "", []string{"encoding", "latin-1"}, "%[1]d|é", ""},
	{"delimiter.csv", "a!b\n", "%[1]d!x,y\n", "", []string{"delimiter", "!"}, "%[1]d|x,y", ""},
	{"quote.csv", "a,b\n", "%[1]d,'x,''y'\n", "", []string{"quote", "'"}, "%[1]d|x,'y", ""},
	{"quote.tsv", "a\tb\n", "%[1]d\t'x\ty'\n-1\t\\N\n", "", []string{"quote", "'"}, "%[1]d|x\ty\n-1|\\N", ""},
	{"none.csv", "a,b\n", "%[1]d,3\" x\n", "", []string{"quote", "none"}, "%[1]d|3\" x", ""},
	{"escape.csv", "a,b\n", `%[1]d,"x\"y"` + "\n", "", []string{"quote", `"`, "escape", `\`}, `%[1]d|x"y`, ""},
	{"escapes.csv", "a;b\n", `%[1]d;x\ty` + "\n-1;\\N\n", "", []string{"escape", "backslash", "delimiter", ";"},
		"%[1]d|x\ty\n-1|NULL", ""},
	{"noescapes.tsv", "a\tb\n", "%[1]d\tx\\ty\n-1\t\\N\n", "", []string{"escape", "none"}, `%[1]d|x\ty` + "\n-1|\\N",
		""},
	{"comment.csv", "#\"\na,b\n", "%[1]d,x\n# \"%[1]d\n", "", []string{"comment", "#"}, "%[1]d|x", ""},
	{"comment.tsv", "#\"\na\tb\n", "%[1]d\tx\\ty\n# \"\n", "", []string{"comment", "#"}, "%[1]d|x\ty", ""},
	{"skip.csv", "Report \"May\na,b\n", "%[1]d,x\n", "", []string{"skip", "1"}, "%[1]d|x", ""},
	{"header.csv", "Report\n\na,b\n", "%[1]d,x\n", "", []string{"header-row", "3"}, "%[1]d|x", ""},
	{"joined.csv", "a,b\nkg,\n", "%[1]d,x\n", "", []string{"header-row", "1-2"}, "%[1]d|x", ""},
	{"noheader.csv", "", "%[1]d,x\n", "", []string{"header-row", "none"}, "%[1]d|x", ""},
	{"footer.csv", "a,b\n", "%[1]d,x\n", "Total: 2 of\n3 rows\n\n", []string{"footer", "2"}, "%[1]d|x", ""},
	{"decimal.csv", "a;b\n", "%[1]d,5;1.5\n", "", []string{"decimal", ","}, "%[1]d.5|1.5", ""},
	{"thousands.csv", "a;b\n", "1.234.567,%[1]d;2.000\n", "", []string{"decimal", ",", "thousands", "."},
		"1234567.%[1]d|2000", ""},
	{"unit.csv", "a;b\n", "$%[1]d;10 %%\n", "", []string{"unit", "$", "unit", "%"}, "%[1]d|10", ""},
	{"date.csv", "a,b\n", "%[1]d,29.02.2024\n", "", []string{"date-format", "%d.%m.%Y"}, "%[1]d|2024-02-29", ""},
	{"date.ndjson", "", `{"a":%[1]d,"b":"02/29/2024"}` + "\n", "", []string{"date-format", "%m/%d/%Y"},
		"%[1]d|2024-02-29", ""},
	{"null.csv", "a,b\n", "%[1]d,NA\n-,x\n", "", []string{"null", "NA", "null", "-"}, "%[1]d|NULL\nNULL|x", ""},
	{"null.ndjson", "", `{"a":%[1]d,"b":"NA"}` + "\n" + `{"a":-1,"b":"x"}` + "\n", "",
		[]string{"null", "NA", "null", "-1"}, "%[1]d|NULL\nNULL|x", ""},
	{"null.parquet", "", "", "", []string{"null", "NA", "null", "-1"}, "%[1]d|NULL\nNULL|x", ""},
	{"lenient.csv", "a,b\n", "%[1]d, 3\" x\n 7\n", "", []string{"lenient", "true"}, "%[1]d| 3\" x\n7|NULL", ""},
	{"lenient.tsv", "a\tb\n", "%[1]d\tx\\ty\n 7\n", "", []string{"lenient", "true"}, "%[1]d|x\ty\n7|NULL", ""},
	{"union.csv", "a,b\n", "%[1]d,x\n", "", []string{rowfile.UnionByName, "true"}, "%[1]d|x", ""},
	{"path.json", `{"n":2,"d":{"items":[`, `{"a":%[1]d,"b":"x"},`, `{"a":-1,"b":"y"}]}}`, []string{"path", "$.d.items"},
		"%[1]d|x", "-1|y"},
}

// optionRows is the number of rows of each file, which is then large enough for its facts to be stored.
const optionRows = 32_000

// optionText is the content of a file.
func optionText(t *testing.T, name, head, row, tail string, o []string) []byte {
	t.Helper()
	var b bytes.Buffer
	if strings.HasSuffix(name, ".parquet") {
		type pair struct {
			A int64  `parquet:"a"`
			B string `parquet:"b"`
		}
		w := parquet.NewGenericWriter[pair](&b)
		for i := range optionRows {
			if _, err := w.Write([]pair{{int64(i + 100_000), "NA"}, {-1, "x"}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	b.WriteString(head)
	for i := range optionRows {
		fmt.Fprintf(&b, row, i+100_000)
	}
	b.WriteString(tail)
	if slices.Contains(o, "utf-16be") {
		var wide []byte
		for _, u := range utf16.Encode([]rune(b.String())) {
			wide = binary.BigEndian.AppendUint16(wide, u)
		}
		return wide
	}
	return b.Bytes()
}

// TestOptionsOfScans reads files with each option in all ways in which a file is scanned: with its columns known,
// guessed by its beginning, or recalled, by several threads or one, packed, and together with another file.
func TestOptionsOfScans(t *testing.T) {
	used := map[string]bool{"sheet": true, "range": true, "empty-formulas": true}
	for _, c := range optionCases {
		for i := 0; i < len(c.options); i += 2 {
			used[c.options[i]] = true
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var o rowfile.Options
			for pair := range slices.Chunk(c.options, 2) {
				if err := o.Set(pair[0], pair[1]); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for i := range optionRows {
				want = append(want, strings.Split(fmt.Sprintf(c.want, i+100_000), "\n")...)
			}
			if c.last != "" {
				want = append(want, c.last)
			}
			inOrder := slices.Clone(want)
			slices.Sort(want)
			twice := slices.Concat(want, want)
			slices.Sort(twice)
			dir := t.TempDir()
			path, other := filepath.Join(dir, c.name), filepath.Join(dir, "other "+c.name)
			text, gz := optionText(t, c.name, c.head, c.row, c.tail, c.options), filepath.Join(dir, c.name+".gz")
			old := time.Now().Add(-time.Hour)
			write(t, gz, packed(t, string(text)))
			for _, p := range []string{path, other} {
				write(t, p, text)
				if err := os.Chtimes(p, old, old); err != nil {
					t.Fatal(err)
				}
			}
			notes := t.TempDir()
			reach := connector.Reach{Notes: connector.NewNotes(notes)}
			whole, sample := func(f *folder) { f.sample = 1 << 30 }, func(f *folder) { f.sample = 1 << 10 }
			for _, way := range []struct {
				name  string
				paths []string
				reach connector.Reach
				set   func(f *folder)
				limit int64
				want  []string
			}{
				{"guessed", []string{path}, connector.Reach{}, sample, -1, want},
				{"guessed by one thread", []string{path}, connector.Reach{}, sample, int64(len(want)), inOrder},
				{"learned", []string{path}, reach, whole, -1, want},
				{"recalled", []string{path}, reach, whole, -1, want},
				{"recalled by one thread", []string{path}, reach, whole, int64(len(want)), inOrder},
				{"packed", []string{gz}, connector.Reach{}, sample, -1, want},
				{"two files", []string{path, other}, reach, whole, -1, twice},
			} {
				f := newFolder("", way.reach)
				f.opt = o
				way.set(f)
				got := scannedRows(t, f, way.paths, way.limit)
				if way.limit < 0 {
					slices.Sort(got)
				}
				if !slices.Equal(got, way.want) {
					t.Errorf("%s: %d rows, %.300q, want %d, %.300q", way.name, len(got), got, len(way.want), way.want)
				}
			}
			if kept, err := os.ReadDir(notes); err != nil || len(kept) == 0 && filepath.Ext(path) != ".parquet" {
				t.Errorf("nothing is noted: %v", err)
			}
		})
	}
	for _, o := range rowfile.All() {
		if !used[o.Name] {
			t.Errorf("no file is read with %s", o.Name)
		}
	}
}

// scannedRows are the rows of files, by several threads if they may be.
func scannedRows(t *testing.T, f *folder, paths []string, limit int64) (rows []string) {
	t.Helper()
	for range 2 {
		src, err := named(t.Context(), f, paths)
		if err != nil {
			t.Fatal(err)
		}
		var cols []engine.ColumnInfo
		if g, ok := src.(engine.Guesser); ok {
			cols, _, err = g.Guess(t.Context())
		} else {
			cols, err = src.Columns(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(cols))
		for i, c := range cols {
			names[i] = c.Name
		}
		b, err := src.Scan(t.Context(), engine.ScanRequest{Columns: names, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		rows, err = rowsOf(t.Context(), b, cols)
		if closed := b.Close(); err == nil {
			err = closed
		}
		if g, ok := src.(engine.Guesser); ok && err == nil {
			if err = g.Settle(t.Context(), nil); errors.Is(err, engine.ErrOutdated) {
				continue // as a statement begins again
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	t.Fatal("the columns of a file that was read to its end are outdated")
	return nil
}

// rowsOf are all rows, as texts.
func rowsOf(ctx context.Context, b engine.Batches, cols []engine.ColumnInfo) (rows []string, err error) {
	var mu sync.Mutex
	read := func(next func() ([][]any, error)) error {
		for {
			batch, err := next()
			mu.Lock()
			for _, row := range batch {
				rows = append(rows, rowText(row))
			}
			mu.Unlock()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	d, ok := b.(engine.Divided)
	if !ok {
		return rows, read(func() ([][]any, error) { return b.Next(ctx) })
	}
	ends := make(chan error)
	threads := d.Threads()
	for range threads {
		part := d.Part()
		go func() {
			ends <- read(func() ([][]any, error) { return connector.NextOf(ctx, part, infos(cols)) })
		}()
	}
	for range threads {
		err = errors.Join(err, <-ends)
	}
	return rows, err
}

func infos(cols []engine.ColumnInfo) (out []column) {
	for _, c := range cols {
		out = append(out, column{ColumnInfo: c})
	}
	return out
}

func rowText(row []any) string {
	var texts []string
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			texts = append(texts, "NULL")
		case time.Time:
			texts = append(texts, v.Format(time.DateOnly))
		default:
			texts = append(texts, fmt.Sprint(v))
		}
	}
	return strings.Join(texts, "|")
}
