package output

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/cell/celltest"
)

func chart(t *testing.T, kind string, fields []celltest.Field, rows [][]*string, o Options) (string, string) {
	t.Helper()
	var b, notes bytes.Buffer
	o.Notes = &notes
	st, err := WriteChart(&b, celltest.Result(t, fields, rows), Chart{Kind: kind}, o)
	if err != nil {
		t.Fatal(err)
	}
	if st.Rows != int64(len(rows)) {
		t.Errorf("%d rows counted of %d", st.Rows, len(rows))
	}
	return b.String(), notes.String()
}

func numbers(n int, f func(i int) string) [][]*string {
	var rows [][]*string
	for i := range n {
		rows = append(rows, []*string{celltest.Text(fmt.Sprintf("r%d", i)), celltest.Text(f(i))})
	}
	return rows
}

func TestChartGolden(t *testing.T) {
	fields := []celltest.Field{{"name", "varchar"}, {"n", "double"}}
	sine := numbers(5000, func(i int) string { return fmt.Sprint(math.Sin(float64(i)/400) * 10) })
	signed := [][]*string{{celltest.Text("up"), celltest.Text("8")}, {celltest.Text("down 日本"), celltest.Text("-4.5")},
		{nil, celltest.Text("0")}, {celltest.Text("gap"), nil}, {celltest.Text("\x1b[31m"), celltest.Text("1.25E1")}}
	for _, kind := range []string{"line", "spark", "hist"} {
		got, _ := chart(t, kind, fields, sine, Options{Width: 70})
		golden(t, "chart-"+kind, got)
	}
	got, notes := chart(t, "bar", fields, signed, Options{Width: 60})
	golden(t, "chart-bar", got+notes)
	for _, line := range strings.Split(got, "\n") {
		if len([]rune(line)) > 60 {
			t.Errorf("too wide: %s", line)
		}
	}
}

func TestHistogramCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range map[string]func(i int) float64{
		"whole":  func(int) float64 { return float64(r.IntN(2000) - 1000) },
		"normal": func(int) float64 { return r.NormFloat64()*37.5 + 1e6 },
		"tenths": func(i int) float64 { return float64(i%7) / 10 },
		"spread": func(int) float64 { return math.Exp(r.NormFloat64() * 10) },
		"same":   func(int) float64 { return 42 },
	} {
		p := &histPlot{bins: newBins()}
		var values []float64
		for i := range 50_000 {
			v := f(i)
			values = append(values, v)
			p.add([]tcell{{text: fmt.Append(nil, v)}})
		}
		width, first, counts := p.groups()
		if len(counts) > 20 {
			t.Errorf("%s: %d groups", name, len(counts))
		}
		want := make([]int64, len(counts))
		for _, v := range values {
			at := int64(math.Floor(v/width+1e-9)) - first
			want[at]++
		}
		for i := range want {
			if d := want[i] - counts[i]; d > 2 || d < -2 { // values on an edge, by the rounding of float64
				t.Errorf("%s: group %d of width %g has %d, want %d", name, i, width, counts[i], want[i])
			}
		}
	}
}

func TestSeriesKeepsTheMean(t *testing.T) {
	s := newSeries(64)
	sum := 0.0
	for i := range 10_007 {
		s.put(float64(i*i%1013), true)
		sum += float64(i * i % 1013)
	}
	total, n := 0.0, 0
	for _, p := range s.points() {
		total += p.mean * float64(p.n)
		n += p.n
	}
	if n != 10_007 || math.Abs(total-sum) > 1e-3 || len(s.points()) > 65 {
		t.Errorf("%d values, sum %f of %f, %d points", n, total, sum, len(s.points()))
	}
}

func TestChartErrors(t *testing.T) {
	fields := []celltest.Field{{"name", "varchar"}, {"n", ""}}
	rows := numbers(3, func(i int) string { return "x" })
	var ue *cell.UsageError
	if _, err := WriteChart(&bytes.Buffer{}, celltest.Result(t, fields, rows), Chart{Kind: "bra"},
		Options{}); !errors.As(err, &ue) || !strings.Contains(ue.Hint, "did you mean bar") {
		t.Errorf("error %v", err)
	}
	if _, err := WriteChart(&bytes.Buffer{}, celltest.Result(t, fields, rows), Chart{Kind: "bar"},
		Options{}); !errors.As(err, &ue) || ue.Hint != "columns: name, n" {
		t.Errorf("error %v", err)
	}
	for _, kind := range ChartKinds() {
		if _, err := WriteChart(&bytes.Buffer{}, celltest.CutShort(t), Chart{Kind: kind}, Options{}); err == nil {
			t.Errorf("%s: a cut result was drawn", kind)
		}
		got, notes := chart(t, kind, fields, nil, Options{})
		if got != "" || notes != "(0 rows)\n" {
			t.Errorf("%s without rows: %q %q", kind, got, notes)
		}
		got, notes = chart(t, kind, []celltest.Field{{"n", "bigint"}}, [][]*string{{nil}, {nil}}, Options{Width: 40})
		if !strings.Contains(notes, "2 values of n") {
			t.Errorf("%s of NULLs: %q %q", kind, got, notes)
		}
		chart(t, kind, []celltest.Field{{"n", "double"}}, [][]*string{{celltest.Text("1.7976931348623157E308")},
			{celltest.Text("-1.7976931348623157E308")}, {celltest.Text("NaN")}}, Options{Width: 40})
	}
}

