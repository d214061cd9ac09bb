package metadata_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/names"
)

// TestTableDroppedDuringRefresh: a table that is dropped while others are read is no failure of the refresh; one that
// cannot be read is.
func TestTableDroppedDuringRefresh(t *testing.T) {
	for _, c := range []struct {
		name, want string
		lose       func(path string) error
	}{
		{"dropped", metadata.RefreshDone, os.Remove},
		{"broken", "failed", func(path string) error { return os.WriteFile(path, []byte("PAR1 and no more"), 0o600) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, cl, _ := gatewaytest.OpenClient(t)
			dir := t.TempDir()
			for i := range 3 {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("t", i, ".csv")), []byte("n\n1\n"),
					0o600); err != nil {
					t.Fatal(err)
				}
			}
			cat := gatewaytest.Connect(t, cl, gatewaytest.Origin{Kind: "files",
				Credential: map[string]any{"path": dir}}, nil)
			lost := false
			g.Names.Scan = func(_ context.Context, s names.ScanOf) (engine.Scanner, error) {
				if !lost {
					lost = true
					path := filepath.Join(dir, "t2.csv")
					if c.name == "broken" {
						if err := os.Remove(path); err != nil {
							return nil, err
						}
						path = filepath.Join(dir, "t2.parquet")
					}
					if err := c.lose(path); err != nil {
						return nil, err
					}
				}
				return s.Scan, nil
			}
			ctx := context.Background()
			if _, err := cl.Metadata.Refresh(ctx, gatewaytest.Local,
				api.MetadataRefreshRequest{CatalogID: cat.ID}); err != nil {
				t.Fatal(err)
			}
			g.Jobs.Running.Wait()
			got, err := g.Store.MetadataRefresh(ctx, gatewaytest.Local, cat.ID)
			if err != nil || !lost {
				t.Fatal(lost, err)
			}
			if got.Status != c.want {
				t.Errorf("the refresh is %s: %v", got.Status, got.Error)
			}
		})
	}
}
