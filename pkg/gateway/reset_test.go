package gateway_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/gofrs/flock"
)

// usedDirectory is a data directory with a table, a saved query and an export, closed.
func usedDirectory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	unpack(t, filepath.Join("testdata", "earlier", "287868a.tar.gz"), dir)
	if state := stateOfDirectory(t, dir); state != "2 queries, 1 tables" {
		t.Fatalf("the data directory has %s", state)
	}
	return dir
}

// stateOfDirectory opens a data directory and counts what is in it.
func stateOfDirectory(t *testing.T, dir string) string {
	t.Helper()
	g, err := gateway.Open(gateway.Options{Dir: dir, OpenEngine: duckdb.Open})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	queries, err := cl.Queries.List(context.Background(), gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := cl.Catalogs.Tables(context.Background(), gatewaytest.Local, api.InternalCatalogID, "table")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d queries, %d tables", len(queries), len(tables))
}

const nothing = "0 queries, 0 tables"

func TestResetAfterACrash(t *testing.T) {
	dir := usedDirectory(t)
	if err := os.Mkdir(filepath.Join(dir, ".serve"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".serve/owned", ".secret-123456", "import-123456", "gateway.sock",
		".secret.key.ABCDEFGHIJ.partial"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := gateway.Reset(dir); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != gateway.LockName {
		t.Errorf("after a reset there is %v (%v)", left, err)
	}
	if got := stateOfDirectory(t, dir); got != nothing {
		t.Error(got)
	}
}

func TestResetRefuses(t *testing.T) {
	dir := usedDirectory(t)
	projects, err := filepath.Glob(filepath.Join(dir, "projects", "*", "data.duckdb"))
	if err != nil || len(projects) != 1 {
		t.Fatal(projects, err)
	}
	lock := flock.New(filepath.Join(filepath.Dir(projects[0]), "lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := gateway.Reset(dir); err == nil || !strings.Contains(err.Error(), "uses this data directory") {
		t.Errorf("while a process has a project open: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "thesis.doc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := gateway.Reset(dir); err == nil || !strings.Contains(err.Error(), "thesis.doc") {
		t.Errorf("a directory with a file of somebody else: %v", err)
	}
	if got := stateOfDirectory(t, dir); got != "2 queries, 1 tables" {
		t.Errorf("a reset that was refused left %s", got)
	}
}

// TestResetCutOff opens a data directory as it is after each step of a reset. One that was begun is finished.
func TestResetCutOff(t *testing.T) {
	for moved := 0; ; moved++ {
		dir := usedDirectory(t)
		if err := os.Mkdir(filepath.Join(dir, gateway.ResetName), 0o700); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range entries {
			if e.Name() != gateway.ResetName && n < moved {
				n++
				if err := os.Rename(filepath.Join(dir, e.Name()), filepath.Join(dir, gateway.ResetName,
					e.Name())); err != nil {
					t.Fatal(err)
				}
			}
		}
		last := n < moved
		if last { // the second step, too
			if err := os.Rename(filepath.Join(dir, gateway.ResetName),
				filepath.Join(dir, gateway.RemovedName)); err != nil {
				t.Fatal(err)
			}
		}
		if got := stateOfDirectory(t, dir); got != nothing {
			t.Errorf("cut off after %d renames: %s", moved, got)
		}
		for _, name := range []string{gateway.ResetName, gateway.RemovedName} {
			if _, err := os.Lstat(filepath.Join(dir, name)); !os.IsNotExist(err) {
				t.Errorf("cut off after %d renames: %s stays: %v", moved, name, err)
			}
		}
		if last {
			return
		}
	}
}

const resetDir = "DIG_TEST_RESET_DIR"

// TestResetter is the process that TestResetKilled kills.
func TestResetter(t *testing.T) {
	dir := os.Getenv(resetDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	if err := gateway.Reset(dir); err != nil {
		t.Fatal(err)
	}
}

// TestResetKilled kills resets at any moment: nothing was done, or everything.
func TestResetKilled(t *testing.T) {
	seen := map[string]int{}
	for range 12 {
		dir := usedDirectory(t)
		child := exec.Command(os.Args[0], "-test.run=^TestResetter$")
		child.Env = append(os.Environ(), resetDir+"="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		_ = child.Process.Kill()
		_ = child.Wait()
		got := stateOfDirectory(t, dir)
		if seen[got]++; got != nothing && got != "2 queries, 1 tables" {
			t.Errorf("a reset that was killed left %s", got)
		}
	}
	t.Log(seen)
}
