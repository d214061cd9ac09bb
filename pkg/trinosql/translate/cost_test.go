package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// oneTable is a catalog in which every name resolves to the same table.
type oneTable struct{}

func (oneTable) Table(n analyze.Name) (*analyze.Table, bool) {
	return &analyze.Table{Name: n, Columns: []analyze.TableColumn{
		{Name: "k", Type: types.Of(types.Bigint)}, {Name: "s", Type: types.NewVarchar(types.Unbounded)},
		{Name: "d", Type: types.NewDecimal(12, 2)},
		{Name: "x", Type: types.Of(types.Double)}, {Name: "day", Type: types.Of(types.Date)},
		{Name: "b", Type: types.Of(types.Boolean)}}}, true
}
func (oneTable) HasCatalog(string) bool        { return true }
func (oneTable) HasSchema(string, string) bool { return true }

func translateText(tb testing.TB, sql string) (string, error) {
	tb.Helper()
	tree, err := trinosql.Parse(sql)
	if err != nil {
		return "", err
	}
	a, err := analyze.Analyze(tree, analyze.Options{Catalog: oneTable{}, DefaultCatalog: "c", DefaultSchema: "s"})
	if err != nil {
		return "", err
	}
	s, err := Query(tree.(*trinosql.Query), a, Options{Catalog: "c", Schema: "s", Table: func(t *analyze.Table) (string,
		error) {
		return `"` + t.Name.Table + `"`, nil
	}})
	if err != nil {
		return "", err
	}
	return s.SQL, nil
}

const report = `WITH big AS (SELECT k, sum(d * (1 - 0.05)) AS total, count(*) AS n FROM lines WHERE day >= DATE '2020-01-01' AND s LIKE 'a%' GROUP BY k),
	ranked AS (SELECT k, total, rank() OVER (PARTITION BY n ORDER BY total DESC) AS place FROM big)
	SELECT r.k, u.s, CASE WHEN r.place = 1 THEN 'first' ELSE 'other' END AS what, round(r.total, 1) FROM ranked r LEFT JOIN units u ON u.k = r.k WHERE r.place <= 10 ORDER BY 1, r.total DESC LIMIT 100`

func repeated(n int, sep string, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, sep)
}

var costs = []struct {
	name, sql string
}{
	{"one", "SELECT 1"},
	{"report", strings.Replace(report, "round(r.total, 1)", "r.total", 1)},
	{"terms", "SELECT " + repeated(900, " + ", func(i int) string { return fmt.Sprintf("k * %d", i) }) + " FROM t"},
	{"ctes", "WITH " + repeated(80, ", ", func(i int) string {
		if i == 0 {
			return "c0 AS (SELECT k, s, d FROM t)"
		}
		return fmt.Sprintf("c%d AS (SELECT a.k, a.s, a.d + b.d AS d FROM c%d a JOIN t b ON a.k = b.k WHERE a.k > %d)",
			i, i-1, i)
	}) + " SELECT * FROM c79"},
	{"in", "SELECT s FROM t WHERE k IN (" + repeated(5000, ", ", func(i int) string { return fmt.Sprint(i) }) + ")"},
}

