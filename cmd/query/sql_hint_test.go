package query

import "testing"

// TestSQLHint: the corrected text is told for what stands at the place of the error, and for nothing else.
func TestSQLHint(t *testing.T) {
	for _, c := range []struct {
		sql, message string
		line, col    int
		want         string
	}{
		{"SELECT 1\nORDER BY 1 LIMIT 5\nOFFSET 20", "mismatched input 'OFFSET'", 3, 1,
			"Trino's order is OFFSET 20 LIMIT 5"},
		{"SELECT 'é' limit  7  offset 3", "mismatched input 'offset'", 1, 22, "Trino's order is OFFSET 3 LIMIT 7"},
		// as the hosted zones write it
		{"SELECT a\nFROM t LIMIT 5 OFFSET 20", "mismatched input 'OFFSET'. Expecting: <EOF>", 0, 0,
			"Trino's order is OFFSET 20 LIMIT 5"},
		{"SELECT 'LIMIT 5 OFFSET 2' LIMIT 1, 2", "mismatched input ','. Expecting: <EOF>", 0, 0,
			"Trino does not accept LIMIT m, n: OFFSET 1 LIMIT 2"},
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
	} {
		if got := sqlHint(c.sql, c.message, c.line, c.col); got != c.want {
			t.Errorf("%s at %d:%d: %q, want %q", c.sql, c.line, c.col, got, c.want)
		}
	}
}
