//go:build cgo

package duckdb

import (
	"context"
	databases "database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest/answers"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/trinosql/transpile"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
)

// TestTranspiled runs the portable part of the corpus in other dialects on their own servers, and compares with the
// answers of Trino. PostgreSQL and MariaDB are those of .ci/databases. DIG_TEST_ANSWERS picks statements as for
// TestAnswers.
func TestTranspiled(t *testing.T) {
	list, kept := answers.Corpus(t, witnessDir)
	p, catalogs := tpchProject(t)
	file, part, _ := strings.Cut(os.Getenv("DIG_TEST_ANSWERS"), ":")
	listed := answers.Listed(t, "testdata/transpiled_differ.txt")
	// Values at the edges of their types belong to what is computed in zone local; here it is the clauses and common
	// functions.
	portable := []string{"tpch.sql", "tpcds_like.sql", "queries.sql", "groups.sql", "values_joins.sql",
		"values_windows.sql", "values_core.sql", "values_compare.sql", "recursive.sql"}
	for _, open := range []struct {
		target transpile.Target
		server func(*testing.T, *project) *otherServer
	}{{transpile.PostgreSQL, postgresServer}, {transpile.MySQL, mariaServer}} {
		t.Run(string(open.target), func(t *testing.T) {
			s := open.server(t, p)
			same, refused, differ := 0, 0, 0
			for _, st := range list {
				a := kept[st.SQL]
				if a == nil || a.Rows == nil || a.Failure != nil || a.Error != nil || st.TypesOnly ||
					!slices.Contains(portable, st.File) || slices.ContainsFunc(a.Columns, func(c [2]string) bool {
					return strings.ContainsAny(c[1], "<,") || strings.HasPrefix(c[1], "array") ||
						strings.HasPrefix(c[1], "map") || strings.HasPrefix(c[1], "row")
				}) || strings.Contains(st.SQL, "?") || file != "" && st.File != file ||
					!strings.Contains(st.SQL, part) || strings.HasPrefix(st.SQL, "EXPLAIN") || strings.HasPrefix(st.SQL,
					"SHOW") || strings.HasPrefix(st.SQL, "DESC") {
					continue
				}
				text, err := sql.Transpile(t.Context(), p, sql.Query{SQL: st.SQL, Catalogs: catalogs,
					Defaults: tpchTables}, string(s.target))
				if err != nil {
					refused++
					continue
				}
				if s.target == transpile.MySQL && strings.Contains(text, "LATERAL (") {
					continue // which MySQL has and MariaDB has not
				}
				key := string(s.target) + ": " + st.SQL
				why := s.unlike(t.Context(), st.SQL, text, a.Columns, a.Rows)
				switch {
				case why == "" && listed[key] != "":
					t.Errorf("%s\n\tgives the same now, and is listed", key)
				case why == "":
					same++
				case listed[key] != "":
				default:
					differ++
					t.Errorf("%s\n\t%s\n\t%s", st.SQL, text, why)
				}
			}
			t.Logf("%s: %d give the same, %d are refused by name, %d differ", s.target, same, refused, differ)
			if file == "" && same < 300 {
				t.Errorf("only %d statements were compared", same)
			}
		})
	}
}

// otherServer runs statements of a dialect.
type otherServer struct {
	target transpile.Target
	run    func(ctx context.Context, text string) ([][]any, error)
}

