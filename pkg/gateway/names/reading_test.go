package names_test

import (
	"context"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// The same statements, past the cache and from it, at the same time: none sees the other's rows, through saved queries
// and by any way of writing a name.
func TestLiveAndCachedAtOnce(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	o := gatewaytest.CSV(t)
	o.Put(gatewaytest.Entry{ID: 1, Name: "a", At: "2026-01-01 00:00:00"})
	cat := gatewaytest.Connect(t, cl, o, nil)
	if _, err := cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID,
		SchemaName: o.Schema, TableName: "items"}); err != nil {
		t.Fatal(err)
	}
	gatewaytest.MakeCache(t, g, cl, "products")
	g.Jobs.Running.Wait()
	o.Put(gatewaytest.Entry{ID: 2, Name: "b", At: "2026-01-02 00:00:00"})
	text := "SELECT count(far.files.items.id) FROM far.files.items WHERE far.files.items.id > 0"
	for _, name := range []string{"inner", "outer"} {
		if _, err := cl.Queries.Create(context.Background(), gatewaytest.Local, api.QueryRequest{DisplayName: &name,
			InputQuery: &text, QueryType: "PLAIN"}, nil); err != nil {
			t.Fatal(err)
		}
		text = "SELECT * FROM peaka.query.\"inner\""
	}
	p, err := g.Store.Project(context.Background(), "", gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(text, reading string) (string, error) {
		res, err := g.Names.QueryReading(context.Background(), p, sql.Query{SQL: text}, reading)
		if err != nil {
			return "", err
		}
		defer res.Close()
		got := ""
		_, err = res.Rows(context.Background(), func(row [][]byte) error { got += string(row[0]); return nil })
		return got, err
	}
	statements := []string{
		text, `SELECT * FROM peaka.query."outer"`, `SELECT count(*) FROM "far".Files.ITEMS`,
		"SELECT count(*) FROM far.files.items AS far",
		"WITH items AS (SELECT * FROM far.files.items) SELECT count(items.id) FROM items",
		"SELECT count(*) FROM far.files.items i JOIN far.files.items j ON i.id = j.id JOIN sample.shop.products p ON " +
			"p.id = i.id",
		"SELECT count(*) FROM far.files.items WHERE items.id IN (SELECT x.id FROM far.files.items x)",
	}
	var wg sync.WaitGroup
	for reading, want := range map[string]string{"": "1", "stored": "1", "live": "2"} {
		for _, s := range statements {
			wg.Go(func() {
				for range 8 {
					if got, err := ask(s, reading); err != nil || got != want {
						t.Errorf("%s reading %q = %q, want %q: %v", s, reading, got, want, err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if _, err := ask("SELECT count(*) FROM sample.shop.orders", "stored"); err == nil {
		t.Error("a table without a cache is read where only caches are to be")
	}
	if _, err := ask("SELECT 1", "sometimes"); err == nil {
		t.Error("an unknown way to read is taken")
	}
}
