// Package testdb gives a test a part of the shared database servers that no other test sees: packages are tested
// concurrently, and one that reads every table of a database would read those of others, or wait for their locks.
package testdb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
)

// Postgres creates a database for the test and returns its address in the form of DIG_TEST_POSTGRES. It is dropped
// after the test, including sessions that are left in it.
func Postgres(t testing.TB) *url.URL {
	t.Helper()
	u := Shared(t)
	address := u.String()
	name := "test_" + strings.ToLower(rand.Text())
	run := func(statement string) {
		t.Helper()
		ctx := context.Background()
		c, err := pgx.Connect(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(ctx)
		if _, err := c.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("CREATE DATABASE " + name)
	t.Cleanup(func() { run("DROP DATABASE " + name + " WITH (FORCE)") })
	u.Path = "/" + name
	return u
}

// Shared is the address of the database that the tests share, which a Trino reads. A test that creates something in it
// names it after itself and drops it.
func Shared(t testing.TB) *url.URL {
	t.Helper()
	address := os.Getenv("DIG_TEST_POSTGRES")
	if address == "" {
		t.Skip("DIG_TEST_POSTGRES is not set; run by `bash .ci/databases go test ...`")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// MariaDB creates a user who may read only the named databases. Both results have the form of DIG_TEST_MARIADB: admin
// has all privileges, reader is that user. The test creates the databases; they and the user are dropped after it. A
// test of another process that names one of them waits until then.
func MariaDB(t testing.TB, databases ...string) (admin, reader *mysql.Config) {
	t.Helper()
	dsn := os.Getenv("DIG_TEST_MARIADB")
	if dsn == "" {
		t.Skip("DIG_TEST_MARIADB is not set; run by `bash .ci/databases go test ...`")
	}
	admin, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	reader = admin.Clone()
	reader.User, reader.Passwd, reader.DBName = "test_"+strings.ToLower(rand.Text()), rand.Text(), ""
	user := "'" + reader.User + "'@'%'"
	begin := []string{"CREATE USER " + user + " IDENTIFIED BY '" + reader.Passwd + "'"}
	end := []string{"DROP USER " + user}
	for _, name := range databases {
		begin = append(begin, "GRANT SELECT, SHOW VIEW ON `"+strings.ReplaceAll(name, "_", `\_`)+"`.* TO "+user)
		end = append(end, "DROP DATABASE IF EXISTS `"+name+"`")
	}
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // the locks are those of one session
	run := func(statements []string) {
		t.Helper()
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatalf("%.60s: %v", s, err)
			}
		}
	}
	for _, name := range slices.Sorted(slices.Values(databases)) {
		var held bool
		if err := db.QueryRow("SELECT coalesce(GET_LOCK(?, 600), 0)", name).Scan(&held); err != nil || !held {
			t.Fatalf("another test has the database %s: %v", name, err)
		}
	}
	run(begin)
	t.Cleanup(func() { run(end) })
	return admin, reader
}
