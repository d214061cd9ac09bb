package csv

import (
	encoding "encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCSV compares the reader with encoding/csv, and with itself under a reader that gives few bytes at a time.
// encoding/csv is more lenient in one thing only, a carriage return within a record; it skips blank lines and turns
// \r\n within quotes to \n.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\"a\"\"b\",\"\n\"\r\n,\n", "\"", "a\"b", "\"a\"b\n", ",,\r\n\n\"\"\n",
		"a\r\r\n", "x,\"y\r\nz\"\n1"} {
		f.Add(s, byte(1))
	}
	f.Fuzz(func(t *testing.T, s string, step byte) {
		got, lines, err := cutAll(strings.NewReader(s))
		slow, slowLines, slowErr := cutAll(&dribble{s, int(step)%7 + 1})
		if fmt.Sprint(got, lines, err) != fmt.Sprint(slow, slowLines, slowErr) {
			t.Fatalf("%q: %q %v %v in one piece, %q %v %v in many", s, got, lines, err, slow, slowLines, slowErr)
		}
		ref := encoding.NewReader(strings.NewReader(s))
		ref.FieldsPerRecord = -1
		var want [][]string
		var wantLines []int64
		var refErr error
		for {
			r, err := ref.Read()
			if err != nil {
				if err != io.EOF {
					refErr = err
				}
				break
			}
			line, _ := ref.FieldPos(0)
			want, wantLines = append(want, r), append(wantLines, int64(line))
		}
		if refErr != nil && err == nil {
			t.Fatalf("%q: accepted as %q, encoding/csv says %v", s, got, refErr)
		}
		if err != nil || !utf8.ValidString(s) || strings.Contains(s, "\r") {
			return
		}
		if fmt.Sprintf("%q %v", got, lines) != fmt.Sprintf("%q %v", want, wantLines) {
			t.Fatalf("%q: %q %v, encoding/csv %q %v", s, got, lines, want, wantLines)
		}
	})
}

// cutAll reads all records but blank lines.
func cutAll(src io.Reader) (records [][]string, lines []int64, err error) {
	r := NewReader(src, ',', 4) // so that short inputs meet the end of the window
	for {
		if err := r.Read(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return records, lines, err
		}
		if len(r.Fields) == 1 && len(r.Fields[0].Text) == 0 && !r.Fields[0].Quoted {
			continue
		}
		var record []string
		for _, f := range r.Fields {
			record = append(record, string(f.Text))
		}
		records, lines = append(records, record), append(lines, r.Line)
	}
}

// dribble hands a text out in small pieces.
type dribble struct {
	text string
	size int
}

func (d *dribble) Read(p []byte) (int, error) {
	if d.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), d.size)], d.text)
	d.text = d.text[n:]
	return n, nil
}
