package rowset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/cell/celltest"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

func diffLines(t *testing.T, a, b api.RowReader, keys, columns []string, chunk int) (DiffStats, []string, string) {
	t.Helper()
	d, err := diff(a, b, keys, columns, chunk)
	if err != nil {
		t.Fatal(err)
	}
	out := ndjson(t, d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Stats(), strings.Split(strings.TrimSuffix(out, "\n"), "\n"), d.Stats().Summary()
}

func ndjson(t *testing.T, r api.RowReader) string { return write(t, r, output.NDJSON) }

func write(t *testing.T, r api.RowReader, f output.Format) string {
	t.Helper()
	var b strings.Builder
	if _, err := output.WriteRows(&b, r, output.Options{Format: f}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	fa := []celltest.Field{{"id", "bigint"}, {"amount", "decimal(38,10)"}, {"name", "varchar"}, {"gone", "varchar"}}
	fb := []celltest.Field{{"NAME", ""}, {"name", "varchar"}, {"id", "bigint"}, {"amount", "decimal(10,2)"}}
	a := [][]*string{
		{celltest.Text("2"), celltest.Text("1.5000000000"), celltest.Text("same"), celltest.Text("g")},
		{celltest.Text("1"), celltest.Text("2.0000000000"), celltest.Text("x"), celltest.Text("g")},
		{celltest.Text("10"), nil, celltest.Text(""), nil},
		{celltest.Text("3"), celltest.Text("7"), celltest.Text("only a"), nil},
		{nil, celltest.Text("1"), celltest.Text("null key"), nil},
	}
	b := [][]*string{
		{nil, nil, celltest.Text("10"), celltest.Text("0")},
		{nil, celltest.Text("y"), celltest.Text("1"), celltest.Text("2.00")},
		{nil, celltest.Text("same"), celltest.Text("2"), celltest.Text("1.50")},
		{nil, celltest.Text("null key"), nil, celltest.Text("1.0")},
		{nil, celltest.Text("only b"), celltest.Text("4"), celltest.Text("8")},
	}
	st, lines, notes := diffLines(t, celltest.Result(t, fa, a), celltest.Result(t, fb, b), []string{"id"},
		nil, sortChunk)
	want := []string{
		`{"change":"changed","id":"1","column":"name","a":"x","b":"y"}`,
		`{"change":"only a","id":"3","column":null,"a":{"amount":"7","name":"only a"},"b":null}`,
		`{"change":"only b","id":"4","column":null,"a":null,"b":{"amount":"8","name":"only b"}}`,
		`{"change":"changed","id":"10","column":"amount","a":null,"b":"0"}`,
		`{"change":"changed","id":"10","column":"name","a":"","b":null}`,
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	if st.Same() || st.A != 5 || st.B != 5 || st.OnlyA != 1 || st.OnlyB != 1 || st.Changed != 2 || st.Equal != 2 ||
		st.Repeated != 0 ||
		fmt.Sprint(st.ColumnsA, st.ColumnsB) != "[gone] [NAME]" {
		t.Errorf("%+v", st)
	}
	if want := "a has 5 rows, b has 5: 1 only in a, 1 only in b, 2 changed, 2 equal; columns only in a: gone; " +
		"columns only in b: NAME"; notes != want {
		t.Errorf("note %q", notes)
	}

	st, _, _ = diffLines(t, celltest.Result(t, fa, a), celltest.Result(t, fa, a), nil, nil, sortChunk)
	if !st.Same() || st.Equal != 5 {
		t.Errorf("with itself: %+v", st)
	}
	st, _, _ = diffLines(t, celltest.Result(t, fa, a[:1]), celltest.Result(t, fb, b[2:3]), []string{"id"},
		[]string{"amount"}, sortChunk)
	if !st.Same() {
		t.Errorf("chosen columns: %+v", st)
	}
}

func TestDiffRepeatedKeysAndWholeRows(t *testing.T) {
	f := []celltest.Field{{"k", "varchar"}, {"v", "varchar"}}
	rows := func(s string) (out [][]*string) {
		for _, p := range strings.Fields(s) {
			out = append(out, []*string{celltest.Text(p[:1]), celltest.Text(p[1:])})
		}
		return out
	}
	st, lines, _ := diffLines(t, celltest.Result(t, f, rows("a1 a2 a2 b1")), celltest.Result(t, f, rows("a2 a3 a1 b2")),
		[]string{"k"}, nil, sortChunk)
	if st.Equal != 2 || st.OnlyA != 1 || st.OnlyB != 1 || st.Changed != 1 || st.Repeated != 4 {
		t.Errorf("%+v %v", st, lines)
	}
	st, lines, _ = diffLines(t, celltest.Result(t, f, rows("a1 a1 b1")), celltest.Result(t, f, rows("b1 a1 c1")), nil,
		nil, sortChunk)
	want := `{"change":"only a","a":{"k":"a","v":"1"},"b":null}` + "\n" +
		`{"change":"only b","a":null,"b":{"k":"c","v":"1"}}`
	if st.Equal != 2 || st.OnlyA != 1 || st.OnlyB != 1 || st.Repeated != 0 || strings.Join(lines, "\n") != want {
		t.Errorf("%+v %v", st, lines)
	}
}

// TestDiffSpills compares the external sort against a comparison in a map.
func TestDiffSpills(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	r := rand.New(rand.NewPCG(5, 6))
	f := []celltest.Field{{"k", "bigint"}, {"v", "varchar"}, {"w", "double"}}
	sides := [2]map[string][2]string{{}, {}}
	var rows [2][][]*string
	for side := range sides {
		for len(sides[side]) < 5000 {
			k := fmt.Sprint(r.IntN(8000) - 4000)
			if _, ok := sides[side][k]; ok {
				continue
			}
			v := [2]string{strings.Repeat("é\n", r.IntN(3)) + fmt.Sprint(r.IntN(2)), fmt.Sprint(r.IntN(2)) + ".5"}
			sides[side][k] = v
			rows[side] = append(rows[side], []*string{&k, &v[0], &v[1]})
		}
	}
	var want DiffStats
	var cells []string
	for k, v := range sides[0] {
		w, ok := sides[1][k]
		switch {
		case !ok:
			want.OnlyA++
		case v == w:
			want.Equal++
		default:
			want.Changed++
			for i, name := range []string{"v", "w"} {
				if v[i] != w[i] {
					x, _ := json.Marshal([]string{k, name, v[i], w[i]})
					cells = append(cells, string(x))
				}
			}
		}
	}
	want.OnlyB = 5000 - want.Equal - want.Changed
	st, lines, _ := diffLines(t, celltest.Result(t, f, rows[0]), celltest.Result(t, f, rows[1]),
		[]string{"k"}, nil, 4<<10)
	if st.OnlyA != want.OnlyA || st.OnlyB != want.OnlyB || st.Equal != want.Equal || st.Changed != want.Changed {
		t.Errorf("got %+v, want %+v", st, want)
	}
	var got []string
	for _, l := range lines {
		var m struct{ Change, K, Column, A, B any }
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		if m.Change == "changed" {
			x, _ := json.Marshal([]any{m.K, m.Column, m.A, m.B})
			got = append(got, string(x))
		}
	}
	sort.Strings(got)
	sort.Strings(cells)
	if strings.Join(got, "\n") != strings.Join(cells, "\n") {
		t.Errorf("%d changed values, want %d", len(got), len(cells))
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files left", len(left))
	}
}

func TestDiffErrors(t *testing.T) {
	f := []celltest.Field{{"a", "varchar"}}
	rows := [][]*string{{celltest.Text("1")}}
	var ue *cell.UsageError
	_, err := Diff(celltest.Result(t, f, rows), celltest.Result(t, []celltest.Field{{"b", ""}}, rows),
		[]string{"a"}, nil)
	if !errors.As(err, &ue) || ue.Message != `no column "a" in result b` {
		t.Errorf("error %v", err)
	}
	if _, err = Diff(celltest.Result(t, f, rows), celltest.Result(t, []celltest.Field{{"b", ""}}, rows), nil,
		nil); !errors.As(err, &ue) {
		t.Errorf("error %v", err)
	}
	if d, err := Diff(celltest.CutShort(t), celltest.CutShort(t), nil, nil); !errors.Is(err, api.ErrTruncated) ||
		d != nil {
		t.Errorf("error %v, %v", err, d)
	}
}

// BenchmarkDiff compares a result with itself.
func BenchmarkDiff(b *testing.B) {
	const n = 20_000
	doc := celltest.Wide(n)
	b.SetBytes(2 * int64(len(doc)))
	for b.Loop() {
		x, y := api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact),
			api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact)
		d, err := Diff(x, y, []string{"column_0"}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if d.Next() || d.Err() != nil || d.Close() != nil || d.Stats().Equal != n {
			b.Fatal(d.Stats(), d.Err())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
