//go:build cgo

package duckdb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// TestExplainSources asks for plans over sources: they tell what a source would be asked, and ask nothing.
func TestExplainSources(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "explain")
	h := &heldRows{cols: []engine.ColumnInfo{{Name: "Id", Type: "integer"}, {Name: "name", Type: "varchar"},
		{Name: "d", Type: "date"}}}
	cat := named{sources: map[string]sql.Source{"t": {Scan: h},
		"saved": {SQL: "SELECT id, name FROM c.s.t WHERE id IN (5, 7)"}}}
	for text, want := range map[string][]string{
		`EXPLAIN SELECT name FROM c.s.t WHERE id = 5 AND d > DATE '2024-02-29'`: {"TableScan[table = c.s.t]",
			"reads: an external source", "asked of the source: where Id = 5 and d > 2024-02-29",
			"Layout: [name:varchar"},
		`EXPLAIN SELECT name FROM c.s.t WHERE name = 'it''s' LIMIT 3`: {
			"where name = 'it''s' limit 3"},
		`EXPLAIN SELECT count(*) FROM c.s.t`: {"TableScan[table = c.s.t]",
			"(the number of rows only)", "count(*)"},
		`EXPLAIN SELECT s.name FROM c.s.saved s JOIN c.s.t ON t.name = s.name`: {
			"saved query c.s.saved is expanded in place", "InnerJoin[criteria = [name = name]]"},
		`EXPLAIN SELECT name FROM c.s.saved`: {"where Id in (5, 7)"},
		`EXPLAIN (FORMAT JSON) SELECT name FROM c.s.t WHERE id = 5`: {`"table": "c.s.t"`,
			`"asked of the source: where Id = 5"`},
		`EXPLAIN (TYPE LOGICAL) SELECT table_name FROM peaka.information_schema.tables`: {"TableScan[table = peaka.information_schema.tables]", "reads: the gateway's own lists"},
		`EXPLAIN SHOW TABLES`:                         {"Output[columnNames = [Table]]"},
		`EXPLAIN (TYPE VALIDATE) SELECT * FROM c.s.t`: {"true"},
	} {
		got, err := rows(t, p, sql.Query{SQL: text, Catalogs: cat})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		text := got
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %s\nhas no %s", text, text, part)
			}
		}
	}
	if len(h.requests()) > 0 {
		t.Errorf("the source was asked %v", h.requests())
	}
	for text, want := range map[string]string{
		`EXPLAIN ANALYZE SELECT 1`:                  "EXPLAIN ANALYZE is not supported on zone local",
		`EXPLAIN (FORMAT GRAPHVIZ) SELECT 1`:        "EXPLAIN (FORMAT GRAPHVIZ) is not supported",
		`EXPLAIN SELECT nix FROM c.s.t`:             "Column 'nix' cannot be resolved",
		`EXPLAIN (TYPE VALIDATE) SELECT 1 FROM nix`: "Table 'peaka.table.nix' does not exist",
		`EXPLAIN INSERT INTO t VALUES (1)`:          "Statement type 'Insert' is not allowed",
	} {
		if _, err := rows(t, p, sql.Query{SQL: text, Catalogs: cat}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestExplainCorpus looks for names that users do not know in plans of large statements.
func TestExplainCorpus(t *testing.T) {
	p, catalogs := tpchProject(t)
	list, err := witness.Statements(witnessDir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range list {
		if !strings.HasPrefix(s.File, "tpc") {
			continue
		}
		if _, _, err := ask(t, p, catalogs, s.SQL); err != nil {
			continue
		}
		out, _, err := ask(t, p, catalogs, "EXPLAIN (FORMAT JSON) "+s.SQL)
		if err != nil {
			t.Errorf("%s\n%v", s.SQL, err)
			continue
		}
		text := *out.Rows[0][0].(*string)
		var root plan.Node
		if err := json.Unmarshal([]byte(text), &root); err != nil {
			t.Fatal(err)
		}
		if text = root.Text(); strings.Contains(text, "~") || strings.Contains(text, "__internal") ||
			strings.Contains(strings.ReplaceAll(text, "Brand#", ""), "#") {
			t.Errorf("%s\n%s", s.SQL, text)
		}
		n++
	}
	if n < 50 {
		t.Errorf("only %d plans were looked at", n)
	}
}
