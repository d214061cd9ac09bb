package caches_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestQueriesWhileACacheComesAndGoes: what a name stands for changes with each cache that is made, filled and deleted.
// A statement that has begun keeps what it was planned with, so none of them fails.
func TestQueriesWhileACacheComesAndGoes(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx, p := context.Background(), store.Project{ID: gatewaytest.Local}
	o := gatewaytest.CSV(t)
	for id := range 10 {
		o.Put(gatewaytest.Entry{ID: id, Name: "x", At: "2024-01-01 00:00:00"})
	}
	cat := gatewaytest.Connect(t, cl, o, nil)
	if _, err := cl.Queries.Create(ctx, gatewaytest.Local, api.QueryRequest{DisplayName: gatewaytest.Ptr("named"),
		InputQuery: gatewaytest.Ptr("SELECT id, name FROM far.files.items")}, nil); err != nil {
		t.Fatal(err)
	}
	statements := []string{
		"SELECT count(*) FROM far.files.items WHERE id < 10",
		"SELECT count(far.files.items.id) FROM far.files.items WHERE far.files.items.name = 'x'",
		"SELECT count(*) FROM peaka.query.named",
		"WITH i AS (SELECT * FROM far.files.items) SELECT count(*) FROM i JOIN peaka.query.named n ON n.id = i.id",
	}
	const rounds = 120 // of statements in each of four goroutines
	var wg sync.WaitGroup
	var failed, running atomic.Int64
	running.Store(4)
	for i := range 4 {
		wg.Go(func() {
			defer running.Add(-1)
			for n := range rounds {
				text := statements[(n+i)%len(statements)]
				readings := []string{"", "", "live"}
				res, err := g.Names.QueryReading(ctx, p, sql.Query{SQL: text}, readings[n%len(readings)])
				if err == nil {
					_, err = res.Rows(ctx, func(row [][]byte) error {
						if string(row[0]) != "10" {
							return errors.New("got " + string(row[0]))
						}
						return nil
					})
					res.Close()
				}
				if err != nil && failed.Add(1) < 4 {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	made := 0
	for running.Load() > 0 {
		c, err := cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID, SchemaName: "files",
			TableName: "items"})
		if err != nil {
			t.Fatal(err)
		}
		g.Jobs.Running.Wait()
		if err := cl.Cache.Delete(ctx, gatewaytest.Local, c.ID); err != nil {
			t.Fatal(err)
		}
		made++
	}
	wg.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d of %d statements failed while %d caches were made and deleted", failed.Load(), 4*rounds, made)
	}
}
