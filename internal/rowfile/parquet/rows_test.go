package parquet

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestTexts checks that no text of a file is one that a column of strings does not hold, nested or not, and that the
// error names its row.
func TestTexts(t *testing.T) {
	type row struct {
		A    int64
		X    string            `parquet:"x"`
		Doc  string            `parquet:"doc,json"`
		List []string          `parquet:"list,list"`
		Keys map[string]string `parquet:"keys"`
	}
	const at = batchRows + 3
	for name, c := range map[string]struct {
		at   int
		row  row
		want string
	}{
		"NUL":   {1, row{X: "a\x00"}, `row 1, column "x": a NUL character`},
		"later": {at, row{X: "a\x00"}, `row 2051, column "x": a NUL character`},
		"bytes": {at, row{X: "a\xff"}, `row 2051, column "x": invalid UTF-8`},
		"doc":   {2, row{Doc: "\"\xc3\""}, `row 2, column "doc": invalid UTF-8`},
		"list":  {at, row{List: []string{"a", "\xe9"}}, `row 2051, column "list": invalid UTF-8`},
		"value": {2, row{Keys: map[string]string{"a": "\x00"}}, `row 2, column "keys": a NUL character`},
		"key":   {2, row{Keys: map[string]string{"\xff": "a"}}, `row 2, column "keys": invalid UTF-8`},
	} {
		rows := make([]row, at+5)
		rows[c.at-1] = c.row
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(900)); err != nil {
			t.Fatal(err)
		}
		f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		cols, err := f.Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Values(cols)
		for err == nil {
			_, err = r.Next(t.Context())
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
