package output

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
)

// customers is a long result with an identifier of 36 characters, texts, numbers and times.
func customers(n int) api.RowReader {
	var b strings.Builder
	b.WriteString(`{"columns":[`)
	for i, c := range []string{"id bigint", "uid uuid", "first_name varchar", "last_name varchar", "email varchar",
		"city varchar", "born date", "vip boolean",
		"credit_limit decimal(12,2)", "created_at timestamp(6)", "notes varchar"} {
		name, typ, _ := strings.Cut(c, " ")
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"columnName":%q,"dataType":%q}`, name, typ)
	}
	b.WriteString(`],"data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		note := "null"
		if i%10 == 0 {
			note = `"a remark of some length"`
		}
		fmt.Fprintf(&b, `["%d","%08x-9531-6f30-724a-c021ca3b95b8","Ada%d","Łukasiewicz","customer%d@example.com",`+
			`"New York","1958-10-18","%t","%d.88","2019-11-15 05:20:33.600000",%s]`,
			i, i, i%7, i, i%2 == 0, 1000000+i, note)
	}
	b.WriteString(`]}`)
	return api.NewRows(io.NopCloser(strings.NewReader(b.String())), api.Compact)
}

// TestColumnsGiveWayBeforeTheyAreLeftOut: numbers stay whole at any width, and a long text does not push others off the
// screen.
func TestColumnsGiveWayBeforeTheyAreLeftOut(t *testing.T) {
	for width, least := range map[int]int{60: 5, 80: 7, 100: 9, 120: 11, 160: 11, 220: 11} {
		var out, notes bytes.Buffer
		if _, err := WriteRows(&out, customers(2000), Options{Terminal: true, Width: width,
			Notes: &notes}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
		shown := strings.Count(lines[0], bar) + 1
		if strings.Contains(lines[0], bar+" … "+bar) {
			shown--
		}
		if shown < least {
			t.Errorf("width %d: %d columns are shown, not %d:\n%s", width, shown, least, strings.Join(lines[:5], "\n"))
		}
		for _, line := range append(lines, strings.Split(notes.String(), "\n")...) {
			if w := displaywidth.String(line); w > width {
				t.Errorf("width %d: a line takes %d cells: %s", width, w, line)
			}
		}
		if shown == 11 && (!strings.Contains(out.String(), "1000000.88") || !strings.Contains(out.String(),
			"2019-11-15")) {
			t.Errorf("width %d: a number or a day is cut:\n%s", width, out.String())
		}
		if cut := strings.Contains(lines[len(lines)-1], ellipsis); cut != strings.Contains(notes.String(), "are cut") &&
			shown == 11 {
			t.Errorf("width %d: values are cut: %t, and the footer: %s", width, cut, &notes)
		}
		if width >= 220 && strings.Contains(out.String(), ellipsis) {
			t.Errorf("width %d has room for all:\n%s", width, out.String())
		}
	}
}

// TestManyNumbers: the long names of columns of small numbers are folded, and stay within their columns.
func TestManyNumbers(t *testing.T) {
	var columns, row []string
	for i := range 1000 {
		columns = append(columns, fmt.Sprintf(`{"columnName":"column_number_%d","dataType":"bigint"}`, i))
		row = append(row, fmt.Sprintf(`"%d"`, i))
	}
	line := "[" + strings.Join(row, ",") + "]"
	doc := `{"columns":[` + strings.Join(columns, ",") + `],"data":[` + strings.Repeat(line+",", 60) + line + `]}`
	var out bytes.Buffer
	if _, err := WriteRows(&out, api.NewRows(io.NopCloser(strings.NewReader(doc)), api.Compact), Options{Terminal: true,
		Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Fatalf("a line takes %d cells: %s", w, line)
		}
	}
}

// TestNarrowList: a list keeps whole what identifies its entries, and tells what it leaves out.
func TestNarrowList(t *testing.T) {
	const id = "f22f475c-d40a-48a0-8f33-647c8b29a136"
	doc := `[{"id":"` + id + `","name":"lake","displayName":"lake of files","catalogType":"files",` +
		`"createdAt":"2026-11-22T02:52:49.659Z","description":"where all files are that were brought here",` +
		`"connectionId":"` + id + `"}]`
	for width, want := range map[int]struct{ shown, left string }{
		220: {"where all files are that were brought here", ""},
		140: {"where a", ""},
		132: {"where a", "displayName"},
		110: {"files", "displayName, createdAt, description"},
		90:  {id + " │ lake", "displayName, catalogType, createdAt, description"},
		50:  {id, "displayName, catalogType, createdAt, description, connectionId"},
		30:  {"displayName  │ lake of files", ""},
	} {
		var out, notes bytes.Buffer
		if err := WriteDoc(&out, []byte(doc), Options{Terminal: true, Width: width, Notes: &notes}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want.shown) || strings.Count(out.String(), id) < 1 {
			t.Errorf("width %d: no %q in\n%s", width, want.shown, out.String())
		}
		if got := strings.ReplaceAll(notes.String(), "\n", " "); (got == "") != (want.left == "") ||
			!strings.Contains(got, want.left) {
			t.Errorf("width %d: the note is %q, and should name %q", width, got, want.left)
		}
		for line := range strings.Lines(out.String()) {
			if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > width && width > 60 {
				t.Errorf("width %d: a line takes %d cells: %s", width, w, line)
			}
		}
	}
}

// TestProfileIsATable: what is known of the columns is looked at as a whole, so that it is cut rather than turned.
func TestProfileIsATable(t *testing.T) {
	var out, notes bytes.Buffer
	p, read, err := rowset.Profile(customers(200), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WriteProfile(&out, p, read, Options{Terminal: true, Width: 120, Notes: &notes}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 13 || !strings.Contains(out.String(), "\n uid ") ||
		!strings.Contains(out.String(), ellipsis) {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
	if got := strings.ReplaceAll(notes.String(), "\n", " "); !strings.HasPrefix(got,
		"(200 rows profiled; values that end in … are cut") {
		t.Errorf("the footer is %q", got)
	}
}

func TestHeading(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		want  string
	}{
		{"first_name", 8, "first_|name"},
		{"credit_limit", 12, "credit_limit"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"abcdefghijklmnopq", 4, "abcd|efgh|ijkl…"},
		{"a_verylongone", 8, "a_verylo|ngone"},
		{"漢字漢字", 4, "漢字|漢字"},
		{"", 4, ""},
	} {
		lines, _ := heading([]byte(tt.name), tt.width, 3)
		var got []string
		for _, l := range lines {
			got = append(got, l.text+l.mark)
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("heading(%q, %d) = %q, want %q", tt.name, tt.width, s, tt.want)
		}
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{"": "", "one two three": "one two\nthree",
		"aaaaaaaaaaaa b": "aaaaaaaaaaaa\nb", "ab cd": "ab cd"} {
		if got := Fold(text, 8); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}
