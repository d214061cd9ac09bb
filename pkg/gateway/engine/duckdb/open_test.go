//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// pipe is a writer whose reader has stopped, until it is told to give up.
type pipe struct {
	*io.PipeWriter
	began chan struct{}
	once  sync.Once
	why   atomic.Value
}

func (p *pipe) Write(b []byte) (int, error) {
	p.once.Do(func() { close(p.began) })
	n, err := p.PipeWriter.Write(b)
	if why, _ := p.why.Load().(error); why != nil {
		err = why
	}
	return n, err
}

func (p *pipe) Break(why error) {
	p.why.Store(why)
	p.CloseWithError(why)
}

// stall begins a result that nobody reads and returns when its statement waits for the reader.
func stall(t *testing.T, p *project, q sql.Query) (w *pipe, ended chan error) {
	t.Helper()
	r, err := sql.Run(t.Context(), p, q)
	if err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	t.Cleanup(func() { out.Close() })
	w, ended = &pipe{PipeWriter: in, began: make(chan struct{})}, make(chan error, 1)
	go func() {
		_, err := r.Encode(context.Background(), w, api.Compact, func() {})
		r.Close()
		ended <- err
	}()
	<-w.began
	return w, ended
}

const manyRows = `SELECT a.n, b.n, 'some text' FROM UNNEST(sequence(1, 3000)) a(n), UNNEST(sequence(1, 3000)) b(n)`

// TestStalledReaderIsGivenUp: a statement whose reader has stopped ends with its project, its time limit, and an
// instance that has become useless.
func TestStalledReaderIsGivenUp(t *testing.T) {
	e := testEngine(t, t.TempDir())
	p := testProject(t, e, "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 7::BIGINT AS a`)

	_, ended := stall(t, p, sql.Query{SQL: manyRows, Timeout: 300 * time.Millisecond})
	if err := <-ended; kindOf(err) != engine.KindTimeout {
		t.Errorf("past its time limit: %v", err)
	}

	_, ended = stall(t, p, sql.Query{SQL: manyRows})
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Fault(t.Context(), bindings.ErrorTypeFatal, `{"exception_type":"FATAL","exception_message":"Failed: `+
		`database has been invalidated because of a previous fatal error."}`)
	c.Close()
	if got := one(t, p, `SELECT a FROM "~data"."table"."x"`); got != "7" {
		t.Errorf("after the instance broke: %s", got)
	}
	if err := <-ended; err == nil {
		t.Error("the result of an instance that broke came to its end")
	}

	w, ended := stall(t, p, sql.Query{SQL: manyRows})
	if err := e.DropProject(t.Context(), "prjA"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, engine.ErrDropped) {
		t.Errorf("its project was dropped: %v", err)
	}
	if why, _ := w.why.Load().(error); !errors.Is(why, engine.ErrDropped) {
		t.Errorf("the writer was told %v", why)
	}
}

// TestProjectGoesOnAfterAFailedDrop: one that cannot be dropped because a statement does not end is still there, and
// this process is not in its own way.
func TestProjectGoesOnAfterAFailedDrop(t *testing.T) {
	e := testEngine(t, t.TempDir())
	p := testProject(t, e, "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 7::BIGINT AS a`)
	held, err := p.files.Conn(t.Context()) // stands for a statement that cannot be interrupted
	if err != nil {
		t.Fatal(err)
	}
	if err := e.DropProject(t.Context(), "prjA"); kindOf(err) != engine.KindLocked ||
		!strings.Contains(err.Error(), "try again") {
		t.Fatalf("%v", err)
	}
	again := testProject(t, e, "prjA")
	if got := one(t, again, `SELECT a FROM "~data"."table"."x"`); got != "7" {
		t.Errorf("got %s", got)
	}
	held.Close()
	if err := e.DropProject(t.Context(), "prjA"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(e.files.Opts.Dir, "prjA")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory remains: %v", err)
	}
}

// TestCallersWaitBesideEachOther: those who need a project that another process holds wait together, each as long as it
// likes.
func TestCallersWaitBesideEachOther(t *testing.T) {
	dir := t.TempDir()
	first := testEngine(t, dir)
	testProject(t, first, "prjA")
	var said atomic.Int64
	second := testEngine(t, dir, func(o *engine.Options) {
		o.LockWait = 2 * sharing.AnnouncedAfter
		o.Waiting = func(string) { said.Add(1) }
	})
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			_, err := opened(t.Context(), second, "prjA")
			if kindOf(err) != engine.KindLocked || errors.Is(err, context.DeadlineExceeded) ||
				!strings.Contains(err.Error(), "nothing was done") {
				t.Errorf("got %v", err)
			}
		})
	}
	all.Wait()
	if n := said.Load(); n != 1 {
		t.Errorf("they waited one after the other: %d waits", n)
	}
	second.files.Opts.LockWait = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { _, err := opened(t.Context(), second, "prjA"); waiting <- err }()
	short := make(chan error, 1)
	go func() { _, err := opened(ctx, second, "prjA"); short <- err }()
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := <-short; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up was told %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("who went on waiting was told %v", err)
	}
}

// TestCloseWhileWaiting: the engine closes while callers wait for a project that another process holds.
func TestCloseWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	testProject(t, testEngine(t, dir), "prjA")
	second := testEngine(t, dir, func(o *engine.Options) { o.LockWait = time.Hour })
	ended := make(chan error, 1)
	go func() { _, err := opened(context.Background(), second, "prjA"); ended <- err }()
	time.Sleep(50 * time.Millisecond)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the project of another process was opened")
	}
}

// TestSpillHasABound: what does not fit into memory may take so much room on the disk, and who reads the error is told
// nothing that only the engine's owner could do.
func TestSpillHasABound(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir(), func(o *engine.Options) {
		o.MemoryLimit, o.TempLimit = 64<<20,
			16<<20
	}), "prjA")
	if got := one(t, p, `SELECT current_setting('max_temp_directory_size')`); got != "16.0 MiB" {
		t.Errorf("the bound is %s", got)
	}
	for _, text := range []string{
		`SELECT md5(to_utf8(CAST(b.n AS varchar) || CAST(a.n AS varchar))) AS h
			FROM UNNEST(sequence(1, 3000)) a(n), UNNEST(sequence(1, 3000)) b(n) ORDER BY h`,
		`SELECT length(array_join(array_agg(to_hex(md5(to_utf8(CAST(a.n AS varchar) || CAST(b.n AS varchar))))), ''))
			FROM UNNEST(sequence(1, 5000)) a(n), UNNEST(sequence(1, 4000)) b(n)`,
	} {
		r, err := sql.Run(t.Context(), p, sql.Query{SQL: text})
		if err == nil {
			_, err = r.Rows(t.Context(), func([][]byte) error { return nil })
			r.Close()
		}
		if kindOf(err) != engine.KindLimit {
			t.Errorf("%s: %v", text, err)
			continue
		}
		t.Log(err)
		for _, advice := range []string{"SET ", "PRAGMA", "temp_directory", "memory_limit", "http", "\n"} {
			if strings.Contains(err.Error(), advice) {
				t.Errorf("%s: the error holds %q: %v", text, advice, err)
			}
		}
	}
}
