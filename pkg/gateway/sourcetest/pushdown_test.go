package sourcetest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// The statements that the server receives are read from its log; the rows are compared with those of the server's
// program.
func TestPostgresPushdown(t *testing.T) {
	pg := postgres(t)
	pg.run(t, `DROP SCHEMA IF EXISTS push CASCADE; CREATE SCHEMA push; CREATE TYPE push.mood AS ENUM ('sad', 'ok');
CREATE COLLATION push.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE push.t AS SELECT g AS id, 'name ' || g AS name, (g / 4.0)::numeric(10,2) AS amount, date '2024-01-01' + g AS d, timestamptz '2024-01-01Z' + g * interval '1 hour' AS ts,
  (CASE WHEN g % 2 = 0 THEN 'sad' ELSE 'ok' END)::push.mood AS mood, g % 3 = 0 AS flag, g / 3.0::float8 AS f, ('c' || g % 3)::char(5) AS c, (CASE WHEN g % 2 = 0 THEN 'Abc' ELSE 'abc' END) COLLATE push.ci AS folded,
  md5(g::text)::uuid AS u, g::numeric AS free, CASE WHEN g % 5 <> 0 THEN g END AS gap, '10.0.0.1'::inet AS ip FROM generate_series(1, 1000) g;`)
	z := open(t, pg)
	for _, c := range []struct{ sql, sent string }{
		{`SELECT id FROM %s WHERE id = 7`, `SELECT "id" FROM "push"."t" WHERE "id" = $1::text::pg_catalog."int4"`},
		{`SELECT name FROM %s WHERE id BETWEEN 5 AND 7 AND amount > {DECIMAL }'1.30'`, `SELECT "id", "name", ` +
			`"amount" FROM "push"."t" WHERE "id" >= $1::text::pg_catalog."int4" AND "id" <= ` +
			`$2::text::pg_catalog."int4" AND "amount" > $3::text::pg_catalog."numeric"`},
		{`SELECT id FROM %s WHERE name = 'name 5' OR name = 'name 6'`, `"name" IN ($1::text::text, $2::text::text)`},
		{`SELECT count(*) FROM %s WHERE name LIKE 'name 1%%' AND name <> 'name 1'`,
			`"name" COLLATE "C" LIKE $1::text::text ESCAPE '' AND "name" COLLATE "C" <> $2::text::text`},
		{`SELECT count(*) FROM %s WHERE folded[ COLLATE "C"] = 'abc'`, `"folded" = $1::text::text`},
		{`SELECT count(*) FROM %s WHERE folded[ COLLATE "C"] <> 'abc'`, `"folded" COLLATE "C" <> $1::text::text`},
		{`SELECT count(*) FROM %s WHERE folded[ COLLATE "C"] LIKE 'a%%'`,
			`"folded" COLLATE "C" LIKE $1::text::text ESCAPE ''`},
		{`SELECT id FROM %s WHERE d < DATE '2024-01-05' ORDER BY id`, `"d" < $1::text::pg_catalog."date"`},
		{`SELECT count(*) FROM %s WHERE ts >= TIMESTAMP '2024-02-01 00:00:00 UTC'`,
			`"ts" >= $1::text::pg_catalog."timestamptz"`},
		{`SELECT count(*) FROM %s WHERE mood = 'sad' AND flag`,
			`"mood"::text COLLATE "C" = $1::text::text AND "flag" = $2::text::pg_catalog."bool"`},
		{`SELECT count(*) FROM %s WHERE mood[::text] <> 'nonsense'`, `"mood"::text COLLATE "C" <> $1::text::text`},
		{`SELECT count(*) FROM %s WHERE f > 1.5 AND gap IS NOT NULL`,
			`"f" > $1::text::pg_catalog."float8" AND "gap" IS NOT NULL`},
		{`SELECT count(*) FROM %s`, `SELECT count(*) FROM (SELECT  FROM "push"."t") t`},
		{`SELECT count(*) FROM %s WHERE gap IS NULL`, `SELECT "gap" FROM "push"."t" WHERE "gap" IS NULL`},
		{`SELECT count(*) FROM %s WHERE gap NOT IN (1, 2)`,
			`"gap" NOT IN ($1::text::pg_catalog."int4", $2::text::pg_catalog."int4")`},
		{`SELECT id FROM %s WHERE u = UUID '1679091c-5a88-0faf-6fb5-e6087eb1b2dc'`,
			`"u" = $1::text::pg_catalog."uuid"`},
		{`SELECT count(*) FROM %s WHERE free[::text] = '7'`, `"free"::text COLLATE "C" = $1::text::text`},
		{`SELECT count(*) FROM %s WHERE c = 'c1   '`, `"c" = $1::text::pg_catalog."bpchar"`},
		{`SELECT count(*) FROM %s WHERE id + 1 = 8`, `SELECT "id" FROM "push"."t"` + "\n"},
		{`SELECT count(*) FROM %s WHERE id = 3000000000`, `SELECT "id" FROM "push"."t"` + "\n"},
		{`SELECT count(*) FROM (SELECT id FROM %s LIMIT 3) x`, `SELECT "id" FROM "push"."t" LIMIT 3`},
		{`SELECT count(*) FROM (SELECT * FROM %s WHERE id > 10 {OFFSET 2 LIMIT 4}[LIMIT 4 OFFSET 2]) x`,
			`WHERE "id" > $1::text::pg_catalog."int4" LIMIT 6`},
		{`SELECT count(*) FROM (SELECT id FROM %s WHERE name = 'name 5' LIMIT 1) x`, `WHERE "name" = $1::text::text` +
			"\n"},
		{`SELECT id FROM (SELECT id FROM %s ORDER BY id DESC LIMIT 3) x ORDER BY id`, `SELECT "id" FROM "push"."t"` +
			"\n"},
	} {
		pushed(t, z, pg, c.sql, "push.t", c.sent)
	}
	// The text of an inet in the engine differs from the server's cast to text.
	if got := z.query(t, `SELECT count(*) FROM pg.push.t WHERE ip = '10.0.0.1'`,
		api.Compact); *got.rows[0][0] != "1000" {
		t.Errorf("inet: %s rows", *got.rows[0][0])
	}
}

