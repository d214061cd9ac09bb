package analyze

import (
	"errors"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

type hintCatalog struct{}

func (hintCatalog) Table(n Name) (*Table, bool) {
	return &Table{Name: n, Columns: []TableColumn{{Name: "id", Type: types.Of(types.Bigint)},
		{Name: "Order Date", Type: types.Of(types.Date)},
		{Name: "customer_name", Type: types.NewVarchar(20)}, {Name: "paid", Type: types.Of(types.Boolean)},
		{Name: "at", Type: types.NewTime(types.Timestamp, 3)},
		{Name: "slot", Type: types.NewTime(types.Time, 0)}, {Name: "u", Type: types.Of(types.UUID)}}}, n.Table == "t"
}
func (hintCatalog) HasCatalog(string) bool        { return true }
func (hintCatalog) HasSchema(string, string) bool { return true }

func TestHints(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT custommer_name FROM t":                                               "did you mean customer_name?",
		"SELECT customername FROM t":                                                 "did you mean customer_name?",
		"SELECT order_date FROM t":                                                   `did you mean "Order Date"?`,
		"SELECT orderdate FROM t":                                                    `did you mean "Order Date"?`,
		"SELECT t.custmer_name FROM t":                                               "did you mean t.customer_name?",
		"SELECT orders.zzz FROM t AS x":                                              "no table of the statement is called orders",
		"SELECT y.id FROM t AS x":                                                    "did you mean x.id?",
		"SELECT tt.id FROM t":                                                        "did you mean t.id?",
		"SELECT a.id FROM t WHERE EXISTS (SELECT idd)":                               "did you mean id?",
		`SELECT 1 FROM t WHERE customer_name = "Jan Kowal"`:                          "double quotes are for names; a text is written 'Jan Kowal'",
		`SELECT 1 FROM t WHERE "Order Date" < '2024-02-29'`:                          "write DATE '2024-02-29'",
		"SELECT 1 FROM t WHERE at BETWEEN '2024-02-29 10:00' AND '2024-03-01 10:00'": "write TIMESTAMP '2024-02-29 10:00'",
		"SELECT 1 FROM t WHERE slot = '10:00:00'":                                    "write TIME '10:00:00'",
		"SELECT 1 FROM t WHERE u = 'f'":                                              "write UUID 'f'",
		"SELECT 1 FROM t WHERE id = '17'":                                            "write the number without quotes: 17",
		"SELECT 1 FROM t WHERE id IN (1, '17')":                                      "write the number without quotes: 17",
		"SELECT 1 FROM t WHERE paid = 'TRUE'":                                        "write true without quotes",
		"SELECT 1 FROM t WHERE id = customer_name":                                   "CAST(customer_name AS bigint) compares them as bigint",
		"SELECT lenght('x')":                                                         "did you mean length?",
		"SELECT group_concat('x')": "Trino has listagg(x, ',') " +
			"WITHIN GROUP (ORDER BY x)",
		"SELECT qqqqqqqq(1)":                   "",
		"SELECT zzzzzzzz FROM t":               "",
		"SELECT id + ARRAY[1] FROM t":          "",
		"SELECT customer_name || id FROM t":    "texts are joined with texts: CAST(id AS varchar)",
		"SELECT 1 || customer_name FROM t":     "texts are joined with texts: CAST(1 AS varchar)",
		"SELECT concat('a', 'b', paid) FROM t": "texts are joined with texts: CAST(paid AS varchar)",
		"SELECT id || paid FROM t":             "",
		"SELECT length(1)":                     "",
	} {
		tree, err := trinosql.Parse(sql)
		if err != nil {
			t.Fatal(sql, err)
		}
		_, err = Analyze(tree, Options{Catalog: hintCatalog{}, DefaultCatalog: "c", DefaultSchema: "s"})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", sql, err)
		} else if e.Hint != want {
			t.Errorf("%s: %v\nhint %q, want %q", sql, e, e.Hint, want)
		}
	}
}

// TestOtherNames checks that the functions of other engines do not exist in Trino.
func TestOtherNames(t *testing.T) {
	for name := range otherNames {
		if len(functions.Named(name)) > 0 {
			t.Errorf("%s is a function of Trino", name)
		}
	}
}
