package sourcetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The tables of the catalogs that zone local and a Trino read. Values that no Trino reads, such as infinite dates, are
// not in them, and neither are names with capitals, of which Trino prints small letters, nor times of MariaDB with a
// fraction, whose precision the connector does not see.
const postgresTables = `
DROP SCHEMA IF EXISTS witness CASCADE;
CREATE SCHEMA witness;
CREATE TYPE witness.mood AS ENUM ('sad', 'ok', 'glad');
CREATE TABLE witness.kinds(
	id int PRIMARY KEY, b boolean, i2 smallint, i8 bigint, f4 real, f8 double precision, n numeric(10,2), big numeric(38,10), t text, v varchar(10), c char(5),
	d date, ts timestamp, t0 timestamp(0), t3 timestamptz(3), tz timestamptz, ti time, u uuid, j jsonb, bs bytea, m witness.mood);
INSERT INTO witness.kinds VALUES
	(1, true, 1, 1, 1.5, 1.5, 10.50, 1.0000000001, 'Ada', 'x', 'ab', '2024-02-29', '2024-02-29 12:00:00.123456', '2024-02-29 12:00:00.123456', '2024-03-31 02:30:00+02', '2024-03-31 02:30:00+02', '12:00:00.5', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1, 2]}', '\x00ff27', 'sad'),
	(2, false, -32768, -9223372036854775808, -0.1, -0.1, -0.05, -1234567890123456789012345678.5, 'ada', 'X ', 'AB', '1969-12-31', '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999+00', '1969-12-31 23:59:59.999999+00', '00:00:00', '00000000-0000-0000-0000-000000000000', 'null', '', 'ok'),
	(3, NULL, 32767, 9223372036854775807, 3.4028235e38, 1.7976931348623157e308, 99999999.99, 0, '', '', '', '9999-12-31', '9999-12-31 23:59:59', '9999-12-31 23:59:59', '2024-10-27 02:30:00+02', '2024-10-27 02:30:00+02', '23:59:59.999999', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '"text"', '\x61', 'glad'),
	(4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(5, true, 0, 0, 0, 0, 0, 0, 'Émile', 'É', 'é', '2000-01-01', '2000-01-01', '2000-01-01', '2000-01-01 00:00:00+00', '2000-01-01 00:00:00+00', '12:00:00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', '1.50', '\x62', 'sad'),
	(6, true, 2, 2, 'NaN', 'NaN', 2.5, 2.5, 'a_b%c', 'a''b', 'a b', '1582-10-15', '1582-10-15 00:00:00', '1582-10-15 00:00:00', '1900-01-01 00:00:00+05:30', '1900-01-01 00:00:00+05:30', '01:02:03', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13', '[]', '\x63', 'ok'),
	(7, false, 3, 3, '-Infinity', 'Infinity', 3, 3, 'z', 'z', 'z', '0001-01-01', '0001-01-01 00:00:00', '0001-01-01 00:00:00', '1900-01-01 00:00:00+00', '0001-01-01 00:00:00+00', '00:00:00.000001', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a14', '{}', '\x64', 'glad'),
	(8, false, 4, 4, '-0', '-0', 4, 4, '東京', '東', '東', '2024-12-31', '2024-12-31 23:59:59.9', '2024-12-31 23:59:59.9', '2024-12-31 23:59:59.9+00', '2024-12-31 23:59:59.9+00', '05:00:00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a15', '"é"', '\xe69db1', NULL);
CREATE TABLE witness.other(id int, k text, amount numeric, days int[], span interval, ip inet);
INSERT INTO witness.other VALUES (1, 'Ada', 1.10, '{1,NULL,3}', '1 day', '10.0.0.1/8'), (2, 'ada', 100, '{}', '1 year', '::1'), (2, NULL, NULL, NULL, NULL, NULL), (9, 'z', 0.001, '{5}', '-00:00:01', '10.0.0.1');
CREATE TABLE witness."Mixed Case"("id" int, "a b" text, "select" int);
INSERT INTO witness."Mixed Case" VALUES (1, 'x', 7), (2, 'y', 8);
CREATE TABLE witness.empty(id int, t text);
CREATE VIEW witness.seen AS SELECT id, t, n FROM witness.kinds WHERE id < 4;
`

