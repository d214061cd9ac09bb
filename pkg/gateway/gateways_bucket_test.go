package gateway_test

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/exports/s3test"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/jackc/pgx/v5"
)

// bucket has the files of exports of a member; it is nil if they are in the shared folder. A file has several parts.
func (m *member) bucket(t *testing.T) *files.Bucket {
	if m.Bucket == "" {
		return nil
	}
	b, err := files.OpenBucket(files.Options{Address: "s3://lake/dig", PartSize: 4096,
		Getenv: (&s3test.Store{URL: m.Bucket}).Getenv})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// onlyExports compares the objects in the bucket with the exports that have files, when a gateway that was killed has
// begun again: it removes what is left of interrupted ones before its first export.
func (c *cluster) onlyExports(db *pgx.Conn) {
	c.kill(0)
	c.start(0)
	ctx := context.Background()
	if _, err := c.clients[0].Exports.StartTable(ctx, gatewaytest.Local, names.SampleCatalogID, "shop", "customers",
		api.ExportRequest{}); err != nil {
		c.Fatal(err)
	}
	var have, want []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		rows, err := db.Query(ctx, "SELECT id FROM exports WHERE status IN ('PENDING', 'RUNNING', 'SUCCEEDED')")
		if err != nil {
			c.Fatal(err)
		}
		if want, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			c.Fatal(err)
		}
		have = nil
		for _, key := range c.bucket.Keys() {
			if strings.Contains(key, "/exports/") {
				have = append(have, path.Base(key))
			}
		}
		slices.Sort(have)
		slices.Sort(want)
		if slices.Equal(have, want) {
			return
		}
	}
	c.Errorf("the bucket has %q, of exports %q", c.bucket.Keys(), want)
}
