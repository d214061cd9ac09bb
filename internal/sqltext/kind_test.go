package sqltext

import "testing"

// TestKind: a statement that changes something is known by its first words, and no query is taken for one.
func TestKind(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO t VALUES (1)":                          "Insert",
		"-- a note\n/* SELECT */ insert into t":             "Insert",
		"UPDATE t SET a = 1":                                "Update",
		"DELETE FROM t":                                     "Delete",
		"MERGE INTO t USING u ON t.a = u.a":                 "Merge",
		"CREATE TABLE x AS SELECT 1":                        "CreateTableAsSelect",
		"CREATE TABLE x (a bigint)":                         "CreateTable",
		"CREATE OR REPLACE VIEW v AS SELECT 1":              "CreateView",
		"CREATE MATERIALIZED VIEW v AS SELECT 1":            "CreateMaterializedView",
		"DROP TABLE IF EXISTS t":                            "DropTable",
		"ALTER TABLE t ADD COLUMN a bigint":                 "AlterTable",
		"TRUNCATE TABLE t":                                  "TruncateTable",
		"(((DELETE FROM t":                                  "Delete",
		"SELECT 'INSERT INTO t'":                            "",
		"SELECT 1 -- ; DROP TABLE t":                        "",
		"/* DELETE FROM t */ SELECT 1":                      "",
		`SELECT "update" FROM "insert"`:                     "",
		"WITH update AS (SELECT 1) SELECT * FROM update":    "",
		"(SELECT 1) UNION (SELECT 2)":                       "",
		"TABLE t":                                           "",
		"VALUES 1":                                          "",
		"SHOW CREATE TABLE t":                               "",
		"EXPLAIN INSERT INTO t VALUES (1)":                  "",
		"EXPLAIN ANALYZE INSERT INTO t VALUES (1)":          "Insert",
		"explain analyze verbose CREATE TABLE t AS TABLE u": "CreateTableAsSelect",
		"EXPLAIN ANALYZE SELECT 1":                          "",
		"EXPLAIN ANALYZE VERBOSE":                           "",
		"CALL system.flush()":                               "Call",
		"create":                                            "",
		"create something":                                  "",
		`"insert" into`:                                     "",
		"SELECT replace(a, 'DROP TABLE', '') FROM t":        "",
		"":                "",
		"'INSERT INTO t'": "",
	} {
		if got := Kind(sql); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}
