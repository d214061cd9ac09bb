//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// A subquery in the place of a value has the type of what it gives, also where the operator around it depends on that
// type.
func TestSubqueriesAsOperands(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	for text, want := range map[string]string{
		`SELECT 1 + (SELECT 2)`:          "3",
		`SELECT 7 / (SELECT 2)`:          "3",
		`SELECT 7 / (SELECT 2e0)`:        "3.5",
		`SELECT 1 + (SELECT (SELECT 2))`: "3",
		`SELECT (SELECT sum(id) FROM sample.shop.products WHERE id < 5) / 4`:                     "2",
		`SELECT sum(id) / (SELECT count(*) FROM sample.shop.products) FROM sample.shop.products`: "100",
		`SELECT id / (SELECT max(id) FROM sample.shop.products p WHERE p.id < o.id) FROM sample.shop.products o ` +
			`WHERE id = 3`: "1",
	} {
		if got, err := rows(t, p, sql.Query{SQL: text}); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	if _, err := rows(t, p, sql.Query{SQL: `SELECT 1 + (SELECT 'a')`}); err == nil {
		t.Error("a number is added to a text")
	}
}

// Correlated subqueries that Trino does not run: over a query of WITH, and over the elements of a list of the outer
// row.
func TestCorrelatedSubqueries(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	const (
		with  = `WITH w AS (SELECT 1 AS x UNION ALL SELECT 2) `
		outer = `(VALUES (1, ARRAY[10, 20]), (3, ARRAY[1]), (NULL, NULL)) t(o, l)`
	)
	for text, want := range map[string]string{
		with + `SELECT o, (SELECT o IN (SELECT x FROM w)) FROM ` + outer +
			` ORDER BY o`: "1|true 3|false null|null",
		with + `SELECT o, c FROM ` + outer + `, LATERAL (SELECT o NOT IN (SELECT x FROM w)) u(c) ORDER BY o`: "1|false 3|true null|null",
		with + `SELECT o, c FROM ` + outer + `, LATERAL (SELECT o > ALL (SELECT x FROM w)) u(c) ORDER BY o`:  "1|false 3|true null|null",
		with + `SELECT o, c FROM ` + outer + `, LATERAL (SELECT o = ALL (SELECT x FROM w)) u(c) ORDER BY o`:  "1|false 3|false null|false",
		with + `SELECT o FROM ` + outer +
			` WHERE EXISTS (SELECT 1 FROM (VALUES 7) v(y) WHERE (o, 1) IN (SELECT x, 1 FROM w))`: "1",
		with + `SELECT o, (SELECT max(y) FROM (VALUES 7) v(y) WHERE o = ANY (SELECT x FROM w)) FROM ` + outer +
			` ORDER BY o`: "1|7 3|null null|null",
		with + `SELECT o, y FROM ` + outer +
			` LEFT JOIN LATERAL (SELECT 7 WHERE o + 1 IN (SELECT x FROM w)) u(y) ON true ORDER BY o`: "1|7 3|null null|null",
		`SELECT o, s FROM ` + outer + `, LATERAL (SELECT e + o FROM UNNEST(l) q(e) WHERE e > o) u(s) ORDER BY o, s`: "1|11 1|21",
		`SELECT o, s FROM ` + outer +
			`, LATERAL (SELECT e + o + f FROM UNNEST(l) q(e), UNNEST(ARRAY[e, o]) r(f)) u(s) ORDER BY s`: "3|5 3|7 1|12 1|21 1|22 1|41",
		`SELECT o, s FROM ` + outer +
			`, LATERAL (SELECT e, count(*) + o FROM UNNEST(l) q(e) GROUP BY e) u(e, s) ORDER BY o, e`: "1|2 1|2 3|4",
		`SELECT o, s, c FROM ` + outer +
			` LEFT JOIN LATERAL (SELECT sum(e), 'k' FROM UNNEST(l) q(e)) u(s, c) ON s > 1 ORDER BY o`: "1|30|k 3|null|null null|null|null",
		`SELECT o, (SELECT o + e FROM UNNEST(l) q(e) WHERE e = 10 * o) FROM ` + outer +
			` ORDER BY o`: "1|11 3|null null|null",
	} {
		if got, err := rows(t, p, sql.Query{SQL: text}); err != nil || strings.ReplaceAll(got, "\n", " ") != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestPlaceOfValueErrors: DuckDB reports errors about values without a position. They have that of the only expression
// from which they can be, and a division that is one of several is named by the hint.
func TestPlaceOfValueErrors(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	const remedy = "x / nullif(y, 0) is NULL where y is 0"
	for text, want := range map[string]string{
		`SELECT 1 / 0`: "1:10 " + remedy,
		"SELECT id % 2,\n10 / (id - id)\nFROM sample.shop.products": "2:4 " + remedy,
		`SELECT mod(id, id - id) FROM sample.shop.products`:         "1:8 " + remedy,
		`SELECT DECIMAL '1.0' / DECIMAL '0.0'`:                      "1:22 " + remedy,
		`SELECT 1 / x, 2 / x, 3 / x, 4 / x, 5 / x FROM (VALUES 0) t(x)`: "0:0 the statement divides at line 1:10, " +
			"line 1:17, line 1:24, 2 more places; " + remedy,
		`SELECT sum(1 / x) FROM (VALUES 1, 0) t(x)`: "1:14 " + remedy,
		`SELECT CAST('x' AS bigint) / 1`:            "1:8 ",
		`SELECT CAST(1 AS varchar), TRY_CAST('y' AS bigint), CAST(v AS bigint) FROM (VALUES 'x') t(v)`: "1:53 ",
		`SELECT CAST('1' AS integer), CAST(v AS integer) FROM (VALUES 'x') t(v)`:                       "0:0 ",
		`SELECT CAST(v AS date), CAST('1' AS integer) FROM (VALUES 'x') t(v)`:                          "1:8 ",
		`SELECT date(v), CAST('2000-01-01' AS date) FROM (VALUES 'x') t(v)`:                            "0:0 ",
		`SELECT CAST(v AS boolean), CAST('1' AS real) FROM (VALUES 'x') t(v)`:                          "1:8 ",
		`SELECT CAST(v AS uuid), CAST('1' AS real) FROM (VALUES 'x') t(v)`:                             "1:8 ",
		`SELECT CAST(v AS double), CAST(ARRAY['1'] AS array(double)) FROM (VALUES 'x') t(v)`:           "0:0 ",
		`SELECT CAST(v AS double), CAST('1' AS real) FROM (VALUES 'x') t(v)`:                           "1:8 ",
	} {
		_, err := rows(t, p, sql.Query{SQL: text})
		var e *engine.Error
		if !errors.As(err, &e) || fmt.Sprintf("%d:%d %s", e.Line, e.Col, e.Hint) != want {
			t.Errorf("%s: %v at %d:%d with hint %q; want %q", text, err, e.Line, e.Col, e.Hint, want)
		}
	}
}
