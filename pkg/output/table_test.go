package output

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell/celltest"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/term"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, got:\n%s\nwant:\n%s", path, got, want)
	}
}

func people(n int) [][]*string {
	names := []string{"Ada Lovelace", "😀 山田 太郎", "", "Zoë \u001b[31mred\u001b[0m", "line one\nline two",
		"a\tb \u202egnp.exe"}
	notes := []string{"short",
		"a remark that is rather long, longer than most, and so has to be wrapped somewhere on a narrow terminal", "x"}
	var rows [][]*string
	for i := range n {
		row := []*string{celltest.Text(fmt.Sprint(i + 1)), celltest.Text(names[i%len(names)]),
			celltest.Text(fmt.Sprintf("%d.5000000000", i*37%100)),
			celltest.Text([]string{"1.254740786E7", "0.5", "NaN"}[i%3]), celltest.Text([]string{"true", "false"}[i%2]),
			celltest.Text("2020-06-10 15:55:23.383"), celltest.Text(notes[i%3])}
		if i%5 == 4 {
			row[1+i%6] = nil
		}
		rows = append(rows, row)
	}
	return rows
}

var peopleFields = []celltest.Field{{"id", "bigint"}, {"name", "varchar"}, {"amount", "decimal(38,10)"},
	{"ratio", "double"}, {"ok", "boolean"},
	{"created_at", "timestamp(3)"}, {"remark", "varchar"}}

func TestTableGolden(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows int
		o    Options
	}{
		{"pipe", 6, Options{}},
		{"terminal80", 3, Options{Terminal: true, Width: 80}},
		{"terminal80-columns", 6, Options{Terminal: true, Width: 80, Columns: []string{"id", "name", "remark"}}},
		{"terminal80-long", 100, Options{Terminal: true, Width: 80, ShowAll: "--all-rows"}},
		{"terminal200", 6, Options{Terminal: true, Width: 200}},
		{"terminal200-color", 6, Options{Terminal: true, Width: 200, Color: true}},
		{"terminal200-long", 100, Options{Terminal: true, Width: 200, MaxRows: 8}},
		{"vertical", 2, Options{Vertical: true}},
		{"noheader", 2, Options{NoHeader: true, Null: "<null>"}},
		{"raw", 2, Options{Raw: true}},
		{"empty", 0, Options{Terminal: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var notes bytes.Buffer
			tt.o.Notes = &notes
			got := render(t, peopleFields, people(tt.rows), tt.o) + "--- notes\n" + notes.String()
			golden(t, "table-"+tt.name, got)
			checkLines(t, got, tt.o)
		})
	}
}

// TestVerticalUnfit: a result whose columns do not fit has one line per value, however many rows it has; others are
// tables.
func TestVerticalUnfit(t *testing.T) {
	for n, vertical := range map[int]bool{2: false, len(peopleFields): true} {
		o := Options{Terminal: true, Width: 80, VerticalUnfit: true}
		for _, f := range peopleFields[:n] {
			o.Columns = append(o.Columns, f.Name)
		}
		if got := render(t, peopleFields, people(100), o); strings.Contains(got, "─ row 1 ") != vertical {
			t.Errorf("%d columns:\n%s", n, got)
		}
	}
}

// checkLines holds for every table: no line of a terminal is wider than it, no trailing blanks but those of data, and
// no control character but those of colours.
func checkLines(t *testing.T, got string, o Options) {
	t.Helper()
	if o.Color {
		got = strings.NewReplacer(ansiBold, "", ansiDim, "", ansiReset, "").Replace(got)
	}
	for line := range strings.SplitSeq(got, "\n") {
		if w := displaywidth.String(line); o.Terminal && w > o.width() && !strings.HasPrefix(line, "(") &&
			!strings.Contains(got, "row 1 ") {
			t.Errorf("%d cells: %s", w, line)
		}
		if strings.HasSuffix(line, " ") || string(term.Sanitize(nil, line)) != line {
			t.Errorf("bad line %q", line)
		}
	}
}

func TestTableShowsEverythingOffTerminals(t *testing.T) {
	var rows [][]*string
	for i := range 30_000 {
		rows = append(rows, []*string{celltest.Text(fmt.Sprint(i)), celltest.Text(strings.Repeat("x", i%97)),
			celltest.Text(fmt.Sprintf("end%d", i))})
	}
	rows[20_000][1] = celltest.Text(strings.Repeat("y", 5000))
	got := render(t, []celltest.Field{{"id", ""}, {"text", ""}, {"end", ""}}, rows, Options{})
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != len(rows)+2 {
		t.Fatalf("%d lines", len(lines))
	}
	at := strings.LastIndex(lines[0], bar)
	for i, line := range lines[2:] {
		cells := strings.Split(line, bar)
		for j, c := range cells {
			if strings.TrimSpace(c) != *rows[i][j] {
				t.Fatalf("line %d: %q", i, line)
			}
		}
		if i != 20_000 && strings.LastIndex(line, bar) != at {
			t.Fatalf("line %d is not aligned: %q", i, line)
		}
	}
}

