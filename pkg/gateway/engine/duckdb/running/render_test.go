//go:build cgo

package running

import (
	"encoding/json"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// The texts are those of Trino's documentation, of Java's Double.toString and LocalDate.toString, and of the service
// where it was measured; the expressions are DuckDB's.
func TestValues(t *testing.T) {
	p := testProject(t)
	for _, c := range []struct{ expr, text string }{
		{`25001::BIGINT`, "25001"},
		{`(-9223372036854775808)::BIGINT`, "-9223372036854775808"},
		{`(-7)::TINYINT`, "-7"},
		{`(-32768)::SMALLINT`, "-32768"},
		{`2147483647`, "2147483647"},
		{`255::UTINYINT`, "255"},
		{`65535::USMALLINT`, "65535"},
		{`4294967295::UINTEGER`, "4294967295"},
		{`18446744073709551615::UBIGINT`, "18446744073709551615"},
		{`340282366920938463463374607431768211455::UHUGEINT`, "340282366920938463463374607431768211455"},
		{`'-123456789012345678901234567890123456789012345'::BIGNUM`, "-123456789012345678901234567890123456789012345"},
		{`'987654321'::BIGNUM`, "987654321"},
		{`true`, "true"},
		{`false`, "false"},
		{`12.5::DECIMAL(38,10)`, "12.5000000000"},
		{`0.05::DECIMAL(3,2)`, "0.05"},
		{`(-0.05)::DECIMAL(4,2)`, "-0.05"},
		{`(-1234567.89)::DECIMAL(9,2)`, "-1234567.89"},
		{`'-1234567890123.45'::DECIMAL(18,2)`, "-1234567890123.45"},
		{`'99999999999999999999999999999999999.999'::DECIMAL(38,3)`, "99999999999999999999999999999999999.999"},
		{`0::DECIMAL(5,0)`, "0"},
		{`0::DECIMAL(5,2)`, "0.00"},
		{`669.74::DOUBLE`, "669.74"},
		{`12547407.86::DOUBLE`, "1.254740786E7"},
		{`1e7::DOUBLE`, "1.0E7"},
		{`9999999.999::DOUBLE`, "9999999.999"},
		{`0.001::DOUBLE`, "0.001"},
		{`0.00099::DOUBLE`, "9.9E-4"},
		{`100::DOUBLE`, "100.0"},
		{`0::DOUBLE`, "0.0"},
		{`'-0'::DOUBLE`, "-0.0"},
		{`1.7976931348623157e308::DOUBLE`, "1.7976931348623157E308"},
		{`5e-324::DOUBLE`, "4.9E-324"},
		{`'nan'::DOUBLE`, "NaN"},
		{`'inf'::DOUBLE`, "Infinity"},
		{`'-inf'::DOUBLE`, "-Infinity"},
		{`0.1::FLOAT`, "0.1"},
		{`1e-45::FLOAT`, "1.4E-45"},
		{`2e23::DOUBLE`, "2.0E23"},
		{`-1e-5::DOUBLE`, "-1.0E-5"},
		{`16777216::FLOAT`, "1.6777216E7"},
		{`3.4028235e38::FLOAT`, "3.4028235E38"},
		{`DATE '2020-06-10'`, "2020-06-10"},
		{`DATE '1969-12-31'`, "1969-12-31"},
		{`DATE '1582-10-15'`, "1582-10-15"},
		{`DATE '2000-02-29'`, "2000-02-29"},
		{`DATE '1900-03-01'`, "1900-03-01"},
		{`DATE '0001-01-01'`, "0001-01-01"},
		{`DATE '0044-03-15 (BC)'`, "-0043-03-15"},
		{`DATE '12345-01-02'`, "+12345-01-02"},
		{`TIMESTAMP '2020-06-10 15:55:23.383345'`, "2020-06-10 15:55:23.383345"},
		{`TIMESTAMP '2020-06-10 15:55:23'`, "2020-06-10 15:55:23.000000"},
		{`TIMESTAMP '1969-12-31 23:59:59.5'`, "1969-12-31 23:59:59.500000"},
		{`TIMESTAMP_S '2020-06-10 15:55:23'`, "2020-06-10 15:55:23"},
		{`TIMESTAMP_MS '2020-06-10 15:55:23.383'`, "2020-06-10 15:55:23.383"},
		{`TIMESTAMP_NS '2020-06-10 15:55:23.383345678'`, "2020-06-10 15:55:23.383345678"},
		{`TIMESTAMPTZ '2020-06-10 15:55:23.383345+03'`, "2020-06-10 12:55:23.383345 UTC"},
		{`TIME '15:55:23.383345'`, "15:55:23.383345"},
		{`TIME '00:00:00'`, "00:00:00.000000"},
		{`TIMETZ '15:55:23.5+03:30'`, "15:55:23.500000+03:30"},
		{`TIMETZ '15:55:23-08'`, "15:55:23.000000-08:00"},
		{`'12151fd2-7586-11e9-8f9e-2a86e4085a59'::UUID`, "12151fd2-7586-11e9-8f9e-2a86e4085a59"},
		{`'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID`, "ffffffff-ffff-ffff-ffff-ffffffffffff"},
		{`'\x65\x00\xFF'::BLOB`, "65 00 ff"},
		{`''::BLOB`, ""},
		{`'10101'::BIT`, "10101"},
		{`'{"a": 12345678901234567890.10}'::JSON`, `{"a": 12345678901234567890.10}`},
		{`'zażółć 🦆'`, "zażółć 🦆"},
		{`''`, ""},
		{`'a longer text than twelve bytes'`, "a longer text than twelve bytes"},
		{`'tab' || chr(9) || 'quote" back\ line' || chr(10) || chr(1)`, "tab\tquote\" back\\ line\n\x01"},
		{`'b'::ENUM('a', 'b')`, "b"},
		{`INTERVAL '2' DAY`, "2 00:00:00.000"},
		{`INTERVAL '36' HOUR`, "1 12:00:00.000"},
		{`-INTERVAL '90' MINUTE`, "-0 01:30:00.000"},
		{`INTERVAL '14' MONTH`, "1-2"},
		{`-INTERVAL '3' MONTH`, "-0-3"},
		{`INTERVAL '1 day 2 microseconds'`, "1 00:00:00.000002"},
		{`INTERVAL '1 day -1 hours'`, "0 23:00:00.000"},
		{`INTERVAL '1 month 3 days'`, "0-1 3 00:00:00.000"},
		{`[1, NULL, 3]::BIGINT[]`, "[1,null,3]"},
		{`['a', 'b"c']`, `["a","b\"c"]`},
		{`[[1], []]::INTEGER[][]`, "[[1],[]]"},
		{`[1, 2]::INTEGER[2]`, "[1,2]"},
		{`[1.5, 2.25]::DECIMAL(4,2)[]`, "[1.50,2.25]"},
		{`['nan', '1e10']::DOUBLE[]`, `["NaN",1.0E10]`},
		{`[DATE '2020-01-01']`, `["2020-01-01"]`},
		{`['{"a":1}'::JSON]`, `[{"a":1}]`},
		{`MAP {'k': 1, 'l': NULL}::MAP(VARCHAR, BIGINT)`, `{"k":1,"l":null}`},
		{`MAP {1: 'x'}`, `{"1":"x"}`},
		{`{'x': 1, 'two words': 'y'}`, `{"x":1,"two words":"y"}`},
		{`row(1, 'y', NULL::BOOLEAN)`, `[1,"y",null]`},
		{`[{'a': [1]}]`, `[{"a":[1]}]`},
		{`NULL::VARCHAR`, "null"},
		{`NULL::DECIMAL(5,2)`, "null"},
		{`NULL::INTEGER[]`, "null"},
	} {
		// Three rows in one chunk, the value in the middle, so that offsets into vectors count.
		text := `SELECT v FROM (SELECT 1 AS i, NULL AS v UNION ALL SELECT 2, ` + c.expr +
			` UNION ALL SELECT 3, NULL) ORDER BY i`
		q := sql.Query{SQL: text}
		want := "null\n" + c.text + "\nnull"
		if got, err := rows(t, own{p}, q); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", c.expr, got, err, want)
		}
		for _, f := range []api.Format{api.CellTyped, api.Simple, api.Compact} {
			doc, err := reply(t, own{p}, f, q)
			if err != nil {
				t.Errorf("%s, %s: %v", c.expr, f, err)
				continue
			}
			if got := secondValue(t, f, doc); got != c.text {
				t.Errorf("%s, %s: got %q, want %q", c.expr, f, got, c.text)
			}
		}
	}
}

