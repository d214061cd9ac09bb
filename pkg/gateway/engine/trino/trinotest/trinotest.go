// Package trinotest opens engines over the cluster of .ci/cluster, for tests.
package trinotest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/internal/tempfile"
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
	return trino.Options{Options: protocol.Options{URL: url, User: "dig", CAFile: os.Getenv("DIG_TEST_CLUSTER_CA"),
		PasswordFile: os.Getenv("DIG_TEST_CLUSTER_PASSWORD")}, Catalog: "lake", Prefix: prefix,
		Stage: filepath.Join(lake, "stage", prefix), StageLocation: "local:///stage/" + prefix,
		Guard: trino.Guard{Unprotected: true}}
}

// Secure are those of an engine that keeps projects apart. The rules of the cluster become its own: while it is used,
// no other one is. Without a cluster of .ci/cluster --secure the test is skipped.
func Secure(t testing.TB, dir string) trino.Options {
	t.Helper()
	rules := os.Getenv("DIG_TEST_CLUSTER_RULES")
	if rules == "" {
		t.Skip("DIG_TEST_CLUSTER_RULES is not set: start a cluster with .ci/cluster --secure")
	}
	o := Options(t, dir)
	former, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tempfile.WriteAll([]string{rules}, func(string) []byte { return former }); err != nil {
			t.Error(err)
		}
	})
	o.Guard = trino.Guard{ProjectUser: "dig-{project}", Rules: rules}
	return o
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