func TestTableLimits(t *testing.T) {
	fields := []celltest.Field{{"id", "bigint"}}
	count := func(n int, o Options) (int, Stats, string) {
		var rows [][]*string
		for i := range n {
			rows = append(rows, []*string{celltest.Text(fmt.Sprint(i))})
		}
		var b, notes bytes.Buffer
		o.Notes, o.NoHeader = &notes, true
		st, err := WriteRows(&b, celltest.Result(t, fields, rows), o)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(b.String(), "\n"), st, notes.String()
	}
	for _, tt := range []struct {
		rows, lines, shown int
		o                  Options
	}{
		{50, 50, 50, Options{Terminal: true}}, // within the slack
		{51, 41, 40, Options{Terminal: true}},
		{5000, 41, 40, Options{Terminal: true}},
		{5000, 5000, 5000, Options{Terminal: true, MaxRows: -1}},
		{5000, 5000, 5000, Options{}},
		{5000, 11, 10, Options{MaxRows: 10}},
		{11, 11, 10, Options{MaxRows: 10}},
		{10, 10, 10, Options{MaxRows: 10}},
		{3, 2, 1, Options{MaxRows: 1}},
		{0, 0, 0, Options{Terminal: true}},
		{50, 50, 50, Options{Terminal: true, FitHeight: true, Height: 24}},
		{51, 16, 15, Options{Terminal: true, FitHeight: true, Height: 24}}, // the heading stays on the screen
		{5000, 9, 8, Options{Terminal: true, FitHeight: true, Height: 10}},
		{5000, 41, 40, Options{Terminal: true, FitHeight: true, Height: 50}},
	} {
		lines, st, notes := count(tt.rows, tt.o)
		if lines != tt.lines || st.Shown != int64(tt.shown) || st.Rows != int64(tt.rows) {
			t.Errorf("%d rows, %+v: %d lines, %+v", tt.rows, tt.o, lines, st)
		}
		if (notes != "") != (tt.o.Terminal || tt.shown < tt.rows) {
			t.Errorf("%d rows, %+v: note %q", tt.rows, tt.o, notes)
		}
	}
}

func TestTableEnds(t *testing.T) {
	var rows [][]*string
	for i := range 1000 {
		rows = append(rows, []*string{celltest.Text(fmt.Sprint(i))})
	}
	got := render(t, []celltest.Field{{"id", "bigint"}}, rows, Options{NoHeader: true, MaxRows: 8})
	if want := "0 1 2 3 4 5 ⋮ 992 rows not shown 998 999"; strings.Join(strings.Fields(got), " ") != want {
		t.Errorf("got %s", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"abcdef", 3, "abc…|def"},
		{"ab\ncd", 3, "ab↵|cd"},
		{"", 3, ""},
		{"日本語", 4, "日本…|語"},
		{"👩‍👩‍👧👩‍👩‍👧", 2, "👩‍👩‍👧…|👩‍👩‍👧"},
		{"e\u0301e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301…|e\u0301e\u0301"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301e\u0301"}, // the last letter instead of the mark
		{"cancelled", 8, "cancelled"},
		{"cancelled\n", 8, "cancelle…|d↵|"},
		{"abcdefg", 3, "abc…|defg"},
		{"one two three", 9, "one two …|three"},
		{"a\x1bb", 9, "a␛b"},
		{strings.Repeat("x", 100), 3, "xxx…|xxx…|xxx…|xxx…|xxx…|xxx…|xxx…|xxx…"},
	} {
		lines, _ := wrap([]byte(tt.in), tt.width, maxWrap)
		var parts []string
		for _, l := range lines {
			parts = append(parts, l.text+l.mark)
		}
		if got := strings.Join(parts, "|"); got != tt.want {
			t.Errorf("%q in %d: %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}

func TestCaret(t *testing.T) {
	sql := "SELECT a,\n\tb FORM t -- 日本\nWHERE x"
	for _, tt := range []struct {
		line, col int
		want      string
	}{
		{2, 4, "    b FORM t -- 日本\n      ^"},
		{2, 15, "    b FORM t -- 日本\n                  ^"},
		{1, 1, "SELECT a,\n^"},
		{3, 99, "WHERE x\n       ^"},
		{4, 1, ""},
		{0, 1, ""},
		{1, 0, ""},
	} {
		if got := Caret(sql, tt.line, tt.col, 0); got != tt.want {
			t.Errorf("%d:%d: %q, want %q", tt.line, tt.col, got, tt.want)
		}
	}
	long := Caret(strings.Repeat("x ", 500)+"!", 1, 1001, 0)
	if len(long) > 200 || !strings.Contains(long, "!\n") {
		t.Errorf("long line: %q", long)
	}
}

func TestProfileGolden(t *testing.T) {
	p, read, err := rowset.Profile(celltest.Result(t, peopleFields, people(50)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if st, err := WriteProfile(&b, p, read, Options{}); err != nil || st.Rows != 50 {
		t.Fatal(st, err)
	}
	golden(t, "profile", b.String())
}

// TestDocument: one text of several lines is printed as it is, on terminals too, and nothing in it steers them.
func TestDocument(t *testing.T) {
	text := "Output\n" + strings.Repeat("└─ a long line of a plan ", 9) + "\n\x1b[2J\n" + strings.Repeat("more\n", 12)
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		rows := celltest.Result(t, []celltest.Field{{"Query Plan", "varchar"}}, [][]*string{{celltest.Text(text)}})
		st, err := WriteRows(&out, rows, Options{Terminal: terminal, Width: 40, Height: 20})
		want := strings.ReplaceAll(text, "\x1b", "␛")
		if err != nil || out.String() != want || st.Rows != 1 || st.Shown != 1 {
			t.Errorf("terminal %v: %v, %+v\n%q, want\n%q", terminal, err, st, out.String(), want)
		}
	}
}
