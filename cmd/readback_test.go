//go:build cgo

package cmd

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

// The columns of the statement below, and their texts as readback compares them: numbers, times and dates as the wire
// has them, doubles in Go's shortest form, times with a zone as instants in UTC.
var readbackColumns = []string{"k", "s", "big", "dec", "dbl", "ok", "ts", "tz", "day"}

var readbackTexts = []string{
	"", " ", "plain", "NULL", `\N`, "a,b", "a\tb", `say "hi"`, `back\slash`, "line\nfeed", "cr\r\nlf", " edges ",
	"grüße 日本語 😀", "e\u0301", "<b>&amp;</b>",
	"- a: b", "007", "true", "1e3", "\x01\x1b[31m\x7f", "{\"a\":[1]}", "'q'", "\u2028", strings.Repeat("long ", 500),
}

// readbackRows are the rows of the statement. nil is NULL.
func readbackRows() [][]*string {
	bigs := []string{"9223372036854775807", "-9223372036854775808", "0", "-1"}
	decs := []string{"9999999999999999999999999999.9999999999", "-0.0000000001",
		"1234567890123456789012345678.0123456789", "12.5000000000"}
	dbls := []string{"NaN", "Infinity", "-Infinity", "1.254740786E7", "0.1", "1.7976931348623157E308",
		"4.9E-324", "-2.5"}
	stamps := []string{"2020-06-10 15:55:23.383345", "1969-12-31 23:59:59.999999", "9999-12-31 00:00:00.000000"}
	zones := []string{"2020-06-10 13:55:23.383000+00:00", "1900-01-01 00:00:00.000000+00:00",
		"2024-03-01 07:59:59.000001+00:00"}
	days := []string{"2020-02-29", "1969-12-31", "9999-12-31"}
	bools := []string{"true", "false"}
	var rows [][]*string
	for i, s := range readbackTexts {
		row := []*string{new(strconv.Itoa(i)), &s}
		for c, list := range [][]string{bigs, decs, dbls, bools, stamps, zones, days} {
			v := &list[i%len(list)]
			if i%9 == c+1 {
				v = nil
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	last := make([]*string, len(readbackColumns))
	last[0] = new(strconv.Itoa(len(rows)))
	return append(rows, last)
}

func readbackSQL(rows [][]*string) string {
	var b strings.Builder
	b.WriteString(
		`SELECT CAST(k AS BIGINT) AS k, s, CAST(big AS BIGINT) AS big, CAST(d AS DECIMAL(38,10)) AS "dec", CAST(dbl AS DOUBLE) AS dbl, CAST(ok AS BOOLEAN) AS ok,
		CAST(ts AS TIMESTAMP(6)) AS ts, CAST(tz AS TIMESTAMP(6) WITH TIME ZONE) AS tz, CAST(day AS DATE) AS day FROM (VALUES `)
	for i, row := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		for c, v := range row {
			lead := ", "
			if c == 0 {
				lead = "("
			}
			if v == nil {
				b.WriteString(lead + "NULL")
			} else {
				b.WriteString(lead + "'" + strings.ReplaceAll(*v, "'", "''") + "'")
			}
		}
		b.WriteString(")")
	}
	b.WriteString(") AS t(k, s, big, d, dbl, ok, ts, tz, day) ORDER BY k")
	return b.String()
}

// canonical makes texts of different writers comparable: doubles by value, times with a zone as instants.
func canonical(t *testing.T, column int, v *string) string {
	t.Helper()
	if v == nil {
		return "NULL"
	}
	switch readbackColumns[column] {
	case "dbl":
		f, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(*v, ".inf", "Inf"), "."), 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	case "tz":
		for _, layout := range []string{"2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999 MST",
			time.RFC3339Nano} {
			if at, err := time.Parse(layout, *v); err == nil {
				return at.UTC().Format(time.RFC3339Nano)
			}
		}
		t.Fatalf("no time: %q", *v)
	case "dec", "ts": // some leave out zeros at the end
		if strings.Contains(*v, ".") {
			return strings.TrimSuffix(strings.TrimRight(*v, "0"), ".")
		}
	case "s":
		return "'" + *v + "'"
	}
	return *v
}

// TestReadBack sends values through zone local and every typed or delimited format, and reads them with other people's
// readers.
func TestReadBack(t *testing.T) {
	needLocal(t)
	rows := readbackRows()
	dir, env := t.TempDir(), map[string]string{"DIG_ZONE": "local", "DIG_DATA_DIR": t.TempDir()}
	query := filepath.Join(dir, "q.sql")
	if err := os.WriteFile(query, []byte(readbackSQL(rows)), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(name, format string, more ...string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		args := append([]string{"query", "execute", "-f", query, "-o", format, "--out", path}, more...)
		if code, _, errs := runDig(t, env, args...); code != 0 {
			t.Fatalf("%s: exit %d: %s", format, code, errs)
		}
		return path
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	same := func(name string, got [][]*string, but func(c int, want string) string) {
		t.Helper()
		if len(got) != len(rows) {
			t.Errorf("%s: %d rows read of %d", name, len(got), len(rows))
			return
		}
		for i := range rows {
			for c := range rows[i] {
				want := canonical(t, c, rows[i][c])
				if but != nil {
					want = but(c, want)
				}
				if have := canonical(t, c, got[i][c]); have != want {
					t.Errorf("%s: row %d, %s: %q, want %q", name, i, readbackColumns[c], have, want)
				}
			}
		}
	}
	const texts = `SELECT k::VARCHAR, s, big::VARCHAR, "dec"::VARCHAR, dbl::VARCHAR, ok::VARCHAR, ts::VARCHAR, tz, ` +
		`day::VARCHAR FROM `
	engine := func(from string) [][]*string {
		t.Helper()
		return fetch(t, db, strings.Replace(texts, "tz,", "strftime(tz AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'),",
			1)+from)
	}

	same("parquet by DuckDB", engine(fmt.Sprintf(`read_parquet('%s')`, write("t.parquet", "parquet"))), nil)
	for c, typ := range []string{"BIGINT", "VARCHAR", "BIGINT", "DECIMAL(38,10)", "DOUBLE", "BOOLEAN", "TIMESTAMP",
		"TIMESTAMP WITH TIME ZONE", "DATE"} {
		got := fetch(t, db, fmt.Sprintf(`SELECT column_type FROM (DESCRIBE SELECT %s FROM read_parquet('%s'))`,
			readbackColumns[c], filepath.Join(dir, "t.parquet")))
		if *got[0][0] != typ {
			t.Errorf("parquet: %s is %s, not %s", readbackColumns[c], *got[0][0], typ)
		}
	}

	path := write("t.csv", "csv")
	same("csv by DuckDB", fetch(t, db, fmt.Sprintf(`SELECT * FROM read_csv('%s', all_varchar=true, header=true, `+
		`delim=',', quote='"', escape='"', nullstr='', allow_quoted_nulls=false, new_line='\n')`, path)), nil)
	same("csv by encoding/csv", readCSV(t, write("n.csv", "csv", "--null", "nil!")), func(c int, want string) string {
		return strings.ReplaceAll(want, "\r\n", "\n") // which that reader does within quotes, too
	})

	ndjson := write("t.ndjson", "ndjson")
	// DuckDB reads every JSON number with a point as a double, so it gets the decimals from a JSON string, and
	// encoding/json the rest.
	from := fmt.Sprintf(`read_json('%s', format='newline_delimited', maximum_object_size=1000000, columns={k: `+
		`'BIGINT', s: 'VARCHAR', big: 'BIGINT', "dec": '%%s', dbl: 'DOUBLE', ok: 'BOOLEAN', ts: 'TIMESTAMP', tz: `+
		`'VARCHAR', day: 'DATE'})`, ndjson)
	got := fetch(t, db, strings.Replace(texts, `"dec"::VARCHAR`, `NULL`, 1)+fmt.Sprintf(from, "JSON"))
	exact := readNDJSON(t, ndjson)
	for i := range got {
		got[i][3] = exact[i][3]
	}
	same("ndjson by DuckDB", got, nil)
	same("ndjson by encoding/json", exact, nil)
	raw := strings.Replace(ndjson, "t.ndjson", "raw.ndjson", 1)
	write("raw.ndjson", "ndjson", "--raw")
	same("raw ndjson by DuckDB", fetch(t, db, texts+fmt.Sprintf(strings.Replace(from, ndjson, raw, 1),
		"DECIMAL(38,10)")), nil)

	for _, shape := range []string{"CELL_TYPED", "SIMPLE", "COMPACT"} {
		same("json "+shape, readDocument(t, write(shape+".json", "json", "--format", shape)), nil)
	}
	same("yaml", readYAML(t, write("t.yaml", "yaml")), nil)
	same("xlsx", readXLSX(t, write("t.xlsx", "xlsx")), func(c int, want string) string {
		if want == "'\x01\x1b[31m\x7f'" {
			return "'␁␛[31m\x7f'" // control characters cannot be kept, and dig says so
		}
		return want
	})
	same("tsv", readTSV(t, write("t.tsv", "tsv")), nil)
}
