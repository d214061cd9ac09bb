//go:build cgo

package duckdb

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestAggregatesEqualAnIndependentComputation imports 100,000 rows written by encoding/csv and compares groups computed
// in Go with those of a statement.
func TestAggregatesEqualAnIndependentComputation(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "sales", engine.ColumnDef{Name: "shop", Type: "varchar"},
		engine.ColumnDef{Name: "n", Type: "bigint"},
		engine.ColumnDef{Name: "amount", Type: "decimal"}, engine.ColumnDef{Name: "at", Type: "timestamp"},
		engine.ColumnDef{Name: "paid", Type: "boolean"})
	type group struct {
		rows, n, nulls, paid int64
		amount               *big.Rat
		first                time.Time
	}
	shops := []string{"İzmir", "a, b", "line\nbreak", `"quoted"`, "👍🏽", "Ankara"}
	groups := map[string]*group{}
	rnd := rand.New(rand.NewPCG(1, 2))
	var doc bytes.Buffer
	w := csv.NewWriter(&doc)
	_ = w.Write([]string{"shop", "n", "amount", "at", "paid"})
	for range 100_000 {
		shop := shops[rnd.IntN(len(shops))]
		g := groups[shop]
		if g == nil {
			g = &group{amount: new(big.Rat), first: time.Unix(1<<40, 0)}
			groups[shop] = g
		}
		n := rnd.Int64N(1<<40) - 1<<39
		amount := fmt.Sprintf("%d.%0*d", rnd.IntN(1e6), 1+rnd.IntN(10), rnd.IntN(10))
		at := time.UnixMicro(rnd.Int64N(1<<51) - 1<<49).UTC()
		paid := rnd.IntN(2) == 0
		record := []string{shop, fmt.Sprint(n), amount, at.Format("2006-01-02T15:04:05.000000"), fmt.Sprint(paid)}
		g.rows++
		if rnd.IntN(10) == 0 {
			record[1] = ""
			g.nulls++
		} else {
			g.n += n
		}
		if paid {
			g.paid++
		}
		r, _ := new(big.Rat).SetString(amount)
		g.amount.Add(g.amount, r)
		if at.Before(g.first) {
			g.first = at
		}
		_ = w.Write(record)
	}
	w.Flush()
	if n, err := importText(t, p, engine.SchemaTable, "sales", doc.String()); n != 100_000 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	got := rowsOf(t, p,
		`SELECT shop, count(*), sum(n), count(*) - count(n), sum(amount), strftime(min("at"), '%Y-%m-%d %H:%M:%S.%f'),
		count(*) FILTER (paid) FROM "~data"."table".sales GROUP BY shop`)
	if len(got) != len(groups) {
		t.Errorf("%d groups", len(got))
	}
	for _, row := range got {
		shop, rest, _ := strings.Cut(row, "|")
		g := groups[shop]
		if g == nil {
			t.Errorf("a group %q", shop)
			continue
		}
		want := fmt.Sprintf("%d|%d|%d|%s|%s|%d", g.rows, g.n, g.nulls, g.amount.FloatString(10),
			g.first.Format("2006-01-02 15:04:05.000000"), g.paid)
		if rest != want {
			t.Errorf("%q: %s, want %s", shop, rest, want)
		}
	}
}