func postgresServer(t *testing.T, p *project) *otherServer {
	s := &otherServer{target: transpile.PostgreSQL}
	c, err := pgx.Connect(t.Context(), testdb.Postgres(t).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	exec := func(text string) error {
		_, err := c.Exec(t.Context(), text, pgx.QueryExecModeSimpleProtocol)
		return err
	}
	for _, text := range []string{"DROP SCHEMA IF EXISTS tiny CASCADE", "CREATE SCHEMA tiny", "SET timezone TO 'UTC'"} {
		if err := exec(text); err != nil {
			t.Fatal(err)
		}
	}
	copyTables(t, exec, p)
	for _, text := range []string{"ANALYZE", "SET statement_timeout TO '20s'"} {
		if err := exec(text); err != nil {
			t.Fatal(err)
		}
	}
	s.run = func(ctx context.Context, text string) (out [][]any, err error) {
		rows, err := c.Query(ctx, text, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var row []any
			for _, v := range rows.RawValues() {
				if v == nil {
					row = append(row, nil)
				} else {
					row = append(row, map[string]string{"t": "true", "f": "false"}[string(v)])
					if row[len(row)-1] == "" {
						row[len(row)-1] = string(v)
					}
				}
			}
			out = append(out, row)
		}
		return out, rows.Err()
	}
	return s
}

func mariaServer(t *testing.T, p *project) *otherServer {
	s := &otherServer{target: transpile.MySQL}
	admin, _ := testdb.MariaDB(t, "tiny")
	db, err := databases.Open("mysql", admin.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	exec := func(text string) error {
		_, err := db.ExecContext(t.Context(), text)
		return err
	}
	for _, text := range []string{"DROP DATABASE IF EXISTS tiny",
		"CREATE DATABASE tiny CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
		"SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin"} {
		if err := exec(text); err != nil {
			t.Fatal(err)
		}
	}
	copyTables(t, exec, p)
	s.run = func(ctx context.Context, text string) ([][]any, error) {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		rows, err := db.QueryContext(ctx, text)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		var out [][]any
		for rows.Next() {
			row, ptr := make([]any, len(names)), make([]any, len(names))
			for i := range row {
				ptr[i] = &row[i]
			}
			if err := rows.Scan(ptr...); err != nil {
				return nil, err
			}
			out = append(out, row)
		}
		return out, rows.Err()
	}
	return s
}

// copyTables copies the tables of TPC-H.
func copyTables(t *testing.T, exec func(string) error, p *project) {
	t.Helper()
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for table := range tpchTypes {
		var defs []string
		err := c.Query(t.Context(), `SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = 'tpch' `+
			`AND table_name = ? ORDER BY column_index`, []any{table}, func(v []*string) error {
			kind := map[string]string{"BIGINT": "bigint", "INTEGER": "integer", "DOUBLE": "double precision",
				"DATE": "date", "VARCHAR": "varchar(200)"}[*v[1]]
			if kind == "" {
				return fmt.Errorf("column %s has type %s", *v[0], *v[1])
			}
			defs = append(defs, *v[0]+" "+kind)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := exec("CREATE TABLE tiny." + table + " (" + strings.Join(defs, ", ") + ")"); err != nil {
			t.Fatal(err)
		}
		var batch []string
		flush := func() error {
			if len(batch) == 0 {
				return nil
			}
			text := "INSERT INTO tiny." + table + " VALUES " + strings.Join(batch, ", ")
			batch = nil
			return exec(text)
		}
		err = c.Query(t.Context(), `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM "~data".tpch.`+table, nil,
			func(v []*string) error {
				cells := make([]string, len(v))
				for i, s := range v {
					if cells[i] = "NULL"; s != nil {
						cells[i] = "'" + strings.ReplaceAll(*s, "'", "''") + "'"
					}
				}
				if batch = append(batch, "("+strings.Join(cells, ", ")+")"); len(batch) == 2000 {
					return flush()
				}
				return nil
			})
		if err == nil {
			err = flush()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range []string{"orderkey", "custkey", "partkey", "suppkey", "nationkey", "regionkey"} {
			if slices.ContainsFunc(defs, func(d string) bool { return strings.HasPrefix(d, column+" ") }) {
				if err := exec("CREATE INDEX " + table + "_" + column + " ON tiny." + table + " (" + column +
					")"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// unlike says how the rows of a server differ from Trino's.
func (s *otherServer) unlike(ctx context.Context, original, text string, columns [][2]string, want [][]any) string {
	got, err := s.run(ctx, text)
	if err != nil {
		return "error: " + err.Error()
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, not %d", len(got), len(want))
	}
	show := func(rows [][]any, of func(t *types.Type, v any) string) []string {
		out := make([]string, len(rows))
		for i, r := range rows {
			cells := make([]string, len(r))
			for j, v := range r {
				if j < len(columns) {
					typ, err := types.Parse(columns[j][1])
					if err != nil {
						return []string{err.Error()}
					}
					cells[j] = of(typ, v)
				}
			}
			out[i] = strings.Join(cells, " | ")
		}
		if !answers.Ordered(original) {
			slices.Sort(out)
		}
		return out
	}
	w, g := show(want, plainValue), show(got, plainValue)
	for i := range w {
		if w[i] != g[i] {
			return fmt.Sprintf("row %d: %s, not %s", i+1, g[i], w[i])
		}
	}
	return ""
}

// plainValue is a value in a form that does not depend on the server.
func plainValue(t *types.Type, v any) string {
	text := ""
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		text = string(v)
	case time.Time:
		text = v.Format("2006-01-02 15:04:05.999999")
	default:
		text = fmt.Sprint(v)
	}
	if strings.EqualFold(text, "-nan") {
		text = "NaN"
	}
	switch t.Kind {
	case types.Boolean:
		switch text {
		case "1":
			return "true"
		case "0":
			return "false"
		}
	case types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Decimal, types.Real, types.Double:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(f, 'g', 12, 64)
		}
	case types.Date:
		return strings.TrimSuffix(text, " 00:00:00")
	case types.Timestamp, types.Time:
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return text
}
