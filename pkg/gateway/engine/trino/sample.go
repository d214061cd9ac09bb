package trino

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// The tables of the built-in catalog are computed where they are named. The formulas are those of the embedded engine,
// whose rows are the same.

const (
	sampleCustomers = 2000
	sampleProducts  = 200
	sampleOrders    = 10000
)

// mix maps a row number to pseudo-random 0 .. 2147483646; each k selects another sequence.
func mix(row string, k int) string {
	x := fmt.Sprintf("(((%s) * 7919 + %d) * 48271 %% 2147483647)", row, k*104729)
	return "(" + x + " * " + x + " % 2147483647 * 16807 % 2147483647)"
}

// pick selects one of the words.
func pick(row string, k int, words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "CAST(" + sqltext.Literal(w) + " AS varchar)"
	}
	return fmt.Sprintf("element_at(ARRAY[%s], 1 + %s %% %d)", strings.Join(quoted, ", "), mix(row, k), len(words))
}

func price(product string) string {
	return "CAST((199 + " + mix(product, 31) + " % 49800) / 1e2 AS decimal(10,2))"
}

func orderStatus(row string) string {
	return pick(row, 23, "delivered", "delivered", "delivered", "shipped", "new", "cancelled", "returned")
}

// sampleColumn is a column of a table: its name, its type and its value, of which $ is the number of the row.
type sampleColumn struct{ name, typ, value string }

// numbers is the rows 1 to n of a table; a sequence has 10,000 elements at most.
func numbers(n int) string { return fmt.Sprintf("UNNEST(sequence(1, %d))", n) }