// secondValue reads a document with the standard library's decoder and returns the value of its second
// row, "null" for null. Any other kind of value than a string fails.
func secondValue(t *testing.T, f api.Format, doc string) string {
	t.Helper()
	var d struct {
		Columns []struct{ ColumnName, DataType string }
		Data    []json.RawMessage
	}
	if err := json.Unmarshal([]byte(doc), &d); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	if len(d.Columns) != 1 || len(d.Data) != 3 {
		t.Fatalf("%s: %d columns, %d rows", doc, len(d.Columns), len(d.Data))
	}
	var s *string
	var err error
	switch f {
	case api.Compact:
		var row []*string
		err = json.Unmarshal(d.Data[1], &row)
		s = row[0]
	case api.Simple:
		var row map[string]*string
		err = json.Unmarshal(d.Data[1], &row)
		s = row["v"]
	default:
		var row []struct {
			Name, DisplayName, DataType string
			Order                       int
			Value                       *string
		}
		if err = json.Unmarshal(d.Data[1], &row); err == nil && (row[0].DataType != d.Columns[0].DataType ||
			row[0].Name != "v" || row[0].Order != 0) {
			t.Errorf("cell %+v in %s", row[0], doc)
		}
		s = row[0].Value
	}
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	if s == nil {
		return "null"
	}
	return *s
}

func TestTypesWithoutText(t *testing.T) {
	p := testProject(t)
	if _, err := rows(t, own{p}, sql.Query{SQL: `SELECT 1::VARIANT AS v`}); kindOf(err) != engine.KindUnsupported {
		t.Errorf("got %v", err)
	}
}
