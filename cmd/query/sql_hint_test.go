package query

import "testing"

// TestSQLHint: the corrected text is told for what stands at the place of the error, and for nothing else.
func TestSQLHint(t *testing.T) {
	for _, c := range []struct {
		sql, message string
		line, col    int
		want         string
	}{
		{"SELECT 1\nORDER BY 1 LIMIT 5\nOFFSET 20", "mismatched input 'OFFSET'", 3, 1, "Trino's order is OFFSET 20 LIMIT 5"},
		{"SELECT 'é' limit  7  offset 3", "mismatched input 'offset'", 1, 22, "Trino's order is OFFSET 3 LIMIT 7"},
		{"SELECT a\nFROM t LIMIT 5 OFFSET 20", "mismatched input 'OFFSET'. Expecting: <EOF>", 0, 0, "Trino's order is OFFSET 20 LIMIT 5"}, // as the hosted zones write it
		{"SELECT 'LIMIT 5 OFFSET 2' LIMIT 1, 2", "mismatched input ','. Expecting: <EOF>", 0, 0, "Trino does not accept LIMIT m, n: OFFSET 1 LIMIT 2"},
		{"SELECT a,\n`b` FROM t",
			"backquoted identifiers are not supported; use double quotes to quote identifiers", 0, 0,
			`names are quoted with double quotes: "b"`},
		{"SELECT 1", "mismatched input 'OFFSET'. Expecting: <EOF>", 0, 0, ""}, // which this parser accepts
		{"SELECT 1 LIMIT 10, 5", "mismatched input ','", 1, 18, "Trino does not accept LIMIT m, n: OFFSET 10 LIMIT 5"},
		{"SELECT `a \"b` FROM t", "mismatched input '`'", 1, 8, `names are quoted with double quotes: "a ""b"`},
		{"SELECT 1 LIMIT ? OFFSET ?", "mismatched input 'OFFSET'", 1, 18, ""}, // the bindings would change places
		{"SELECT 'LIMIT 5 OFFSET 2' FROM", "mismatched input '<EOF>'", 1, 31, ""},
		{"SELECT 1", "mismatched input", 4, 1, ""},
		{"SELECT 1", "mismatched input", 1, 40, ""},
		{"INSERT INTO t VALUES (1)", "Statement type 'Insert' is not allowed", 1, 1, "only SELECT runs; `dig table import` adds rows to an internal table"},
		{"SELECT 1 FROM m.d.t WHERE _id = '5f3'", "line 1:31: Cannot apply operator: ObjectId = varchar(3)", 1, 31,
			"compare the _id of a MongoDB table with objectid('...') of its 24 hexadecimal digits; CAST(_id AS VARCHAR) reads it"},
		{"SELECT 1 FROM m.d.t WHERE _id = '6a4c8d067a40ccb7faadba17'", "Unexpected parameters (ObjectId, varchar(24)) for function $operator$EQUAL. Expected: $operator$EQUAL(T, T) T:comparable", 0, 0,
			"compare the _id of a MongoDB table with objectid('...') of its 24 hexadecimal digits; CAST(_id AS VARCHAR) reads it"},
		{"SELECT f(1, 'a')", "Unexpected parameters (integer, varchar(1)) for function f. Expected: f(T)", 0, 0, ""},
		{"SELECT 1 = 'a'", "line 1:10: Cannot apply operator: integer = varchar(1)", 1, 10, ""},
		{"GRANT x", "Statement type 'Grant' is not allowed", 1, 1, ""},
	} {
		if got := sqlHint(c.sql, c.message, c.line, c.col); got != c.want {
			t.Errorf("%s at %d:%d: %q, want %q", c.sql, c.line, c.col, got, c.want)
		}
	}
}
