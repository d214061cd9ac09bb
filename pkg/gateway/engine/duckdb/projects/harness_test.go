//go:build cgo

package projects

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// testProject is a project without the functions that statements need.
func testProject(t *testing.T, dir string) *Project {
	t.Helper()
	all, err := New(engine.Options{Dir: dir, LockWait: 100 * time.Millisecond, Threads: 2, IdleClose: -1},
		func(bindings.Connection, *instance.Instance) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	p := NewProject("prjA", filepath.Join(dir, "prjA"), all)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func mustExec(t *testing.T, p *Project, statements ...string) {
	t.Helper()
	c, err := p.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// one is the value of a statement that returns one row.
func one(t *testing.T, p *Project, sql string) (got string) {
	t.Helper()
	c, err := p.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Query(t.Context(), sql, nil, func(v []*string) error { got = *v[0]; return nil }); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// waste drops a table in front of another: the file does not become shorter by itself.
func waste(t *testing.T, p *Project) {
	t.Helper()
	mustExec(t, p, `CREATE TABLE "~data"."table".junk AS SELECT i, hash(i) AS h FROM range(500000) r(i)`,
		`CHECKPOINT "~data"`,
		`CREATE TABLE "~data"."table".behind AS SELECT hash(i) AS h FROM range(50000) r(i)`,
		`CHECKPOINT "~data"`, `DROP TABLE "~data"."table".junk`, `CHECKPOINT "~data"`)
}

func kindOf(err error) engine.Kind {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// found reports whether a path exists.
func found(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
