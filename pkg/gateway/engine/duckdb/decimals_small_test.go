//go:build cgo

package duckdb

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestDecimalsOfEachSize computes with values below and above the limits up to which 64 bits are used, and compares
// with exact arithmetic.
func TestDecimalsOfEachSize(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "n", engine.ColumnDef{Name: "g", Type: "bigint"},
		engine.ColumnDef{Name: "a", Type: "decimal(15,2)"}, engine.ColumnDef{Name: "b", Type: "decimal(15,2)"},
		engine.ColumnDef{Name: "c", Type: "decimal(4,2)"}, engine.ColumnDef{Name: "k", Type: "bigint"})
	sizes := []string{"0.01", "-0.07", "99.99", "99.00", "-100.00", "999999.00", "1000000.25", "-9999999.99",
		"9999999999999.99", "-9999999999999.99", ""}
	rates := []string{"0.05", "-99.99", ""}
	counts := []string{"3", "-9223372036854775808", "99999999", ""}
	type row struct{ a, b, c, k *big.Rat }
	var all []row
	number := func(s string) *big.Rat {
		if s == "" {
			return nil
		}
		r, _ := new(big.Rat).SetString(s)
		return r
	}
	var text strings.Builder
	text.WriteString("g,a,b,c,k\n")
	for i, a := range sizes {
		for j, b := range sizes {
			c, k := rates[(i+j)%len(rates)], counts[(i+2*j)%len(counts)]
			fmt.Fprintf(&text, "%d,%s,%s,%s,%s\n", len(all)%3, a, b, c, k)
			all = append(all, row{number(a), number(b), number(c), number(k)})
		}
	}
	mustImport(t, p, "n", text.String())
	op := func(f func(z, x, y *big.Rat) *big.Rat, x, y *big.Rat) *big.Rat {
		if x == nil || y == nil {
			return nil
		}
		return f(new(big.Rat), x, y)
	}
	mul, add, sub := (*big.Rat).Mul, (*big.Rat).Add, (*big.Rat).Sub
	one := big.NewRat(1, 1)
	for _, c := range []struct {
		text  string
		scale int
		value func(r row) *big.Rat
	}{
		{"a * b", 4, func(r row) *big.Rat { return op(mul, r.a, r.b) }},
		{"a * (1 - b)", 4, func(r row) *big.Rat { return op(mul, r.a, op(sub, one, r.b)) }},
		{"a * (1 - c) * (1 + c)", 6, func(r row) *big.Rat {
			return op(mul, op(mul, r.a, op(sub, one, r.c)), op(add, one, r.c))
		}},
		{"a * b - b * c", 4, func(r row) *big.Rat { return op(sub, op(mul, r.a, r.b), op(mul, r.b, r.c)) }},
		{"a * k", 2, func(r row) *big.Rat { return op(mul, r.a, r.k) }},
		{"a * k + b * 0.5", 3, func(r row) *big.Rat {
			return op(add, op(mul, r.a, r.k), op(mul, r.b, big.NewRat(1, 2)))
		}},
		{"(a + b) * (a - b)", 4, func(r row) *big.Rat { return op(mul, op(add, r.a, r.b), op(sub, r.a, r.b)) }},
		{"-1.25 * a * c", 6, func(r row) *big.Rat { return op(mul, op(mul, big.NewRat(-5, 4), r.a), r.c) }},
	} {
		var want []string
		sums := make([]*big.Rat, 3)
		counted := make([]*big.Rat, 3)
		for i, r := range all {
			v := c.value(r)
			if v == nil {
				want = append(want, "null")
				continue
			}
			want = append(want, v.FloatString(c.scale))
			if sums[i%3] == nil {
				sums[i%3] = new(big.Rat)
			}
			sums[i%3].Add(sums[i%3], v)
			if r.a != nil && r.a.Cmp(big.NewRat(100, 1)) < 0 {
				if counted[i%3] == nil {
					counted[i%3] = new(big.Rat)
				}
				counted[i%3].Add(counted[i%3], v)
			}
		}
		check := func(statement, want string) {
			t.Helper()
			got, err := rows(t, p, sql.Query{SQL: statement})
			if err != nil || got != want {
				t.Errorf("%s:\n%s\nnot\n%s\n%v", statement, got, want, err)
			}
		}
		check(`SELECT `+c.text+` FROM n ORDER BY _id`, strings.Join(want, "\n"))
		var groups []string
		for g := range sums {
			groups = append(groups, fmt.Sprintf("%s|%s", sums[g].FloatString(c.scale), counted[g].FloatString(c.scale)))
		}
		check(`SELECT sum(`+c.text+`), sum(`+c.text+`) FILTER (WHERE a < 100) FROM n GROUP BY g ORDER BY g`,
			strings.Join(groups, "\n"))
		check(`SELECT sum(x), sum(`+c.text+`) FROM (SELECT a, b, c, k, `+c.text+` AS x FROM n) WHERE a IS NULL`,
			"null|null")
	}
}

// TestDecimalsOverflow overflows beyond 38 digits, in a row and in a sum.
func TestDecimalsOverflow(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "n", engine.ColumnDef{Name: "a", Type: "decimal(15,2)"})
	mustImport(t, p, "n", "a\n9999999999999.99\n1.00\n")
	for _, text := range []string{"a * a * a", "sum(a * a * a)"} {
		if got, err := rows(t, p, sql.Query{SQL: `SELECT ` + text + ` FROM n`}); err == nil ||
			!strings.Contains(err.Error(), "Decimal overflow") {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	if got, err := rows(t, p, sql.Query{SQL: `SELECT sum(a * a * a) FROM n WHERE a < 2`}); got != "1.000000" ||
		err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
