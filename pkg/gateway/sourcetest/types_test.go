package sourcetest

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// value is one column of a table of one row: its type, the value that is stored, and the expected type in the gateway.
type value struct{ typ, sql, trino string }

// printed converts a value of the gateway to the text that psql prints for it, by its type in the gateway.
func printed(v, trino string) string {
	base, _, _ := strings.Cut(trino, "(")
	switch base {
	case "boolean":
		return v[:1]
	case "varbinary":
		return `\x` + strings.ReplaceAll(v, " ", "")
	case "time":
		return trimPlaces(v)
	case "date", "timestamp", "timestamp with time zone":
		return moment(v)
	}
	return v
}

// moment writes a date or timestamp as psql does: no trailing zeros of the second, +00 for UTC, and years before 1 as
// BC.
func moment(v string) string {
	v, zoned := strings.CutSuffix(v, " UTC")
	if strings.HasSuffix(v, "infinity") {
		return v
	}
	v = strings.TrimPrefix(v, "+")
	bc := ""
	if year, rest, _ := strings.Cut(strings.TrimPrefix(v, "-"), "-"); strings.HasPrefix(v, "-") || year == "0000" {
		n, _ := strconv.Atoi(year)
		bc, v = " BC", fmt.Sprintf("%04d-%s", n+1, rest)
	}
	if v = trimPlaces(v); zoned {
		v += "+00"
	}
	return v + bc
}

func trimPlaces(v string) string {
	if strings.Contains(v, ".") {
		v = strings.TrimRight(strings.TrimRight(v, "0"), ".")
	}
	return v
}

// same compares two texts of a value; floats by their bits, as both programs write them with as few digits as are
// needed.
func same(got, want, trino string) bool {
	size := map[string]int{"double": 64, "real": 32}[trino]
	if size == 0 {
		return got == want
	}
	a, err1 := strconv.ParseFloat(got, size)
	b, err2 := strconv.ParseFloat(want, size)
	return err1 == nil && err2 == nil && (math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b))
}

func create(table string, cases []value) string {
	var cols, vals []string
	for i, c := range cases {
		cols, vals = append(cols, fmt.Sprintf("c%d %s", i, c.typ)), append(vals, c.sql)
	}
	return "CREATE TABLE " + table + "(" + strings.Join(cols, ", ") + ");\nINSERT INTO " + table + " VALUES (" +
		strings.Join(vals, ", ") + ");\n"
}

// check compares every value in every format with what the server's program printed: want, one text a column.
func check(t *testing.T, z zone, name string, cases []value, want []string, print func(v, trino string) string) {
	t.Helper()
	for _, f := range formats {
		got := z.query(t, "SELECT * FROM "+name, f)
		if len(got.rows) != 1 || len(got.names) != len(cases) {
			t.Fatalf("%s: %d rows of %d columns, want 1 of %d", f, len(got.rows), len(got.names), len(cases))
		}
		for i, c := range cases {
			if got.types[i] != c.trino {
				t.Errorf("%s %s is %s, want %s", c.typ, c.sql, got.types[i], c.trino)
			}
			v := got.rows[0][i]
			if v == nil {
				if want[i] != "NULL" {
					t.Errorf("%s: %s %s is NULL, want %s", f, c.typ, c.sql, want[i])
				}
				continue
			}
			if text := print(*v, got.types[i]); !same(text, want[i], got.types[i]) {
				t.Errorf("%s: %s %s reads as %q (%q), the server's program prints %q", f, c.typ, c.sql,
					text, *v, want[i])
			}
		}
	}
}

