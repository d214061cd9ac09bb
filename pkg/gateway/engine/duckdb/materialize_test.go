//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// slow is a source that gives one row, and the end only when it is let go.
type slow struct {
	sql.Own
	begun, end chan struct{}
}

func (s slow) Columns(context.Context) ([]engine.ColumnInfo, error) {
	return []engine.ColumnInfo{{Name: "n", Type: "bigint"}}, nil
}

func (s slow) Scan(context.Context, engine.ScanRequest) (engine.Batches, error) {
	close(s.begun)
	return &slowRows{slow: s}, nil
}

type slowRows struct {
	slow
	sent bool
}

func (r *slowRows) Next(ctx context.Context) ([][]any, error) {
	if !r.sent {
		r.sent = true
		return [][]any{{int64(7)}}, nil
	}
	select {
	case <-r.end:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *slowRows) Close() error { return nil }

func (s slow) Lookup(_ context.Context, n engine.TableName) (sql.Source, error) {
	if n.Catalog == "far" {
		return sql.Source{Scan: s}, nil
	}
	return sql.Source{}, &engine.Error{Kind: engine.KindUnknownTable, Message: n.String()}
}

// While one result is gathered from a slow source, others are stored and dropped, tables are made and documents
// imported.
func TestSlowMaterializeHoldsUpNobody(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir(), func(o *engine.Options) { o.NewID = func() string { return "1" } }),
		"prjA")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := sql.Store(ctx, p, engine.SchemaMtQuery, "slow",
		sql.Query{SQL: "SELECT 1 AS n UNION ALL SELECT 2"}); err != nil {
		t.Fatal(err)
	}
	s := slow{begun: make(chan struct{}), end: make(chan struct{})}
	type end struct {
		n   int64
		err error
	}
	done := make(chan end, 1)
	go func() {
		n, err := sql.Store(ctx, p, engine.SchemaMtQuery, "next", sql.Query{SQL: "SELECT n FROM far.a.b", Catalogs: s})
		done <- end{n, err}
	}()
	<-s.begun
	if n, err := sql.Store(ctx, p, engine.SchemaMtQuery, "quick", sql.Query{SQL: "SELECT 3 AS n"}); n != 1 ||
		err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := p.DropStored(ctx, engine.SchemaMtQuery, "quick"); err != nil {
		t.Error(err)
	}
	if _, err := p.CreateTable(ctx, engine.SchemaTable, "t"); err != nil {
		t.Error(err)
	}
	if _, err := p.AddColumns(ctx, engine.SchemaTable, "t",
		[]engine.ColumnDef{{Name: "a", Type: "bigint"}}); err != nil {
		t.Error(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"}}}
	if n, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("a\n1\n"), m); n.Rows != 1 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
	if n, err := p.RowCount(ctx, engine.SchemaMtQuery, "slow"); n != 2 || err != nil {
		t.Errorf("the old rows are not there while the new ones come: %d, %v", n, err)
	}
	select {
	case e := <-done:
		t.Fatalf("it ended before its source did: %+v", e)
	default:
	}
	close(s.end)
	if e := <-done; e.n != 1 || e.err != nil {
		t.Fatalf("%+v", e)
	}
	if n, err := p.RowCount(ctx, engine.SchemaMtQuery, "next"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A result that is cancelled while it is gathered leaves nothing, and what a process left that died is gone with the
// next one.
func TestUnfinishedResultsGo(t *testing.T) {
	dir := t.TempDir()
	p := testProject(t, testEngine(t, dir), "prjA")
	s := slow{begun: make(chan struct{}), end: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := sql.Store(ctx, p, "cache", "x", sql.Query{SQL: "SELECT n FROM far.a.b", Catalogs: s})
		done <- err
	}()
	<-s.begun
	why := errors.New("no longer wanted")
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	left := func() string {
		return fmt.Sprint(rowsOf(t, p,
			`SELECT table_name FROM duckdb_tables() WHERE database_name = '~data' ORDER BY 1`))
	}
	if got := left(); got != "[]" {
		t.Error(got)
	}
	mustExec(t, p, `CREATE TABLE `+naming.StoredTable("cache", "~build-1")+` AS SELECT 1 AS n`)
	if err := p.files.Close(); err != nil {
		t.Fatal(err)
	}
	p = testProject(t, testEngine(t, dir), "prjA") // as a process that has just begun
	if _, err := sql.Store(t.Context(), p, "cache", "y", sql.Query{SQL: "SELECT 2 AS n"}); err != nil {
		t.Fatal(err)
	}
	if got := left(); got != "[y]" {
		t.Error(got)
	}
}

// The files of a process that was killed right after a result took the place of another hold the new one.
func TestReplacedResultSurvivesAKill(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	p := testProject(t, testEngine(t, dir), "prjA")
	for _, text := range []string{"SELECT 1 AS n", "SELECT 2 AS n, 'x' AS s UNION ALL SELECT 3, 'y'"} {
		if _, err := enginetest.Replace(t.Context(), p, "cache", "m", sql.Query{SQL: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil { // the files as they are while the process lives
		t.Fatal(err)
	}
	again := testProject(t, testEngine(t, copied), "prjA")
	if n, err := again.RowCount(t.Context(), "cache", "m"); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestStoredTypes: a stored result has the types of its statement, also inside of rows, arrays and maps.
func TestStoredTypes(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	const text = `SELECT ROW(1, NULL) AS a, ARRAY[NULL] AS b, MAP(ARRAY[1], ARRAY[NULL]) AS c, NULL AS d, ARRAY[ROW(NULL, 'x')] AS e,
		CAST('ab' AS char(4)) AS f, INTERVAL '2' MONTH AS g, CAST(ROW(1, 2) AS ROW(x tinyint, y varchar(3))) AS h`
	if _, err := sql.Store(t.Context(), p, "mtquery", "m", sql.Query{SQL: text}); err != nil {
		t.Fatal(err)
	}
	types := func(q sql.Query) (names, values string) {
		r, err := sql.Run(t.Context(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, c := range r.Columns() {
			names += c.Name + " " + c.DataType + "\n"
		}
		if _, err := r.Rows(t.Context(), func(row [][]byte) error {
			for _, v := range row {
				values += string(v) + "|"
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return names, values
	}
	stored := enginetest.Names{{Catalog: "peaka", Schema: "mtquery",
		Table: "m"}: {Base: &engine.TableName{Schema: "mtquery", Table: "m"}}}
	wantNames, wantValues := types(sql.Query{SQL: text})
	names, values := types(sql.Query{SQL: `SELECT * FROM peaka.mtquery.m`, Catalogs: stored})
	if names != wantNames || values != wantValues {
		t.Errorf("stored:\n%s%s\nwant\n%s%s", names, values, wantNames, wantValues)
	}
}
