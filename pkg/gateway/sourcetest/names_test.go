package sourcetest

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// Names in SQL are case-insensitive, while those of servers are case-sensitive. A table that is hidden by another one
// is rejected by name, never confused with it; ambiguous columns are rejected too.
func TestNamesThatDifferInCase(t *testing.T) {
	for name, c := range map[string]struct {
		server func(*testing.T) server
		setup  string
	}{
		"postgres": {postgres,
			`DROP SCHEMA IF EXISTS cased CASCADE; CREATE SCHEMA cased; SET search_path = cased; CREATE TABLE pair(a int); CREATE TABLE "Pair"(b int); INSERT INTO pair VALUES (1); INSERT INTO "Pair" VALUES (2);
CREATE TABLE "ONE"(a int); CREATE TABLE "One"(a int); CREATE TABLE "Alone"(a int); INSERT INTO "Alone" VALUES (3); CREATE TABLE twins(id int, "Id" int); CREATE TABLE bare();`},
		"mariadb": {mariadb, "DROP DATABASE IF EXISTS cased; CREATE DATABASE cased; USE cased; CREATE TABLE pair(a " +
			"int); CREATE TABLE `Pair`(b int); INSERT INTO pair VALUES (1); INSERT INTO `Pair` VALUES (2);" +
			"CREATE TABLE `ONE`(a int); CREATE TABLE `One`(a int); CREATE TABLE `Alone`(a int); INSERT INTO `Alone` " +
			"VALUES (3);"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.server(t)
			s.run(t, c.setup)
			z := open(t, s)
			for _, q := range []struct{ sql, want, fails string }{
				{"SELECT a FROM %.cased.pair", "1", ""},
				{"SELECT a FROM %.CASED.PAIR", "1", ""},
				{`SELECT * FROM %.cased."Pair"`, "", "'" + s.catalog +
					".cased.Pair' cannot be distinguished from 'pair'"},
				{`SELECT a FROM %.cased.pair WHERE a IN (SELECT 1 FROM %.cased."PAIR")`, "",
					"cannot be distinguished from 'pair'"},
				{"SELECT * FROM %.cased.one", "", `["ONE" "One"]`},
				{"SELECT a FROM %.cased.alone", "3", ""},
				{`SELECT a FROM %.cased."Alone"`, "3", ""},
				{`SELECT a FROM %.cased."ALONE"`, "3", ""},
				{"SELECT count(*) FROM %.cased.twins", "", `columns "id" and "Id"`},
				{"SELECT count(*) FROM %.cased.bare", "", "has no columns"},
			} {
				if name == "mariadb" && (strings.Contains(q.sql, "twins") || strings.Contains(q.sql, "bare")) {
					continue // it does not allow such a table
				}
				sql := strings.ReplaceAll(q.sql, "%", s.catalog)
				got, err := z.document(t.Context(), sql, api.Compact)
				if q.fails != "" {
					if err == nil || !strings.Contains(err.Error(), q.fails) ||
						strings.Contains(err.Error(), "HTTP 5") {
						t.Errorf("%s: %s, %v", sql, got, err)
					}
				} else if err != nil || *z.query(t, sql, api.Compact).rows[0][0] != q.want {
					t.Errorf("%s: %s, %v", sql, got, err)
				}
			}
		})
	}
}

// A domain has its base type, and the nullability of all columns is fetched at once.
func TestPostgresDomains(t *testing.T) {
	s := postgres(t)
	s.run(t,
		`DROP SCHEMA IF EXISTS domains CASCADE; CREATE SCHEMA domains; SET search_path = domains; CREATE DOMAIN positive AS int CHECK (value > 0); CREATE DOMAIN small AS positive CHECK (value < 9);
CREATE DOMAIN amount AS numeric(10,2); CREATE DOMAIN price AS amount NOT NULL; CREATE DOMAIN list AS int[]; CREATE DOMAIN named AS text;
CREATE TABLE t(a positive, b small, c amount, d price, e list, f named NOT NULL); INSERT INTO t VALUES (7, 8, 3.5, 4.25, '{1,2}', 'x');`)
	z := open(t, s)
	got := z.query(t, "SELECT column_name, data_type, is_nullable FROM pg.information_schema.columns WHERE "+
		"table_schema = 'domains' AND table_name <> '' ORDER BY ordinal_position", api.Compact)
	var lines []string
	for _, r := range got.rows {
		lines = append(lines, *r[0]+" "+*r[1]+" "+*r[2])
	}
	if want :=
		"a integer YES, b integer YES, c decimal(10,2) YES, d decimal(10,2) NO, e varchar YES, f varchar NO"; strings.Join(lines, ", ") != want {
		t.Errorf("%v\n want %s", lines, want)
	}
	row := z.query(t, "SELECT * FROM pg.domains.t WHERE b = 8 AND d = 4.25", api.Compact).rows[0]
	for i, want := range strings.Fields("7 8 3.50 4.25 {1,2} x") {
		if *row[i] != want {
			t.Errorf("column %d is %s, want %s", i, *row[i], want)
		}
	}
}

// A view of a dropped table fails with the server's message.
func TestMariaDBBrokenView(t *testing.T) {
	s := mariadb(t)
	s.run(t, `DROP DATABASE IF EXISTS gone; CREATE DATABASE gone; CREATE TABLE gone.t(a int); CREATE VIEW gone.v AS `+
		`SELECT a FROM gone.t; DROP TABLE gone.t;`)
	if _, err := open(t, s).document(t.Context(), "SELECT * FROM maria.gone.v", api.Compact); err == nil ||
		!strings.Contains(err.Error(), "connection maria (MYSQL): ") || !strings.Contains(err.Error(),
		"references invalid table") {
		t.Error(err)
	}
}
