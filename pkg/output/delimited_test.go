package output

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dig-cli/dig/pkg/api"
)

// cellwise hides that api.Rows can write rows by itself.
type cellwise struct{ api.RowReader }

// wireRow writes the values of a row in one of the three shapes.
func wireRow(b *strings.Builder, shape api.Format, cols []api.ResultColumn, values []string) {
	open, end := "[", "]"
	if shape == api.Simple {
		open, end = "{", "}"
	}
	b.WriteString(open)
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		switch shape {
		case api.Simple:
			fmt.Fprintf(b, "%q:%s", cols[i].Name, v)
		case api.CellTyped:
			fmt.Fprintf(b, `{"name":%q,"dataType":%q,"order":%d,"value":%s}`, cols[i].Name, cols[i].DataType, i, v)
		default:
			b.WriteString(v)
		}
	}
	b.WriteString(end)
}

// A row that its reader writes in one pass is the row that is written cell by cell.
func TestDelimitedAsCellwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	tokens := []string{`null`, `""`, `" "`, `"a"`, `"N"`, `"\\N"`, `"\\."`, `"NULL"`, `"NaN"`, `" lead"`, `"trail "`,
		`"a,b"`, `"tab\there"`, `"said \"x\""`, `"line\nbreak"`,
		`"é"`, `"東京 is Tokyo"`, `"1.25E7"`, `"12.5"`, `"-1e-9"`, `"true"`, `12`, `true`, `[1,"x"]`, `{"a": 1}`,
		`"abcdefg"`, `"abcdefgh"`, `"abcdefghi"`, `"abcdefghijklmno"`,
		`"abcdefghijklmnop"`, `"abcdefghijklmnopq"`, `"` + strings.Repeat("long text ", 30) + `"`,
		`"` + strings.Repeat("x", 100) + `,"`, `"del` + "\x7f" + `"`}
	types := []string{"bigint", "varchar", "double", "real", "decimal(10,2)", ""}
	for run := range 400 {
		shape := []api.Format{api.CellTyped, api.Simple, api.Compact}[run%3]
		cols := make([]api.ResultColumn, 1+rng.IntN(6))
		var doc strings.Builder
		doc.WriteString(`{"columns":[`)
		for i := range cols {
			cols[i] = api.ResultColumn{Name: fmt.Sprintf("c%d", i), DataType: types[rng.IntN(len(types))]}
			if i > 0 {
				doc.WriteByte(',')
			}
			fmt.Fprintf(&doc, `{"columnName":%q,"dataType":%q}`, cols[i].Name, cols[i].DataType)
		}
		doc.WriteString(`],"data":[`)
		for i := range rng.IntN(60) {
			if i > 0 {
				doc.WriteByte(',')
			}
			values := make([]string, len(cols))
			for k := range values {
				if values[k] = tokens[rng.IntN(len(tokens))]; rng.IntN(2) == 0 {
					values[k] = fmt.Sprintf(`"%d"`, rng.Uint64()>>rng.IntN(64))
				}
			}
			wireRow(&doc, shape, cols, values)
		}
		doc.WriteString(`]}`)
		text := doc.String()
		if run%5 == 0 {
			text = text[:rng.IntN(len(text))]
		}
		for _, o := range []Options{{Format: CSV}, {Format: TSV}, {Format: CSV, Null: "N"},
			{Format: CSV, Null: "abcdefgh"}, {Format: TSV, Null: "NULL"}, {Format: CSV, Raw: true},
			{Format: CSV, Columns: []string{"c0"}}} {
			write := func(direct bool) (string, string, Stats, error) {
				var src io.Reader = strings.NewReader(text)
				if run%4 == 0 {
					src = iotest.OneByteReader(src)
				}
				var rows api.RowReader = api.NewRows(io.NopCloser(src), shape)
				if !direct {
					rows = cellwise{rows}
				}
				var out, notes bytes.Buffer
				o.Notes = &notes
				st, err := WriteRows(&out, rows, o)
				return out.String(), notes.String(), st, err
			}
			got, gotNotes, gotStats, err := write(true)
			want, wantNotes, wantStats, wantErr := write(false)
			if got != want || gotNotes != wantNotes || gotStats != wantStats || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("%s, %+v\n%s\ngot  %q, %q, %+v, %v\nwant %q, %q, %+v, %v", shape, o, text, got, gotNotes,
					gotStats, err, want, wantNotes, wantStats, wantErr)
			}
		}
	}
}

// FuzzDelimited is the same for the values of three rows.
func FuzzDelimited(f *testing.F) {
	f.Add(`"a"`, `"b,c"`, `null`, "", false)
	f.Add(`"1e9"`, `12`, `"\u00e9"`, "NULL", true)
	f.Fuzz(func(t *testing.T, a, b, c, null string, tabs bool) {
		o := Options{Format: CSV, Null: null}
		if tabs {
			o.Format = TSV
		}
		if Check(o) != nil {
			t.Skip()
		}
		row := "[" + a + "," + b + "," + c + "]"
		doc := `{"columns":[{"columnName":"x","dataType":"double"},{"columnName":"y"},{"columnName":"z"}],"data":[` +
			row + "," + row + `,["x","y",` + c + `]]}`
		var got, want bytes.Buffer
		_, err := WriteRows(&got, api.NewRows(io.NopCloser(strings.NewReader(doc)), api.Compact), o)
		_, wantErr := WriteRows(&want, cellwise{api.NewRows(io.NopCloser(strings.NewReader(doc)), api.Compact)}, o)
		if got.String() != want.String() || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s\ngot  %q, %v\nwant %q, %v", doc, got.String(), err, want.String(), wantErr)
		}
	})
}
