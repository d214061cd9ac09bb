package pages

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// TestValues compares values of every form with the text that replies have for them.
func TestValues(t *testing.T) {
	for _, c := range []struct{ typ, page, text string }{
		{"boolean", `true`, "true"},
		{"bigint", `-9223372036854775808`, "-9223372036854775808"},
		{"double", `1.5E300`, "1.5E300"},
		{"double", `"NaN"`, "NaN"},
		{"real", `"-Infinity"`, "-Infinity"},
		{"decimal(38,10)", `"-9999999999999999999999999999.9999999999"`, "-9999999999999999999999999999.9999999999"},
		{"decimal(3,2)", `"-0.05"`, "-0.05"},
		{"varchar", `"a\"\\\u00e9\n"`, "a\"\\é\n"},
		{"varchar", `"a text of more than twelve bytes"`, "a text of more than twelve bytes"},
		{"char(4)", `"ab  "`, "ab  "},
		{"varbinary", `"Af8="`, "01 ff"},
		{"json", `"{\"a\":1.5}"`, `{"a":1.5}`},
		{"array(integer)", `[1,null,3]`, `[1,null,3]`},
		{"array(varchar)", `[]`, `[]`},
		{"map(varchar,decimal(2,1))", `{"a":"1.5","b":null}`, `{"a":1.5,"b":null}`},
		{"map(varbinary,integer)", `{"AP8=":1}`, `{"00 ff":1}`},
		{"row(integer,varchar)", `[1,"x"]`, `[1,"x"]`},
		{"row(a integer,b array(row(c double)))", `[1,[[1.0],null]]`, `{"a":1,"b":[{"c":1.0},null]}`},
		{"timestamp(3) with time zone", `"2020-01-01 00:00:00.000 UTC"`, "2020-01-01 00:00:00.000 UTC"},
	} {
		typ, err := types.Parse(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		d := New(typ)
		for range 2 { // the decoder is used again
			b, err := Rows([]byte("[["+c.page+"], [null],["+c.page+"]]"), []*Decoder{d})
			if err != nil || b.Len != 3 || !b.Columns[0].Null(1) || b.Columns[0].Null(2) {
				t.Errorf("%s %s: %+v, %v", c.typ, c.page, b, err)
				continue
			}
			if got := string(b.Columns[0].AppendText(nil, 2)); got != c.text {
				t.Errorf("%s %s: %q instead of %q", c.typ, c.page, got, c.text)
			}
		}
	}
}

// TestBroken: a page that does not hold the rows that it should is an error and never a row.
func TestBroken(t *testing.T) {
	for _, page := range []string{`[[1]]`, `[[1,2,3]]`, `[[1,"x"`, `[[1,"x"]`, `[1]`, `{}`, `[["a","x"]]`,
		`[[1.5,"x"]]`, ``} {
		if b, err := Rows([]byte(page), []*Decoder{New(types.Of(types.Bigint)),
			New(types.Of(types.Varchar))}); err == nil {
			t.Errorf("%s: %d rows", page, b.Len)
		}
	}
}
