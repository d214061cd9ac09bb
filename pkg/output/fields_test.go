package output

import (
	"strings"
	"testing"
	"time"
)

var jobFields = []Field{
	{Path: "id", Key: true},
	{Path: "catalog+schema+table", Heading: "of", Key: true},
	{Path: "made", Heading: "created", As: AsTime},
	{Path: "size", As: AsBytes},
	{Path: "files.*.url", Heading: "files", Only: InRecords},
	{Path: "tags"},
	{Path: "error", Only: InRecords},
	{Path: "rows", Only: InLists},
}

const (
	jobDoc = `{"id":"7","catalog":"c","schema":"s","table":"t","made":"2026-01-02T03:04:05Z","size":2048,` +
		`"files":[{"url":"u1"},{"url":"u2"}],"tags":["a","b"],"error":null,"rows":3,"extra":{"a":1},"none":null}`
	nullDoc = `{"id":"8","made":1767323045000,"size":null,"rows":12}`
)

// TestFields: a reply as people see it, on a terminal, in a table elsewhere, and as a list without a frame.
func TestFields(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 1, 2, 6, 4, 5, 0, time.UTC) }
	list := "[" + jobDoc + "," + nullDoc + "]"
	for _, c := range []struct {
		name, doc string
		o         Options
		want      string
	}{
		{"a list on a terminal", list, Options{Terminal: true}, `
 id │ of    │ created     │ size    │ tags │ rows
────┼───────┼─────────────┼─────────┼──────┼──────
 7  │ c.s.t │ 3 hours ago │ 2.0 KiB │ a, b │    3
 8  │ -     │ 3 hours ago │ -       │ -    │   12
`},
		{"a list without what no row has", "[" + nullDoc + "]", Options{Terminal: true}, `
 id │ of │ created     │ rows
────┼────┼─────────────┼──────
 8  │ -  │ 3 hours ago │   12
`},
		{"a list in a table", list, Options{Format: Table, Bare: false}, `
 id │ of    │ created              │ size │ tags │ rows
────┼───────┼──────────────────────┼──────┼──────┼──────
 7  │ c.s.t │ 2026-01-02T03:04:05Z │ 2048 │ a, b │    3
 8  │ -     │ 1767323045000        │    - │ -    │   12
`},
		{"a list without a frame", list, Options{Bare: true},
			"\n7\tc.s.t\t2026-01-02T03:04:05Z\t2048\ta, b\t3\n8\t\t1767323045000\t\t\t12\n"},
		{"a list of chosen columns", list, Options{Bare: true, Columns: []string{"rows", "size"}}, "\n3\t2048\n12\t\n"},
		{"an empty list without a frame", "[]", Options{Bare: true}, "\n"},
		{"an empty list", "[]", Options{}, `
 id │ of │ created │ size │ tags │ rows
────┼────┼─────────┼──────┼──────┼──────
`},
		{"a record on a terminal", jobDoc, Options{Terminal: true, Height: 50}, `
 id      │ 7
 of      │ c.s.t
 created │ 3 hours ago (2026-01-02T03:04:05Z)
 size    │ 2.0 KiB
 files   │ u1
         │ u2
 tags    │ a, b
note: (2 more fields; -o yaml shows all)
`},
		{"a record elsewhere", nullDoc, Options{Bare: true}, `
 id      │ 8
 created │ 1767323045000
`},
		{"a record with none of the fields", `{"ok":true}`, Options{}, "\n ok │ true\n"},
		{"a list of other things", `["x"]`, Options{Bare: true}, "\nx\n"},
		{"values with tabs and lines", `[{"id":"a\tb\nc\\d"}]`, Options{Bare: true, NoHeader: true},
			"\na\\tb\\nc\\\\d\t\t\t\t\t\n"},
		{"json is what was sent", nullDoc, Options{Format: JSON}, "\n" + nullDoc + "\n"},
	} {
		var out, notes strings.Builder
		c.o.Fields, c.o.Now, c.o.Notes = jobFields, now, &notes
		err := WriteDoc(&out, []byte(c.doc), c.o)
		got := "\n" + out.String()
		if notes.Len() > 0 {
			got += "note: " + notes.String()
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v, got%swant%s", c.name, err, got, c.want)
		}
	}
}

// TestFieldsFit: at 80 columns the last fields are left out, and times, ids and names are whole.
func TestFieldsFit(t *testing.T) {
	var out, notes strings.Builder
	doc := `[{"id":"7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10","catalog":"warehouse","schema":"reporting",` +
		`"table":"daily_orders","made":"2026-01-02T03:04:05Z","size":1,"tags":["a long word","and another one"],` +
		`"rows":1}]`
	o := Options{Fields: jobFields, Terminal: true, Width: 80, Notes: &notes,
		Now: func() time.Time { return time.Date(2026, 2, 2, 6, 4, 5, 0, time.UTC) }}
	if err := WriteDoc(&out, []byte(doc), o); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if w := textWidth([]byte(strings.TrimSuffix(line, "\n")), false); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	if !strings.Contains(out.String(), "7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10 │ warehouse.reporting.daily_orders") ||
		!strings.Contains(notes.String(), "too narrow for created, size, tags, rows") {
		t.Errorf("%s%s", out.String(), notes.String())
	}
}
