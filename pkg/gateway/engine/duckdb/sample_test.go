//go:build cgo

package duckdb

import (
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// The rows are promised to stay the same, so these numbers were written down once, from the rows themselves.
func TestSampleStaysTheSame(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	for text, want := range map[string]string{
		`SELECT count(*), count(DISTINCT uid), count(city), count(birth_date), count(credit_limit), ` +
			`sum(credit_limit), count(notes) FROM sample.shop.customers`: "2000|2000|1883|1819|1715|8706972.13|416",
		`SELECT * FROM sample.shop.customers WHERE id = 1`:                                              "1|1c1e3dd0-9531-6f30-724a-c021ca3b95b8|Łukasz|Nowak|customer1@example.com|London|1958-10-18|false|6833.88|2019-11-15 05:20:33.600000|null",
		`SELECT * FROM sample.shop.products WHERE id = 3`:                                               `3|SKU-0003|Café clock|outdoor|4.94|13.731|false|2021-06-12|["bulk","eco"]|{"colour": "red", "stock": 280}`,
		`SELECT * FROM sample.shop.orders WHERE id = 3`:                                                 "3|1496|2021-01-01 08:50:53.000000 UTC|delivered|2021-01-05|08:45:00.000000|bitte klingeln",
		`SELECT count(*), min(ordered_at), max(ordered_at) FROM sample.shop.orders`:                     "10000|2021-01-01 05:01:36.000000 UTC|2024-01-01 18:46:14.000000 UTC",
		`SELECT count(*), sum(quantity * unit_price), count(discount) FROM sample.shop.order_items`:     "24768|17520285.30|2482",
		`SELECT count(*) FROM sample.shop.order_items i, sample.shop.orders o WHERE i.order_id = o.id`:  "24768",
		`SELECT count(*) FROM sample.shop.orders o, sample.shop.customers c WHERE o.customer_id = c.id`: "10000",
		`SELECT count(*) FROM sample.shop.order_items i, sample.shop.products p WHERE i.product_id = p.id AND ` +
			`i.unit_price = p.price`: "24768",
	} {
		if got, err := rows(t, p, sql.Query{SQL: text}); err != nil || got != want {
			t.Errorf("%s:\n got %q, %v\nwant %q", text, got, err, want)
		}
	}
	for _, text := range []string{`SELECT * FROM sample.shop.nosuch`, `SELECT * FROM sample.nosuch.orders`} {
		if _, err := rows(t, p, sql.Query{SQL: text}); kindOf(err) != engine.KindUnknownTable {
			t.Errorf("%s: %v", text, err)
		}
	}
}