func TestChartColumns(t *testing.T) {
	fields := []celltest.Field{{"day", "varchar"}, {"in", "bigint"}, {"out", "bigint"}}
	rows := [][]*string{{celltest.Text("mon"), celltest.Text("1"), celltest.Text("90")}, {celltest.Text("tue"),
		celltest.Text("2"), celltest.Text("80")}, {celltest.Text("wed"), celltest.Text("3"), celltest.Text("70")}}
	draw := func(c Chart) string {
		t.Helper()
		var b bytes.Buffer
		if _, err := WriteChart(&b, celltest.Result(t, fields, rows), c, Options{Width: 60}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := draw(Chart{Kind: "bar", X: "day", Y: []string{"out"}}); !strings.HasPrefix(got, " mon") ||
		!strings.Contains(got, " 90\n") {
		t.Errorf("bars of another column:\n%s", got)
	}
	if got := draw(Chart{Kind: "bar", X: "in"}); !strings.HasPrefix(got, " 1") || !strings.Contains(got, " 90\n") {
		t.Errorf("the labels are not a value:\n%s", got)
	}
	if got := draw(Chart{Kind: "line", X: "day", Y: []string{"IN"}}); !strings.HasSuffix(got,
		"mon"+strings.Repeat(" ", 38)+"wed\n") {
		t.Errorf("ends of the axis:\n%s", got)
	}
	if got := draw(Chart{Kind: "spark", Y: []string{"out", "in"}}); !strings.HasPrefix(got, " out ") ||
		!strings.Contains(got, "\n in ") {
		t.Errorf("lines in the order asked for:\n%s", got)
	}
	for _, c := range []Chart{{Kind: "hist", X: "day"}, {Kind: "bar", Y: []string{"in", "out"}},
		{Kind: "bar", X: "dya"}, {Kind: "line", Y: []string{"inn"}}} {
		var ue *cell.UsageError
		if _, err := WriteChart(&bytes.Buffer{}, celltest.Result(t, fields, rows), c, Options{}); !errors.As(err, &ue) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestChartChoosesColumns: without columns asked for, ids are neither values nor labels where there is something else,
// and a line has the times of its ends.
func TestChartChoosesColumns(t *testing.T) {
	fields := []celltest.Field{{"id", "bigint"}, {"shop_id", "bigint"}, {"day", "date"}, {"name", "varchar"},
		{"total", "double"}}
	rows := [][]*string{}
	for i, day := range []string{"2026-01-01", "2026-01-02", "2026-01-03"} {
		rows = append(rows, []*string{celltest.Text(fmt.Sprint(1000 + i)), celltest.Text("7"), celltest.Text(day),
			celltest.Text("n" + fmt.Sprint(i)), celltest.Text(fmt.Sprint(10 * i))})
	}
	got, _ := chart(t, "bar", fields, rows, Options{Width: 60})
	if !strings.HasPrefix(got, " 2026-01-01 │ 0\n") || !strings.HasSuffix(got, "█ 20\n") {
		t.Errorf("bars:\n%s", got)
	}
	got, _ = chart(t, "spark", fields, rows, Options{Width: 60})
	if got != " total ▁▅█ 0 … 20\n" {
		t.Errorf("sparks: %q", got)
	}
	got, _ = chart(t, "line", fields, rows, Options{Width: 60})
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "2026-01-01") || !strings.HasSuffix(last, "2026-01-03") ||
		len([]rune(last)) < 45 {
		t.Errorf("the line does not use the width, or its ends have no times:\n%s", got)
	}
	var ue *cell.UsageError
	ids := [][]*string{{celltest.Text("1"), celltest.Text("7")}}
	if _, err := WriteChart(&bytes.Buffer{}, celltest.Result(t, fields[:2], ids), Chart{Kind: "bar"},
		Options{}); !errors.As(err, &ue) || !strings.Contains(ue.Hint, "--y-column") {
		t.Errorf("bars of ids only: %v", err)
	}
	same := []celltest.Field{{"line", "bigint"}, {"total", "double"}}
	got, _ = chart(t, "spark", same, [][]*string{{celltest.Text("1"), celltest.Text("7")},
		{celltest.Text("1"), celltest.Text("8")}}, Options{Width: 60})
	if !strings.Contains(got, "total") {
		t.Errorf("sparks of all columns: %s", got)
	}
	got, _ = chart(t, "bar", same, [][]*string{{celltest.Text("1"), celltest.Text("7")},
		{celltest.Text("1"), celltest.Text("8")}}, Options{Width: 60})
	if !strings.HasSuffix(got, " 8\n") {
		t.Errorf("bars of a column that is the same in all rows:\n%s", got)
	}
}
