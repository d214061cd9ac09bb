//go:build cgo

package duckdbfile

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func connect(t *testing.T, path string) connector.Connector {
	t.Helper()
	c, err := Type().Check(connector.Credential{"path": path})
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

// fixture makes a database file by statements and lets it go.
func fixture(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func TestContract(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shop #1 ä.duckdb")
	fixture(t, filepath.Join(dir, "made"), fmt.Sprintf(`CREATE TABLE items AS SELECT range AS id, CASE WHEN range %% `+
		`10 <> 0 THEN 'name ' || range END AS name, (range / 4)::DECIMAL(12,2) AS amount FROM range(1, %d)`,
		contract.Rows+1))
	if err := os.Rename(filepath.Join(dir, "made"), path); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "no.duckdb")
	if err := os.WriteFile(bad, []byte(strings.Repeat("This is no database. ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	contract.Run(t, contract.Fixture{Good: connect(t, path), Bad: connect(t, bad), Schema: "main", Pushes: true})
}

func read(t *testing.T, c connector.Connector, schema, name string) ([]engine.ColumnInfo, [][]any, error) {
	t.Helper()
	ctx := context.Background()
	table, err := c.Table(ctx, schema, name)
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

func TestTypes(t *testing.T) {
	when := time.Date(2024, 2, 29, 23, 59, 58, 123456000, time.UTC)
	cases := []struct {
		value, typ string
		want       any
	}{
		{"true", "boolean", true}, {"(-128)::TINYINT", "tinyint", int64(-128)}, {"(-32768)::SMALLINT", "smallint",
			int64(-32768)}, {"(-2147483648)::INTEGER", "integer", int64(math.MinInt32)},
		{"(-9223372036854775808)::BIGINT", "bigint", int64(math.MinInt64)}, {"255::UTINYINT", "smallint", int64(255)},
		{"65535::USMALLINT", "integer", int64(65535)}, {"4294967295::UINTEGER", "bigint", int64(4294967295)},
		{"18446744073709551615::UBIGINT", "decimal(20,0)", "18446744073709551615"},
		{"(-99999999999999999999999999999999999999)::HUGEINT", "decimal(38,0)",
			"-99999999999999999999999999999999999999"},
		{"1.5::FLOAT", "real", 1.5}, {"0.1::DOUBLE", "double", 0.1}, {"'-inf'::DOUBLE", "double", math.Inf(-1)},
		{"1.5::DECIMAL(4,2)", "decimal(4,2)", "1.50"}, {"(-0.05)::DECIMAL(9,2)", "decimal(9,2)", "-0.05"},
		{"1234567890123456.78::DECIMAL(18,2)", "decimal(18,2)", "1234567890123456.78"},
		{"'-12345678901234567890123456789012345.678'::DECIMAL(38,3)", "decimal(38,3)",
			"-12345678901234567890123456789012345.678"}, {"7::DECIMAL(1,0)", "decimal(1,0)", "7"},
		{"'ä☃😀' || chr(0) || 'longer than twelve'", "varchar", "ä☃😀\x00longer than twelve"}, {"''", "varchar", ""},
		{"'twelve bytes'", "varchar", "twelve bytes"},
		{`'{"b": 1.50}'::JSON`, "json", `{"b": 1.50}`}, {"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", "uuid",
			"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"'00000000-0000-0000-0000-0000000000ff'::UUID", "uuid",
			"00000000-0000-0000-0000-0000000000ff"},
		{`'\x00\xFF'::BLOB`, "varbinary", []byte{0, 255}}, {"'0044-03-15 (BC)'::DATE", "date", time.Date(-43, 3, 15, 0,
			0, 0, 0, time.UTC)}, {"'24:00:00'::TIME", "time", "24:00:00.000000"},
		{"'2024-02-29 23:59:58.123456'::TIMESTAMP", "timestamp", when}, {"'2024-02-29 23:59:58'::TIMESTAMP_S",
			"timestamp", when.Truncate(time.Second)}, {"'2024-02-29 23:59:58.123'::TIMESTAMP_MS", "timestamp",
			when.Truncate(time.Millisecond)},
		{"'2024-02-29 23:59:58.123456789'::TIMESTAMP_NS", "varchar", "2024-02-29 23:59:58.123456789"},
		{"'2024-03-01 01:59:58.123456+02'::TIMESTAMPTZ", "timestamp with time zone", when},
		{"INTERVAL '1 month 2 days 3.5 seconds'", "varchar", "1 month 2 days 00:00:03.5"}, {"'101'::BIT", "varchar",
			"101"}, {"'happy'::ENUM('sad', 'happy')", "varchar", "happy"}, {"'12:00:00+02'::TIMETZ", "varchar",
			"12:00:00+02"},
		{"[1, NULL, 3]", "json", "[1,null,3]"}, {"{'a': 1, 'b': ['x', NULL]}", "json", `{"a":1,"b":["x",null]}`},
		{"MAP {'k': 1}", "json", `{"k":1}`}, {"[1.10, 2]::DECIMAL(5,2)[]", "json", "[1.1,2.0]"},
		{"[12345678901234567.10, 2]::DECIMAL(38,2)[]", "json", `["12345678901234567.10","2.00"]`},
		{"{'a': [1.5::DECIMAL(18,3)]}", "json", `{"a":["1.500"]}`}, {`['\x00\xFF'::BLOB]`, "json", `["\\x00\\xFF"]`},
		{"['2024-02-29 23:59:58.123456789'::TIMESTAMP_NS]", "json", `["2024-02-29 23:59:58.123456789"]`},
		{"MAP {5: 1}", "json", `{"5":1}`}, {"union_value(n := 12345678901234567.10::DECIMAL(38,2))", "json",
			`{"n":"12345678901234567.10"}`}, {"[INTERVAL 1 day]", "json", `["1 day"]`}, {"[1e300::DOUBLE, 0.1]", "json",
			"[1e300,0.1]"},
		{"[12345678901234567890123456789::HUGEINT]", "json", "[12345678901234567890123456789]"},
		{"['2024-01-01'::DATE]::DATE[1]", "json", `["2024-01-01"]`}, {"['2024-03-01 01:59:58+02'::TIMESTAMPTZ]", "json",
			`["2024-02-29 23:59:58+00"]`},
		{"union_value(n := 5)", "json", `{"n":5}`},
		{"'123456789012345678901234567890123456789012345678901234567890'::BIGNUM", "varchar",
			"123456789012345678901234567890123456789012345678901234567890"}, {"NULL::INTEGER", "integer", nil},
	}
	var cols []string
	for i, c := range cases {
		cols = append(cols, fmt.Sprintf("%s AS c%d", c.value, i))
	}
	path := filepath.Join(t.TempDir(), "t.db")
	fixture(t, path, "CREATE TABLE t AS SELECT "+strings.Join(cols, ", "))
	infos, rows, err := read(t, connect(t, path), "main", "t")
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	for i, c := range cases {
		if infos[i].Type != c.typ || !reflect.DeepEqual(rows[0][i], c.want) {
			t.Errorf("%s: %s %#v, want %s %#v", c.value, infos[i].Type, rows[0][i], c.typ, c.want)
		}
	}
}

// A limit does not travel with a comparison that a collation widens.
func TestLimitAndCollation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	fixture(t, path, "CREATE TABLE t(id INTEGER, s VARCHAR COLLATE NOCASE)",
		"INSERT INTO t VALUES (1, 'A'), (2, 'a'), (3, 'b')")
	ctx := context.Background()
	table, err := connect(t, path).Table(ctx, "main", "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    engine.Filter
		want string
	}{
		{engine.Filter{Column: "s", Op: "=", Values: []any{"a"}}, "[[1] [2]]"},
		{engine.Filter{Column: "id", Op: ">", Values: []any{int64(1)}}, "[[2]]"},
		{engine.Filter{Column: "s", Op: "<>", Values: []any{"a"}}, "[[1] [2] [3]]"},
		{engine.Filter{Column: "s", Op: "is not null"}, "[[1]]"},
	} {
		b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"id"}, Limit: 1, Filters: []engine.Filter{c.f}})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := b.Next(ctx); err != nil || fmt.Sprint(rows) != c.want {
			t.Errorf("%v: %v, %v; want %s", c.f, rows, err, c.want)
		}
		_ = b.Close()
	}
}

// JSON has no NaN: such a nested value is an error and not a broken document.
func TestNoJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	fixture(t, path, "CREATE TABLE t AS SELECT ['nan'::DOUBLE] AS c",
		"CREATE TABLE h AS SELECT '170141183460469231731687303715884105727'::HUGEINT AS c")
	c := connect(t, path)
	if _, rows, err := read(t, c, "main", "t"); err == nil || !strings.Contains(err.Error(),
		`column "c": a nested value contains NaN`) {
		t.Errorf("%v, %v", rows, err)
	}
	// A HUGEINT of 39 digits is handed on whole; the engine's decimal(38,0) refuses it.
	if cols, rows, err := read(t, c, "main", "h"); err != nil ||
		rows[0][0] != "170141183460469231731687303715884105727" || cols[0].Type != "decimal(38,0)" {
		t.Errorf("%v, %v, %v", cols, rows, err)
	}
}

