package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// values are the records of a text to send; nil is NULL.
func values(t *testing.T, text string) (rows [][]any) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text), ',', csv.Window)
	for {
		err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		var row []any
		for i := range r.Fields {
			if f := &r.Fields[i]; f.Null(len(r.Fields)) {
				row = append(row, nil)
			} else {
				row = append(row, string(f.Text))
			}
		}
		rows = append(rows, row)
	}
}

// TestTSVReadsBack checks that what -o tsv writes is read with the same values: always if the escapes are asked for,
// and without that where the file shows that it has some. Nothing else is changed.
func TestTSVReadsBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	parts := []string{"a", "é", " ", ",", ";", `"`, `\`, "\t", "\n", "\r", "n", "t", "N", "0", "\u2028", "\b", "'"}
	word := func() string {
		var s strings.Builder
		for range rng.IntN(5) {
			s.WriteString(parts[rng.IntN(len(parts))])
		}
		return s.String()
	}
	byItself := 0
	for range 300 {
		width := 1 + rng.IntN(3)
		var cols []map[string]string
		want := [][]any{nil}
		for range width {
			name := "c" + strings.Map(func(r rune) rune {
				if strings.ContainsRune(",;", r) { // they would be taken for the delimiter
					return '_'
				}
				return r
			}, word())
			cols = append(cols, map[string]string{"columnName": name})
			want[0] = append(want[0], name)
		}
		data := [][]any{}
		nulls, quotes := false, false
		for range rng.IntN(5) {
			row := make([]any, width)
			for i := range row {
				if rng.IntN(6) == 0 {
					nulls = true
					continue
				}
				v := word()
				quotes = quotes || strings.HasPrefix(v, `"`)
				row[i] = v
			}
			data = append(data, row)
		}
		want = append(want, data...)
		doc, err := json.Marshal(map[string]any{"columns": cols, "data": data})
		if err != nil {
			t.Fatal(err)
		}
		var tsv bytes.Buffer
		if _, err := output.WriteRows(&tsv, api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact),
			output.Options{Format: output.TSV, Raw: true}); err != nil {
			t.Fatal(err)
		}
		for _, escape := range []string{"backslash", ""} {
			var o rowfile.Options
			if escape != "" {
				o = given(t, "escape", escape)
			}
			d, err := open(t, "rows.tsv", tsv.Bytes(), o)
			if err != nil && escape == "" && (quotes || !nulls) {
				continue // it is not a CSV file with tabs
			}
			if err != nil {
				t.Fatalf("%s\n%q: %v", doc, tsv.String(), err)
			}
			if escape == "" && d.Format != rowfile.TSV {
				if nulls && !quotes && d.Delimiter == '\t' {
					t.Fatalf("the escapes were not noticed: %q", tsv.String())
				}
				continue
			}
			if escape == "" {
				byItself++
			}
			text, err := sent(t, d)
			if err != nil {
				t.Fatalf("%q: %v", tsv.String(), err)
			}
			if got := values(t, text); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q\nsent %q\ngot  %q\nwant %q", tsv.String(), text, got, want)
			}
		}
	}
	if byItself < 50 {
		t.Errorf("only %d files were recognized", byItself)
	}
}

// TestBackslashesOfOthers checks that files of other programs keep their backslashes, and that this is said where they
// may be escapes.
func TestBackslashesOfOthers(t *testing.T) {
	for _, c := range []struct {
		text, remark string
		o            rowfile.Options
		nulls        int
	}{
		{"a\tb\n1\tC:\\new\n", "such as C:\\new in line 2", rowfile.Options{}, 0},
		{"a\tb\n1\t\\\\server\\new\n", "taken as text", rowfile.Options{}, 0},
		{"a\tb\n1\tC:\\Users\n", "", rowfile.Options{}, 0},
		{"a\tb\n\\N\tC:\\Users\\new\n", "", rowfile.Options{}, 0},
		{"a\tb\n\\N\tC:\\new\n\"x\"\ty\n", "taken as text", rowfile.Options{}, 0},
		{"a\tb\n\\N\tC:\\new\n", "taken as text", given(t, "null", `\N`), 1},
		{"a\tb\n\\N\tC:\\new\n", "", given(t, "escape", "none"), 0},
		{"a,b\n\\N,C:\\new\n", "", rowfile.Options{}, 0},
	} {
		d, err := open(t, "rows.tsv", []byte(c.text), c.o)
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		text, err := sent(t, d)
		if err != nil || d.Format != rowfile.CSV ||
			strings.Count(text, `\`)+c.nulls != strings.Count(c.text, `\`) {
			t.Errorf("%q: %s, %q, %v", c.text, d.Format, text, err)
		}
		said := strings.Contains(strings.Join(d.Remarks, "\n"), "backslash")
		if said != (c.remark != "") || !strings.Contains(strings.Join(d.Remarks, "\n"), c.remark) {
			t.Errorf("%q: %q", c.text, d.Remarks)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"a\tb\n1\tC:\\qew\n", `line 2, column 2`}, {"a\n\\", `line 2, column 1`},
		{"a\tb\n1\n", "line 2: the record has 1 fields"}, {"", "empty"},
	} {
		_, err := open(t, "rows.tsv", []byte(c.text), given(t, "escape", "backslash"))
		if err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
