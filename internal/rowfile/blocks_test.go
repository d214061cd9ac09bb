package rowfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzDivide compares the rows and the columns of files that several readers read with those that one reads.
func FuzzDivide(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n3,4\n", "a,b\r\n1,\"x\ny\"\r\n\"\"\"\",\r\n", "a\n\n1\n\\N\n\"\"\n",
		"a;b\n1;2,5\n\n\n2;\"a;b\"\n", "a,b\n1\n2,3\n", "a,b\n1,x\"y\n2,3\n", "a,b\n\"1\n2,3\n4,5\n",
		"a,b\n1,2\r3\n", "a,b\n1,\xff\n2,\x00\n", "a\r1\r2\r", "\xef\xbb\xbfa,b\n1,2",
		"a,b\n1,2\n1,2\n1,2\n1,2\n1,2\n1.5,x\n", "a,b\n\"x\n\n,\"\"\n\",1\n", "a\tb\n1\t\"2\n3\"\n",
		`{"a":1}` + "\n" + `{"a":2,"b":"x"}` + "\n\n" + `{"b":[1, {"c": "}\n{"}],"a":null}` + "\n",
		"{\n \"a\": 1\n}\n{\n \"b\": {}\n}\n", `{"a":1}{"a":2}` + "\n" + `{"a":3}`, "[{\"a\":1},\n{\"a\":2}]",
		`{"a":1,"a":2}`, `{"a":1}` + "\n" + `{"a":"\ud800"}`, "{\"a\":1}\n{\"a\":\"x\ny\"}\n",
		"{\"a\":1}\r\n{\"\\u0061\":2}\r\n{}\r\n{\"a\":1", "{\"a\":1}\n7\n",
		"\xff\xfea\x00\n\x001\x00\n\x00", `{"columns":[{"columnName":"a"}],"data":[[1]]}`,
	} {
		f.Add(s, byte(3), false)
		f.Add(s, byte(40), true)
	}
	f.Fuzz(func(t *testing.T, s string, size byte, bare bool) {
		sameRows(t, "x.csv", []byte(s), int(size)+1, bare)
		sameRows(t, "x.ndjson", []byte(s), int(size)+1, false)
	})
}

// sameRows compares both ways of reading a file.
func sameRows(t *testing.T, name string, in []byte, size int, bare bool) {
	t.Helper()
	o := Options{Samples: true}
	if bare {
		o.headerLines = -1
	}
	f, err := Open(t.Context(), bytes.NewReader(in), int64(len(in)), name, o)
	if err != nil {
		return
	}
	defer f.Close()
	f.block = size
	want, wantErr := readAll(t, f, nil)
	d, err := f.Divide(t.Context())
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	if d == nil {
		return
	}
	defer d.Close()
	got, gotErr := readAll(t, f, d)
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%q in blocks of %d: %v, want %v", in, size, gotErr, wantErr)
	}
	if wantErr == nil && fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%q in blocks of %d:\n%q, want\n%q", in, size, got, want)
	}
	if wantErr != nil && !strings.HasPrefix(fmt.Sprint(got), strings.TrimSuffix(fmt.Sprint(want), "]")) {
		t.Fatalf("%q in blocks of %d: the rows before the error are\n%q, want\n%q", in, size, got, want)
	}
	f.Tee = sha256.New()
	if err := f.Learn(t.Context(), true); err != nil {
		if wantErr == nil || err.Error() != wantErr.Error() {
			t.Fatalf("%q: the columns: %v, want %v", in, err, wantErr)
		}
		return
	}
	divided := learnedOf(f)
	for _, most := range []int64{1, 3, 1000} {
		got, parts := readParts(t, f, most)
		if parts > 0 && fmt.Sprint(got) != fmt.Sprint(withoutLines(f, want)) {
			t.Fatalf("%q in blocks of %d, %d parts:\n%q, want\n%q", in, size, parts, got, want)
		}
	}
	f.single = true
	if err := f.Learn(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if one := learnedOf(f); divided != one {
		t.Fatalf("%q in blocks of %d:\n%s, want\n%s", in, size, divided, one)
	}
}

// learnedOf is all that Learn has found, with the samples and the hash of the bytes that were read.
func learnedOf(f *File) string {
	s := fmt.Sprint(f.Header, f.Rows, f.Blank, f.Width, f.Members)
	for _, c := range f.Columns {
		first := *c.First
		c.First = nil
		s += fmt.Sprintf("\n%+v %+v", c, first)
	}
	return fmt.Sprintf("%s\n%x", s, f.Tee.Sum(nil))
}

