//go:build cgo

package sourcetest

import (
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

// The join of a PostgreSQL table, a MariaDB table and a Parquet file by the dig program returns the rows that DuckDB
// alone returns for the files that psql and mariadb export.
func TestThreeWayJoin(t *testing.T) {
	pg, db := postgres(t), mariadb(t)
	dir := t.TempDir()
	dig, env := program(t)
	pg.run(t,
		`DROP SCHEMA IF EXISTS joined CASCADE; CREATE SCHEMA joined; CREATE TABLE joined.orders AS SELECT g::bigint AS id, g * 7 % 500 AS customer, CASE WHEN g % 11 <> 0 THEN 'P' || g * 13 % 90 END AS product,
  (g % 1000 / 8.0)::numeric(12,3) AS quantity, date '2024-01-01' + g % 400 AS day FROM generate_series(1, 20000) g;`)
	db.run(t,
		`DROP DATABASE IF EXISTS joined; CREATE DATABASE joined CHARACTER SET utf8mb4; USE joined; CREATE TABLE customers(id int unsigned, name varchar(40), since date, credit decimal(20,4));
INSERT INTO customers SELECT seq, CONCAT('Kündin ', seq), IF(seq % 7 = 0, NULL, date '2020-01-01' + INTERVAL seq DAY), seq / 3 FROM seq_1_to_400;`)
	orders, customers, lake := filepath.Join(dir, "orders.csv"), filepath.Join(dir, "customers.tsv"),
		filepath.Join(dir, "lake")
	if err := os.Mkdir(lake, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, orders, pg.run(t, `COPY joined.orders TO STDOUT (FORMAT csv, HEADER, NULL '\N');`)+"\n")
	write(t, customers, db.run(t, `SELECT * FROM joined.customers;`)+"\n")
	bare, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	for _, s := range []string{
		`COPY (SELECT 'P' || i AS code, i * 1.25 AS price, i % 4 = 0 AS taxed FROM range(1, 80) r(i)) TO '` +
			filepath.Join(lake, "prices.parquet") + `' (FORMAT parquet)`,
		`CREATE TABLE orders AS SELECT * FROM read_csv('` + orders + `', header=true, nullstr='\N', ` +
			`columns={'id':'BIGINT','customer':'INTEGER','product':'VARCHAR','quantity':'DECIMAL(12,3)','day':'DATE'})`,
		`CREATE TABLE customers AS SELECT * FROM read_csv('` + customers + `', header=false, delim='\t', quote='', ` +
			`nullstr='NULL', columns={'id':'BIGINT','name':'VARCHAR','since':'DATE','credit':'DECIMAL(20,4)'})`,
		`CREATE TABLE prices AS SELECT * FROM '` + filepath.Join(lake, "prices.parquet") + `'`,
	} {
		if _, err := bare.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command(dig, args...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(stdin)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("dig %s: %v: %s", strings.Join(args, " "), err, errs.String())
		}
		return string(out)
	}
	for _, s := range []server{pg, db, {catalog: "lake", kind: "files", credential: map[string]any{"path": lake}}} {
		cred, err := json.Marshal(s.credential)
		if err != nil {
			t.Fatal(err)
		}
		run(string(cred), "connection", "create", s.catalog, "--type", s.kind, "--credential-file", "-")
		run("", "catalog", "create", s.catalog, "--connection", s.catalog)
	}
	for _, q := range []string{
		`SELECT o.id, c.name, p.price, o.quantity * p.price AS total, o.day FROM %o o JOIN %c c ON c.id = o.customer ` +
			`JOIN %p p ON p.code = o.product WHERE o.day >= DATE '2024-06-01' AND c.credit > 20 ORDER BY o.id`,
		`SELECT o.id, c.name, c.since, p.code, p.taxed FROM %o o LEFT JOIN %c c ON c.id = o.customer LEFT JOIN %p p ` +
			`ON p.code = o.product WHERE o.id <= 5000 ORDER BY o.id`,
		`SELECT c.name, count(*) AS n, sum(o.quantity) AS q, min(o.day) AS first, count(p.code) AS priced FROM %c c ` +
			`LEFT JOIN %o o ON c.id = o.customer LEFT JOIN %p p ON p.code = o.product AND p.taxed GROUP BY c.name ` +
			`HAVING count(*) > 3 ORDER BY c.name`,
		`SELECT p.code, count(o.id) AS n FROM %p p LEFT JOIN %o o ON o.product = p.code AND o.customer IN (SELECT id ` +
			`FROM %c WHERE since IS NULL) GROUP BY p.code ORDER BY p.code`,
	} {
		out := run("", "query", "execute", "-o", "csv", "--sql", strings.NewReplacer("%o", "pg.joined.orders", "%c",
			"maria.joined.customers", "%p", "lake.files.prices").Replace(q))
		got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := texts(t, bare, strings.NewReplacer("%o", "orders", "%c", "customers", "%p", "prices").Replace(q))
		if len(want) < 50 || len(got) != len(want) {
			t.Fatalf("%s\n gives %d lines, the bare engine %d", q, len(got), len(want))
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%s\n line %d is %q, want %q", q, i, got[i], want[i])
			}
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// texts is the header and the rows of a result as the engine casts them to text.
func texts(t *testing.T, db *sql.DB, query string) [][]string {
	t.Helper()
	rows, err := db.Query(`SELECT COLUMNS(*)::VARCHAR FROM (` + query + `)`)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	out := [][]string{names}
	for rows.Next() {
		cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(names))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