func TestPostgresValues(t *testing.T) {
	pg := postgres(t)
	cases := []value{
		{"boolean", "true", "boolean"}, {"boolean", "NULL", "boolean"}, {"smallint", "-32768", "smallint"},
		{"integer", "-2147483648", "integer"}, {"bigint", "9223372036854775807", "bigint"},
		{"bigint", "-9223372036854775808", "bigint"},
		{"real", "3.4028235e38", "real"}, {"real", "1e-45", "real"}, {"real", "0.1", "real"}, {"real", "'-Infinity'",
			"real"}, {"real", "'NaN'", "real"}, {"real", "16777216", "real"},
		{"double precision", "0.1", "double"}, {"double precision", "'Infinity'", "double"},
		{"double precision", "'NaN'", "double"}, {"double precision", "'-0'", "double"}, {"double precision", "5e-324",
			"double"}, {"double precision", "1.7976931348623157e308", "double"},
		{"double precision", "123456789012345680", "double"},
		{"numeric(10,2)", "-12345678.90", "decimal(10,2)"}, {"numeric(4,4)", "0.0001", "decimal(4,4)"},
		{"numeric(18,0)", "999999999999999999", "decimal(18,0)"}, {"numeric(18,18)", "-0.999999999999999999",
			"decimal(18,18)"}, {"numeric(18,2)", "1234567890123456.78", "decimal(18,2)"},
		{"numeric(18,9)", "100000000.000000001", "decimal(18,9)"}, {"numeric(10,3)", "0", "decimal(10,3)"},
		{"numeric(9,5)", "9999.99999", "decimal(9,5)"},
		{"numeric(38,0)", "99999999999999999999999999999999999999", "decimal(38,0)"},
		{"numeric(38,38)", "-0.99999999999999999999999999999999999999", "decimal(38,38)"},
		{"numeric(38,10)", "1234567890123456789012345678.0000000001", "decimal(38,10)"},
		{"numeric(19,2)", "-12345678901234567.89", "decimal(19,2)"},
		{"numeric(39,0)", "999999999999999999999999999999999999999", "varchar"},
		{"numeric", "0.00000000000000000000000000000000000000000000001", "varchar"}, {"numeric", "'NaN'", "varchar"},
		{"numeric", "'-Infinity'", "varchar"}, {"numeric", "1.10", "varchar"}, {"numeric(3,-2)", "12300", "varchar"},
		{"numeric(2,4)", "0.0012", "varchar"}, {"numeric(1000,500)", "7", "varchar"},
		{"text", "'ä☃😀\ttab \"quoted\" \\ back'", "varchar"}, {"text", "''", "varchar"},
		{"text", "repeat('long ☃ ', 100000)", "varchar"}, {"text", "NULL", "varchar"}, {"varchar(10)", "'x  '",
			"varchar"}, {"char(5)", "'ab'", "char(5)"}, {"char(3)", "'ä☃😀'", "char(3)"}, {"name", "'n'", "varchar"},
		{`"char"`, "'c'", "varchar"},
		{"date", "'2024-02-29'", "date"}, {"date", "'0044-03-15 BC'", "date"}, {"date", "'0001-01-01 BC'", "date"},
		{"date", "'4713-01-01 BC'", "date"}, {"date", "'5874897-12-31'", "date"}, {"date", "'infinity'", "date"},
		{"date", "'-infinity'", "date"},
		{"timestamp", "'2024-02-29 23:59:59.999999'", "timestamp"}, {"timestamp", "'1969-12-31 23:59:59.999999'",
			"timestamp"}, {"timestamp", "'0044-03-15 12:00:00.5 BC'", "timestamp"}, {"timestamp", "'10000-01-01'",
			"timestamp"}, {"timestamp", "'294246-12-31 23:59:59'", "timestamp"}, {"timestamp", "'-infinity'",
			"timestamp"}, {"timestamp", "'infinity'", "timestamp"}, {"timestamp(0)", "'2024-01-01 00:00:00.6'",
			"timestamp(0)"},
		{"timestamptz", "'2024-03-31 02:30:00+02'", "timestamp with time zone"},
		{"timestamptz", "'1900-01-01 00:00:00+05:30'", "timestamp with time zone"}, {"timestamptz", "'infinity'",
			"timestamp with time zone"}, {"timestamptz", "'0001-12-31 23:00:00-02 BC'", "timestamp with time zone"},
		{"time", "'24:00:00'", "time"}, {"time", "'00:00:00.000001'", "time"}, {"time", "'23:59:59.999999'", "time"},
		{"timetz", "'12:00:00.5+02'", "varchar"},
		{"interval", "'1 year 2 days -03:04:05.6'", "varchar"}, {"interval", "'-178000000 years'", "varchar"},
		{"interval", "'0'", "varchar"},
		{"uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "uuid"}, {"uuid", "'00000000-0000-0000-0000-000000000000'",
			"uuid"}, {"uuid", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "uuid"},
		{"json", `'{"a":2,"b":1}'`, "json"}, {"jsonb", `'{}'`, "json"}, {"jsonb", `'"text \u2603"'`, "json"},
		{"json", "'null'", "json"},
		{"bytea", `'\x00ff27'`, "varbinary"}, {"bytea", `''`, "varbinary"},
		{"bytea", `decode(repeat('00ff', 5000), 'hex')`, "varbinary"},
		{"integer[]", "'{1,NULL,3}'", "varchar"}, {"text[]", `'{"a b",c,NULL,"NULL","q\"q",""}'`, "varchar"},
		{"int[][]", "'{{1,2},{3,NULL}}'", "varchar"}, {"int[]", "'[0:1]={5,6}'", "varchar"},
		{"text[]", "'{}'", "varchar"}, {"numeric[]", "'{1.10,NaN}'", "varchar"},
		{"inet", "'10.0.0.1/8'", "varchar"}, {"inet", "'::1'", "varchar"}, {"cidr", "'10.0.0.0/8'", "varchar"},
		{"macaddr", "'08:00:2b:01:02:03'", "varchar"}, {"macaddr8", "'08:00:2b:01:02:03:04:05'", "varchar"},
		{"point", "'(1.5,-2)'", "varchar"}, {"line", "'{1,2,3}'", "varchar"}, {"box", "'(1,1),(0,0)'", "varchar"},
		{"polygon", "'((0,0),(1,1),(1,0))'", "varchar"}, {"circle", "'<(1,2),3>'", "varchar"},
		{"path", "'[(0,0),(1,1)]'", "varchar"},
		{"int4range", "'[1,5)'", "varchar"}, {"numrange", "'(,1.5]'", "varchar"},
		{"tstzrange", "'[2024-01-01 00:00+00,infinity)'", "varchar"}, {"int4multirange", "'{[1,3),[5,7)}'", "varchar"},
		{"daterange", "'empty'", "varchar"},
		{"bit(3)", "'101'", "varchar"}, {"bit varying", "'1'", "varchar"}, {"money", "'-12.5'", "varchar"},
		{"oid", "4294967295", "varchar"}, {"pg_lsn", "'16/B374D848'", "varchar"}, {"regclass", "'pg_class'", "varchar"},
		{"txid_snapshot", "'10:20:10,14'", "varchar"},
		{"xml", "'<a>ä</a>'", "varchar"}, {"tsvector", "'a fat cat'", "varchar"}, {"tsquery", "'fat & !cat'",
			"varchar"}, {"jsonpath", "'$.a[*]'", "varchar"},
		{"types.mood", "'so so'", "varchar"}, {"types.pos", "7", "integer"}, {"types.price", "1.50", "decimal(8,2)"},
		{"types.pair", "ROW(1, 'x, y')", "varchar"}, {"types.mood[]", "'{sad,\"so so\"}'", "varchar"},
	}
	t.Logf("%d values", len(cases))
	pg.run(t,
		`DROP SCHEMA IF EXISTS types CASCADE; CREATE SCHEMA types; CREATE TYPE types.mood AS ENUM ('sad', 'so so'); CREATE DOMAIN types.pos AS int CHECK (VALUE > 0);
CREATE DOMAIN types.price AS numeric(8,2); CREATE TYPE types.pair AS (a int, b text);`+create("types.t", cases))
	want := strings.Split(pg.run(t, "\\pset fieldsep_zero on\n\\pset null NULL\nSELECT * FROM types.t;"), "\x00")
	z := open(t, pg)
	check(t, z, "pg.types.t", cases, want, printed)
	// With the engine's own operators too, which detect a value that has only the right text.
	got := z.query(t, `SELECT CAST(c4 AS varchar), c19 * 2, c53 + INTERVAL '1' DAY, length(c41) FROM pg.types.t`,
		"COMPACT")
	if g := fmt.Sprint(*got.rows[0][0], " ", *got.rows[0][1], " ",
		*got.rows[0][3]); g != "9223372036854775807 -24691357.80 700000" {
		t.Errorf("computed: %s", g)
	}
}

