package localstate

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/tempfile"
)

type about struct {
	Text  string `json:"text"`
	Bytes int64  `json:"bytes"`
}

// TestResultFile: the form is that of files of earlier releases, and a file that is cut off or of another version is an
// error.
func TestResultFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.last")
	f, err := tempfile.Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("document"); err != nil {
		t.Fatal(err)
	}
	if err := CommitResult(f, path, about{"a<b", 8}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	whole := "document" + `{"text":"a<b","bytes":8}` + "\x00\x00\x00\x00\x00\x00\x00\x18digkept1"
	if err != nil || string(raw) != whole {
		t.Fatalf("%q, %v", raw, err)
	}
	for text, ok := range map[string]bool{whole: true, whole[1:]: false, whole[:len(whole)-1]: false,
		strings.TrimSuffix(whole, "1") + "2": false, "": false,
		strings.Replace(whole, "\x18", "\xff", 1): false} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var got about
		n, err := ReadResult(f, &got, func(size int64) bool { return size == got.Bytes })
		f.Close()
		if ok && (err != nil || n != 8 || got.Text != "a<b") || !ok && !errors.Is(err, errResult) {
			t.Errorf("%q: %d bytes, %+v, %v", text, n, got, err)
		}
	}
}

func TestSpool(t *testing.T) {
	beyond, full := errors.New("beyond"), errors.New("full")
	for name, c := range map[string]struct {
		parts          string
		memory, stored string
		err, create    error
	}{
		"small":     {parts: "ab c", memory: "abc"},
		"file":      {parts: "ab cd ef", stored: "abcdef"},
		"too large": {parts: "abcd efgh i j", err: beyond, stored: "abcdefgh"},
		"no file":   {parts: "abcd", create: full, err: full},
	} {
		var file strings.Builder
		s := NewSpool(3, 8, beyond, func() (io.Writer, error) { return &file, c.create })
		kept := true
		for part := range strings.FieldsSeq(c.parts) {
			kept = s.Add([]byte(part))
		}
		if kept != (c.err == nil) || !errors.Is(s.Err, c.err) || string(s.Memory()) != c.memory ||
			file.String() != c.stored || s.N != int64(len(strings.ReplaceAll(c.parts, " ", ""))) {
			t.Errorf("%s: kept %v, %v, %q in memory, %q in the file, %d bytes", name, kept, s.Err, s.Memory(),
				file.String(), s.N)
		}
	}
}
