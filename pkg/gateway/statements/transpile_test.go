package statements

import (
	"strings"
	"testing"
)

func TestNotTrino(t *testing.T) {
	for _, sql := range []string{
		"SELECT 1", "SELECT 1;\n", "SELECT '`#::;$$' AS \"`#::;\"", "SELECT 'it''s' -- ` ; x\n, 2",
		"SELECT /* ` ; :: */ 1 /**/", "SELECT 1 -- end",
		"INSERT INTO t VALUES (1)", "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (a) DEFINE a AS true)",
	} {
		if err := notTrino(sql); err != nil {
			t.Errorf("%q: rejected: %v", sql, err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT `a`":                  "line 1:8: backquoted identifiers are not supported",
		"SELECT 'a\nb',\n  c::int":    "line 3:4: mismatched input ':'. Expecting: <EOF>",
		"SELECT 1 # x":                "line 1:10: mismatched input '#'. Expecting: <EOF>",
		"SELECT 1; SELECT 2":          "line 1:11: more than one",
		"SELECT 'a":                   "line 1:8: mismatched input '''",
		"-- a\nSELECT \"a":            "line 2:8: mismatched input '\"'",
		"SELECT /* 1":                 "line 1:8: mismatched input '/'",
		"SELECT $$a$$":                "line 1:8: mismatched input '$$a$$'. Expecting: <expression>",
		"SELECT 1 FROM t LIMIT 5, 10": "line 1:24: mismatched input ','",
	} {
		if err := notTrino(sql); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", sql, err, want)
		}
	}
}
