package catalogs_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/names"
)

// TestCatalogByID reads one catalog and no other: one that cannot be read does not matter.
func TestCatalogByID(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	good, err := cl.SemanticCatalogs.Create(ctx, gatewaytest.Local, api.SemanticCatalogRequest{Name: "good"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("n\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"files", "odd"} {
		conn, err := cl.Connections.Create(ctx, gatewaytest.Local, api.ConnectionRequest{Name: name, Type: "files",
			Credential: map[string]any{"path": dir}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cl.Catalogs.Create(ctx, gatewaytest.Local, api.CatalogRequest{Name: name,
			ConnectionID: conn.ID}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := g.Store.Project(ctx, "", gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.Store.CatalogByName(ctx, gatewaytest.Local, "files")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(g.Options.Dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE catalogs SET cache_anything = 7 WHERE name = 'odd'"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Names.Catalogs(ctx, p); err == nil {
		t.Fatal("the odd catalog can be read")
	}
	for _, id := range []string{api.InternalCatalogID, api.QueryCatalogID, names.SampleCatalogID, good.ID, files.ID} {
		if c, err := cl.Catalogs.Get(ctx, gatewaytest.Local, id); err != nil || c.ID != id {
			t.Errorf("catalog %s: %v, %v", id, c.ID, err)
		}
		if id == names.SampleCatalogID {
			continue // its schemas come from a statement, for which the engine asks for all catalogs
		}
		if _, err := cl.Catalogs.Schemas(ctx, gatewaytest.Local, id); err != nil {
			t.Errorf("schemas of catalog %s: %v", id, err)
		}
	}
	if _, err := cl.Catalogs.Get(ctx, gatewaytest.Local, "12345"); gatewaytest.APIStatus(err) != 404 {
		t.Errorf("no such catalog: %v", err)
	}
}
