package gateway_test

import (
	"database/sql"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
)

// mysqlKinds are columns, a value of each, and what the cluster says of it where that is not what the gateway says: the
// type, and the value or a part of the error.
var mysqlKinds = []struct{ kind, value, differs string }{
	{"tinyint", "-128", ""}, {"tinyint unsigned", "255", ""}, {"tinyint(1)", "2", ""}, {"boolean", "true", ""},
	{"smallint unsigned", "65535", ""}, {"mediumint", "-8388608", ""}, {"mediumint unsigned", "16777215", ""},
	{"int", "-2147483648", ""}, {"int unsigned", "4294967295", ""}, {"bigint", "-9223372036854775808", ""},
	{"bigint unsigned", "18446744073709551615", ""}, {"year", "2024", `["date","2024-01-01"]`},
	{"bit(1)", "b'1'", `["varchar","b'1'"]`},
	{"bit(10)", "b'1000000001'", `["varchar","b'1000000001'"]`}, {"decimal(10,2)", "-12345678.90", ""},
	{"decimal(38,10)", "1234567890123456789012345678.0123456789", ""}, {"decimal(65,30)", "1.5", ""},
	{"decimal(10,2) unsigned", "1.25", ""}, {"float", "1.5", ""}, {"double", "0.1", ""}, {"char(4)", "'ab'", ""},
	{"varchar(20)", "'zażółć ☃'", ""}, {"tinytext", "'a'", ""}, {"text", "'a'", ""}, {"mediumtext", "'a'", ""},
	{"longtext", "'a'", ""}, {"enum('a','B')", "'B'", `["varchar(1)","B"]`},
	{"set('a','b')", "'a,b'", `["varchar(3)","a,b"]`},
	{"json", `'{"a": [1, 2.50]}'`, ""},
	{"uuid", "'f47ac10b-58cc-4372-a567-0e02b2c3d479'", `["varchar","f47ac10b-58cc-4372-a567-0e02b2c3d479"]`},
	{"inet6", "'::1'", ""}, {"binary(3)", "x'00ff'", ""},
	{"varbinary(10)", "x'00ff'", ""}, {"blob", "x'00ff'", ""}, {"date", "'2024-02-29'", ""},
	{"datetime", "'9999-12-31 23:59:59'", ""}, {"datetime(3)", "'1969-12-31 23:59:59.5'", ""},
	{"datetime(6)", "'2024-03-31 02:30:00.123456'", ""},
	{"timestamp NULL", "'2024-02-29 12:34:56'", `["timestamp(0)","2024-02-29 12:34:56"]`},
	{"timestamp(6) NULL", "'2024-02-29 12:34:56.789012'", `["timestamp(6)","2024-02-29 12:34:56.789012"]`},
	{"time", "'12:34:56'", ""},
	{"time(6)", "'-838:59:59'", ""}, {"point", "ST_GeomFromText('POINT(1 2)')", `["varchar",`},
	{"date", "'0000-00-00'", `["date",null],["date",null]`},
	{"datetime", "'0000-00-00 00:00:00'", `["timestamp(0)",null],["timestamp(0)",null]`},
	{"timestamp NULL", "'0000-00-00 00:00:00'", `["timestamp(0)",null],["timestamp(0)",null]`},
	{"date", "'2024-02-00'", "DayOfMonth"},
}

// TestDynamicTypes: the cluster reads the values of MariaDB that the gateway reads, except as listed.
func TestDynamicTypes(t *testing.T) {
	o := trinotest.Secure(t, t.TempDir())
	admin, reader := testdb.MariaDB(t, "dynamic_types", "dynamic_other")
	admin.MultiStatements = true
	db, err := sql.Open("mysql", admin.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var columns, values []string
	for i, k := range mysqlKinds {
		columns = append(columns, fmt.Sprintf("c%d %s", i, k.kind))
		values = append(values, k.value)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE dynamic_types CHARACTER SET utf8mb4; "+
		"CREATE DATABASE dynamic_other; CREATE TABLE dynamic_other.t(id int); "+
		"SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'; CREATE TABLE dynamic_types.Kinds(id int, "+
		strings.Join(columns, ", ")+"); INSERT INTO dynamic_types.Kinds VALUES (1, "+strings.Join(values, ", ")+
		"); INSERT INTO dynamic_types.Kinds(id) VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(reader.Addr)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := openClustered(t, o, dir)
	id, _ := c.project("near", "MYSQL", credentialOf(t, host, port, reader.User, reader.Passwd, "dynamic_types"))
	const all = "SELECT typeof(c%[1]d) AS type, c%[1]d FROM db.dynamic_types.kinds ORDER BY id"
	read := func() (out []string) {
		for i := range mysqlKinds {
			_, got := c.ask(id, fmt.Sprintf(all, i))
			out = append(out, got)
		}
		return out
	}
	here := read()
	if err := c.g.Close(); err != nil {
		t.Fatal(err)
	}
	o.Dynamic = true
	c = openClustered(t, o, dir)
	defer func() {
		if err := c.g.Close(); err != nil {
			t.Error(err)
		}
	}()
	for i, got := range read() {
		if k := mysqlKinds[i]; k.differs == "" && got != here[i] || !strings.Contains(got, k.differs) {
			t.Errorf("%s %s: the cluster reads\n%s\nthe gateway\n%s", k.kind, k.value, got, here[i])
		}
	}
	if made := c.made(); len(made) != 1 {
		t.Error(made)
	}
	if status, got := c.ask(id, "SELECT * FROM db.dynamic_other.t"); status != 400 {
		t.Errorf("another database: %d %s", status, got)
	}
}
