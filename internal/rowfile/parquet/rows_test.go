package parquet

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// written opens a file of rows.
func written[T any](t *testing.T, rows []T, group int64) (*File, []Column) {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(group)); err != nil {
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
	return f, cols
}

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
		"bytes": {at, row{X: "a\xff"}, `row 2051, column "x": invalid UTF-8`},
		"doc":   {2, row{Doc: "\"\xc3\""}, `row 2, column "doc": invalid UTF-8`},
		"list":  {at, row{List: []string{"a", "\xe9"}}, `row 2051, column "list": invalid UTF-8`},
		"value": {2, row{Keys: map[string]string{"a": "\xff"}}, `row 2, column "keys": invalid UTF-8`},
		"key":   {2, row{Keys: map[string]string{"\xff": "a"}}, `row 2, column "keys": invalid UTF-8`},
	} {
		rows := make([]row, at+5)
		rows[c.at-1] = c.row
		f, cols := written(t, rows, 900)
		r, err := f.Values(cols)
		for err == nil {
			_, err = r.Next(t.Context())
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestTextsAreThoseOfValues: the texts that are written without a Go value of each are those of the values.
func TestTextsAreThoseOfValues(t *testing.T) {
	type row struct {
		Flag   bool      `parquet:"flag"`
		Small  int16     `parquet:"small"`
		Int    int32     `parquet:"int"`
		Long   int64     `parquet:"long"`
		Big    uint64    `parquet:"big"`
		Word   uint32    `parquet:"word"`
		Real   float32   `parquet:"real"`
		Double float64   `parquet:"double"`
		D4     int32     `parquet:"d4,decimal(2:4)"`
		D18    int64     `parquet:"d18,decimal(6:18)"`
		D9     [6]byte   `parquet:"d9,decimal(3:12)"`
		Day    int32     `parquet:"day,date"`
		Milli  time.Time `parquet:"milli,timestamp(millisecond)"`
		Nano   time.Time `parquet:"nano,timestamp(nanosecond)"`
		Micro  *int64    `parquet:"micro,timestamp(microsecond:local)"`
		Text   *string   `parquet:"text"`
		Doc    string    `parquet:"doc,json"`
		ID     [16]byte  `parquet:"id,uuid"`
		Raw    []byte    `parquet:"raw"`
		List   []string  `parquet:"list,list"`
	}
	text := "été, \"quoted\""
	rows := []row{{}, {Flag: true, Small: math.MinInt16, Int: math.MinInt32, Long: math.MinInt64, Big: math.MaxUint64,
		Word: math.MaxUint32, Real: 1.1, Double: -2.5e300, D4: -9999, D18: -1,
		D9:  [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0x85},
		Day: -719529, Text: &text, Doc: `{"a": 1}`, Raw: []byte{0, 1}, List: []string{"a", "b"}}}
	for _, n := range []int64{0, 1, 9, 10, 99, 100, 1234, 999_999, -1, -5, -86_400_000_001, 1_709_164_800_123_456,
		253_402_300_799_999_999, 253_402_300_800_000_000, -62_167_219_200_000_000, -62_167_219_200_000_001} {
		rows = append(rows, row{Int: int32(n % 1e9), Long: n, D4: int32(n % 9999), D18: n % 1e18,
			Day:   int32(n / 86_400_000_000),
			Milli: time.UnixMicro(n).UTC(), Nano: time.UnixMicro(n % 9e15).Add(7).UTC(), Micro: &n,
			ID: [16]byte{byte(n)}})
	}
	f, cols := written(t, rows, 7)
	texts, err1 := f.Values(cols)
	values, err2 := f.Read(cols, -1)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; {
		batch, err := values.Next(t.Context())
		if errors.Is(err, io.EOF) {
			if _, err := texts.Next(t.Context()); !errors.Is(err, io.EOF) || n != len(rows) {
				t.Errorf("%d of %d rows: %v", n, len(rows), err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range batch {
			got, err := texts.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range row {
				text, kind := appendValue(nil, cols[i].Type, v)
				if string(got[i].Text) != string(text) || got[i].Kind != kind {
					t.Errorf("row %d, %s %s: %q %d, want %q %d", n, cols[i].Name, cols[i].Type, got[i].Text,
						got[i].Kind, text, kind)
				}
			}
			n++
		}
	}
}