const mariaTables = `
CREATE DATABASE witness CHARACTER SET utf8mb4;
CREATE TABLE witness.kinds(
	id int PRIMARY KEY, b bit(1), i2 smallint, i8 bigint, f4 float, f8 double, n decimal(10,2), big decimal(38,10), t text, v varchar(10), c char(5),
	d date, ts datetime, t0 datetime, tz timestamp NULL, bs varbinary(10), m enum('sad', 'ok', 'glad'));
INSERT INTO witness.kinds VALUES
	(1, 1, 1, 1, 1.5, 1.5, 10.50, 1.0000000001, 'Ada', 'x', 'ab', '2024-02-29', '2024-02-29 12:00:00', '2024-02-29 12:00:00', '2024-03-31 00:30:00', x'00ff27', 'sad'),
	(2, 0, -32768, -9223372036854775808, -0.1, -0.1, -0.05, -1234567890123456789012345678.5, 'ada', 'X ', 'AB', '1969-12-31', '1969-12-31 23:59:59', '1969-12-31 23:59:59', '1970-01-02 00:00:00', '', 'ok'),
	(3, NULL, 32767, 9223372036854775807, 3.4e38, 1.7976931348623157e308, 99999999.99, 0, '', '', '', '9999-12-31', '9999-12-31 23:59:59', '9999-12-31 23:59:59', '2024-10-27 00:30:00', 'a', 'glad'),
	(4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(5, 1, 0, 0, 0, 0, 0, 0, 'Émile', 'É', 'é', '2000-01-01', '2000-01-01', '2000-01-01', '2000-01-01', 'b', 'sad'),
	(6, 1, 2, 2, 0.25, 2.5, 2.5, 2.5, 'a_b%c', 'a''b', 'a b', '1582-10-15', '1582-10-15 00:00:00', '1582-10-15 00:00:00', '2038-01-01', 'c', 'ok'),
	(7, 0, 3, 3, 1e-30, 1e300, 3, 3, 'z', 'z', 'z', '1000-01-01', '1000-01-01 00:00:00', '1000-01-01 00:00:00', '2001-01-01', 'd', 'glad'),
	(8, 0, 4, 4, -4, -4, 4, 4, '東京', '東', '東', '2024-12-31', '2024-12-31 23:59:59', '2024-12-31 23:59:59', '2024-12-31 23:59:59', x'e69db1', NULL);
CREATE TABLE witness.other(id int, k text, amount decimal(5,3), l longtext, s smallint unsigned, u int unsigned, w bigint unsigned, x tinyint(1));
INSERT INTO witness.other VALUES (1, 'Ada', 1.10, 'l', 65535, 4294967295, 18446744073709551615, 1), (2, 'ada', 10, '', 0, 0, 0, 0), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (9, 'z', 0.001, 'é', 1, 1, 1, 127);
CREATE TABLE witness.lower_case(id int, ` + "`a b`" + ` text, ` + "`select`" + ` int);
CREATE TABLE witness.empty(id int, t text);
CREATE VIEW witness.seen AS SELECT id, t, n FROM witness.kinds WHERE id < 4;
`

