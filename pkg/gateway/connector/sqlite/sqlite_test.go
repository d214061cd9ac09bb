package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func connect(t *testing.T, cred connector.Credential) connector.Connector {
	t.Helper()
	c, err := Type().Check(cred)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := Type().Open(c, connector.Reach{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// fixture makes a database file by statements.
func fixture(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

func TestContract(t *testing.T) {
	for _, journal := range []string{"delete", "wal"} {
		for _, inspect := range []bool{false, true} {
			t.Run(fmt.Sprint(journal, inspect), func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "shop #1?.db")
				fixture(t, "file:"+strings.NewReplacer("#", "%23", "?", "%3f").Replace(path), "PRAGMA journal_mode="+
					journal,
					`CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, amount NUMERIC(12,2))`,
					fmt.Sprintf(`WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < %d) INSERT `+
						`INTO items SELECT n, CASE WHEN n %% 10 THEN 'name ' || n END, n / 4.0 FROM g`, contract.Rows))
				bad := filepath.Join(dir, "no.db")
				if err := os.WriteFile(bad, []byte(strings.Repeat("This is no database. ", 100)), 0o600); err != nil {
					t.Fatal(err)
				}
				contract.Run(t, contract.Fixture{Good: connect(t, connector.Credential{"path": path,
					"inspect": inspect}), Bad: connect(t, connector.Credential{"path": bad}),
					Schema: "main", Pushes: true})
			})
		}
	}
}

func read(t *testing.T, c connector.Connector, name string) ([]engine.ColumnInfo, [][]any, error) {
	t.Helper()
	ctx := context.Background()
	table, err := c.Table(ctx, "main", name)
	if err != nil {
		return nil, nil, err
	}
	cols, _ := table.Columns(ctx)
	req := engine.ScanRequest{Limit: -1}
	for _, col := range cols {
		req.Columns = append(req.Columns, col.Name)
	}
	b, err := table.Scan(ctx, req)
	if err != nil {
		return cols, nil, err
	}
	defer b.Close()
	rows, err := b.Next(ctx)
	return cols, rows, err
}

// A declared type says how the values of a column read; a value that it does not hold is an error, or makes the column
// text where values are inspected.
func TestTypes(t *testing.T) {
	when := time.Date(2024, 2, 29, 23, 59, 58, 123456000, time.UTC)
	for i, c := range []struct {
		declared, value string
		typ             string
		want            any
		inspected       string // the type after a look at the values
		wantInspected   any
	}{
		{"INTEGER", "9223372036854775807", "bigint", int64(math.MaxInt64), "bigint", int64(math.MaxInt64)},
		{"UNSIGNED BIG INT", "-5", "bigint", int64(-5), "bigint", int64(-5)},
		{"INT", "'12'", "bigint", int64(12), "bigint", int64(12)}, // the affinity makes it a number
		{"INT", "'x'", "bigint", nil, "varchar", "x"},
		{"INT", "1.5", "bigint", nil, "double", 1.5},
		{"INT", "9223372036854775808", "bigint", nil, "double", 9223372036854775808.0},
		{"BOOLEAN", "1", "boolean", true, "boolean", true},
		{"bool", "2", "boolean", nil, "bigint", int64(2)},
		{"BOOLEAN", "'yes'", "boolean", nil, "varchar", "yes"},
		{"REAL", "0.1", "double", 0.1, "double", 0.1},
		{"DOUBLE PRECISION", "5", "double", 5.0, "double", 5.0},
		{"FLOAT", "9e999", "double", math.Inf(1), "double", math.Inf(1)},
		{"REAL", "'n/a'", "double", nil, "varchar", "n/a"},
		{"TEXT", "'ä☃😀'", "varchar", "ä☃😀", "varchar", "ä☃😀"},
		{"VARCHAR(3)", "'longer'", "varchar", "longer", "varchar", "longer"},
		{"TEXT", "12", "varchar", "12", "varchar", "12"},
		{"TEXT", "x'00ff'", "varchar", nil, "varbinary", []byte{0, 255}},
		{"BLOB", "x'00ff'", "varbinary", []byte{0, 255}, "varbinary", []byte{0, 255}},
		{"BLOB", "'text'", "varbinary", nil, "varchar", "text"},
		{"DATE", "'2024-02-29'", "date", "2024-02-29", "date", "2024-02-29"},
		{"DATE", "'2023-02-29'", "date", nil, "varchar", "2023-02-29"},
		{"DATE", "'2024-02-29 10:00:00'", "date", nil, "varchar", "2024-02-29 10:00:00"},
		{"DATETIME", "'2024-02-29 23:59:58.123456'", "timestamp", when, "timestamp", when},
		{"TIMESTAMP", "'2024-02-29T23:59:58.123456'", "timestamp", when, "timestamp", when},
		{"TIMESTAMP", "'2024-02-29 23:59'", "timestamp", when.Truncate(time.Minute), "timestamp",
			when.Truncate(time.Minute)},
		{"TIMESTAMP", "'2024-02-29T23:59:58Z'", "timestamp", nil, "varchar", "2024-02-29T23:59:58Z"},
		{"TIMESTAMP", "1709251198", "timestamp", nil, "bigint", int64(1709251198)},
		{"DECIMAL(10,2)", "10.25", "decimal(10,2)", "10.25", "decimal(10,2)", "10.25"},
		{"numeric(5)", "99999", "decimal(5,0)", "99999", "decimal(5,0)", "99999"},
		{"DECIMAL(10,2)", "0.1 + 0.2", "decimal(10,2)", nil, "double", 0.30000000000000004},
		{"DECIMAL(4,2)", "100", "decimal(4,2)", nil, "bigint", int64(100)},
		{"DECIMAL(60,2)", "1", "varchar", "1", "bigint", int64(1)},
		{"UUID", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "uuid", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "uuid",
			"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"},
		{"UUID", "'no'", "uuid", nil, "varchar", "no"},
		{"JSON", `'{"a": 1.50}'`, "json", `{"a": 1.50}`, "json", `{"a": 1.50}`},
		{"JSON", "'{'", "json", nil, "varchar", "{"},
		{"", "7", "varchar", "7", "bigint", int64(7)},
		{"", "1e300", "varchar", "1e+300", "double", 1e300},
		{"", "'t'", "varchar", "t", "varchar", "t"},
		{"", "x'01'", "varchar", nil, "varbinary", []byte{1}},
		{"SOMETHING", "3", "varchar", "3", "bigint", int64(3)},
	} {
		path := filepath.Join(t.TempDir(), "t.db")
		fixture(t, path, "CREATE TABLE t(c "+c.declared+")", "INSERT INTO t VALUES ("+c.value+"), (NULL)")
		for _, inspect := range []bool{false, true} {
			typ, want := c.typ, c.want
			if inspect {
				typ, want = c.inspected, c.wantInspected
			}
			cols, rows, err := read(t, connect(t, connector.Credential{"path": path, "inspect": inspect}), "t")
			if want == nil {
				if err == nil || !strings.Contains(err.Error(), `column "c"`) ||
					!strings.Contains(err.Error(), "inspect") {
					t.Errorf("%d: %s %s: read as %v, error %v", i, c.declared, c.value, rows, err)
				}
			} else if err != nil || !reflect.DeepEqual(rows, [][]any{{want}, {nil}}) {
				t.Errorf("%d: %s %s, inspect %v: %#v, %v; want %#v", i, c.declared, c.value, inspect, rows, err, want)
			}
			if len(cols) != 1 || cols[0].Type != typ {
				t.Errorf("%d: %s %s, inspect %v: %v, want %s", i, c.declared, c.value, inspect, cols, typ)
			}
		}
	}
}

func TestObjects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	db := fixture(t, path,
		`CREATE TABLE "a b"(id INTEGER PRIMARY KEY, "q""q" TEXT NOT NULL, twice INT AS (id * 2), PRIMARY_ INT)`,
		`INSERT INTO "a b"(id, "q""q") VALUES (1, 'x')`,
		`CREATE VIEW v AS SELECT id, upper("q""q") AS u FROM "a b"`, `CREATE VIRTUAL TABLE f USING fts5(body)`,
		`INSERT INTO f VALUES ('hello')`)
	c := connect(t, connector.Credential{"path": path})
	tables, err := c.Tables(context.Background(), "MAIN")
	if err != nil || !reflect.DeepEqual(tables, []connector.Table{{Name: "a b"}, {Name: "f"}, {Name: "v"}}) {
		t.Errorf("tables %v, %v", tables, err)
	}
	cols, rows, err := read(t, c, "a b")
	if err != nil || !reflect.DeepEqual(rows, [][]any{{int64(1), "x", int64(2), nil}}) || cols[0].Nullable ||
		cols[1].Nullable || !cols[2].Nullable {
		t.Errorf("%v %v %v", cols, rows, err)
	}
	for name, want := range map[string][][]any{"v": {{int64(1), "X"}}, "f": {{"hello"}}} {
		if _, rows, err := read(t, c, name); err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	// Another program's changes are seen, and a lock is waited for and then named.
	if _, err := db.Exec(`INSERT INTO "a b"(id, "q""q") VALUES (2, 'y')`); err != nil {
		t.Fatal(err)
	}
	if _, rows, err := read(t, c, "a b"); err != nil || len(rows) != 2 {
		t.Errorf("%v, %v", rows, err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`BEGIN EXCLUSIVE`); err != nil {
		t.Fatal(err)
	}
	if err := c.Test(context.Background()); err == nil || !strings.Contains(err.Error(),
		"is locked by another program") {
		t.Errorf("locked: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	good := filepath.Join(outside, "good.db")
	fixture(t, good, `CREATE TABLE t(a INT)`, `INSERT INTO t SELECT value FROM json_each('[1,2,3]')`).Close()
	raw, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"text.db": []byte(strings.Repeat("no database ", 100)),
		"cut.db": raw[:5000]} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(good, filepath.Join(dir, "link.db")); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		"relative.db": "absolute", dir + "/../" + filepath.Base(outside) + "/good.db": "elements",
		filepath.Join(dir, "none.db"):      "there is no file",
		filepath.Join(dir, "none", "x.db"): "there is no file", dir: "is not a regular file",
		filepath.Join(dir, "link.db"): "escapes",
		filepath.Join(dir, "text.db"): "is not an SQLite database", filepath.Join(dir, "cut.db"): "is corrupt",
	} {
		c, err := Type().Open(connector.Credential{"path": path}, connector.Reach{})
		if err == nil {
			if err = c.Test(context.Background()); err == nil {
				_, _, err = read(t, c, "t")
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("reading has left %v, %v", entries, err)
	}
}