// readAll reads the rows of a file with their lines, without the missing values at their ends.
func readAll(t *testing.T, f *File, d *Divided) (rows []string, err error) {
	t.Helper()
	var r Rows
	if d != nil {
		r = d.Reader(nil)
	} else if r, err = f.Open(t.Context()); err != nil {
		return nil, err
	}
	return readRows(t, f, r)
}

// readParts reads the rows by parts of at most a number of rows, without their lines.
func readParts(t *testing.T, f *File, most int64) (rows []string, n int) {
	t.Helper()
	parts := f.Parts(most)
	for _, p := range parts {
		got, err := readRows(t, f, f.OpenPart(t.Context(), p))
		if err != nil || int64(len(got)) != p.Rows {
			t.Fatalf("a part of %d rows has %d: %v", p.Rows, len(got), err)
		}
		rows = append(rows, withoutLines(f, got)...)
	}
	return rows, len(parts)
}

func withoutLines(f *File, rows []string) (out []string) {
	for _, row := range rows {
		if _, text, ok := strings.Cut(row, "["); ok && f.Format != JSON {
			row = "[" + text
		}
		out = append(out, row)
	}
	return out
}

func readRows(t *testing.T, f *File, r Rows) (rows []string, err error) {
	t.Helper()
	defer r.Close()
	for {
		row, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		n := len(row)
		for n > 0 && f.Format == JSON && row[n-1].Kind == 0 {
			n--
		}
		text := fmt.Sprintf("%q", row[:n])
		if f.Format != JSON {
			text = fmt.Sprint(r.At(), text)
		}
		rows = append(rows, text)
	}
}

// TestDivideFiles compares both ways for the files that tests of the program read, and packed ones.
func TestDivideFiles(t *testing.T) {
	divided := 0
	for _, pattern := range []string{"../../cmd/testdata/files/*", "../../testdata/**/*.csv", "testdata/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			in, err := os.ReadFile(name)
			if err != nil {
				continue // a folder
			}
			for _, size := range []int{1, 7, 100, 5000} {
				sameRows(t, filepath.Base(name), in, size, false)
			}
			divided++
		}
	}
	if divided < 5 {
		t.Fatalf("only %d files were found", divided)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 20000 {
		fmt.Fprintf(z, "%d,\"text\n%d\",2024-01-%02d\n", i, i, i%28+1)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sameRows(t, "a.csv.gz", packed.Bytes(), 1000, true)
	sameRows(t, "a.csv.gz", packed.Bytes()[:packed.Len()/2], 1000, true)
}

// TestReadersShareRows reads a file by several readers at once: each row by one of them.
func TestReadersShareRows(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("n\n")
	const rows = 50_000
	for i := range rows {
		fmt.Fprintln(&text, i)
	}
	f, err := Open(t.Context(), bytes.NewReader(text.Bytes()), int64(text.Len()), "n.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.block = 4096
	d, err := f.Divide(t.Context())
	if err != nil || d == nil {
		t.Fatalf("it is not divided: %v", err)
	}
	defer d.Close()
	seen := make(chan map[string]int64)
	for range 4 {
		go func() {
			mine := map[string]int64{}
			for r := d.Reader(nil); ; {
				row, err := r.Next(context.Background())
				if err != nil {
					seen <- mine
					return
				}
				mine[string(row[0].Text)] = r.At()
			}
		}()
	}
	all := map[string]int64{}
	for range 4 {
		for text, line := range <-seen {
			all[text] = line
		}
	}
	if len(all) != rows || all["0"] != 2 || all["49999"] != rows+1 {
		t.Fatalf("%d rows, 49999 in line %d", len(all), all["49999"])
	}
}

// TestLearnAfterSample learns a file of which a sample was not enough.
func TestLearnAfterSample(t *testing.T) {
	in := []byte(strings.Repeat("{\"A\":1,\"a\":\"x\"}\n", 20_000) + "{\"b\":1.5}\n")
	f, err := Open(t.Context(), bytes.NewReader(in), int64(len(in)), "x.ndjson", Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.block = 4096
	if ok, err := f.Sample(t.Context(), 1000); !ok || err != nil || len(f.Columns) != 2 {
		t.Fatal(ok, err, f.Header)
	}
	if err := f.Learn(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	types := []string{}
	for _, c := range f.Columns {
		types = append(types, c.Type())
	}
	if got := fmt.Sprint(f.Header, types, f.Rows); got != "[A a b] [bigint varchar decimal(2,1)] 20001" {
		t.Error(got)
	}
}