// witnessColumns are the columns of the table kinds, with values to compare them with.
var witnessColumns = map[string][]string{
	"b": {"true"}, "i2": {"SMALLINT '3'", "100000", "2.5"}, "i8": {"9223372036854775807", "0", "1e0"},
	"f4": {"REAL '-0.1'", "DOUBLE '-0.1'", "0", "nan()"}, "f8": {"-0.1", "DOUBLE '-0.1'", "0e0", "nan()", "infinity()"},
	"n": {"10.5", "2.500", "DECIMAL '-0.05'", "3", "2.5e0"}, "big": {"0", "1.0000000001",
		"-1234567890123456789012345678.5"}, "t": {"'Ada'", "'ada'", "''", "'b'", "'Z'", "'É'"},
	"v": {"'x'", "'X'", "'X '", "''"},
	"c": {"'ab'", "'ab   '", "''", "'é'", "CHAR 'ab'"}, "d": {"DATE '2024-02-29'", "DATE '1969-12-31'",
		"TIMESTAMP '2000-01-01 00:00:00'"}, "ts": {"TIMESTAMP '1969-12-31 23:59:59.999999'",
		"TIMESTAMP '2024-02-29 12:00:00.1234567'", "DATE '2000-01-01'"},
	"tz": {"TIMESTAMP '2024-03-31 00:30:00 UTC'", "TIMESTAMP '2024-10-27 02:30:00 Europe/Berlin'"},
	"t0": {"TIMESTAMP '2024-02-29 12:00:00'", "TIMESTAMP '2024-02-29 12:00:00.5'", "DATE '2000-01-01'"},
	"t3": {"TIMESTAMP '2024-03-31 00:30:00.000 UTC'"}, "ti": {"TIME '12:00:00'", "TIME '12:00:00.5'"},
	"u": {"UUID 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'"}, "bs": {"X'00ff27'", "X''"}, "m": {"'ok'", "'other'"},
}

