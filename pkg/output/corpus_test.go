package output

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// text makes a value of the wire; nil is NULL.
func text(s string) *string { return &s }

type field struct {
	name, typ string
}

// result is what the real decoder makes of a COMPACT reply with these values.
func result(t testing.TB, fields []field, rows [][]*string) *api.Rows {
	t.Helper()
	type column struct {
		Name string `json:"columnName"`
		Type string `json:"dataType,omitempty"`
	}
	doc := struct {
		Columns []column    `json:"columns"`
		Data    [][]*string `json:"data"`
	}{[]column{}, rows}
	for _, f := range fields {
		doc.Columns = append(doc.Columns, column{f.name, f.typ})
	}
	if rows == nil {
		doc.Data = [][]*string{}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	r := api.NewRows(io.NopCloser(bytes.NewReader(b)), api.Compact)
	t.Cleanup(func() { r.Close() })
	return r
}

// nasty are texts that formats tend to lose or mangle.
var nasty = []string{
	"", " ", "plain", "NULL", "null", `\N`, `\.`, "~", "true", "no", "007", "1e3", "0x10", "12:30", "=1+1", "#x", "- a", "a: b", "{}", "[]",
	`"`, `""`, `say "hi"`, `back\slash`, `\n`, "a,b", "a;b", "a\tb", "a|b", "a\nb", "a\r\nb", "a\rb", "\n", "\nx", "x\n", "x\n\n", " x\ny ",
	"x \ny", "trailing ", " leading", "tab\t", "<b>&amp;</b>", "it's", "`code` *b* _i_ ~~s~~ [l](u) snake_case_name", "grüße", "日本語",
	"😀 👩‍👩‍👧 é", "\u00a0nbsp", "\u2028line\u2029para", "\ufeffbom", "\u202eright\u202c", "\u0085nel", "\x01\x02\x1b[31mred\x1b[0m\x7f",
	strings.Repeat("long ", 400), "%s %d", "--- end", "...", "? x", "@at", "!tag", "&anchor", "*alias", "'q'", ",", "\\",
}

var corpusFields = []field{
	{"txt", "varchar"}, {"big", "bigint"}, {"dec", "decimal(38,10)"}, {"dbl", "double"}, {"ok", "boolean"},
	{"ts", "timestamp(6)"}, {"tz", "timestamp(3) with time zone"}, {"day", "date"}, {"txt", "varchar"},
}

// corpus has a row for each nasty text, and NULL in each column.
func corpus() [][]*string {
	bigs := []string{"0", "-1", "9223372036854775807", "-9223372036854775808", "1234567890123456789"}
	decs := []string{"12.5000000000", "9999999999999999999999999999.9999999999", "-0.0000000001", "0E-10", "1234567890123456789012345678.0123456789"}
	dbls := []string{"1.254740786E7", "NaN", "Infinity", "-Infinity", "1.0E-5", "0.1", "-0.0", "1.7976931348623157E308", "4.9E-324", "100.0", "1.0E10"}
	stamps := []string{"2020-06-10 15:55:23.383345", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00.000000"}
	zones := []string{"2020-06-10 15:55:23.383 UTC", "2020-06-10 15:55:23.000 Europe/Berlin", "1900-01-01 00:00:00.000 +05:30"}
	days := []string{"2020-02-29", "1969-12-31", "9999-12-31"}
	bools := []string{"true", "false"}
	at := func(list []string, i int) *string { return text(list[i%len(list)]) }
	var rows [][]*string
	for i, s := range nasty {
		rows = append(rows, []*string{text(s), at(bigs, i), at(decs, i), at(dbls, i), at(bools, i), at(stamps, i), at(zones, i), at(days, i),
			at(nasty, i+7)})
	}
	for i := range corpusFields {
		row := append([]*string(nil), rows[i]...)
		row[i] = nil
		rows = append(rows, row)
	}
	return append(rows, make([]*string, len(corpusFields)))
}

// render writes the corpus and fails on any error.
func render(t testing.TB, fields []field, rows [][]*string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	o.sampleWait = time.Hour // a busy machine must not change widths
	st, err := WriteRows(&b, result(t, fields, rows), o)
	if err != nil {
		t.Fatalf("%s: %v", o.Format, err)
	}
	if st.Rows != int64(len(rows)) {
		t.Fatalf("%s: %d rows counted of %d", o.Format, st.Rows, len(rows))
	}
	return b.String()
}

func show(p *string) string {
	if p == nil {
		return "NULL"
	}
	return "'" + *p + "'"
}

func same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
