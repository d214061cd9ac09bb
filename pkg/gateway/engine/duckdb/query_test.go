//go:build cgo

package duckdb

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// reply runs a statement and returns the whole document.
func reply(t *testing.T, p engine.Project, format api.Format, q sql.Query) (string, error) {
	t.Helper()
	r, err := sql.Run(t.Context(), p, q)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b bytes.Buffer
	started := 0
	_, err = r.Encode(t.Context(), &b, format, func() {
		if b.Len() > 0 {
			t.Error("bytes before start")
		}
		started++
	})
	if err == nil && started != 1 {
		t.Errorf("start was called %d times", started)
	}
	return b.String(), err
}

// rows runs a statement and joins its values: columns by a bar, rows by a line break, NULL as "null".
func rows(t *testing.T, p engine.Project, q sql.Query) (string, error) {
	t.Helper()
	r, err := sql.Run(t.Context(), p, q)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var lines []string
	_, err = r.Rows(t.Context(), func(row [][]byte) error {
		var cells []string
		for _, c := range row {
			if c == nil {
				cells = append(cells, "null")
			} else {
				cells = append(cells, string(c))
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
		return nil
	})
	return strings.Join(lines, "\n"), err
}

func TestThreeFormats(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 25001::BIGINT AS "id", 'a "b"'||chr(10)||'c' AS `+
		`"te""xt", NULL::DATE AS "d"`)
	q := sql.Query{SQL: `SELECT * FROM "peaka"."table"."x"`}
	cols := `{"columns":[{"catalogName":"peaka","schemaName":"table","tableName":"x","columnName":"id",` +
		`"dataType":"bigint"},` +
		`{"catalogName":"peaka","schemaName":"table","tableName":"x","columnName":"te\"xt","dataType":"varchar"},` +
		`{"catalogName":"peaka","schemaName":"table","tableName":"x","columnName":"d","dataType":"date"}],"data":[`
	for format, row := range map[api.Format]string{
		api.Compact: `["25001","a \"b\"\nc",null]`,
		api.Simple:  `{"id":"25001","te\"xt":"a \"b\"\nc","d":null}`,
		api.CellTyped: `[{"name":"id","displayName":"id","dataType":"bigint","order":0,"value":"25001"},` +
			`{"name":"te\"xt","displayName":"te\"xt","dataType":"varchar","order":1,"value":"a \"b\"\nc"},` +
			`{"name":"d","displayName":"d","dataType":"date","order":2,"value":null}]`,
	} {
		for n, text := range map[int]string{0: q.SQL + ` WHERE id = 0`, 1: q.SQL, 2: q.SQL + ` UNION ALL ` + q.SQL} {
			want := cols + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + "]}"
			if n == 2 {
				want = strings.NewReplacer(`"catalogName":"peaka","schemaName":"table","tableName":"x"`,
					`"catalogName":"","schemaName":"","tableName":""`).Replace(want)
			}
			got, err := reply(t, p, format, sql.Query{SQL: text})
			if err != nil || got != want {
				t.Errorf("%s, %d rows: %v\n got %s\nwant %s", format, n, err, got, want)
			}
		}
	}
}

// TestLargeTexts: what would take hours, or more memory than there is, is refused before it begins, since nothing could
// stop it.
func TestLargeTexts(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	long := func(c string) string { return `rpad('', 1000000, '` + c + `')` }
	for text, want := range map[string]string{
		`SELECT levenshtein_distance(rpad('', 2000, 'a'), rpad('', 2000, 'b'))`:                  "The combined inputs for Levenshtein distance are too large",
		`SELECT length(regexp_replace(` + long("a") + `, 'a', rpad('', 10000, 'b')))`:            "regexp_replace: the result would be longer than",
		`SELECT length(regexp_replace(` + long("a") + `, '(aaaaaaaaaa)', rpad('', 9998, '$1')))`: "regexp_replace: the result would be longer than",
	} {
		if got, err := rows(t, p, sql.Query{SQL: text}); kindOf(err) != engine.KindValue ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %.100q, %.200v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`SELECT levenshtein_distance(rpad('', 1000, 'a'), rpad('', 1001, 'b')), levenshtein_distance('', ` + long("a") +
			`)`: "1001|1000000",
		`SELECT length(regexp_replace(` + long("a") + `, 'a', 'bbbbbbbb')), length(regexp_replace('a', 'a', ` +
			long("b") + `))`: "8000000|1000000",
	} {
		if got, err := rows(t, p, sql.Query{SQL: text}); err != nil || got != want {
			t.Errorf("%s: got %.100q, %.200v; want %s", text, got, err, want)
		}
	}
}