// A value that does not fit the expected type is an error with its column.
func TestPostgresRefusals(t *testing.T) {
	pg := postgres(t)
	pg.run(t,
		`DROP SCHEMA IF EXISTS refused CASCADE; CREATE SCHEMA refused; CREATE TABLE refused.t(nan numeric(10,2), wide numeric(30,2), late timestamp, ok int);
INSERT INTO refused.t VALUES ('NaN', 'NaN', '294276-12-31', 1);`)
	z := open(t, pg)
	for column, word := range map[string]string{"nan": "NaN does not fit", "wide": "NaN", "late": "294246"} {
		_, err := z.document(t.Context(), "SELECT "+column+" FROM pg.refused.t", "COMPACT")
		if err == nil || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), column) ||
			!strings.Contains(err.Error(), "connection pg") {
			t.Errorf("%s: %v", column, err)
		}
		var failed *api.Error
		if !errors.As(err, &failed) || failed.Kind == api.KindUnavailable {
			t.Errorf("%s: %v says that another attempt may help", column, err)
		}
	}
	if got := z.query(t, "SELECT ok FROM pg.refused.t", "COMPACT"); *got.rows[0][0] != "1" {
		t.Error(got)
	}
}

func TestMariaDBValues(t *testing.T) {
	db := mariadb(t)
	cases := []value{
		{"tinyint", "-128", "tinyint"}, {"tinyint unsigned", "255", "smallint"}, {"tinyint(1)", "2", "tinyint"},
		{"boolean", "true", "tinyint"}, {"tinyint", "NULL", "tinyint"}, {"smallint", "-32768", "smallint"},
		{"smallint unsigned", "65535", "integer"},
		{"mediumint", "-8388608", "integer"}, {"mediumint unsigned", "16777215", "integer"}, {"int", "-2147483648",
			"integer"}, {"int unsigned", "4294967295", "bigint"}, {"bigint", "-9223372036854775808", "bigint"},
		{"bigint", "9223372036854775807", "bigint"},
		{"bigint unsigned", "18446744073709551615", "decimal(20,0)"}, {"bigint unsigned", "0", "decimal(20,0)"},
		{"serial", "5", "decimal(20,0)"},
		{"decimal(10,2)", "-1.5", "decimal(10,2)"}, {"decimal(38,0)", "-99999999999999999999999999999999999999",
			"decimal(38,0)"}, {"decimal(38,38)", "0.00000000000000000000000000000000000001", "decimal(38,38)"},
		{"decimal(18,9)", "123456789.000000001", "decimal(18,9)"},
		{"decimal(65,30)", "0.000000000000000000000000000001", "varchar"},
		{"decimal(65,0)", "-99999999999999999999999999999999999999999999999999999999999999999", "varchar"},
		{"decimal(4,4)", "-0.9999", "decimal(4,4)"},
		{"float", "0.1", "real"}, {"float", "16777216", "real"}, {"float", "-3.40282e38", "real"},
		{"float", "1.17549e-38", "real"}, {"double", "0.1", "double"}, {"double", "1.7976931348623157e308", "double"},
		{"double", "-2.2250738585072014e-308", "double"}, {"double", "123456789012345680", "double"},
		{"varchar(60)", "'ä☃😀\ttab \"quoted\" \\\\ back'", "varchar"}, {"varchar(10)", "''", "varchar"},
		{"varchar(10)", "'x  '", "varchar"}, {"char(4)", "'a'", "char(4)"}, {"varchar(10) CHARACTER SET latin1", "'äß'",
			"varchar"}, {"varchar(5) CHARACTER SET utf16", "'☃'", "varchar"}, {"tinytext", "'t'", "varchar"},
		{"text", "NULL", "varchar"}, {"longtext", "repeat('long ☃ ', 100000)", "varchar"},
		{"text", "'NULL'", "varchar"},
		{"enum('a','b','ä')", "'ä'", "varchar"}, {"enum('a','b')", "NULL", "varchar"}, {"set('a','b','c')", "'a,c'",
			"varchar"}, {"set('a','b')", "''", "varchar"},
		{"date", "'9999-12-31'", "date"}, {"date", "'1000-01-01'", "date"}, {"date", "'0001-01-01'", "date"},
		{"date", "'2024-02-29'", "date"}, {"datetime(6)", "'2024-02-29 23:59:59.999999'", "timestamp"},
		{"datetime", "'9999-12-31 23:59:59'", "timestamp(0)"}, {"datetime(3)", "'1969-12-31 23:59:59.5'",
			"timestamp(3)"},
		{"timestamp(6)", "'2038-01-19 03:14:07.999999'", "timestamp with time zone"},
		{"timestamp NULL", "'1970-01-01 00:00:01'", "timestamp(0) with time zone"},
		{"timestamp(1)", "'2024-03-31 02:30:00.5'", "timestamp(1) with time zone"},
		{"time(3)", "'-838:59:59'", "varchar"}, {"time", "'838:59:59'", "varchar"}, {"time(6)", "'00:00:00.000001'",
			"varchar"}, {"time", "'25:00:00'", "varchar"}, {"year", "2155", "integer"}, {"year", "1901", "integer"},
		{"json", `'{"b": 1,  "a": [1.50, null]}'`, "varchar"}, {"uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
			"uuid"}, {"inet6", "'::1'", "varchar"}, {"inet4", "'10.0.0.1'", "varchar"},
		{"binary(4)", "x'00ff'", "varbinary"}, {"varbinary(10)", "x'0027ff'", "varbinary"}, {"varbinary(10)", "x''",
			"varbinary"}, {"blob", "x'27'", "varbinary"}, {"longblob", "repeat(x'00ff', 5000)", "varbinary"},
		{"tinyblob", "NULL", "varbinary"},
		{"bit(1)", "b'1'", "boolean"}, {"bit(1)", "b'0'", "boolean"}, {"bit(9)", "b'100000001'", "varbinary"},
		{"bit(64)", "b'1111111111111111111111111111111111111111111111111111111111111111'", "varbinary"},
		{"point", "ST_GeomFromText('POINT(1 2)')", "varbinary"}, {"geometry", "ST_GeomFromText('LINESTRING(0 0,1 1)')",
			"varbinary"}, {"polygon", "ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))')", "varbinary"},
	}
	t.Logf("%d values", len(cases))
	db.run(t, "DROP DATABASE IF EXISTS types; CREATE DATABASE types CHARACTER SET utf8mb4; SET NAMES utf8mb4;"+
		create("types.t", cases))
	var want []string
	for i, c := range cases {
		expr := fmt.Sprintf("c%d", i)
		switch { // bytes in hexadecimal form; a float with all its digits
		case strings.HasPrefix(c.typ, "bit("):
			n, _ := strconv.Atoi(c.typ[4 : len(c.typ)-1])
			expr = fmt.Sprintf("LPAD(HEX(%s), %d, '0')", expr, (n+7)/8*2)
			if n == 1 {
				expr = fmt.Sprintf("c%d + 0", i)
			}
		case c.trino == "varbinary":
			expr = "HEX(" + expr + ")"
		case c.trino == "real":
			expr += " + 0e0"
		}
		text := db.run(t, "SET NAMES utf8mb4; SELECT "+expr+" FROM types.t;")
		if strings.HasPrefix(c.trino, "timestamp") {
			text = trimPlaces(text)
		}
		want = append(want, text)
	}
	z := open(t, db)
	check(t, z, "maria.types.t", cases, want, func(v, trino string) string {
		switch base, _, _ := strings.Cut(trino, "("); base {
		case "varbinary":
			return strings.ToUpper(strings.ReplaceAll(v, " ", ""))
		case "boolean":
			return map[string]string{"true": "1", "false": "0"}[v]
		case "timestamp", "timestamp with time zone":
			return trimPlaces(strings.TrimSuffix(v, " UTC"))
		case "char": // the program prints it without the spaces at its end
			return strings.TrimRight(v, " ")
		}
		return v
	})
}

