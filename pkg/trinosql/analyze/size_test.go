package analyze

import (
	"fmt"
	"strings"
	"testing"
)

// large are statements whose cost must be linear in their length.
var large = map[string]func(n int) string{
	"sum":      func(n int) string { return "SELECT " + strings.Repeat("nationkey + ", n) + "1 FROM nation" },
	"decimals": func(n int) string { return "SELECT " + strings.Repeat("1.5 + ", n) + "1 FROM nation" },
	"in": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ", '%d'", i)
		}
		return "SELECT name FROM nation WHERE name IN ('a'" + b.String() + ")"
	},
	"values": func(n int) string { return "VALUES (0, 'a')" + strings.Repeat(", (1.5, 'bc')", n) },
	"ctes": func(n int) string {
		var b strings.Builder
		b.WriteString("WITH c0 AS (SELECT * FROM orders)")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, ", c%d AS (SELECT a.*, b.clerk AS x FROM (SELECT orderkey, custkey FROM c%d) a JOIN "+
				"orders b ON a.orderkey = b.orderkey)", i, i-1)
		}
		return b.String() + fmt.Sprintf(" SELECT * FROM c%d", n)
	},
	"grouped": func(n int) string {
		return "SELECT regionkey" + strings.Repeat(", sum(nationkey + regionkey * 2) / count(*)", n) +
			" FROM nation GROUP BY regionkey ORDER BY sum(nationkey)" + strings.Repeat(" + regionkey", n)
	},
	"cases": func(n int) string {
		return "SELECT CASE" + strings.Repeat(" WHEN name = 'a' THEN 'b'", n) + " END FROM nation"
	},
	"unions": func(n int) string { return "SELECT 1" + strings.Repeat(" UNION ALL SELECT 2.5", n) },
	"joins": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " JOIN nation n%d ON n%d.nationkey = n.nationkey", i, i)
		}
		return "SELECT n.* FROM nation n" + b.String()
	},
	"concat": func(n int) string { return "SELECT name" + strings.Repeat(" || name", n) + " FROM nation" },
}

// deep are nested statements, as deep as the parser accepts.
var deep = map[string]func(n int) string{
	"lambdas": func(n int) string {
		return "SELECT " + strings.Repeat("transform(ARRAY[1], x -> ", n) + "1" + strings.Repeat(")", n)
	},
	"reduce": func(n int) string {
		return "SELECT " + strings.Repeat("reduce(ARRAY[1.5], 0e0, (s, x) -> s + ", n) + "1e0" +
			strings.Repeat(", s -> s)", n)
	},
	"subqueries": func(n int) string {
		return "SELECT " + strings.Repeat("(SELECT max(nationkey) + ", n) + "1" + strings.Repeat(" FROM nation)", n)
	},
	"correlated": func(n int) string {
		return "SELECT " + strings.Repeat("(SELECT n.nationkey + ", n) + "1" + strings.Repeat(" FROM region)", n) +
			" FROM nation n"
	},
	"calls": func(n int) string { return "SELECT " + strings.Repeat("abs(", n) + "1.5" + strings.Repeat(")", n) },
	"derived": func(n int) string {
		return strings.Repeat("SELECT * FROM (", n) + "SELECT * FROM nation" + strings.Repeat(")", n)
	},
	"rows":   func(n int) string { return "SELECT " + strings.Repeat("ROW(", n) + "1" + strings.Repeat(")", n) },
	"arrays": func(n int) string { return "SELECT " + strings.Repeat("ARRAY[", n) + "1" + strings.Repeat("]", n) },
}

// TestLarge resolves long and deep statements.
func TestLarge(t *testing.T) {
	for name, f := range large {
		if _, err := analyze(f(900)); err != nil {
			t.Errorf("%s: %.200s", name, err)
		}
	}
	for name, f := range deep {
		if _, err := analyze(f(60)); err != nil {
			t.Errorf("%s: %.200s", name, err)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	texts := map[string]string{"one": "SELECT 1", "report": "WITH a AS (SELECT custkey, sum(totalprice) AS total " +
		"FROM orders GROUP BY custkey), b AS (SELECT c.name, a.total FROM a JOIN customer c ON c.custkey = " +
		"a.custkey) SELECT name, total FROM b WHERE total > 100 ORDER BY total DESC LIMIT 10",
		"in 5000": large["in"](5000), "80 ctes": large["ctes"](80)}
	for name, f := range large {
		texts[name+" 900"] = f(900)
	}
	for name, f := range deep {
		texts[name+" 60"] = f(60)
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = analyze(text)
			}
		})
	}
}
