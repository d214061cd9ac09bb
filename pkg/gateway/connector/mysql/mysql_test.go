package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func fixture(t *testing.T) (connector.Credential, *sql.DB) {
	t.Helper()
	cfg, reader := testdb.MariaDB(t, "contract", "vals", "zero", "cancelled", "locked")
	cfg.MultiStatements = true
	c, err := driver.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	admin := sql.OpenDB(c)
	t.Cleanup(func() { admin.Close() })
	host, port, _ := strings.Cut(cfg.Addr, ":")
	n, _ := strconv.ParseFloat(port, 64)
	return connector.Credential{"url": host, "port": n, "user": reader.User, "password": reader.Passwd}, admin
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

func run(t *testing.T, db *sql.DB, q string) {
	t.Helper()
	if _, err := db.Exec(q); err != nil {
		t.Fatal(err)
	}
}

func TestContract(t *testing.T) {
	good, admin := fixture(t)
	run(t, admin, fmt.Sprintf(`DROP DATABASE IF EXISTS contract; CREATE DATABASE contract;
CREATE TABLE contract.items(id bigint PRIMARY KEY, name varchar(50), amount decimal(12,2));
INSERT INTO contract.items SELECT seq, IF(seq %% 10 <> 0, CONCAT('name ', seq), NULL), seq / 4 FROM seq_1_to_%d`,
		contract.Rows))
	bad := connector.Credential{}
	for k, v := range good {
		bad[k] = v
	}
	bad["password"] = "wrong"
	contract.Run(t, contract.Fixture{Good: connect(t, good), Bad: connect(t, bad), Schema: "contract", Pushes: true})
}

func TestValues(t *testing.T) {
	cred, admin := fixture(t)
	cases := []struct {
		typ, value, trino string
		want              any
	}{
		{"tinyint", "-128", "tinyint", int64(-128)}, {"tinyint unsigned", "255", "smallint", int64(255)},
		{"smallint unsigned", "65535", "integer", int64(65535)},
		{"mediumint", "-8388608", "integer", int64(-8388608)}, {"int unsigned", "4294967295", "bigint",
			int64(4294967295)}, {"bigint", "-9223372036854775808", "bigint", int64(-9223372036854775808)},
		{"bigint unsigned", "18446744073709551615", "decimal(20,0)", "18446744073709551615"},
		{"boolean", "true", "tinyint", int64(1)}, {"decimal(10,2)", "-1.5", "decimal(10,2)", "-1.50"},
		{"decimal(65,30)", "0.000000000000000000000000000001", "varchar", "0.000000000000000000000000000001"},
		{"float", "16777217", "real", float64(16777216)}, {"float", "0.1", "real", float64(float32(0.1))},
		{"double", "0.1", "double", 0.1}, {"varchar(20)", `'ä😀 '`, "varchar(20)", "ä😀 "}, {"char(4)", "'a'", "char(4)",
			"a"}, {"enum('a','b')", "'b'", "varchar", "b"}, {"set('a','b')", "'a,b'", "varchar", "a,b"},
		{"date", "'9999-12-31'", "date", time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)},
		{"datetime(6)", "'2024-02-29 23:59:59.999999'", "timestamp(6)", time.Date(2024, 2, 29, 23, 59, 59,
			999999000, time.UTC)},
		{"time(3)", "'-838:59:59'", "varchar", "-838:59:59.000"}, {"year", "2024", "integer", int64(2024)},
		{"varbinary(4)", "x'00ff'", "varbinary", []byte{0, 255}}, {"bit(9)", "b'100000001'", "varbinary", []byte{1, 1}},
		{"blob", "x'27'", "varbinary", []byte("'")}, {"uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "uuid",
			"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"text", "NULL", "varchar(65535)", nil},
	}
	var cols, vals []string
	for i, c := range cases {
		cols, vals = append(cols, fmt.Sprintf("c%d %s", i, c.typ)), append(vals, c.value)
	}
	run(t, admin, "DROP DATABASE IF EXISTS vals; CREATE DATABASE vals CHARACTER SET utf8mb4; CREATE TABLE vals.t("+
		strings.Join(cols, ", ")+"); INSERT INTO vals.t VALUES ("+strings.Join(vals, ", ")+")")
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
		if !reflect.DeepEqual(v, cases[i].want) {
			t.Errorf("%s %s reads as %#v, want %#v", cases[i].typ, cases[i].value, v, cases[i].want)
		}
	}
}

// A zero date has no place in the calendar: it fails by name and is never another date or NULL.
func TestZeroDate(t *testing.T) {
	cred, admin := fixture(t)
	run(t, admin, "DROP DATABASE IF EXISTS zero; CREATE DATABASE zero; SET sql_mode = ''; CREATE TABLE zero.t(d "+
		"date); INSERT INTO zero.t VALUES ('0000-00-00')")
	table, err := connect(t, cred).Table(context.Background(), "zero", "t")
	if err != nil {
		t.Fatal(err)
	}
	b, err := table.Scan(context.Background(), engine.ScanRequest{Columns: []string{"d"}, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if rows, err := b.Next(context.Background()); err == nil || !strings.Contains(err.Error(), "0000-00-00") {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	cred, admin := fixture(t)
	run(t, admin, "DROP DATABASE IF EXISTS cancelled; CREATE DATABASE cancelled; CREATE VIEW cancelled.v AS SELECT "+
		"seq AS id, sleep(0.01) AS z FROM seq_1_to_100000")
	table, err := connect(t, cred).Table(context.Background(), "cancelled", "v")
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
		if err := admin.QueryRow("SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%cancelled%' " +
			"AND id <> connection_id()").Scan(&n); err != nil {
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
	cred, admin := fixture(t)
	defer func(d time.Duration) { lockTimeout = d }(lockTimeout)
	lockTimeout = time.Second
	run(t, admin, "DROP DATABASE IF EXISTS locked; CREATE DATABASE locked; CREATE TABLE locked.t AS SELECT 7 AS n")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	table, err := connect(t, cred).Table(ctx, "locked", "t")
	if err != nil {
		t.Fatal(err)
	}
	holder, err := admin.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.ExecContext(ctx, "LOCK TABLES locked.t WRITE"); err != nil {
		t.Fatal(err)
	}
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"n"}, Limit: -1})
	if err == nil {
		_, err = b.Next(ctx)
		_ = b.Close()
	}
	if err == nil || !strings.Contains(err.Error(),
		"has locked a table of this statement for more than 1s: Error 1205") {
		t.Errorf("while locked: %v", err)
	}
	if _, err := holder.ExecContext(ctx, "UNLOCK TABLES"); err != nil {
		t.Fatal(err)
	}
	if b, err = table.Scan(ctx, engine.ScanRequest{Columns: []string{"n"}, Limit: -1}); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if rows, err := b.Next(ctx); err != nil || len(rows) != 1 {
		t.Errorf("afterwards: %v, %v", rows, err)
	}
}
