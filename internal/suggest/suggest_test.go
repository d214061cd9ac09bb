package suggest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func shop() *Known {
	col := func(names ...string) (out []Column) {
		for _, n := range names {
			name, typ, _ := strings.Cut(n, ":")
			out = append(out, Column{name, typ})
		}
		return out
	}
	return New([]Table{
		{"peaka", "table", "people", col("id:bigint", "name:varchar", "Home town:varchar")},
		{"peaka", "query", "grown_ups", col("id:bigint", "name:varchar")},
		{"sample", "shop", "customers", col("id:bigint", "name:varchar", "city:varchar")},
		{"sample", "shop", "orders", col("id:bigint", "customer_id:bigint", "total:decimal(10,2)")},
		{"sample", "shop", "order", col("id:bigint")},
		{"sample", "web", "clicks", col("at:timestamp(3)", "url:varchar")},
	}, "peaka.table", "peaka.query")
}

func others(name string) []Column {
	return map[string][]Column{"'in/sales.csv'": {{"amount", "double"}, {"day", "date"}}, "_": {{"n", "bigint"}}}[name]
}

// TestAt completes at the mark |. The list is what is offered first of each kind that is named, or all of it for kind
// "".
func TestAt(t *testing.T) {
	for _, tt := range []struct{ text, kinds, want string }{
		{"|", "keyword", "DESCRIBE EXPLAIN FROM SELECT SHOW SUMMARIZE TABLE VALUES WITH"},
		{"sel|", "", "select"},
		{"SEL|", "", "SELECT"},
		{"select 1; sel|", "", "select"},
		{"SELECT * FROM |", "table", "people grown_ups"},
		{"SELECT * FROM |", "catalog", "peaka sample"},
		{"SELECT * FROM cus|", "", "sample.shop.customers"},
		{"SELECT * FROM p|", "", "people peaka"},
		{"SELECT * FROM sample.|", "", "shop web"},
		{"SELECT * FROM sample.shop.|", "", `customers orders "order"`},
		{"SELECT * FROM sample.shop.or|", "", `orders "order"`},
		{"SELECT * FROM sample.shop.\"or|", "", `"orders" "order"`},
		{"SELECT | FROM people", "column", `id name "Home town"`},
		{"SELECT h| FROM people", "column", `"Home town"`},
		{"FROM people SELECT |", "column", `id name "Home town"`},
		{"SUMMARIZE cus|", "", "sample.shop.customers"},
		{"SELECT p.| FROM people p", "", `id name "Home town"`},
		{"SELECT people.na| FROM people", "", "name"},
		{"SELECT c.na|", "", ""},
		{"SELECT c.na| FROM sample.shop.customers AS c", "", "name"},
		{"SELECT * FROM sample.shop.customers c JOIN sample.shop.orders o ON o.c|", "", "customer_id"},
		{"SELECT * FROM sample.shop.customers c JOIN sample.shop.orders o ON c.|", "", "id name city"},
		{"SELECT * FROM sample.shop.customers c, |", "table", "people grown_ups"},
		{"SELECT * FROM sample.shop.customers c WHERE c.id IN (SELECT | FROM sample.shop.orders o)", "column",
			"id customer_id total name city"},
		{"SELECT | FROM (SELECT total, id AS number FROM sample.shop.orders) t", "column", "total number"},
		{"SELECT t.| FROM (SELECT o.total, count(*) AS n FROM sample.shop.orders o) t", "", "total n"},
		{"WITH big AS (SELECT id, total FROM sample.shop.orders) SELECT * FROM b|", "", "big"},
		{"WITH big AS (SELECT id, total FROM sample.shop.orders) SELECT big.t| FROM big", "", "total"},
		{"SELECT * FROM people WHERE name = '|", "", ""},
		{"SELECT * FROM people WHERE name = 'a' AND na|", "column", "name"},
		{"SELECT * FROM people -- na|", "", ""},
		{"SELECT * FROM people /* na|", "", ""},
		{"SELECT * FROM people /* x */ WHERE na|", "column", "name"},
		{"SELECT approx_per|", "function", "approx_percentile"},
		{"SELECT extract(year FROM a|) FROM sample.web.clicks", "column", "at"},
		{"SELECT * FROM people ORDER |", "", "BY"},
		{"SELECT * FROM people GROUP BY na|", "column", "name"},
		{"SHOW |", "", "TABLES SCHEMAS CATALOGS COLUMNS CREATE FUNCTIONS"},
		{"DESCRIBE cl|", "", "sample.web.clicks"},
		{"select 12|", "", ""},
		{"SELECT żó| FROM people", "", ""},
		{"SELECT 1 AS na|", "", ""},
		{"SELECT am| FROM 'in/sales.csv'", "column", "amount"},
		{"SELECT sales.| FROM 'in/sales.csv'", "", "amount day"},
		{"SELECT s.d| FROM 'in/sales.csv' AS s", "", "day"},
		{"SELECT | FROM _", "column", "n"},
		{"SELECT | FROM people JOIN 'none.csv' ON true", "column", `id name "Home town"`},
	} {
		at := strings.Index(tt.text, "|")
		text := tt.text[:at] + tt.text[at+1:]
		from, list := At(text, at, shop(), Namespace{Other: others})
		var got []string
		for _, c := range list {
			if tt.kinds == "" || slices.Contains(strings.Fields(tt.kinds), c.Kind) {
				got = append(got, c.Text)
			}
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, g, tt.want)
		}
		if from < 0 || from > at {
			t.Errorf("%s: begins at %d", tt.text, from)
		}
	}
}

