package trino

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/trinosql"
)

func name(parts ...string) engine.TableName {
	return engine.TableName{Catalog: parts[0], Schema: parts[1], Table: parts[2]}
}

func writtenOf(t *testing.T, q sql.Query) (*project, *written) {
	t.Helper()
	p := &project{e: &Engine{Options: Options{Catalog: "lake"}}, id: "prj1"}
	x, err := sql.Read(t.Context(), p, q)
	if err != nil {
		t.Fatalf("%s: %v", q.SQL, err)
	}
	w, err := p.write(t.Context(), x)
	if err != nil {
		t.Fatalf("%s: %v", q.SQL, err)
	}
	return p, w
}

func saved() enginetest.Names {
	return enginetest.Names{
		name("peaka", "query", "q"):  {SQL: "SELECT id AS s,\n\t1 / (id - 1) AS d FROM (VALUES 1, 2) v(id)"},
		name("peaka", "query", "q2"): {SQL: "WITH q AS (SELECT 7 AS s) SELECT q.s, o.s AS t FROM q, peaka.query.q o"},
		name("pg", "public", "t"): {Scan: &enginetest.Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"},
			{Name: "it's", Type: "varchar"}}, Data: [][]any{{int64(1), "it's"}, {int64(2), nil}}}},
	}
}

// TestNames: no name that a user wrote is left for the cluster to look up, and the saved queries see nothing of the
// statement.
func TestNames(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`SELECT q.s, peaka.query.q.d FROM peaka.query.q`, `SELECT "~2"."s", "~2"."d" FROM "~1" AS "~2"`},
		{`SELECT q.*, x.s FROM query.q, peaka.query.q AS x`, `SELECT "~2".*, x.s FROM "~1" AS "~2", "~1" AS x`},
		{`WITH q AS (SELECT 1 AS s) SELECT q.s FROM q, peaka.query.q AS o`,
			`, q AS (SELECT 1 AS s) SELECT q.s FROM q, "~1" AS o`},
		{`WITH "~1" AS (SELECT 1 AS s) SELECT * FROM "~1", peaka.query.q`, `FROM "~1", "~~1" AS "~~2"`},
		{`WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r, query.q`,
			`WITH RECURSIVE "~1" ("s", "d") AS (SELECT`},
		{`TABLE peaka.query.q`, `TABLE "~1"`},
		{`SELECT id FROM pg.public.t WHERE "it's" = 'x'`, `VALUES ('1', 'it''s'), ('2', NULL)`},
		{`SELECT t.id FROM pg.public.t`, `"~1" ("id") AS (SELECT CAST(c0 AS bigint) FROM (VALUES ('1'), ('2'))`},
		{`SELECT s FROM peaka.query.q2 WHERE current_catalog = 'x'`, `CAST('peaka' AS varchar) = 'x'`},
		{`SELECT s FROM query.q MATCH_RECOGNIZE (ORDER BY s MEASURES A.s AS s PATTERN (A) DEFINE A AS A.s > 1) A`,
			`DEFINE A AS A.s > 1`},
	} {
		_, w := writtenOf(t, sql.Query{SQL: c.text, Catalogs: saved()})
		if !strings.Contains(w.text, c.want) {
			t.Errorf("%s:\n got %s\nwant ...%s...", c.text, w.text, c.want)
		}
		tree, err := trinosql.Parse(w.text)
		if err != nil {
			t.Errorf("%s: %v", w.text, err)
			continue
		}
		for _, parts := range trinosql.Tables(tree) {
			if len(parts) > 1 {
				t.Errorf("%s leaves the name %s", c.text, parts[len(parts)-1].Name)
			}
		}
	}
}

