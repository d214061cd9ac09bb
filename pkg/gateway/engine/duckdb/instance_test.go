//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

func testEngine(t *testing.T, dir string, change ...func(*engine.Options)) *duck {
	t.Helper()
	o := engine.Options{Dir: dir, LockWait: 100 * time.Millisecond, Threads: 2, IdleClose: -1}
	for _, f := range change {
		f(&o)
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e.(*duck)
}

func testProject(t *testing.T, e *duck, id string) *project {
	t.Helper()
	p, err := opened(t.Context(), e, id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// opened returns a project whose data are open, unless other processes share them.
func opened(ctx context.Context, e *duck, id string) (*project, error) {
	p, err := e.Project(ctx, id)
	if err != nil {
		return nil, err
	}
	if e.files.Opts.Shared {
		return p.(*project), nil
	}
	c, err := p.(*project).files.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c.Close()
	return p.(*project), nil
}

func mustExec(t *testing.T, p *project, statements ...string) {
	t.Helper()
	c, err := p.files.Writer(t.Context())
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

func one(t *testing.T, p *project, sql string, args ...any) string {
	t.Helper()
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got := "no row"
	err = c.Query(t.Context(), sql, args, func(v []*string) error {
		got = "NULL"
		if v[0] != nil {
			got = *v[0]
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func kindOf(err error) engine.Kind {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func TestRowsSurviveClosing(t *testing.T) {
	dir := t.TempDir()
	e := testEngine(t, dir)
	mustExec(t, testProject(t, e, "prjA"), `CREATE TABLE "~data"."table"."x" AS SELECT 42::BIGINT AS a`)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Project(t.Context(), "prjA"); err == nil {
		t.Error("a closed engine opened a project")
	}
	e = testEngine(t, dir)
	p := testProject(t, e, "prjA")
	if got := one(t, p, `SELECT a FROM "~data"."table"."x"`); got != "42" {
		t.Errorf("got %s", got)
	}
	if n, err := p.RowCount(t.Context(), "table", "X"); n != 1 || err != nil {
		t.Errorf("RowCount: %d, %v", n, err)
	}
	if _, err := p.RowCount(t.Context(), "table", "y"); kindOf(err) != engine.KindUnknownTable {
		t.Errorf("RowCount of nothing: %v", err)
	}
	st, err := os.Stat(filepath.Join(dir, "prjA"))
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", st.Mode(), err)
	}
}

func TestProjectsDoNotMeet(t *testing.T) {
	e := testEngine(t, t.TempDir())
	a, b := testProject(t, e, "prjA"), testProject(t, e, "prjB")
	mustExec(t, a, `CREATE TABLE "~data"."table"."x" AS SELECT 1 AS a`)
	if n, err := b.RowCount(t.Context(), "table", "x"); kindOf(err) != engine.KindUnknownTable {
		t.Errorf("project B sees A's table: %d, %v", n, err)
	}
	for _, bad := range []string{"", ".", "..", "a/b", `a\b`, "-x", strings.Repeat("a", 65)} {
		if _, err := e.Project(t.Context(), bad); err == nil {
			t.Errorf("id %q was accepted", bad)
		}
	}
}

func TestSecondHolderIsTurnedAway(t *testing.T) {
	dir := t.TempDir()
	first := testEngine(t, dir)
	testProject(t, first, "prjA")
	second := testEngine(t, dir)
	_, err := opened(t.Context(), second, "prjA")
	if kindOf(err) != engine.KindLocked || !strings.Contains(err.Error(), "pid") {
		t.Fatalf("got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	testProject(t, second, "prjA")
}

func TestIdleInstanceIsClosed(t *testing.T) {
	dir := t.TempDir()
	first := testEngine(t, dir, func(o *engine.Options) { o.IdleClose = 5 * time.Millisecond })
	p := testProject(t, first, "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 1 AS a`)
	second := testEngine(t, dir, func(o *engine.Options) {
		o.LockWait = 20 * time.Second
		o.IdleClose = 5 * time.Millisecond
	})
	q := testProject(t, second, "prjA")
	mustExec(t, q, `INSERT INTO "~data"."table"."x" VALUES (2)`)
	first.files.Opts.LockWait = 20 * time.Second
	if got := one(t, p, `SELECT sum(a)::BIGINT FROM "~data"."table"."x"`); got != "3" {
		t.Errorf("got %s", got)
	}
}

func TestDropProject(t *testing.T) {
	dir := t.TempDir()
	e := testEngine(t, dir)
	p := testProject(t, e, "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 1 AS a`)
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		c, err := p.files.Conn(context.Background())
		if err != nil {
			ended <- err
			return
		}
		defer c.Close()
		close(started)
		ended <- c.Query(context.Background(),
			`SELECT sum(a.range * b.range)::VARCHAR FROM range(1000000) a, range(1000000) b`, nil,
			func([]*string) error { return nil })
	}()
	<-started
	if err := e.DropProject(t.Context(), "prjA"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, engine.ErrDropped) {
		t.Errorf("a statement outlived its project: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "prjA")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory remains: %v", err)
	}
	if _, err := p.files.Conn(t.Context()); !errors.Is(err, engine.ErrDropped) {
		t.Errorf("the dropped project can still be used: %v", err)
	}
	if _, err := e.Project(t.Context(), "prjA"); !errors.Is(err, engine.ErrDropped) {
		t.Errorf("the dropped project was made anew: %v", err)
	}
	if err := e.DropProject(t.Context(), "neverwas"); err != nil {
		t.Error(err)
	}
}

func TestCancelAndTimeoutOfOwnStatements(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const long = `SELECT sum(a.range * b.range)::VARCHAR FROM range(1000000) a, range(1000000) b`
	none := func([]*string) error { return nil }
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := c.Query(ctx, long, nil, none); kindOf(err) != engine.KindTimeout {
		t.Errorf("deadline: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	if err := c.Query(ctx, long, nil, none); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
	// The connection is as good as before.
	if err := c.Query(t.Context(), `SELECT 1`, nil, none); err != nil {
		t.Error(err)
	}
}

func TestBrokenInstanceIsReplaced(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 7::BIGINT AS a`)
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// A full disk makes DuckDB refuse everything from then on; its words are these.
	text := `{"exception_type":"FATAL","exception_message":"Failed: database has been invalidated because of a ` +
		`previous fatal error."}`
	if err := c.Fault(t.Context(), bindings.ErrorTypeFatal, text); err == nil {
		t.Fatal("expected an error")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := one(t, p, `SELECT a FROM "~data"."table"."x"`); got != "7" {
				t.Errorf("got %s", got)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	c.Close()
	wg.Wait()
}

func TestHardening(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := testProject(t, testEngine(t, filepath.Join(dir, "data")), "prjA")
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, s := range []string{
		`SELECT * FROM read_csv('` + secret + `')`,
		`COPY (SELECT 1) TO '` + filepath.Join(dir, "out.csv") + `'`,
		`ATTACH '` + filepath.Join(dir, "other.duckdb") + `' AS other`,
		`INSTALL httpfs`,
		`LOAD httpfs`,
		`SET enable_external_access=true`,
		`SET threads=64`,
		`SET allowed_configs=['threads']`,
		`SET temp_directory='/tmp'`,
		`SET lock_configuration=false`,
	} {
		if _, err := c.Exec(t.Context(), s); err == nil {
			t.Errorf("%s went through", s)
		}
	}
}

// TestAttachAgain: a file that was attached and then found to be incomplete, as a copy is whose name a writer removes
// meanwhile, does not keep the next one from being attached.
func TestAttachAgain(t *testing.T) {
	dir := t.TempDir()
	p := testProject(t, testEngine(t, dir, func(o *engine.Options) { o.NewID = func() string { return "c1" } }), "prjA")
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "n", Type: "varchar"})
	mustImport(t, p, "t", "n\n"+strings.Repeat("some text\n", 100_000))
	if err := p.files.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "prjA", sharing.DataFile))
	if err != nil {
		t.Fatal(err)
	}
	short, good := filepath.Join(t.TempDir(), "short.duckdb"), filepath.Join(t.TempDir(), "good.duckdb")
	if err := errors.Join(os.WriteFile(short, whole[:len(whole)/2], 0o600), os.WriteFile(good, whole,
		0o600)); err != nil {
		t.Fatal(err)
	}
	in, err := p.files.Bare(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Attach(short); err == nil {
		t.Fatal("half a file was attached")
	}
	if err := in.Attach(good); err != nil {
		t.Error(err)
	}
}
