// Package celltest provides results for tests of code that reads or writes rows.
package celltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// Text returns a value as it is sent by a gateway; nil is NULL.
func Text(s string) *string { return &s }

// Field is an alias of an unnamed type, so that literals need no type name.
type Field = struct {
	Name, Type string
}

// Result decodes a COMPACT reply that has these values.
func Result(t testing.TB, fields []Field, rows [][]*string) *api.Rows {
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
		doc.Columns = append(doc.Columns, column{f.Name, f.Type})
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

// Nasty are texts that formats tend to lose or mangle.
var Nasty = []string{
	"", " ", "plain", "NULL", "null", `\N`, `\.`, "~", "true", "no", "007", "1e3", "0x10", "12:30", "=1+1", "#x", "- a",
	"a: b", "{}", "[]",
	`"`, `""`, `say "hi"`, `back\slash`, `\n`, "a,b", "a;b", "a\tb", "a|b", "a\nb", "a\r\nb", "a\rb", "\n", "\nx",
	"x\n", "x\n\n", " x\ny ",
	"x \ny", "trailing ", " leading", "tab\t", "<b>&amp;</b>", "it's", "`code` *b* _i_ ~~s~~ [l](u) snake_case_name",
	"grüße", "日本語",
	"😀 👩‍👩‍👧 é", "\u00a0nbsp", "\u2028line\u2029para", "\ufeffbom", "\u202eright\u202c", "\u0085nel",
	"\x01\x02\x1b[31mred\x1b[0m\x7f",
	strings.Repeat("long ", 400), "%s %d", "--- end", "...", "? x", "@at", "!tag", "&anchor", "*alias",
	"'q'", ",", "\\",
}

var CorpusFields = []Field{
	{"txt", "varchar"}, {"big", "bigint"}, {"dec", "decimal(38,10)"}, {"dbl", "double"}, {"ok", "boolean"},
	{"ts", "timestamp(6)"}, {"tz", "timestamp(3) with time zone"}, {"day", "date"}, {"txt", "varchar"},
}

// Corpus has a row for each nasty text, and NULL in each column.
func Corpus() [][]*string {
	bigs := []string{"0", "-1", "9223372036854775807", "-9223372036854775808", "1234567890123456789"}
	decs := []string{"12.5000000000", "9999999999999999999999999999.9999999999", "-0.0000000001", "0E-10",
		"1234567890123456789012345678.0123456789"}
	dbls := []string{"1.254740786E7", "NaN", "Infinity", "-Infinity", "1.0E-5", "0.1", "-0.0", "1.7976931348623157E308",
		"4.9E-324", "100.0", "1.0E10"}
	stamps := []string{"2020-06-10 15:55:23.383345", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00.000000"}
	zones := []string{"2020-06-10 15:55:23.383 UTC", "2020-06-10 15:55:23.000 Europe/Berlin",
		"1900-01-01 00:00:00.000 +05:30"}
	days := []string{"2020-02-29", "1969-12-31", "9999-12-31"}
	bools := []string{"true", "false"}
	at := func(list []string, i int) *string { return Text(list[i%len(list)]) }
	var rows [][]*string
	for i, s := range Nasty {
		rows = append(rows, []*string{Text(s), at(bigs, i), at(decs, i), at(dbls, i), at(bools, i), at(stamps, i),
			at(zones, i), at(days, i),
			at(Nasty, i+7)})
	}
	for i := range CorpusFields {
		row := append([]*string(nil), rows[i]...)
		row[i] = nil
		rows = append(rows, row)
	}
	return append(rows, make([]*string, len(CorpusFields)))
}

func Show(p *string) string {
	if p == nil {
		return "NULL"
	}
	return "'" + *p + "'"
}

func Same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// CutShort is a result whose document ends after two rows.
func CutShort(t testing.TB) *api.Rows {
	r := api.NewRows(io.NopCloser(strings.NewReader(`{"columns":[{"columnName":"a"}],"data":[["1"],["2"],["3`)),
		api.Compact)
	t.Cleanup(func() { r.Close() })
	return r
}

// Wide is a result with 10 columns of mixed types, in the COMPACT format.
func Wide(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"columns":[`)
	for i, typ := range []string{"bigint", "varchar", "varchar", "decimal(38,10)", "double", "boolean", "timestamp(3)",
		"date", "varchar", "integer"} {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"columnName":"column_%d","dataType":%q}`, i, typ)
	}
	b.WriteString(`],"data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		note := `null`
		if i%3 > 0 {
			note = `"a remark, with a comma"`
		}
		fmt.Fprintf(&b, `["%d","customer %d","sku-%05d","%d.5000000000","%d.25","%t","2020-06-10 15:55:23.%03d",`+
			`"2020-06-%02d",%s,"%d"]`,
			1000000+i, i, i%70000, i%1000, i%5000, i%2 == 0, i%1000, 1+i%30, note, i%100)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}
