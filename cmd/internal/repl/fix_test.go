package repl

import "testing"

func TestMended(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		hint      string
		want      string
	}{
		{"SELECT nme FROM t", 1, 8, "did you mean name?", "SELECT name FROM t"},
		{"SELECT c.nme, 1 FROM t c", 1, 8, "did you mean c.name?", "SELECT c.name, 1 FROM t c"},
		{"SELECT 'é',\n  nme FROM t", 2, 3, `did you mean "Full ""name"?`, "SELECT 'é',\n  \"Full \"\"name\" FROM t"},
		{"SELECT 1 FROM sample.shp.orders WHERE a.b = 1", 1, 15, "did you mean sample.shop.orders?",
			"SELECT 1 FROM sample.shop.orders WHERE a.b = 1"},
		{"SELECT c.nme FROM t c", 1, 10, "did you mean name?", "SELECT c.name FROM t c"},
		{`SELECT "zoë" FROM t`, 1, 8, "double quotes are for names; a text is written 'zoë'", "SELECT 'zoë' FROM t"},
		{"SELECT uper(a.b) FROM t", 1, 8, "did you mean upper?", "SELECT upper(a.b) FROM t"},
		{"SELECT a < '2000-01-01'", 1, 10, "write DATE '2000-01-01'", ""},
		{"SELECT a < b", 1, 10, "did you mean c?", ""},
		{"SELECT a", 1, 8, "did you mean b? Columns: b, c", ""},
		{"SELECT a", 3, 8, "did you mean b?", ""},
		{"SELECT a", 1, 80, "did you mean b?", ""},
		{"SELECT a", 1, 9, "did you mean b; DROP TABLE t?", ""},
	} {
		if got := Mended(c.text, c.line, c.col, c.hint); got != c.want {
			t.Errorf("Mended(%q, %d, %d, %q) = %q, want %q", c.text, c.line, c.col, c.hint, got, c.want)
		}
	}
}
