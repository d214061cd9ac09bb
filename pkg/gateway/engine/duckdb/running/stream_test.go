//go:build cgo

package running

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// long runs for hours without giving a row; endless gives rows for hours.
const (
	long    = `SELECT sum(a * b) FROM range(1000000) x(a), range(1000000) y(b)`
	endless = `SELECT a, b FROM range(1000000) x(a), range(1000000) y(b)`
)

func TestFaultMidStreamCutsTheDocument(t *testing.T) {
	p := testProject(t)
	for _, f := range []api.Format{api.CellTyped, api.Simple, api.Compact} {
		doc, err := reply(t, own{p}, f,
			sql.Query{SQL: `SELECT CAST(CASE WHEN a = 500000 THEN 'oops' ELSE '1' END AS BIGINT) AS v FROM ` +
				`range(1000000) t(a)`})
		if kindOf(err) != engine.KindValue || !strings.Contains(err.Error(), "oops") {
			t.Fatalf("%s: got %v", f, err)
		}
		if json.Valid([]byte(doc)) || strings.HasSuffix(doc, "]}") {
			t.Errorf("%s: a complete document of %d bytes", f, len(doc))
		}
		if n := strings.Count(doc, `"1"`); n < 100_000 || n > 500_000 {
			t.Errorf("%s: %d rows before the fault", f, n)
		}
	}
}

// DuckDB may tell that the other threads were interrupted in place of the error that made it do so. The error is found
// by running the statement again.
func TestLostErrorIsFound(t *testing.T) {
	p := testProject(t)
	r, err := sql.Run(t.Context(), p,
		sql.Query{SQL: `SELECT CAST(CASE WHEN a.n = 1000 AND b.n = 1000 THEN 'oops' ELSE '1' END AS bigint) AS v
		FROM UNNEST(sequence(1, 1000)) a(n), UNNEST(sequence(1, 1000)) b(n)`})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res := engine.Innermost(r.Running).(*result)
	if err := res.s.c.Fault(t.Context(), bindings.ErrorTypeInterrupt, "Interrupted!"); !errors.Is(err,
		instance.ErrLost) ||
		kindOf(err) != engine.KindInternal {
		t.Errorf("got %v", err)
	}
	cols := len(res.cols)
	if err := res.s.explain(res.reason()); kindOf(err) != engine.KindValue || !strings.Contains(err.Error(), "oops") {
		t.Errorf("got %v", err)
	}
	if len(res.cols) != cols {
		t.Errorf("%d columns", len(res.cols))
	}
	ok, err := sql.Run(t.Context(), p, sql.Query{SQL: `SELECT a FROM UNNEST(sequence(1, 10000)) t(a)`})
	if err != nil {
		t.Fatal(err)
	}
	defer ok.Close()
	if err := engine.Innermost(ok.Running).(*result).reason(); !errors.Is(err, instance.ErrLost) {
		t.Errorf("a statement that does not fail: %v", err)
	}
}

func TestFaultInTheFirstChunkComesBeforeStart(t *testing.T) {
	p := testProject(t)
	doc, err := reply(t, own{p}, api.Compact, sql.Query{SQL: `SELECT CAST(s AS BIGINT) FROM (VALUES ('x')) t(s)`})
	if kindOf(err) != engine.KindValue || doc != "" {
		t.Errorf("got %q, %v", doc, err)
	}
}

func TestTimeLimit(t *testing.T) {
	p := testProject(t)
	for _, text := range []string{long, endless} {
		var b countingWriter
		r, err := own{p}.Query(t.Context(), sql.Query{SQL: text, Timeout: 100 * time.Millisecond})
		if err == nil {
			_, err = r.Encode(t.Context(), &b, api.Compact, func() {})
			_ = r.Close()
		}
		if kindOf(err) != engine.KindTimeout || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got, err := rows(t, p, sql.Query{SQL: `SELECT 1`, Timeout: time.Hour}); got != "1" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCancel(t *testing.T) {
	p := testProject(t)
	for _, text := range []string{long, endless} {
		for _, both := range []bool{true, false} { // the context of the request, or that of the encoding alone
			if !both && text == long {
				continue // computed before the encoding
			}
			ctx, cancel := context.WithCancel(t.Context())
			qctx := t.Context()
			if both {
				qctx = ctx
			}
			time.AfterFunc(50*time.Millisecond, cancel)
			r, err := own{p}.Query(qctx, sql.Query{SQL: text})
			if err == nil {
				_, err = r.Encode(ctx, io.Discard, api.Compact, func() {})
				_ = r.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", text, err)
			}
			cancel()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sql.Run(ctx, p, sql.Query{SQL: `SELECT 1`}); !errors.Is(err, context.Canceled) {
		t.Errorf("already ended: %v", err)
	}
}

func TestGoneReaderEndsTheStatement(t *testing.T) {
	p := testProject(t)
	r, err := own{p}.Query(t.Context(), sql.Query{SQL: endless})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	n, err := r.Encode(t.Context(), &limitedWriter{left: 1 << 20, err: gone}, api.Compact, func() {})
	if !errors.Is(err, gone) || n == 0 {
		t.Errorf("got %d, %v", n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := r.Rows(t.Context(), func([][]byte) error { return nil }); err == nil {
		t.Error("a closed result gave rows")
	}
}

func TestClosingTheEngineEndsStatements(t *testing.T) {
	p := testProject(t)
	r, err := own{p}.Query(t.Context(), sql.Query{SQL: endless})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.Encode(context.Background(), io.Discard, api.Compact, func() {})
		_ = r.Close()
		done <- err
	}()
	time.Sleep(20 * time.Millisecond)
	if err := p.Statements.files.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("the statement came to an end")
	}
}

func TestStreamingHoldsLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	p := testProject(t)
	const text = `SELECT a, a * 7 AS b, 'some text that is not short ' || a AS c, a::DOUBLE / 3 AS d FROM ` +
		`range(%d) t(a)`
	peak := func(n int) int64 {
		runtime.GC()
		before := rss(t)
		var most int64
		w := &countingWriter{each: func() { most = max(most, rss(t)-before) }}
		r, err := own{p}.Query(t.Context(), sql.Query{SQL: fmt.Sprintf(text, n)})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got, err := r.Encode(t.Context(), w, api.CellTyped, func() {}); err != nil || got != int64(n) {
			t.Fatalf("%d rows, %v", got, err)
		}
		return most
	}
	peak(100_000)
	if grown := peak(3_000_000); grown > 100<<20 { // the document has 1.2 GB
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

func rss(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

type countingWriter struct {
	n    int64
	each func()
}

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.n += int64(len(b)); w.each != nil && w.n%(8<<20) < int64(len(b)) {
		w.each()
	}
	return len(b), nil
}

type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, w.err
	}
	return len(b), nil
}
