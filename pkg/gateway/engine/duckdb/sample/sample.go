// Package sample computes the tables of the built-in catalog in DuckDB.
package sample

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

const (
	sampleCustomers = 2000
	sampleProducts  = 200
	sampleOrders    = 10000
)

// mix maps a row number to pseudo-random 0 .. 2147483646; each k selects another sequence. It uses only products and
// remainders of integers: the results are the same in every version of DuckDB.
func mix(row string, k int) string {
	x := fmt.Sprintf(`(((%s) * 7919 + %d) * 48271 %% 2147483647)`, row, k*104729)
	return `(` + x + ` * ` + x + ` % 2147483647 * 16807 % 2147483647)`
}

// pick selects one of the words.
func pick(row string, k int, words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = sqltext.Literal(w)
	}
	return fmt.Sprintf(`([%s])[1 + %s %% %d]`, strings.Join(quoted, ", "), mix(row, k), len(words))
}

// price is the price of a product.
func price(product string) string {
	return `CAST((199 + ` + mix(product, 31) + ` % 49800) / 100.0::DOUBLE AS DECIMAL(10,2))`
}

// Tables are the statements for the tables, by name.
func Tables() map[string]string {
	return map[string]string{
		"customers": `SELECT i AS id,
	CAST(md5('customer ' || i) AS UUID) AS uid,
	` + pick("i", 1, "Anna", "Zoë", "Łukasz", "Søren", "Çağla", "美咲", "José", "Олена", "Noah", "Amélie", "Mehmet",
			"Ingrid", "Björn", "Fatima", "Liam", "Nguyễn") + ` AS first_name,
	` + pick("i", 2, "Smith", "Müller", "O'Brien", "García", "Nowak", "Yılmaz", "田中", "Jensen", "Dubois", "Ivanenko",
			"Rossi", "van der Berg", "Öztürk") + ` AS last_name,
	'customer' || i || '@example.com' AS email,
	CASE WHEN i % 17 <> 0 THEN ` + pick("i", 3, "Berlin", "Kraków", "İstanbul", "London", "東京", "São Paulo", "Kyïv",
			"New York", "København", "Zürich") + ` END AS city,
	CASE WHEN i % 11 <> 0 THEN DATE '1945-01-01' + CAST(` + mix("i", 4) + ` % 21900 AS INTEGER) END AS birth_date,
	` + mix("i", 5) + ` % 10 = 0 AS vip,
	CASE WHEN i % 7 <> 0 THEN CAST(` + mix("i", 6) + ` % 1000000 / 100.0::DOUBLE AS DECIMAL(10,2)) END AS credit_limit,
	TIMESTAMP '2019-01-01 00:00:00' + to_microseconds(` + mix("i", 7) + ` % 1576800000 * 100000) AS created_at,
	CASE WHEN i % 97 = 0 THEN 'said: "call later"' || chr(10) || 'then, never' WHEN i % 5 = 0 THEN '' END AS notes
	FROM range(1, ` + fmt.Sprint(sampleCustomers+1) + `) t(i)`,
		"products": `SELECT i AS id,
	'SKU-' || right('0000' || i, 4) AS sku,
	` + pick("i", 11, "Small", "Large", "Café", "Steel", "Wooden", "Blue", "Naïve", "Folding", "Quiet") + ` || ' ' ||
	` + pick("i", 12, "lamp", "chair", "kettle", "notebook", "bicycle", "headphones", "backpack", "mug", "clock",
			"umbrella") + ` AS name,
	` + pick("i", 13, "home", "kitchen", "office", "outdoor", "audio") + ` AS category,
	` + price("i") + ` AS price,
	CASE WHEN i % 9 <> 0 THEN ` + mix("i", 14) + ` % 20000 / 1000.0::DOUBLE END AS weight_kg,
	i % 13 = 0 AS discontinued,
	DATE '2015-01-01' + CAST(` + mix("i", 15) + ` % 3285 AS INTEGER) AS launched_on,
	CASE WHEN i % 6 <> 0 THEN list_distinct([` + pick("i", 16, "new", "sale", "eco") + `, ` + pick("i", 17, "gift",
			"bulk", "eco") + `]) END AS tags,
	CAST('{"colour": "' || ` + pick("i", 18, "red", "green", "blue", "żółty") + ` || '", "stock": ' || ` +
			mix("i", 19) + ` % 500 || '}' AS JSON) AS attributes
	FROM range(1, ` + fmt.Sprint(sampleProducts+1) + `) t(i)`,
		"orders": `SELECT i AS id,
	1 + ` + mix("i", 21) + ` % ` + fmt.Sprint(sampleCustomers) + ` AS customer_id,
	TIMESTAMPTZ '2021-01-01 00:00:00+00' + to_seconds(i * 9467 + ` + mix("i", 22) + ` % 9000) AS ordered_at,
	` + orderStatus("i") + ` AS status,
	CASE WHEN ` + orderStatus("i") + ` IN ('shipped', 'delivered', 'returned')
		THEN DATE '2021-01-01' + CAST(i * 9467 // 86400 + 1 + ` + mix("i", 24) + ` % 5 AS INTEGER) END AS shipped_on,
	CASE WHEN i % 4 <> 0 THEN TIME '08:00:00' + to_minutes(15 * (` + mix("i", 25) + ` % 40)) END AS delivery_slot,
	CASE WHEN i % 3 = 0 THEN ` + pick("i", 26, "leave at the door", "bitte klingeln", "gift wrap 🎁",
			"fragile, handle with care") + ` END AS note
	FROM range(1, ` + fmt.Sprint(sampleOrders+1) + `) t(i)`,
		"order_items": `SELECT o AS order_id, n::INTEGER AS line_no, p AS product_id, q::INTEGER AS quantity,
	` + price("p") + ` AS unit_price,
	CASE WHEN ` + mix("o * 8 + n", 43) + ` % 10 = 0 THEN CAST(0.05 * (1 + ` + mix("o * 8 + n", 44) +
			` % 5) AS REAL) END AS discount
	FROM (SELECT o, n, 1 + ` + mix("o * 8 + n", 41) + ` % ` + fmt.Sprint(sampleProducts) + ` AS p, 1 + ` +
			mix("o * 8 + n", 42) + ` % 5 AS q
		FROM range(1, ` + fmt.Sprint(sampleOrders+1) + `) a(o), range(1, 5) b(n) WHERE n <= 1 + ` + mix("o", 40) +
			` % 4)`,
	}
}

func orderStatus(row string) string {
	return pick(row, 23, "delivered", "delivered", "delivered", "shipped", "new", "cancelled", "returned")
}

// Of determines by the number of rows which of the tables a step computes.
func Of(names []string, rows int64) string {
	made := map[int64][]string{sampleCustomers: {"customers"}, sampleProducts: {"products"}, sampleOrders: {"orders",
		"order_items"}, 4: {"order_items"}}
	var may []string
	for _, n := range names {
		if slices.Contains(made[rows], n[strings.LastIndex(n, ".")+1:]) {
			may = append(may, n)
		}
	}
	if len(may) == 0 {
		may = names
	}
	return strings.Join(may, " or ")
}

// Columns maps the row numbers of the tables, by their names in the tables' statements, to the columns they become.
func Columns() map[string]string {
	return map[string]string{"i": "id", "o": "order_id", "n": "line_no"}
}