// witnessStatements returns statements over the tables of a catalog: each kind of column as a result, in each
// comparison, in order and in groups, and what may be sent to the server: joins, limits, patterns and functions.
func witnessStatements(catalog string) []string {
	columns := maps.Clone(witnessColumns)
	if catalog == "maria" {
		for _, c := range []string{"ti", "u", "t3"} {
			delete(columns, c)
		}
	}
	var list []string
	add := func(sql string, a ...any) { list = append(list, fmt.Sprintf(sql, a...)) }
	add("SELECT * FROM pg.witness.kinds ORDER BY id")
	for _, c := range slices.Sorted(maps.Keys(columns)) {
		add("SELECT %s FROM pg.witness.kinds ORDER BY id", c)
		add("SELECT id, %[1]s FROM pg.witness.kinds ORDER BY %[1]s, id", c)
		add("SELECT id, %[1]s FROM pg.witness.kinds ORDER BY %[1]s DESC NULLS FIRST, id LIMIT 4", c)
		add("SELECT id FROM pg.witness.kinds WHERE %s IS NULL ORDER BY id", c)
		add("SELECT id FROM pg.witness.kinds WHERE %s IS NOT NULL ORDER BY id", c)
		add("SELECT count(%[1]s), count(DISTINCT %[1]s) FROM pg.witness.kinds", c)
		add("SELECT %[1]s, count(*) FROM pg.witness.kinds GROUP BY %[1]s ORDER BY %[1]s", c)
		add("SELECT a.id, b.id FROM pg.witness.kinds a JOIN pg.witness.kinds b ON a.%[1]s = b.%[1]s ORDER BY 1, 2", c)
		add("SELECT a.id, b.id FROM pg.witness.kinds a LEFT JOIN pg.witness.kinds b ON a.%[1]s = b.%[1]s AND b.id < "+
			"3 ORDER BY 1, 2", c)
		add("SELECT DISTINCT %[1]s FROM pg.witness.kinds WHERE id < 6 ORDER BY 1", c)
		if c != "b" {
			add("SELECT min(%[1]s), max(%[1]s) FROM pg.witness.kinds", c)
			add("SELECT min(%[1]s), max(%[1]s) FROM pg.witness.kinds WHERE id NOT IN (6, 7)", c)
		}
		add("SELECT id, lag(%[1]s) OVER (ORDER BY id) FROM pg.witness.kinds ORDER BY id", c)
		add("SELECT CAST(%[1]s AS varchar) FROM pg.witness.kinds ORDER BY id", c)
		add("SELECT typeof(%[1]s) FROM pg.witness.kinds WHERE id = 1", c)
		for _, v := range columns[c] {
			for _, op := range []string{"=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"} {
				add("SELECT id FROM pg.witness.kinds WHERE %s %s %s ORDER BY id", c, op, v)
			}
			add("SELECT id FROM pg.witness.kinds WHERE %[1]s IN (%[2]s, NULL) ORDER BY id", c, v)
			add("SELECT id FROM pg.witness.kinds WHERE %[1]s NOT IN (%[2]s) ORDER BY id", c, v)
			add("SELECT id FROM pg.witness.kinds WHERE NOT (%[1]s = %[2]s) OR id = 4 ORDER BY id", c, v)
			add("SELECT id FROM pg.witness.kinds WHERE %[2]s BETWEEN %[1]s AND %[1]s ORDER BY id", c, v)
			add("SELECT id, coalesce(%[1]s, %[2]s) FROM pg.witness.kinds ORDER BY id", c, v)
		}
	}
	for _, c := range []string{"i2", "i8", "f4", "f8", "n", "big"} {
		add("SELECT sum(%[1]s), avg(%[1]s) FROM pg.witness.kinds WHERE id IN (1, 5, 8)", c)
		add("SELECT sum(%[1]s) FROM pg.witness.kinds", c)
		add("SELECT id, %[1]s + 1, %[1]s / 3 FROM pg.witness.kinds WHERE id IN (1, 5, 8) ORDER BY id", c)
	}
	for _, like := range []string{"'A%'", "'a%'", "'%d_'", "'%'", "''", "'a_b%'", `'a\_b\%%' ESCAPE '\'`, "'É%'",
		"'%京'", "'_'", "'__'"} {
		for _, c := range []string{"t", "v", "c", "m"} {
			add("SELECT id FROM pg.witness.kinds WHERE %s LIKE %s ORDER BY id", c, like)
			add("SELECT id FROM pg.witness.kinds WHERE %s NOT LIKE %s ORDER BY id", c, like)
		}
	}
	for _, sql := range []string{
		"SELECT * FROM pg.witness.other ORDER BY id, k", "SELECT * FROM pg.witness.seen ORDER BY id",
		"SELECT * FROM pg.witness.empty", "SELECT count(*), max(t) FROM pg.witness.empty",
		`SELECT * FROM pg.witness."Mixed Case" ORDER BY 1`,
		`SELECT "a b", "select" FROM pg.witness."mixed case" ORDER BY "Id" DESC`,
		`SELECT x."Id" FROM pg.witness."MIXED CASE" x WHERE x."A B" = 'y'`,
		"SELECT k.id, o.k, o.amount FROM pg.witness.kinds k LEFT JOIN pg.witness.other o ON k.id = o.id ORDER BY 1, 2",
		"SELECT k.id, o.id FROM pg.witness.kinds k FULL JOIN pg.witness.other o ON k.t = o.k ORDER BY 1, 2",
		"SELECT id FROM pg.witness.kinds WHERE t IN (SELECT k FROM pg.witness.other) ORDER BY id",
		"SELECT id FROM pg.witness.kinds WHERE t NOT IN (SELECT k FROM pg.witness.other) ORDER BY id",
		"SELECT id FROM pg.witness.kinds WHERE t NOT IN (SELECT k FROM pg.witness.other WHERE k IS NOT NULL) " +
			"ORDER BY id", "SELECT id FROM pg.witness.kinds k WHERE EXISTS (SELECT 1 FROM pg.witness.other o WHERE " +
			"o.id = k.id) ORDER BY id",
		"SELECT k.t, r.name FROM pg.witness.kinds k JOIN (VALUES (1, CAST('one' AS varchar)), (5, 'five')) " +
			"r(regionkey, name) ON k.id = r.regionkey ORDER BY 1, 2",
		"SELECT t FROM pg.witness.kinds UNION SELECT k FROM pg.witness.other ORDER BY 1",
		"SELECT t FROM pg.witness.kinds EXCEPT SELECT k FROM pg.witness.other ORDER BY 1",
		"SELECT id, t FROM pg.witness.kinds ORDER BY id LIMIT 3",
		"SELECT id FROM pg.witness.kinds ORDER BY t NULLS FIRST, id OFFSET 2 LIMIT 3",
		"SELECT id FROM pg.witness.kinds ORDER BY id FETCH FIRST 2 ROWS ONLY",
		"SELECT b, count(*) FILTER (WHERE n > 0), sum(n) FROM pg.witness.kinds GROUP BY b HAVING count(*) > 1 " +
			"ORDER BY b",
		"SELECT id, json_extract_scalar(j, '$.a[1]') FROM pg.witness.kinds ORDER BY id",
		"SELECT id, json_format(j) FROM pg.witness.kinds ORDER BY id",
		"SELECT id, length(t), upper(t), reverse(t) FROM pg.witness.kinds ORDER BY id",
		"SELECT id, length(c), c || '|', length(v), v || '|' FROM pg.witness.kinds ORDER BY id",
		"SELECT id FROM pg.witness.kinds WHERE lower(t) = 'ada' ORDER BY id",
		"SELECT id FROM pg.witness.kinds WHERE length(c) = 5 ORDER BY id",
		"SELECT id, year(d), day_of_week(d), d + INTERVAL '1' MONTH FROM pg.witness.kinds ORDER BY id",
		"SELECT id, date_trunc('hour', ts), ts + INTERVAL '1' DAY FROM pg.witness.kinds WHERE id <> 3 ORDER BY id",
		"SELECT id, tz AT TIME ZONE 'Europe/Berlin' FROM pg.witness.kinds ORDER BY id",
		"SELECT id, to_hex(bs), length(bs) FROM pg.witness.kinds ORDER BY id",
		"SELECT listagg(t, ',') WITHIN GROUP (ORDER BY id) FROM pg.witness.kinds",
		"SELECT id, rank() OVER (ORDER BY n DESC) FROM pg.witness.kinds WHERE n IS NOT NULL ORDER BY id",
		"SELECT id, sum(n) OVER (PARTITION BY b ORDER BY id) FROM pg.witness.kinds ORDER BY id",
		"WITH x AS (SELECT id, n FROM pg.witness.kinds WHERE n > 0) SELECT a.id, b.id FROM x a JOIN x b ON a.n < b.n " +
			"ORDER BY 1, 2", "SELECT id FROM pg.witness.kinds WHERE id > 2 AND (t LIKE 'É%' OR n > 100) ORDER BY id",
		"SELECT id FROM pg.witness.kinds WHERE CASE WHEN b THEN n ELSE 0 END > 1 ORDER BY id",
		"SELECT id FROM pg.witness.kinds WHERE n = (SELECT max(n) FROM pg.witness.kinds)",
		"SELECT id FROM pg.witness.kinds WHERE id = 1 OR id = 1.0 OR id = 8e0 ORDER BY id",
		"SELECT nosuch FROM pg.witness.kinds", "SELECT * FROM pg.witness.nosuch", "SELECT * FROM pg.nosuch.kinds",
		"SELECT * FROM nosuch.witness.kinds", "SELECT id FROM pg.witness.kinds WHERE t = 1",
		"SELECT 1 / i2 FROM pg.witness.kinds WHERE id = 5",
		"SELECT i8 + 1 FROM pg.witness.kinds WHERE id = 3",
		"SELECT CAST(t AS bigint) FROM pg.witness.kinds WHERE id = 1", "SELECT d > t FROM pg.witness.kinds",
		"SELECT sum(t) FROM pg.witness.kinds", "SELECT id FROM pg.witness.kinds WHERE u = 'x'",
		"SHOW TABLES FROM pg.witness", "SHOW CREATE TABLE pg.witness.kinds", "SHOW CREATE TABLE pg.witness.other",
		"SHOW COLUMNS FROM pg.witness.kinds", `SHOW COLUMNS FROM pg.witness."mixed case"`,
		"SELECT table_name, table_type FROM pg.information_schema.tables WHERE table_schema = 'witness' ORDER BY 1",
		"SELECT column_name, ordinal_position, is_nullable FROM pg.information_schema.columns WHERE table_schema = " +
			"'witness' AND table_name = 'kinds' ORDER BY 2",
	} {
		add("%s", sql)
	}
	if catalog == "maria" {
		list = slices.DeleteFunc(list, func(sql string) bool {
			return strings.Contains(sql, "j)") || strings.Contains(sql, "(j,") || strings.Contains(sql, "WHERE u =")
		})
	}
	for i, sql := range list {
		list[i] = strings.ReplaceAll(sql, "pg.", catalog+".")
	}
	return list
}