// TestUse completes names of the schema that is in use, which need no catalog and schema.
func TestUse(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * FROM cu|":               "customers sample.shop.customers",
		"SELECT * FROM web.|":             "clicks",
		"SELECT cl.u| FROM web.clicks cl": "url",
		"SELECT ci| FROM customers":       "city",
	} {
		at := strings.Index(text, "|")
		_, list := At(text[:at]+text[at+1:], at, shop(), Namespace{Catalog: "sample", Schema: "shop"})
		var got []string
		for _, c := range list {
			if c.Kind == KindTable || c.Kind == KindColumn {
				got = append(got, c.Text)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: got %s, want %s", text, g, want)
		}
	}
}

// TestAnyText completes at every place of texts that are not SQL.
func TestAnyText(t *testing.T) {
	for _, text := range []string{"((((", "))))", "select (a.b.c.d.e from (", `"`, "'", "--", "/*", ";;;", "a.", ".",
		"with x as (", "from ,,, join join", "żółć.漢字 from \xff\xfe", "$$", "$a$ x"} {
		for at := -1; at <= len(text)+1; at++ {
			if from, _ := At(text, at, shop(), Namespace{}); from < 0 || from > len(text) {
				t.Errorf("%q at %d: begins at %d", text, at, from)
			}
		}
	}
}

func large() *Known {
	var tables []Table
	for i := range 2000 {
		tb := Table{Catalog: fmt.Sprintf("cat%d", i%5), Schema: fmt.Sprintf("schema%d", i%50),
			Name: fmt.Sprintf("table_%04d", i)}
		for j := range 10 {
			tb.Columns = append(tb.Columns, Column{fmt.Sprintf("column_%04d_%d", i, j), "varchar"})
		}
		tables = append(tables, tb)
	}
	return New(tables, "cat0.schema0")
}

// BenchmarkAt completes over 2,000 tables with 20,000 columns.
func BenchmarkAt(b *testing.B) {
	k := large()
	for name, text := range map[string]string{
		"table":  "SELECT * FROM tab|",
		"column": "SELECT * FROM cat1.schema1.table_0001 t JOIN cat2.schema2.table_0002 u ON t.col|",
		"word":   "SELECT c| FROM cat1.schema1.table_0001 t",
		"long": strings.Repeat("SELECT a.b, count(*) FROM cat1.schema1.table_0001 a GROUP BY 1 UNION ALL ", 200) +
			"SELECT t.c| FROM cat1.schema1.table_0001 t",
	} {
		at := strings.Index(text, "|")
		text = text[:at] + text[at+1:]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, list := At(text, at, k, Namespace{}); len(list) == 0 {
					b.Fatal("nothing is offered")
				}
			}
		})
	}
}
