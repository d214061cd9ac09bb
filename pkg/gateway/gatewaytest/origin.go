package gatewaytest

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/merge"
	"github.com/jackc/pgx/v5"
)

// Entry is a row of the table items at a source.
type Entry struct {
	ID   int
	Name string
	At   string // "" is NULL
}

// Origin is a source with one table items(id, name, at) that a test changes row by row.
type Origin struct {
	Kind, Schema string
	Credential   map[string]any
	Put, Drop    func(Entry)  // insert or change, delete
	Run          func(string) // a statement of a database
	Stop         func()       // makes it unreachable
}

func quoteSQL(s string) string {
	if s == "" {
		return "NULL"
	}
	return "'" + s + "'"
}

// CSV returns an Origin that is a folder with a CSV file.
func CSV(t *testing.T, _ ...string) Origin {
	dir := t.TempDir()
	rows := map[int]Entry{}
	path := filepath.Join(dir, "items.csv")
	write := func() {
		var b strings.Builder
		b.WriteString("id,name,at\n")
		for _, id := range slices.Sorted(maps.Keys(rows)) {
			fmt.Fprintf(&b, "%d,%s,%s\n", id, rows[id].Name, rows[id].At)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	return Origin{Kind: "files", Schema: "files", Credential: map[string]any{"path": dir},
		Put:  func(e Entry) { rows[e.ID] = e; write() },
		Drop: func(e Entry) { delete(rows, e.ID); write() },
		Stop: func() { os.RemoveAll(dir) }}
}

func sqlOrigin(t *testing.T, kind, schema string, credential map[string]any, exec func(string) error, create,
	upsert string) Origin {
	do := func(q string) {
		t.Helper()
		if err := exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, q := range strings.Split(create, ";") {
		do(q)
	}
	return Origin{Kind: kind, Schema: schema, Credential: credential, Run: do,
		Put:  func(e Entry) { do(fmt.Sprintf(upsert, e.ID, quoteSQL(e.Name), quoteSQL(e.At))) },
		Drop: func(e Entry) { do(fmt.Sprintf("DELETE FROM %s.items WHERE id = %d", schema, e.ID)) },
		Stop: func() { do("DROP TABLE " + schema + ".items") }}
}

// tail joins further statements that create a source.
func tail(more []string) string {
	if len(more) == 0 {
		return ""
	}
	return ";" + strings.Join(more, ";")
}

// Postgres returns an Origin that is a schema of the PostgreSQL server of the tests; without a server the test is
// skipped. more are further statements to create it.
func Postgres(t *testing.T, more ...string) Origin {
	u := testdb.Postgres(t)
	ctx := context.Background()
	db, err := pgx.Connect(ctx, u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(ctx) })
	port, _ := strconv.ParseFloat(u.Port(), 64)
	password, _ := u.User.Password()
	return sqlOrigin(t, "POSTGRES", "cached", map[string]any{"url": u.Hostname(), "port": port,
		"user": u.User.Username(), "password": password, "databaseName": strings.TrimPrefix(u.Path, "/")},
		func(q string) error { _, err := db.Exec(ctx, q); return err },
		"DROP SCHEMA IF EXISTS cached CASCADE;CREATE SCHEMA cached;CREATE TABLE cached.items(id integer PRIMARY KEY, "+
			"name text, at timestamp)"+tail(more),
		"INSERT INTO cached.items VALUES (%d, %s, %s) ON CONFLICT (id) DO UPDATE SET name = excluded.name, at = "+
			"excluded.at")
}

// MariaDB returns an Origin that is a database of the MariaDB server of the tests; without a server the test is
// skipped. more are further statements to create it.
func MariaDB(t *testing.T, more ...string) Origin {
	cfg, reader := testdb.MariaDB(t, "cached")
	db, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	host, port, _ := strings.Cut(cfg.Addr, ":")
	n, _ := strconv.ParseFloat(port, 64)
	return sqlOrigin(t, "MYSQL", "cached", map[string]any{"url": host, "port": n, "user": reader.User,
		"password": reader.Passwd}, func(q string) error { _, err := db.Exec(q); return err },
		"DROP DATABASE IF EXISTS cached;CREATE DATABASE cached;CREATE TABLE cached.items(id integer PRIMARY KEY, "+
			"name varchar(100), at datetime(6))"+tail(more),
		"REPLACE INTO cached.items VALUES (%d, %s, %s)")
}

// Connect creates a catalog named far over a source.
func Connect(t *testing.T, cl *api.Client, o Origin, extra map[string]any) api.Catalog {
	t.Helper()
	conn, err := cl.Connections.Create(context.Background(), Local, api.ConnectionRequest{Name: "far", Type: o.Kind,
		Credential: o.Credential})
	if err != nil {
		t.Fatal(err)
	}
	cat, err := cl.Catalogs.Create(context.Background(), Local, api.CatalogRequest{Name: "far", ConnectionID: conn.ID,
		ExtraParameters: extra})
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// CheckScratch looks for tables that a refresh should have dropped.
func CheckScratch(g *gateway.Gateway) error {
	ctx := context.Background()
	data, err := g.Engine.Project(ctx, Local)
	if err != nil {
		return err
	}
	all, err := g.Store.Caches(ctx, Local, "", "")
	if err != nil {
		return err
	}
	for _, c := range all {
		runs, err := g.Store.CacheRuns(ctx, c.ID, 1000, 0)
		if err != nil {
			return err
		}
		for _, run := range runs {
			for _, table := range merge.Scratch(run.ID) {
				if n, err := data.RowCount(ctx, "cache", table); err == nil {
					return fmt.Errorf("%s is still there with %d rows", table, n)
				}
			}
		}
	}
	return nil
}
