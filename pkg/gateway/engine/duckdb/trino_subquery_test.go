//go:build cgo

package duckdb

import (
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// A subquery in the place of a value has the type of what it gives, also where the operator around it depends on that type.
func TestSubqueriesAsOperands(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	for sql, want := range map[string]string{
		`SELECT 1 + (SELECT 2)`:          "3",
		`SELECT 7 / (SELECT 2)`:          "3",
		`SELECT 7 / (SELECT 2e0)`:        "3.5",
		`SELECT 1 + (SELECT (SELECT 2))`: "3",
		`SELECT (SELECT sum(id) FROM sample.shop.products WHERE id < 5) / 4`:                                                  "2",
		`SELECT sum(id) / (SELECT count(*) FROM sample.shop.products) FROM sample.shop.products`:                              "100",
		`SELECT id / (SELECT max(id) FROM sample.shop.products p WHERE p.id < o.id) FROM sample.shop.products o WHERE id = 3`: "1",
	} {
		if got, err := rows(t, p, engine.Query{SQL: sql}); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", sql, got, err, want)
		}
	}
	if _, err := rows(t, p, engine.Query{SQL: `SELECT 1 + (SELECT 'a')`}); err == nil {
		t.Error("a number is added to a text")
	}
}
