package gateway_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/names"
)

// unpack writes the files of a tar.gz under a directory.
func unpack(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(to, 0o700)
		} else {
			var raw []byte
			if raw, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(to, raw, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestEarlierDataDirectories opens data directories that builds of earlier commits made, one for each state of the
// migrations that landed and two (e9aa4bb, 04870c9) from before a migration was put in between or changed. Each holds
// an imported table of two rows and, from the commit on that brought them, a saved and a materialized query, an export,
// a cache and a semantic catalog.
func TestEarlierDataDirectories(t *testing.T) {
	all, err := filepath.Glob("testdata/earlier/*.tar.gz")
	if err != nil || len(all) < 7 {
		t.Fatalf("%d data directories of earlier versions: %v", len(all), err)
	}
	ctx := context.Background()
	for _, path := range all {
		commit := strings.TrimSuffix(filepath.Base(path), ".tar.gz")
		t.Run(commit, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, path, dir)
			g, err := gateway.Open(gateway.Options{Dir: dir, OpenEngine: duckdb.Open})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
			if err != nil {
				t.Fatal(err)
			}
			if got := gatewaytest.OneValue(t, g, `SELECT max(name) FROM peaka."table".people`); got != "bob" {
				t.Errorf("the imported table has %s", got)
			}
			queries, err := cl.Queries.List(ctx, gatewaytest.Local)
			if err != nil {
				t.Fatal(err)
			}
			if commit != "e9aa4bb" {
				if len(queries) != 2 {
					t.Fatalf("%d saved queries", len(queries))
				}
				if got := gatewaytest.OneValue(t, g, `SELECT min(name) FROM peaka.query.people_names`); got != "ann" {
					t.Errorf("the saved query has %s", got)
				}
				if got := gatewaytest.OneValue(t, g, `SELECT n FROM peaka.mtquery.totals`); got != "2" {
					t.Errorf("the materialized query has %s", got)
				}
			}
			list, err := cl.Exports.List(ctx, gatewaytest.Local, nil)
			if early := commit == "e9aa4bb" || commit == "2a2cebc"; err != nil || (len(list) == 0) != early {
				t.Errorf("%d exports: %v", len(list), err)
			}
			// What is made now works as in a new directory.
			c, err := cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: names.SampleCatalogID,
				SchemaName: "shop", TableName: "customers"})
			if err != nil {
				t.Fatal(err)
			}
			g.Jobs.Running.Wait()
			if run := gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate); run.Status != "COMPLETED" {
				t.Errorf("a refresh of a cache ended %s: %+v", run.Status, run)
			}
			id, err := gatewaytest.StartExport(t, cl, "SELECT 7 AS n", api.ExportRequest{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(gatewaytest.FileOf(t, cl, gatewaytest.Ended(t, cl, id))); got != "n\n7\n" {
				t.Errorf("an export has %q", got)
			}
			caches, err := cl.Cache.Statuses(ctx, gatewaytest.Local)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range caches {
				if run := gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.FullRefresh); run.Status != "COMPLETED" {
					t.Errorf("a refresh of a cache ended %s", run.Status)
				}
			}
			if _, err := cl.SemanticCatalogs.Create(ctx, gatewaytest.Local,
				api.SemanticCatalogRequest{Name: "fresh"}); err != nil {
				t.Error(err)
			}
		})
	}
}