func TestMariaDBPushdown(t *testing.T) {
	db := mariadb(t)
	db.run(t,
		`DROP DATABASE IF EXISTS push; CREATE DATABASE push CHARACTER SET utf8mb4; USE push; CREATE TABLE push.t(id int PRIMARY KEY, name varchar(50) COLLATE utf8mb4_general_ci, bin varchar(50) COLLATE utf8mb4_bin, old varchar(50) CHARACTER SET latin1,
  amount decimal(10,2), d date, dt datetime(3), ts timestamp(6) NULL, f double, flag bit(1), kind enum('a','B'), gap int, y year, big bigint unsigned, padded varchar(20));
INSERT INTO push.t SELECT seq, IF(seq % 2 = 0, 'Abc', 'abc'), CONCAT('name ', seq), CONCAT('n', seq), seq / 4, date '2024-01-01' + INTERVAL seq DAY, timestamp '2024-01-01 00:00:00' + INTERVAL seq HOUR,
  timestamp '2024-01-01 00:00:00' + INTERVAL seq HOUR, seq / 3, seq % 3 = 0, IF(seq % 2 = 0, 'a', 'B'), IF(seq % 5 <> 0, seq, NULL), 1970 + seq % 100, 18446744073709551615 - seq, IF(seq % 2 = 0, 'x', 'x  ') FROM seq_1_to_1000;`)
	z := open(t, db)
	for _, c := range []struct{ sql, sent string }{
		{`SELECT id FROM %s WHERE id = 7`, "SELECT `id` FROM `push`.`t` WHERE `id` = 7"},
		{`SELECT d FROM %s WHERE id BETWEEN 5 AND 7 AND amount > 1.30`,
			"SELECT `id`, `amount`, `d` FROM `push`.`t` WHERE `id` >= 5 AND `id` <= 7 AND `amount` > 1.30"},
		{`SELECT count(*) FROM %s`, "SELECT count(*) FROM (SELECT 1 FROM `push`.`t`) t"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]name = 'abc'`, "WHERE `name` = 'abc'"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]name <> 'abc'`,
			"WHERE CAST(CONVERT(`name` USING utf8mb4) AS BINARY) <> CAST('abc' AS BINARY)"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]padded <> 'x'`,
			"WHERE CAST(CONVERT(`padded` USING utf8mb4) AS BINARY) <> CAST('x' AS BINARY)"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]padded = 'x'`, "WHERE `padded` = 'x'"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]name NOT IN ('abc', 'x')`,
			"NOT IN (CAST('abc' AS BINARY), CAST('x' AS BINARY))"},
		{`SELECT count(*) FROM %s WHERE bin LIKE 'name 1%%'`, "WHERE `bin` LIKE 'name 1%'"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]name LIKE 'a%%'`, "WHERE `name` LIKE 'a%'"},
		{`SELECT count(*) FROM %s WHERE old = 'n5'`, "WHERE `old` = 'n5'"},
		{`SELECT count(*) FROM %s WHERE old = 'ä'`, "SELECT `old` FROM `push`.`t`\n"},
		{`SELECT count(*) FROM %s WHERE bin = 'it''s'`, "WHERE `bin` = 'it''s'"},
		{`SELECT count(*) FROM %s WHERE bin > 'name 5'`, "SELECT `bin` FROM `push`.`t`\n"},
		{`SELECT id FROM %s WHERE d < DATE '2024-01-05' ORDER BY id`, "WHERE `d` < '2024-01-05'"},
		{`SELECT count(*) FROM %s WHERE dt >= TIMESTAMP '2024-02-01 00:00:00.5'`,
			"WHERE `dt` >= '2024-02-01 00:00:00.5'"},
		{`SELECT count(*) FROM %s WHERE ts < TIMESTAMP '2024-02-01 00:00:00{ UTC}'`,
			"WHERE `ts` < '2024-02-01 00:00:00'"},
		{`SELECT count(*) FROM %s WHERE f > 1.5 AND gap IS NOT NULL`, "WHERE `f` > 1.5e+00 AND `gap` IS NOT NULL"},
		{`SELECT count(*) FROM %s WHERE flag = TRUE`, "WHERE `flag` = 1"},
		{`SELECT count(*) FROM %s WHERE [BINARY ]kind = 'b'`, "WHERE `kind` = 'b'"},
		{`SELECT count(*) FROM %s WHERE gap IS NULL`, "WHERE `gap` IS NULL"},
		{`SELECT count(*) FROM %s WHERE y = 2024`, "SELECT `y` FROM `push`.`t`\n"},
		{`SELECT count(*) FROM %s WHERE big >= {DECIMAL }'18446744073709551610'`,
			"WHERE `big` >= 18446744073709551610"},
		{`SELECT count(*) FROM (SELECT id FROM %s LIMIT 3) x`, "SELECT `id` FROM `push`.`t` LIMIT 3"},
		{`SELECT count(*) FROM (SELECT id FROM %s WHERE id > 10 {OFFSET 2 LIMIT 4}[LIMIT 4 OFFSET 2]) x`,
			"WHERE `id` > 10 LIMIT 6"},
		{`SELECT count(*) FROM (SELECT id FROM %s WHERE bin = 'name 5' LIMIT 1) x`, "WHERE `bin` = 'name 5'\n"},
	} {
		pushed(t, z, db, c.sql, "push.t", c.sent)
	}
}