// BenchmarkTranslate measures the translation of a text to DuckDB's.
func BenchmarkTranslate(b *testing.B) {
	for _, c := range costs {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := translateText(b, c.sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNesting nests each kind of expression and query twice as deep and expects a text that is at most slightly more
// than twice as long.
func TestNesting(t *testing.T) {
	forms := []struct{ before, inner, after string }{
		{"(", "k", ") % k"},
		{"k % (k + ", "k", ")"},
		{"-(1 + ", "k", ")"},
		{"CASE WHEN ", "b", " THEN b WHEN k = 1 THEN false END"},
		{"NOT (", "x = x", ")"},
		{"(b AND k / k = 1 AND ", "b", ")"},
		{"(b OR ", "k / k = 1", " AND b)"},
		{"abs(x * ", "x", ")"},
		{"(1e0 < ", "x", ")"},
		{"x BETWEEN x AND (x + ", "x", ")"},
		{"nullif(k % 2, ", "k", ")"},
		{"nullif(x + 1, ", "x", ")"},
		{"coalesce(k, ", "k", ")"},
		{"try(1 / ", "k", ")"},
		{"try(1 / (SELECT 1 % ", "k", "))"},
		{"(SELECT 1 % ", "k", ")"},
		{"(k IN (SELECT ", "k", "))"},
		{"ROW(k, ", "k", ")"},
		{"ARRAY[", "k", "]"},
		{"ROW(", "x", ") = ROW(x)"},
		{"CAST(", "k", " AS decimal(20, 2)) / d"},
		{"CAST(CAST(", "k", " AS varchar(20)) AS bigint)"},
		{"(s LIKE CAST(", "s", " AS varchar))"},
		{"if(", "b", ", b, false)"},
		{"(SELECT count(*) FROM t GROUP BY ROLLUP (k) HAVING count(*) % ", "2",
			" = 1 ORDER BY count(*) % 2 FETCH FIRST 1 ROW WITH TIES)"},
	}
	for _, f := range forms {
		size := func(n int) (int, error) {
			text, err := translateText(t, "SELECT "+strings.Repeat(f.before, n)+f.inner+strings.Repeat(f.after, n)+
				" FROM t")
			return len(text), err
		}
		small, err := size(6)
		if err != nil {
			if _, err = size(1); err != nil { // it cannot be nested in itself
				t.Errorf("%s%s%s: %v", f.before, f.inner, f.after, err)
			}
			continue
		}
		large, err := size(12)
		if err != nil {
			t.Error(err)
		} else if large > 5*small/2 {
			t.Errorf("%s%s%s: %d bytes at 6 levels, %d at 12", f.before, f.inner, f.after, small, large)
		}
	}
}

// TestDeep translates statements that are as deep and as long as the parser accepts: the text must not grow out of
// proportion.
func TestDeep(t *testing.T) {
	for _, sql := range []string{
		"SELECT " + strings.Repeat("(", 480) + "1" + strings.Repeat(")", 480),
		"SELECT " + strings.Repeat("-(", 240) + "k" + strings.Repeat(")", 240) + " FROM t",
		"SELECT " + strings.Repeat("k % (", 240) + "k" + strings.Repeat(")", 240) + " FROM t",
		"SELECT " + strings.Repeat("NOT ", 480) + "b FROM t",
		"SELECT " + repeated(20000, " AND ", func(i int) string { return "k / k = 1" }) + " FROM t",
		"SELECT " + repeated(3000, " + ", func(i int) string { return "k" }) + " FROM t",
		"SELECT " + repeated(3000, " || ", func(i int) string { return "s" }) + " FROM t",
		strings.Repeat("SELECT * FROM (", 160) + "SELECT * FROM t" + strings.Repeat(")", 160),
		strings.Repeat("SELECT k FROM t WHERE k IN (", 150) + "SELECT k FROM t" + strings.Repeat(")", 150),
		repeated(2000, " UNION ALL ", func(i int) string { return "SELECT 1" }),
		repeated(2000, " UNION ALL ", func(i int) string { return fmt.Sprintf("SELECT %d.5", i) }),
		"SELECT * FROM " + repeated(200, ", ", func(i int) string { return fmt.Sprintf("t t%d", i) }),
		"SELECT * FROM t " + repeated(150, " ", func(i int) string { return fmt.Sprintf("JOIN t t%d USING (k)", i) }),
		"SELECT CASE " + repeated(5000, " ", func(i int) string { return fmt.Sprintf("WHEN k = %d THEN '%d'", i, i) }) +
			" END FROM t",
		"SELECT x IN (" + repeated(5000, ", ", func(i int) string { return "x" }) + ") FROM t",
		"VALUES " + repeated(5000, ", ", func(i int) string { return fmt.Sprintf("(%d, 'a', %d.5)", i, i) }),
		"SELECT k FROM t GROUP BY CUBE (k, s, d)",
	} {
		text, err := translateText(t, sql)
		if err != nil {
			t.Errorf("%.60s: %v", sql, err)
		}
		if len(text) > 60*len(sql) {
			t.Errorf("%.60s: %d bytes became %d", sql, len(sql), len(text))
		}
	}
}
