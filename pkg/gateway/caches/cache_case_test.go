package caches_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

func createCache(g *gateway.Gateway, cl *api.Client, cat api.Catalog, schema, table string) error {
	_, err := cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID,
		SchemaName: schema, TableName: table})
	g.Jobs.Running.Wait()
	return err
}

// A cache answers for the table that it was made of, and not for one whose name differs in case, in whatever order they
// appear.
func TestCacheOfNamesThatDifferInCase(t *testing.T) {
	for name, open := range map[string]func(*testing.T, ...string) gatewaytest.Origin{"postgres": gatewaytest.Postgres,
		"mariadb": gatewaytest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			o := open(t)
			g, cl, _ := gatewaytest.OpenClient(t)
			run := func(sql string) {
				if name == "postgres" {
					sql = strings.ReplaceAll(sql, "`", `"`)
				}
				o.Run(sql)
			}
			cat := gatewaytest.Connect(t, cl, o, map[string]any{"cacheAnything": true})
			check := func(want, what string) {
				t.Helper()
				if got := gatewaytest.OneValue(t, g, "SELECT n FROM far.cached.case1"); got != want {
					t.Errorf("%s: %s, want %s", what, got, want)
				}
			}
			run("CREATE TABLE cached.`Case1` AS SELECT 1 AS n")
			if err := createCache(g, cl, cat, "cached", "Case1"); err != nil {
				t.Fatal(err)
			}
			run("UPDATE cached.`Case1` SET n = 11")
			check("1", "one table, from its cache")
			run("CREATE TABLE cached.case1 AS SELECT 2 AS n")
			check("2", "a table of that very name")
			for table, want := range map[string]bool{"Case1": true, "case1": false} {
				st, err := cl.Catalogs.CacheState(context.Background(), gatewaytest.Local, cat.ID, "cached", table)
				if err != nil || st.IsCached != want {
					t.Errorf("%s: %+v, %v", table, st, err)
				}
			}
			if err := createCache(g, cl, cat, "cached", "case1"); err != nil {
				t.Fatal(err)
			}
			run("UPDATE cached.case1 SET n = 22")
			check("2", "both are cached")
			run("DROP TABLE cached.`Case1`")
			check("2", "the other is gone")
			run("DROP TABLE cached.case1")
			check("2", "both are gone")
		})
	}
}

// A table that no statement can read, because another one has its name in lower case, is not cached.
func TestNoCacheOfAHiddenTable(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"Items.csv": "n\n1\n", "items.csv": "n\n2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cat := gatewaytest.Connect(t, cl, gatewaytest.Origin{Kind: "files", Credential: map[string]any{"path": dir}}, nil)
	if err := createCache(g, cl, cat, "files", "Items.csv"); err == nil || !strings.Contains(err.Error(),
		"cannot be distinguished from 'items.csv'") {
		t.Errorf("%v", err)
	}
	if got := gatewaytest.OneValue(t, g, `SELECT n FROM far.files."items.csv"`); got != "2" {
		t.Errorf("read from the source: %s", got)
	}
	if err := createCache(g, cl, cat, "files", "items.csv"); err != nil {
		t.Fatal(err)
	}
	if got := gatewaytest.OneValue(t, g, `SELECT n FROM far.files."items.csv"`); got != "2" {
		t.Errorf("read from the cache: %s", got)
	}
}
