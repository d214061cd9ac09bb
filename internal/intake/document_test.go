package intake

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/dig-cli/dig/internal/rowfile"
)

// given are options of reading: names and values.
func given(t *testing.T, pairs ...string) (o rowfile.Options) {
	t.Helper()
	for pair := range slices.Chunk(pairs, 2) {
		if err := o.Set(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// open writes a file and opens it.
func open(t *testing.T, name string, text []byte, o rowfile.Options) (*Document, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), path, f, o)
	if err == nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return d, err
}

// sent is the text that an import of the document would send.
func sent(t *testing.T, d *Document) (string, error) {
	t.Helper()
	r, err := d.Text(t.Context())
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

func inUTF16(s string, order binary.AppendByteOrder) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

func zipped(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForms checks that the same table in any format is sent as the same records.
func TestForms(t *testing.T) {
	const doc = "id,name,note\n1,\"Ada, Łukasz 😀\",\"say \"\"so\"\"\ntwice; or | not\"\n2,,\"\"\n3,Bo\tB,x\n"
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(c string) string { // quotes all fields that need it with any delimiter
		out := strings.NewReplacer("id,name,note", "id"+c+"name"+c+"note", "1,\"Ada", "1"+c+"\"Ada", "😀\",\"",
			"😀\""+c+"\"", "2,,", "2"+c+c, "3,Bo\tB,x", "3"+c+"\"Bo\tB\""+c+"x").Replace(doc)
		return out
	}
	for name, text := range map[string][]byte{
		"plain.csv":        []byte(doc),
		"rowfile.Mark.csv": []byte("\xef\xbb\xbf" + doc),
		"semi.csv":         []byte(with(";")),
		"bar.txt":          []byte(with("|")),
		"tabs.tsv":         []byte(with("\t")),
		"little.csv":       inUTF16("\ufeff"+doc, binary.LittleEndian),
		"big.csv":          inUTF16("\ufeff"+doc, binary.BigEndian),
		"bare.csv":         inUTF16(doc, binary.LittleEndian),
		"a.csv.gz":         zipped(t, doc),
		"a.tsv.gz":         zipped(t, with("\t")),
		"a.csv.zst":        z.EncodeAll([]byte(doc), nil),
		"utf.gz":           zipped(t, string(inUTF16("\ufeff"+with(";"), binary.BigEndian))),
		"crlf.csv": []byte(strings.ReplaceAll(strings.ReplaceAll(doc, "\n", "\r\n"), "\"\"\r\ntwice",
			"\"\"\ntwice")),
		"cr.csv": []byte(strings.ReplaceAll(strings.ReplaceAll(doc, "\n", "\r"), "\"\"\rtwice",
			"\"\"\ntwice")),
		"noend.csv": []byte(strings.TrimSuffix(doc, "\n")),
	} {
		d, err := open(t, name, text, rowfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := d.Learn(t.Context(), true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, err := sent(t, d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got, rowfile.Mark))).ReadAll()
		want, _ := csv.NewReader(strings.NewReader(doc)).ReadAll()
		if fmt.Sprintf("%q", records) != fmt.Sprintf("%q", want) || err != nil || !strings.Contains(got, "2,,\"\"") {
			t.Errorf("%s: %v, sent %q", name, err, got)
		}
		if !slices.Equal(d.Header, want[0]) || d.Rows != 3 || d.Choices(false)[0].Type != Bigint ||
			d.Choices(false)[1].Type != Varchar {
			t.Errorf("%s: header %q, %d rows, %+v", name, d.Header, d.Rows, d.Choices(false))
		}
		quick, err := open(t, name, text, rowfile.Options{})
		if err != nil || quick.Learn(t.Context(), false) != nil || quick.Rows != 3 || quick.Key(nil) != d.Key(nil) {
			t.Errorf("%s: %v, %d rows without types", name, err, quick.Rows)
		}
	}
}

// TestKey checks that the key of a document is a hash of all its bytes.
func TestKey(t *testing.T) {
	blank := strings.Repeat(" \n", 500_000)
	for name, text := range map[string]string{"a.csv": "a,b\n1,2\n", "b.csv": "a;b\n1;2\n", "c.tsv": "a\tb\n\\N\t2\n",
		"d.json": `[{"a":1}]` + blank, "e.ndjson": `{"a":1}` + blank, "f.json": "[]" + blank,
		"g.json": `{"columns":[{"columnName":"a","dataType":"bigint"}],"data":[["1"],["2"]]}` + blank,
		"h.json": string(inUTF16("\ufeff[{\"a\":1}]"+blank, binary.BigEndian))} {
		for file, raw := range map[string][]byte{name: []byte(text), name + ".gz": zipped(t, text)} {
			d, err := open(t, file, raw, rowfile.Options{})
			if err != nil || d.Learn(t.Context(), true) != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if got, want := d.Key(nil), fmt.Sprintf("%x", sha256.Sum256([]byte(text))); got != want {
				t.Errorf("%s (%s): %s, want %s", file, d.Format, got, want)
			}
		}
	}
}

// TestNulls checks that --null makes fields NULL, quoted or not, but never those of the header.
func TestNulls(t *testing.T) {
	d, err := open(t, "a.csv", []byte("NA,b\nNA,1\n2,\"NA\"\n3,\"\"\n"), given(t, "null", "NA", "null", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Learn(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got, err := sent(t, d); got != "NA,b\n,1\n2,\n3,\n" || err != nil || d.Choices(false)[0].Type != Bigint ||
		d.Choices(false)[1].Type != Bigint {
		t.Errorf("%v: %q %+v", err, got, d.Choices(false))
	}
}

// TestBadInput checks that an error has the line, and the column if there is one.
func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"", "the file is empty"},
		{"a,b\n1,2\n3\n", "line 3: the record has 1 fields, the first one has 2"},
		{"a,b\n1,\xff\n", `line 2, column "b": invalid UTF-8: "\xff"`},
		{"a,b\n1,\"x\n", "line 2: a quoted field is not closed"},
		{"a,\xff\n", "line 1, column 2: invalid UTF-8"},
		{"\xff\xfea\x00\n\x00\x00\xd8\n\x00", "line 2: an unpaired surrogate in UTF-16"},
		{"\xff\xfea\x00\n\x00b", "line 2: the text ends within a character"},
		{string(zipped(t, "a,b\n"+strings.Repeat("1,2\n", 90000)))[:300], "it was cut off"},
	} {
		d, err := open(t, "a.csv", []byte(c.text), rowfile.Options{})
		if err == nil {
			err = d.Learn(t.Context(), true)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestChanged checks that a file that changes after it was opened is not sent, as it is or converted, and that nothing
// is left open if its reading cannot begin.
func TestChanged(t *testing.T) {
	for _, comma := range []string{",", ";"} {
		text := "a" + comma + "b\n1" + comma + "2\n"
		d, err := open(t, "a.csv", []byte(text), rowfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if r, err := d.Records(ended); r != nil || err == nil {
			t.Errorf("records %v, %v", r, err)
		}
		if r, err := d.Text(ended); (r == nil) != (err != nil) {
			t.Errorf("text %v, %v", r, err)
		}
		if err := os.WriteFile(d.Path, []byte(text+"3"+comma+"4\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := d.Learn(t.Context(), false); err == nil {
			t.Error("learned")
		}
		if s, err := sent(t, d); err == nil {
			t.Errorf("sent %q", s)
		}
	}
}

// TestPipe checks that input that is not a file is read once and its copy removed.
func TestPipe(t *testing.T) {
	d, err := Open(t.Context(), "-", io.NopCloser(strings.NewReader("a,b\n1,2\n")), rowfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sent(t, d); got != "a,b\n1,2\n" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err = open(t, "a.csv", []byte("a\n1\n"), rowfile.Options{}); err != nil || d.Learn(ctx, true) == nil {
		t.Error("an interrupt does not end the pass")
	}
}