// A zero date does not exist in the calendar: it is an error with its column, never another date or NULL. It can be
// read as text by a view.
func TestMariaDBZeroDates(t *testing.T) {
	db := mariadb(t)
	db.run(t,
		`DROP DATABASE IF EXISTS zeros; CREATE DATABASE zeros; CREATE TABLE zeros.t(d date, dt datetime, ts timestamp NULL, part date, ok int);
INSERT INTO zeros.t VALUES ('0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '2024-00-10', 1); CREATE VIEW zeros.v AS SELECT CAST(d AS CHAR) AS d, ok FROM zeros.t;`)
	z := open(t, db)
	for column, word := range map[string]string{"d": "0000-00-00", "dt": "0000-00-00 00:00:00",
		"ts": "0000-00-00 00:00:00", "part": "2024-00-10"} {
		_, err := z.document(t.Context(), "SELECT "+column+" FROM maria.zeros.t", "COMPACT")
		if err == nil || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), `column "`+column+
			`"`) || !strings.Contains(err.Error(), "connection maria") {
			t.Errorf("%s: %v", column, err)
		}
	}
	if got := z.query(t, "SELECT ok FROM maria.zeros.t", "COMPACT"); *got.rows[0][0] != "1" {
		t.Error(got)
	}
	if got := z.query(t, "SELECT d FROM maria.zeros.v", "COMPACT"); *got.rows[0][0] != "0000-00-00" {
		t.Error(got)
	}
}