func TestObjects(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.db")
	outside := filepath.Join(dir, "outside.csv")
	if err := os.WriteFile(outside, []byte("secret\n42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fixture(t, path, `CREATE SCHEMA "Sales"`, `CREATE TABLE "Sales"."a ""b"(id INTEGER NOT NULL, n VARCHAR)`,
		`INSERT INTO "Sales"."a ""b" VALUES (1, 'x'), (2, NULL)`,
		`COMMENT ON COLUMN "Sales"."a ""b".n IS 'a name'`,
		`CREATE VIEW v AS SELECT id + 1 AS next FROM "Sales"."a ""b"`, `CREATE VIEW leak AS SELECT * FROM read_csv('`+
			outside+`')`,
		`CREATE VIEW spill AS SELECT content FROM read_text('`+outside+`')`,
		`CREATE MACRO m() AS TABLE SELECT * FROM read_csv('`+outside+`')`, `CREATE VIEW hidden AS SELECT * FROM m()`)
	c := connect(t, path)
	ctx := context.Background()
	if schemas, err := c.Schemas(ctx); err != nil || !reflect.DeepEqual(schemas, []string{"Sales", "main"}) {
		t.Errorf("schemas %v, %v", schemas, err)
	}
	cols, rows, err := read(t, c, "sales", `A "B`)
	if err != nil || !reflect.DeepEqual(rows, [][]any{{int64(1), "x"}, {int64(2), nil}}) {
		t.Errorf("%v, %v", rows, err)
	}
	if len(cols) != 2 || cols[0].Nullable || !cols[1].Nullable || cols[1].Comment != "a name" {
		t.Errorf("columns %+v", cols)
	}
	if _, rows, err := read(t, c, "main", "v"); err != nil || !reflect.DeepEqual(rows,
		[][]any{{int64(2)}, {int64(3)}}) {
		t.Errorf("view: %v, %v", rows, err)
	}
	for _, name := range []string{"leak", "spill", "hidden"} {
		if _, rows, err := read(t, c, "main", name); err == nil || strings.Contains(fmt.Sprint(rows), "42") ||
			!strings.Contains(err.Error(), "disabled") {
			t.Errorf("view %s reads another file: %v, %v", name, rows, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	good := filepath.Join(outside, "good.db")
	fixture(t, good, `CREATE TABLE t AS SELECT range AS a FROM range(200000)`)
	raw, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"text.db": []byte(strings.Repeat("no database ", 3000)),
		"cut.db": raw[:20000], "empty.db": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(good, filepath.Join(dir, "link.db")); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		"relative.db": "absolute", dir + "/../" + filepath.Base(outside) + "/good.db": "elements",
		filepath.Join(dir, "none.db"): "there is no file",
		dir:                           "is not a regular file", filepath.Join(dir, "link.db"): "escapes",
		filepath.Join(dir, "text.db"): "is not a DuckDB database", filepath.Join(dir, "cut.db"): "cut.db",
		filepath.Join(dir, "empty.db"): "empty.db",
	} {
		c, err := Type().Open(connector.Credential{"path": path}, connector.Reach{})
		if err == nil {
			if err = c.Test(context.Background()); err == nil {
				_, _, err = read(t, c, "main", "t")
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// A file that another process writes is locked; the lock is named, and the file is read when the other is gone.
func TestLocked(t *testing.T) {
	if path := os.Getenv("DIG_TEST_HOLD"); path != "" { // the other process
		db, err := sql.Open("duckdb", path)
		if err == nil {
			_, err = db.Exec(`CREATE TABLE IF NOT EXISTS t(a INT)`)
		}
		fmt.Println("ready", err)
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	path := filepath.Join(t.TempDir(), "t.db")
	fixture(t, path, `CREATE TABLE t(a INT)`)
	other := exec.Command(os.Args[0], "-test.run", "^TestLocked$")
	other.Env = append(os.Environ(), "DIG_TEST_HOLD="+path)
	in, _ := other.StdinPipe()
	out, _ := other.StdoutPipe()
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if n, _ := out.Read(buf); !strings.HasPrefix(string(buf[:n]), "ready <nil>") {
		t.Fatalf("the other process says %q", buf[:n])
	}
	c := connect(t, path)
	if err := c.Test(context.Background()); err == nil || !strings.Contains(err.Error(),
		"is locked by another program") {
		t.Errorf("locked: %v", err)
	}
	in.Close()
	_ = other.Wait()
	if err := c.Test(context.Background()); err != nil {
		t.Errorf("after the other process: %v", err)
	}
	fixture(t, path, `INSERT INTO t VALUES (1)`) // nothing is held between statements
	if _, rows, err := read(t, c, "main", "t"); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}