var (
	forServer = regexp.MustCompile(`\[([^]]*)\]`)
	forUs     = regexp.MustCompile(`\{([^}]*)\}`)
	lineEnds  = regexp.MustCompile(`(?m)[ \t]*$`)
)

// pushed runs a statement with a table for %s in the gateway and at the server, compares the rows, and searches the log
// for the text that must have been sent. Text in brackets is for the server alone, whose collations treat more texts as
// equal; in braces, for the gateway.
func pushed(t *testing.T, z zone, s server, sql, name, sent string) {
	t.Helper()
	sql = strings.ReplaceAll(sql, "%%", "%")
	ours := strings.ReplaceAll(forUs.ReplaceAllString(forServer.ReplaceAllString(sql, ""), "$1"), "%s", s.catalog+"."+
		name)
	theirs := strings.ReplaceAll(forUs.ReplaceAllString(forServer.ReplaceAllString(sql, "$1"), ""), "%s", name)
	var got table
	log := s.logged(t, func() { got = z.query(t, ours, api.Compact) })
	var lines []string
	for _, r := range got.rows {
		var cells []string
		for i, v := range r {
			cells = append(cells, printed(*v, got.types[i]))
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	if want := s.run(t, theirs+";"); strings.Join(lines, "\n") != want {
		t.Errorf("%s\n gives %q\n the server %q", ours, strings.Join(lines, "\n"), want)
	}
	if !strings.Contains(lineEnds.ReplaceAllString(log, "")+"\n", sent) {
		var seen []string
		for _, l := range strings.Split(log, "\n") {
			if strings.Contains(l, "push") && !strings.Contains(l, "pg_class") &&
				!strings.Contains(l, "information_schema") {
				seen = append(seen, l)
			}
		}
		t.Errorf("%s\n want at the server: %s\n its log shows: %s", ours, sent, strings.Join(seen, "\n"))
	}
}
