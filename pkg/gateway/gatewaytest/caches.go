package gatewaytest

import (
	"context"
	"errors"
	"testing"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Local is the project that every gateway has.
const Local = store.DefaultProject

// MakeCache creates a cache of a sample table and waits for its first run.
func MakeCache(t *testing.T, g *gateway.Gateway, cl *api.Client, table string) api.Cache {
	t.Helper()
	c, err := cl.Cache.Create(context.Background(), Local, api.CacheRequest{CatalogID: names.SampleCatalogID,
		SchemaName: "shop", TableName: table})
	if err != nil {
		t.Fatal(err)
	}
	g.Jobs.Running.Wait()
	return c
}

// RunEnd starts a run of a cache, unless trigger is nil, and returns the newest when it has ended.
func RunEnd(t *testing.T, g *gateway.Gateway, cl *api.Client, id string, trigger func(context.Context, string,
	string) error) api.CacheExecutionInfo {
	t.Helper()
	if trigger != nil {
		if err := trigger(context.Background(), Local, id); err != nil {
			t.Fatal(err)
		}
		g.Jobs.Running.Wait()
	}
	st, err := cl.Cache.Status(context.Background(), Local, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	if run := st.Newest(); run != nil && run.Status == st.Status {
		return *run
	}
	t.Fatalf("the newest run is not the state of the cache: %+v", st)
	panic("unreachable")
}

// OneValue returns the first value of a statement.
func OneValue(t *testing.T, g *gateway.Gateway, text string) string {
	t.Helper()
	p, err := g.Store.Project(context.Background(), "", Local)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := TextsOf(context.Background(), g, p, text)
	if err != nil {
		t.Fatal(err)
	}
	return rows[0][0]
}

// TextsOf runs a small statement and returns its values as text, NULL as "".
func TextsOf(ctx context.Context, g *gateway.Gateway, p store.Project, text string) ([][]string, error) {
	res, err := g.Names.Query(ctx, p, sql.Query{SQL: text})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var out [][]string
	_, err = res.Rows(ctx, func(row [][]byte) error {
		out = append(out, each.Map(row, func(v []byte) string { return string(v) }))
		return nil
	})
	return out, err
}

// APIStatus returns the status of an error of the gateway, or 0.
func APIStatus(err error) int {
	var ae *api.Error
	if errors.As(err, &ae) {
		return ae.Status
	}
	return 0
}
