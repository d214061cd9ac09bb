package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func server(t *testing.T) (connector.Credential, *pgx.Conn) {
	t.Helper()
	u := testdb.Postgres(t)
	port, _ := strconv.ParseFloat(u.Port(), 64)
	password, _ := u.User.Password()
	admin, err := pgx.Connect(context.Background(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hangUp(admin) })
	return connector.Credential{"url": u.Hostname(), "port": port, "user": u.User.Username(), "password": password,
		"databaseName": strings.TrimPrefix(u.Path, "/")}, admin
}

func connect(t *testing.T, c connector.Credential) connector.Connector {
	t.Helper()
	c, err := Type().Check(c)
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

func run(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestContract(t *testing.T) {
	good, admin := server(t)
	run(t, admin, fmt.Sprintf(`DROP SCHEMA IF EXISTS contract CASCADE; CREATE SCHEMA contract;
CREATE TABLE contract.items(id bigint PRIMARY KEY, name text, amount numeric(12,2));
INSERT INTO contract.items SELECT g, CASE WHEN g %% 10 <> 0 THEN 'name ' || g END, g / 4.0 FROM generate_series(1, %d) g`, contract.Rows))
	bad := connector.Credential{}
	for k, v := range good {
		bad[k] = v
	}
	bad["password"] = "wrong"
	contract.Run(t, contract.Fixture{Good: connect(t, good), Bad: connect(t, bad), Schema: "contract", Pushes: true})
}

// Every value must read as psql prints it, whatever its type.
func TestValues(t *testing.T) {
	cred, admin := server(t)
	run(t, admin, `DROP SCHEMA IF EXISTS vals CASCADE; CREATE SCHEMA vals; CREATE TYPE vals.mood AS ENUM ('sad', `+
		`'happy'); CREATE DOMAIN vals.pos AS int CHECK (VALUE > 0)`)
	cases := []struct{ typ, value, trino string }{
		{"boolean", "true", "boolean"}, {"smallint", "-32768", "smallint"}, {"integer", "2147483647", "integer"},
		{"bigint", "-9223372036854775808", "bigint"},
		{"real", "1.5", "real"}, {"double precision", "0.1", "double"}, {"double precision", "'Infinity'", "double"},
		{"double precision", "'NaN'", "double"},
		{"numeric(10,2)", "12345678.90", "decimal(10,2)"}, {"numeric(38,0)", "99999999999999999999999999999999999999",
			"decimal(38,0)"}, {"numeric(39,0)", "999999999999999999999999999999999999999", "varchar"},
		{"numeric", "0.00000000000000000000000000000000000000000000001", "varchar"}, {"numeric", "'NaN'", "varchar"},
		{"numeric(3,-2)", "12300", "varchar"}, {"numeric(2,4)", "0.0012", "varchar"},
		{"text", "'ä☃😀\ttab'", "varchar"}, {"varchar(10)", "'x '", "varchar(10)"}, {"char(5)", "'ab'", "char(5)"},
		{"name", "'n'", "varchar"}, {`"char"`, "'c'", "varchar"},
		{"date", "'0044-03-15 BC'", "date"}, {"date", "'infinity'", "date"},
		{"timestamp", "'2024-02-29 23:59:59.999999'", "timestamp"}, {"timestamp", "'-infinity'", "timestamp"},
		{"timestamptz", "'2024-03-31 02:30:00+02'", "timestamp with time zone"}, {"timestamptz", "'infinity'",
			"timestamp with time zone"},
		{"time", "'24:00:00'", "time"}, {"timetz", "'12:00:00+02'", "varchar"},
		{"interval", "'1 year 2 days 03:04:05.6'", "varchar"},
		{"uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "uuid"}, {"json", `'{"a":1,"b":2}'`, "json"},
		{"jsonb", `'[]'`, "json"},
		{"bytea", `'\x00ff'`, "varbinary"}, {"integer[]", "'{1,NULL,3}'", "varchar"}, {"text[]", `'{"a b",c}'`,
			"varchar"}, {"int[][]", "'{{1,2},{3,4}}'", "varchar"},
		{"inet", "'10.0.0.1/8'", "varchar"}, {"point", "'(1,2)'", "varchar"}, {"int4range", "'[1,5)'", "varchar"},
		{"bit(3)", "'101'", "varchar"}, {"money", "12.5", "varchar"},
		{"vals.mood", "'happy'", "varchar"}, {"vals.pos", "7", "integer"}, {"xml", "'<a/>'", "varchar"},
		{"tsvector", "'a b'", "varchar"}, {"oid", "4294967295", "varchar"},
	}
	var cols []string
	for i, c := range cases {
		cols = append(cols, fmt.Sprintf("c%d %s DEFAULT %s", i, c.typ, c.value))
	}
	run(t, admin, "CREATE TABLE vals.t("+strings.Join(cols, ", ")+
		"); INSERT INTO vals.t DEFAULT VALUES; CREATE TABLE vals.n AS SELECT * FROM vals.t WHERE false")
	run(t, admin, "SET timezone = 'UTC'")
	ctx := context.Background()
	table, err := connect(t, cred).Table(ctx, "vals", "t")
	if err != nil {
		t.Fatal(err)
	}
	infos, _ := table.Columns(ctx)
	var names []string
	for i, c := range infos {
		names = append(names, c.Name)
		if c.Type != cases[i].trino {
			t.Errorf("%s is %s, want %s", cases[i].typ, c.Type, cases[i].trino)
		}
	}
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: names, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	rows, err := b.Next(ctx)
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	for i, v := range rows[0] {
		// The server casts its own text back and compares: the value must be the same one.
		text := fmt.Sprint(v)
		switch x := v.(type) {
		case time.Time:
			text = x.UTC().Format("2006-01-02 15:04:05.999999")
			if x.Year() < 1 {
				text = fmt.Sprintf("%04d-%s BC", 1-x.Year(), x.Format("01-02 15:04:05.999999"))
			}
		case []byte:
			text = fmt.Sprintf(`\x%x`, x)
		}
		var same bool
		typ := cases[i].typ
		if err := admin.QueryRow(ctx, fmt.Sprintf("SELECT $1::text::%s::text = c%d::text FROM vals.t", typ, i),
			text).Scan(&same); err != nil || !same {
			t.Errorf("%s %s reads as %q: %v", typ, cases[i].value, text, err)
		}
	}
}

// Values of a column that was altered after it was looked up are not read as what it was before: a float4 has the width
// of an int4.
func TestTypeChangesBeforeTheScan(t *testing.T) {
	cred, admin := server(t)
	run(t, admin, `DROP TABLE IF EXISTS public.altered; CREATE TABLE public.altered AS SELECT 7 AS n`)
	ctx := context.Background()
	table, err := connect(t, cred).Table(ctx, "public", "altered")
	if err != nil {
		t.Fatal(err)
	}
	run(t, admin, `ALTER TABLE public.altered ALTER n TYPE float4`)
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"n"}, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if rows, err := b.Next(ctx); err == nil || !strings.Contains(err.Error(), `the type of column "n" has changed`) {
		t.Errorf("%v, %v", rows, err)
	}
}

// A statement that is given up must not go on at the server.
func TestCancelReachesTheServer(t *testing.T) {
	cred, admin := server(t)
	run(t, admin, `DROP SCHEMA IF EXISTS slow CASCADE; CREATE SCHEMA slow; CREATE VIEW slow.v AS SELECT g AS id, `+
		`pg_sleep(0.01)::text AS z FROM generate_series(1, 100000) g`)
	table, err := connect(t, cred).Table(context.Background(), "slow", "v")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"id", "z"}, Limit: -1})
	for err == nil {
		_, err = b.Next(ctx)
	}
	if b != nil {
		_ = b.Close()
	}
	for range 100 {
		var n int
		if err := admin.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE datname = "+
			"current_database() AND state = 'active' AND pid <> pg_backend_pid()").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the statement still runs at the server")
}