// TestPostgresJSON reads JSON as Trino's connector does: without whitespace, with sorted keys, the last of equal ones,
// and whole numbers of any size.
func TestPostgresJSON(t *testing.T) {
	pg := postgres(t)
	pg.run(t, `CREATE SCHEMA docs; CREATE TABLE docs.t(id int, j json, b jsonb);
INSERT INTO docs.t VALUES (1, '{"b": 1,  "a": 2, "b": 1.0000000000000000000000001}', '{"b": 1.50, "a": null, "n": 12345678901234567890123}'), (2, NULL, NULL);`)
	z := open(t, pg)
	for _, f := range formats {
		got := z.query(t, "SELECT j, b FROM pg.docs.t ORDER BY id", f)
		if j, b := *got.rows[0][0], *got.rows[0][1]; j != `{"a":2,"b":1.0}` ||
			b != `{"a":null,"b":1.5,"n":12345678901234567890123}` || got.rows[1][0] != nil {
			t.Errorf("%s: %s, %s", f, j, b)
		}
	}
	if got := z.query(t,
		`SELECT id FROM pg.docs.t WHERE b = JSON '{"n": 12345678901234567890123, "a": null, "b": 1.5}'`, "COMPACT"); len(got.rows) != 1 {
		t.Error(got)
	}
}
