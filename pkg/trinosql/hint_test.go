package trinosql

import (
	"errors"
	"testing"
)

// TestSyntaxHint: what other engines write and what is misspelt is told at the place of the parser's error.
func TestSyntaxHint(t *testing.T) {
	for sql, want := range map[string]string{
		"FROM t":                                           "a query begins with SELECT: SELECT * FROM ...",
		"SELECT x::int FROM t":                             "a cast is written CAST(x AS type)",
		"SELECT * FROM t WHERE a == 1":                     "equality is written with one =",
		"SELECT * FROM t WHERE a && b":                     "write AND",
		"SELECT * FROM t WHERE a ILIKE 'x%'":               "write lower(x) LIKE and a pattern in lower case",
		"SELECT * FROM t WHERE a RLIKE 'x'":                "write regexp_like(x, pattern)",
		"SELECT * FROM t WHERE a ~ 'x'":                    "write regexp_like(x, pattern)",
		"SELECT * FROM t QUALIFY row_number() OVER () = 1": "there is no QUALIFY: name the window function in a subquery and write WHERE around it",
		"SELECT TOP 5 * FROM t":                            "write LIMIT 5 at the end of the statement",
		"SELECT * EXCEPT (a) FROM t": "a star cannot exclude or change columns: name the " +
			"columns",
		"SELECT * EXCLUDE (a) FROM t":   "a star cannot exclude or change columns: name the columns",
		"SELECT now() - INTERVAL 1 DAY": "the number of an interval is a text: INTERVAL '1' DAY",
		"SELECT a IS TRUE FROM t":       "write x = TRUE, or coalesce(x, false)",
		"SELECT DISTINCT ON (a) b FROM t": "there is no DISTINCT ON: row_number() OVER " +
			"(PARTITION BY ...) in a subquery, and WHERE around it, keeps one row of each group",
		"SELECT count(DISTINCT *) FROM t":        "name what is counted: count(DISTINCT a), or count(DISTINCT (a, b))",
		"SELECT a, FROM t":                       "there is a comma too many before FROM",
		"SELECT FROM t":                          "name the columns, or write *",
		"SELECT a FROM t LIMIT 5 WHERE a = 1":    clauseOrder,
		"SELECT a FROM t ORDER BY a GROUP BY a":  clauseOrder,
		"SELECT a FROM t GROUP BY a WHERE a = 1": clauseOrder,
		"SELECT 'it's'":                          "a quote within a text is written twice: 'it''s'",
		"SELECT 'abc FROM t": "a text ends with another quote; a quote within it " +
			"is written twice: 'it''s'",
		"SELECT \"abc FROM t": "a name in double quotes ends with another " +
			"double quote",
		"SELECT $1":                   "a parameter is written ?",
		"SELECT * FORM t":             "did you mean FROM?",
		"SELECT a FORM t WHERE a = 1": "did you mean FROM?",
		"SELECT a FROM t WERE a = 1":  "did you mean WHERE?",
		"SELECT a FROM t GROPU BY a":  "did you mean GROUP?",
		"SELECT a FROM t ODER BY a":   "did you mean ORDER?",
		"SELCT a FROM t":              "did you mean SELECT?",
		"SELECT order FROM t": `ORDER is a reserved word; as a name it is written ` +
			`"order"`,
		"SELECT a FROM group": `GROUP is a reserved word; as a name it is written ` +
			`"group"`,
		"SELECT t.end FROM t": `END is a reserved word; as a name it is written "end"`,
		"SELECT a b c FROM t": "",
		"SELECT (1":           "",
		"SELECT 1 +":          "",
		"SELECT a FROM (SELECT a FROM t LIMIT 1) x WHERE a = )": "",
	} {
		_, err := Parse(sql)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: no error: %v", sql, err)
			continue
		}
		if got := SyntaxHint(sql, e.At.Offset); got != want {
			t.Errorf("%s at %d: %q, want %q", sql, e.At.Offset, got, want)
		}
	}
}