// A table that another session has locked is not waited for without end.
func TestLockedTable(t *testing.T) {
	cred, admin := server(t)
	defer func(d time.Duration) { lockTimeout = d }(lockTimeout)
	lockTimeout = 200 * time.Millisecond
	run(t, admin, `CREATE SCHEMA locked; CREATE TABLE locked.t AS SELECT 7 AS n`)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	table, err := connect(t, cred).Table(ctx, "locked", "t")
	if err != nil {
		t.Fatal(err)
	}
	run(t, admin, `BEGIN`)
	run(t, admin, `LOCK TABLE locked.t IN ACCESS EXCLUSIVE MODE`)
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"n"}, Limit: -1})
	if err == nil {
		_, err = b.Next(ctx)
		_ = b.Close()
	}
	if err == nil || !strings.Contains(err.Error(),
		"has locked a table of this statement for more than 200ms (SQLSTATE 55P03)") {
		t.Errorf("while locked: %v", err)
	}
	run(t, admin, `ROLLBACK`)
	if b, err = table.Scan(ctx, engine.ScanRequest{Columns: []string{"n"}, Limit: -1}); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if rows, err := b.Next(ctx); err != nil || len(rows) != 1 {
		t.Errorf("afterwards: %v, %v", rows, err)
	}
}

func TestCredentialForm(t *testing.T) {
	good := connector.Credential{"url": "db.example.com", "port": "5432", "user": "u", "password": "p",
		"databaseName": "d", "useSsl": "true"}
	for _, c := range []struct {
		name  string
		value any
		ok    bool
	}{{"url", "db.example.com", true}, {"url", "10.0.0.1", true}, {"url", "db.example.com:5432", true},
		{"url", "db.example.com:5433", false}, {"url", "postgres://u:p@h/d", false}, {"url", "/var/run", false},
		{"url", "a,b", false},
		{"port", 70000.0, false}, {"port", 1.5, false}, {"port", "x", false}, {"useSsl", "maybe", false},
		{"password", nil, false}, {"sslmode", "disable", false}} {
		cred := connector.Credential{}
		for k, v := range good {
			cred[k] = v
		}
		cred[c.name] = c.value
		checked, err := Type().Check(cred)
		if err == nil {
			_, err = Type().Open(checked, connector.Reach{})
		}
		if (err == nil) != c.ok {
			t.Errorf("%s = %v: %v", c.name, c.value, err)
		}
	}
}
