package transpile

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// TestAsWritten: statements over tables that nobody knows. The first is the published example of the service [O].
func TestAsWritten(t *testing.T) {
	for _, c := range []struct {
		sql  string
		to   Target
		want string // or, with ! in front, a part of the error
	}{
		{"SELECT * FROM catalog.schema.table WHERE id = 1", MySQL,
			"SELECT * FROM `catalog`.`schema`.`table` WHERE `id` = 1"},
		{"SELECT * FROM catalog.schema.table WHERE id = 1", PostgreSQL,
			`SELECT * FROM "catalog"."schema"."table" WHERE "id" = 1`},
		{"SELECT * FROM catalog.schema.table WHERE id = 1", BigQuery,
			"SELECT * FROM `catalog`.`schema`.`table` WHERE `id` = 1"},
		{`SELECT t.a AS "B", count(*) FROM c.s.T t JOIN c.s.u ON t.a = u.a WHERE t.b LIKE 'x%' GROUP BY t.a ORDER BY ` +
			`t.a DESC OFFSET 2 LIMIT 3`, MySQL,
			"SELECT `t`.`a` AS `B`, count(*) FROM `c`.`s`.`T` AS `t` INNER JOIN `c`.`s`.`u` ON `t`.`a` = `u`.`a` " +
				"WHERE `t`.`b` LIKE 'x%' GROUP BY `t`.`a` ORDER BY `t`.`a` DESC LIMIT 3 OFFSET 2"},
		{`SELECT A FROM C.S."T" ORDER BY A`, PostgreSQL, `SELECT "a" FROM "c"."s"."T" ORDER BY "a" NULLS LAST`},
		{`SELECT a FROM c.s.t WHERE b = 'it''s \ here'`, MySQL,
			"SELECT `a` FROM `c`.`s`.`t` WHERE `b` = 'it''s \\\\ here'"},
		{"SELECT a / b FROM c.s.t", MySQL, "!/ without the types of its columns"},
		{"SELECT a - b FROM c.s.t", PostgreSQL, "!without the types"},
		{"SELECT CAST(a AS bigint) FROM c.s.t", PostgreSQL, "!CAST(a AS bigint) without the types"},
		{"SELECT date_trunc('day', a) FROM c.s.t", BigQuery, "!date_trunc without the types"},
		{"SELECT sum(a) OVER () FROM c.s.t", PostgreSQL, "!sum without the types"},
	} {
		tree, err := trinosql.Parse(Dotted(c.sql))
		if err != nil {
			t.Fatal(err)
		}
		got, err := AsWritten(tree.(*trinosql.Query), c.to)
		if part, refused := strings.CutPrefix(c.want, "!"); refused {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %s %v, want %q", c.sql, got, err, part)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.sql, err, got, c.want)
		}
	}
}

// TestDotted: words behind a dot are names, and nothing else is touched.
func TestDotted(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT * FROM catalog.schema.table":       `SELECT * FROM catalog.schema."table"`,
		"SELECT 'a.table', \"x.select\" -- b.from": "SELECT 'a.table', \"x.select\" -- b.from",
		"SELECT t.order FROM a . group":            `SELECT t."order" FROM a . "group"`,
		"SELECT 1.5 FROM t":                        "SELECT 1.5 FROM t",
	} {
		if got := Dotted(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
