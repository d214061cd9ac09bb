// Package trinotest opens engines over the cluster of .ci/cluster, for tests.
package trinotest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/google/uuid"
)

// Options are those of an engine whose rows no other test sees: the same ones each time for a directory. Without a
// cluster the test is skipped.
func Options(t testing.TB, dir string) trino.Options {
	t.Helper()
	url, lake := os.Getenv("DIG_TEST_CLUSTER"), os.Getenv("DIG_TEST_CLUSTER_LAKE")
	if url == "" {
		t.Skip("DIG_TEST_CLUSTER is not set: start a cluster with .ci/cluster")
	}
	sum := sha256.Sum256([]byte(dir))
	prefix := "t" + hex.EncodeToString(sum[:5])
	return trino.Options{Options: protocol.Options{URL: url, User: "dig"}, Catalog: "lake", Prefix: prefix,
		Stage: filepath.Join(lake, "stage", prefix), StageLocation: "local:///stage/" + prefix}
}

// Open opens an engine.
func Open(t testing.TB, dir string) engine.Engine {
	t.Helper()
	e, err := trino.Open(Options(t, dir), engine.Options{Dir: filepath.Join(dir, "projects"), NewID: uuid.NewString})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