func sampleColumns(table string) (columns []sampleColumn, from string) {
	switch table {
	case "customers":
		return []sampleColumn{
			{"id", "bigint", "i"},
			{"uid", "uuid", "CAST(regexp_replace(lower(to_hex(md5(to_utf8('customer ' || CAST(i AS varchar))))), " +
				"'^(.{8})(.{4})(.{4})(.{4})(.{12})$', '$1-$2-$3-$4-$5') AS uuid)"},
			{"first_name", "varchar", pick("i", 1, "Anna", "Zoë", "Łukasz", "Søren", "Çağla", "美咲", "José", "Олена",
				"Noah", "Amélie",
				"Mehmet", "Ingrid", "Björn", "Fatima", "Liam", "Nguyễn")},
			{"last_name", "varchar", pick("i", 2, "Smith", "Müller", "O'Brien", "García", "Nowak", "Yılmaz", "田中",
				"Jensen", "Dubois",
				"Ivanenko", "Rossi", "van der Berg", "Öztürk")},
			{"email", "varchar", "'customer' || CAST(i AS varchar) || '@example.com'"},
			{"city", "varchar", "CASE WHEN i % 17 <> 0 THEN " + pick("i", 3, "Berlin", "Kraków", "İstanbul", "London",
				"東京",
				"São Paulo", "Kyïv", "New York", "København", "Zürich") + " END"},
			{"birth_date", "date", "CASE WHEN i % 11 <> 0 THEN date_add('day', " + mix("i", 4) +
				" % 21900, DATE '1945-01-01') END"},
			{"vip", "boolean", mix("i", 5) + " % 10 = 0"},
			{"credit_limit", "decimal(10,2)", "CASE WHEN i % 7 <> 0 THEN CAST(" + mix("i", 6) +
				" % 1000000 / 1e2 AS decimal(10,2)) END"},
			{"created_at", "timestamp(6)", "date_add('millisecond', " + mix("i", 7) + // which takes 31 bits
				" % 1576800000 % 10 * 100, date_add('second', " + mix("i", 7) +
				" % 1576800000 / 10, TIMESTAMP '2019-01-01 00:00:00.000000'))"},
			{"notes", "varchar", "CASE WHEN i % 97 = 0 THEN 'said: \"call later\"' || chr(10) || 'then, never' " +
				"WHEN i % 5 = 0 THEN '' END"},
		}, numbers(sampleCustomers) + " t(i)"
	case "products":
		return []sampleColumn{
			{"id", "bigint", "i"},
			{"sku", "varchar", "'SKU-' || lpad(CAST(i AS varchar), 4, '0')"},
			{"name", "varchar", pick("i", 11, "Small", "Large", "Café", "Steel", "Wooden", "Blue", "Naïve", "Folding",
				"Quiet") +
				" || ' ' || " + pick("i", 12, "lamp", "chair", "kettle", "notebook", "bicycle", "headphones",
				"backpack", "mug", "clock",
				"umbrella")},
			{"category", "varchar", pick("i", 13, "home", "kitchen", "office", "outdoor", "audio")},
			{"price", "decimal(10,2)", price("i")},
			{"weight_kg", "double", "CASE WHEN i % 9 <> 0 THEN " + mix("i", 14) + " % 20000 / 1e3 END"},
			{"discontinued", "boolean", "i % 13 = 0"},
			{"launched_on", "date", "date_add('day', " + mix("i", 15) + " % 3285, DATE '2015-01-01')"},
			{"tags", "array(varchar)", "CASE WHEN i % 6 <> 0 THEN array_distinct(ARRAY[" + pick("i", 16, "new", "sale",
				"eco") + ", " +
				pick("i", 17, "gift", "bulk", "eco") + "]) END"},
			{"attributes", "json", "json_parse('{\"colour\": \"' || " + pick("i", 18, "red", "green", "blue", "żółty") +
				" || '\", \"stock\": ' || CAST(" + mix("i", 19) + " % 500 AS varchar) || '}')"},
		}, numbers(sampleProducts) + " t(i)"
	case "orders":
		return []sampleColumn{
			{"id", "bigint", "i"},
			{"customer_id", "bigint", "1 + " + mix("i", 21) + fmt.Sprintf(" %% %d", sampleCustomers)},
			{"ordered_at", "timestamp(6) with time zone", "date_add('second', i * 9467 + " + mix("i", 22) +
				" % 9000, TIMESTAMP '2021-01-01 00:00:00.000000 UTC')"},
			{"status", "varchar", orderStatus("i")},
			{"shipped_on", "date", "CASE WHEN " + orderStatus("i") +
				" IN ('shipped', 'delivered', 'returned') THEN date_add('day', " +
				"i * 9467 / 86400 + 1 + " + mix("i", 24) + " % 5, DATE '2021-01-01') END"},
			{"delivery_slot", "time(6)", "CASE WHEN i % 4 <> 0 THEN date_add('minute', 15 * (" + mix("i", 25) +
				" % 40), TIME '08:00:00.000000') END"},
			{"note", "varchar", "CASE WHEN i % 3 = 0 THEN " + pick("i", 26, "leave at the door", "bitte klingeln",
				"gift wrap 🎁",
				"fragile, handle with care") + " END"},
		}, numbers(sampleOrders) + " t(i)"
	case "order_items":
		row := "o * 8 + n"
		return []sampleColumn{
			{"order_id", "bigint", "o"}, {"line_no", "integer", "n"},
			{"product_id", "bigint", "1 + " + mix(row, 41) + fmt.Sprintf(" %% %d", sampleProducts)},
			{"quantity", "integer", "1 + " + mix(row, 42) + " % 5"},
			{"unit_price", "decimal(10,2)", price("(1 + " + mix(row, 41) + fmt.Sprintf(" %% %d)", sampleProducts))},
			{"discount", "real", "CASE WHEN " + mix(row, 43) + " % 10 = 0 THEN CAST(5e-2 * (1 + " + mix(row, 44) +
				" % 5) AS real) END"},
		}, numbers(sampleOrders) + " a(o), UNNEST(sequence(1, 4)) b(n) WHERE n <= 1 + " + mix("o", 40) + " % 4"
	}
	return nil, ""
}

// sampleTable finds a table of the built-in catalog.
func sampleTable(n engine.TableName) (*engine.BaseTable, error) {
	columns, from := sampleColumns(n.Table)
	if columns == nil || n.Schema != engine.SampleSchema {
		return nil, engine.UnknownTable(n)
	}
	out := &engine.BaseTable{Name: n}
	list := make([]string, len(columns))
	for i, c := range columns {
		t, err := types.Parse(c.typ)
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, analyze.TableColumn{Name: c.name, Type: t})
		list[i] = "CAST(" + c.value + " AS " + c.typ + ") AS " + c.name
	}
	out.Private = &kept{"SELECT " + strings.Join(list, ", ") + " FROM " + from}
	return out, nil
}
