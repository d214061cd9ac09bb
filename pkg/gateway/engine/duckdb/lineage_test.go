//go:build cgo

package duckdb

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

func TestLineage(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "o", engine.ColumnDef{Name: "id", Type: "BIGINT"},
		engine.ColumnDef{Name: "amount", Type: "DECIMAL"}, engine.ColumnDef{Name: "who", Type: "BIGINT"})
	makeTable(t, p, engine.SchemaTable, "c", engine.ColumnDef{Name: "who", Type: "BIGINT"},
		engine.ColumnDef{Name: "name", Type: "VARCHAR"})
	names := enginetest.Names{{Catalog: "peaka", Schema: "query",
		Table: "q"}: {SQL: `SELECT id AS key, amount FROM peaka."table".o`}}
	for _, tt := range []struct{ text, want string }{
		{`SELECT id, amount * 2 AS twice, 1 AS one FROM o`, `id: o.id; amount * 2: o.amount; 1: `},
		{`SELECT o.id, c.name AS n FROM o JOIN c ON o.who = c.who`, `o.id: o.id; c.name: c.name`},
		{`SELECT who, count(*), sum(amount) total FROM o JOIN c USING (who) GROUP BY who`,
			`who: o.who c.who; count(*): ; sum(amount): o.amount`},
		{`SELECT c.*, coalesce(name, 'x') FROM c`, `*c; coalesce(name, 'x'): c.name`},
		{`WITH x(k, v) AS (SELECT id, amount + who FROM o) SELECT v AS a, k FROM x WHERE k > 1`,
			`v: o.amount o.who; k: o.id`},
		{`SELECT y.a FROM (SELECT id + amount AS a FROM o) y`, `y.a: o.id o.amount`},
		{`SELECT id FROM o UNION ALL SELECT who FROM c`, `id: o.id c.who`},
		{`SELECT (SELECT max(name) FROM c WHERE c.who = o.who) AS top FROM o`,
			`(SELECT max(name) FROM c WHERE c.who = o.who): c.name`},
		{`SELECT CASE WHEN id > 1 THEN name END, sum(amount) OVER (PARTITION BY name ORDER BY id) FROM o, c`,
			`CASE WHEN id > 1 THEN name END: o.id c.name; sum(amount) OVER (PARTITION BY name ORDER BY id): o.amount ` +
				`c.name o.id`},
		{`SELECT key, amount FROM peaka.query.q`, `key: peaka.query.q.key; amount: peaka.query.q.amount`},
		{`SELECT DISTINCT "peaka"."table"."o"."id" FROM peaka."table".o`, `"peaka"."table"."o"."id": o.id`},
		{`WITH RECURSIVE r(n) AS (SELECT id FROM o UNION ALL SELECT n + who FROM r, c WHERE n < 9) SELECT n FROM r`,
			`n: o.id c.who`},
		{`SELECT * FROM o NATURAL JOIN c`, `nothing`},
		{`SELECT * FROM o MATCH_RECOGNIZE (PARTITION BY who MEASURES sum(A.amount) + last(id) AS m PATTERN (A+) ` +
			`DEFINE A AS id > 1)`, `who: o.who; m: o.amount o.id`},
		{`SELECT t.v FROM c, JSON_TABLE(name, 'lax $' COLUMNS (v bigint PATH 'lax $')) AS t`, `t.v: c.name`},
		{`SELECT * FROM TABLE(exclude_columns(TABLE(SELECT id, who FROM o), DESCRIPTOR(id)))`, `who: o.who`},
		{`SELECT id, who FROM o UNION CORRESPONDING SELECT name, who FROM c`, `who: o.who c.who`},
		{`WITH FUNCTION f(x bigint) RETURNS bigint RETURN x + 1 SELECT f(id) FROM o`, `f(id): o.id`},
	} {
		got, err := sql.Lineage(t.Context(), p, sql.Query{SQL: tt.text, Catalogs: names})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		var parts []string
		for _, c := range got {
			var reads []string
			for _, r := range c.Reads {
				name := r.Table.String()
				reads = append(reads, strings.TrimPrefix(name, "peaka.table.")+"."+r.Column)
			}
			parts = append(parts, c.Expression+": "+strings.Join(reads, " "))
		}
		text := strings.Join(parts, "; ")
		if got == nil {
			text = "nothing"
		}
		if strings.HasPrefix(tt.want, "*c; ") { // every column of the table, the system's too
			all := one(t, p,
				`SELECT string_agg(name || ': c.' || name, '; ') FROM pragma_table_info('"~data"."table".c')`)
			tt.want = all + "; " + tt.want[len("*c; "):]
		}
		if text != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, text, tt.want)
		}
	}
}