// TestBindings: a value is never a part of the statement.
func TestBindings(t *testing.T) {
	_, w := writtenOf(t, sql.Query{SQL: `SELECT s FROM query.q WHERE s > ? AND ? = 'x' LIMIT ?`, Catalogs: saved(),
		Bindings: []string{"1.5", "x' OR '1'='1", "3"}})
	for _, want := range []string{`CAST('1.5' AS decimal(2,1))`, `CAST('x'' OR ''1''=''1' AS varchar)`, ` LIMIT 3`} {
		if !strings.Contains(w.text, want) {
			t.Errorf("%s lacks %s", w.text, want)
		}
	}
}

// TestPlaces: a place in what is sent is one in the text as typed, also in a saved query.
func TestPlaces(t *testing.T) {
	text := "SELECT s,\n  nosuch(\n   s) FROM peaka.query.q2 WHERE d2 = 1"
	text = strings.NewReplacer("nosuch(\n   s)", "abs(\n   s)", "d2 = 1", "t = 1").Replace(text)
	p, w := writtenOf(t, sql.Query{SQL: text, Catalogs: saved()})
	at, in := w.place(strings.Index(w.text, "abs("))
	if at.Line != 2 || at.Col != 3 || in != nil {
		t.Errorf("%+v in %v", at, in)
	}
	at, in = w.place(strings.Index(w.text, "id - 1"))
	if at.Line != 2 || in == nil || in.Name.Table != "q" {
		t.Fatalf("%+v in %v", at, in)
	}
	err := w.of.Inside(in, &engine.Error{Kind: engine.KindValue, Message: "m", Line: at.Line, Col: at.Col})
	var e *engine.Error
	if e, _ = err.(*engine.Error); e == nil || e.Line != 3 || !strings.Contains(e.Message, "in peaka.query.q2") ||
		!strings.Contains(e.Message, "in peaka.query.q, line 2:") {
		t.Errorf("%+v", err)
	}
	if got := w.between("x\n", "").marks[0].out; got != w.marks[0].out+2 {
		t.Errorf("%d", got)
	}
	_ = p
}

func TestOffset(t *testing.T) {
	const text = "a\n🎁b\nc"
	for at, want := range map[[2]int]int{{1, 1}: 0, {2, 1}: 2, {2, 3}: 6, {3, 1}: 8, {9, 1}: len(text)} {
		if got := offset(text, at[0], at[1]); got != want {
			t.Errorf("line %d:%d: %d instead of %d", at[0], at[1], got, want)
		}
	}
}

// TestPhysical: two names of the gateway are never one of the catalog.
func TestPhysical(t *testing.T) {
	seen := map[string]string{}
	for _, n := range []string{"a", "A", "0x61", "x61", "_", "a b", "a_b", "a.b", `a"b`, "", strings.Repeat("a b", 99),
		strings.Repeat("a b", 98), "0x", "żó"} {
		as := physical(n)
		if other, taken := seen[as]; taken || len(as) > 220 {
			t.Errorf("%q and %q are %q", n, other, as)
		}
		seen[as] = n
	}
}

// TestWholeView: a saved query that is all of a statement is sent as it is, since the cluster would not keep its order
// in FROM.
func TestWholeView(t *testing.T) {
	names := enginetest.Names{name("peaka", "query", "sorted"): {
		SQL: "SELECT id FROM (VALUES 1, 2) v(id) ORDER BY id DESC"}}
	const own = "SELECT id FROM (VALUES 1, 2) AS v (id) ORDER BY id DESC"
	for text, want := range map[string]string{
		`SELECT * FROM peaka.query.sorted`:              own,
		`SELECT * FROM peaka.query.sorted LIMIT 1`:      own + " LIMIT 1",
		`SELECT * FROM peaka.query.sorted WHERE id = 1`: `WITH "~1" ("id") AS (`,
		`SELECT id FROM peaka.query.sorted`:             `WITH "~1" ("id") AS (`,
	} {
		_, w := writtenOf(t, sql.Query{SQL: text, Catalogs: names})
		if !strings.HasPrefix(w.text, want) {
			t.Errorf("%s:\n got %s\nwant %s", text, w.text, want)
		}
	}
}
