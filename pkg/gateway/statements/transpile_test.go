package statements

import (
	"strings"
	"testing"
)

func TestNotTrino(t *testing.T) {
	for _, sql := range []string{
		"SELECT 1", "SELECT 1;\n", "SELECT '`#::;$$' AS \"`#::;\"", "SELECT 'it''s' -- ` ; x\n, 2", "SELECT /* ` ; :: */ 1 /**/", "SELECT 1 -- end",
	} {
		if f := notTrino(sql); f != nil {
			t.Errorf("%q: refused: %s", sql, f.Message)
		}
	}
	for sql, want := range map[string]string{
		"SELECT `a`":               "line 1:8: backquoted",
		"SELECT 'a\nb',\n  c::int": "line 3:4: the cast ::",
		"SELECT 1 # x":             "line 1:10: # does not start a comment in Trino",
		"SELECT 1; SELECT 2":       "line 1:9: more than one",
		"SELECT 'a":                "line 1:8: the quote ' is not closed",
		"-- a\nSELECT \"a":         "line 2:8: the quote",
		"SELECT /* 1":              "line 1:8: the comment",
		"SELECT $$a$$":             "line 1:8: dollar",
	} {
		if f := notTrino(sql); f == nil || !strings.HasPrefix(f.Message, want) {
			t.Errorf("%q: %v, want %q", sql, f, want)
		}
	}
}
