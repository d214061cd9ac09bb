//go:build cgo

package duckdb

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

const (
	crashDir  = "DIG_TEST_CRASH_DIR"
	crashRows = 30000 // of one document
)

// crashDocument has its own number in every row and text long enough to leave the row.
func crashDocument(k int) string {
	var b strings.Builder
	b.WriteString("doc,n,s\n")
	for i := range crashRows {
		fmt.Fprintf(&b, "%d,%d,\"row %d of document %d\"\n", k, i, i, k)
	}
	return b.String()
}

// TestCrashWriter is the process that TestKillLeavesAllOrNothing kills: it imports documents and changes columns for
// ever and says what was acknowledged.
func TestCrashWriter(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	ctx := context.Background()
	e, err := Open(engine.Options{Dir: dir, NewID: func() string { return fmt.Sprint(time.Now().UnixNano()) }})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Project(ctx, "prjA")
	if err != nil {
		t.Fatal(err)
	}
	var m engine.Import
	m.Header = true
	for _, n := range []string{"doc", "n", "s"} {
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: n, CSVColumnName: n})
	}
	first := 0
	if _, err := fmt.Sscan(os.Getenv(crashDir+"_FIRST"), &first); err != nil {
		t.Fatal(err)
	}
	for k := first; ; k++ {
		fmt.Println("begin", k)
		doc := crashDocument(k)
		if m.Document = nil; k%3 > 0 { // of this process
			m.Document = csv.Stored{In: strings.NewReader(doc), Bytes: int64(len(doc))}
		}
		if _, err := p.ImportCSV(ctx, "table", "t", strings.NewReader(doc), m); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", k)
		extra := engine.ColumnDef{Name: "extra", Type: "bigint", Unique: ptr(k%2 == 0)}
		if _, err := p.AddColumns(ctx, "table", "t", []engine.ColumnDef{extra}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.UpdateColumn(ctx, "table", "t", "extra", engine.ColumnDef{Type: "varchar"}); err != nil {
			t.Fatal(err)
		}
		if err := p.DropColumn(ctx, "table", "t", "extra"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKillLeavesAllOrNothing(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	acked := map[int]bool{}
	next := 0
	for round := range rounds {
		if round == 0 {
			p := tableProject(t, dir)
			makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "doc", Type: "bigint"},
				engine.ColumnDef{Name: "n", Type: "bigint"}, engine.ColumnDef{Name: "s", Type: "varchar"})
			if err := p.files.Close(); err != nil {
				t.Fatal(err)
			}
		}
		child := exec.Command(os.Args[0], "-test.run", "^TestCrashWriter$")
		child.Env = append(os.Environ(), crashDir+"="+dir, fmt.Sprintf("%s_FIRST=%d", crashDir, next))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		kill := func() { _ = child.Process.Kill() }
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var k int
			var word string
			if n, _ := fmt.Sscan(lines.Text(), &word, &k); n != 2 {
				continue
			}
			if word == "done" {
				acked[k] = true
			}
			if word == "begin" && k == next {
				time.AfterFunc(time.Duration(rand.IntN(500))*time.Millisecond, kill)
			}
			next = max(next, k+1)
		}
		_ = child.Wait()
		if child.ProcessState.Exited() {
			t.Fatalf("the writer ended by itself: %v", child.ProcessState)
		}

		p := tableProject(t, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, "prjA", "*", "import-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		got := map[int]bool{}
		for _, r := range rowsOf(t, p,
			`SELECT doc, count(*), count(DISTINCT n), count(DISTINCT _id), min(s = 'row ' || n || ' of document ' || doc)
			FROM "~data"."table".t GROUP BY doc`) {
			var k int
			_, _ = fmt.Sscan(strings.Replace(r, "|", " ", 1), &k)
			got[k] = true
			if r != fmt.Sprintf("%d|%d|%d|%d|true", k, crashRows, crashRows, crashRows) {
				t.Errorf("round %d: part of a document: %s", round, r)
			}
		}
		for k := range acked {
			if !got[k] {
				t.Errorf("round %d: acknowledged document %d is gone", round, k)
			}
		}
		for k := range got {
			acked[k] = true
		}
		cols, err := p.Columns(t.Context(), engine.SchemaTable, "t")
		if err != nil {
			t.Fatal(err)
		}
		stored := rowsOf(t, p, `SELECT column_name FROM duckdb_columns() WHERE database_name = '~data' AND `+
			`table_name = 't' ORDER BY column_index`)
		if columnNames(cols) != strings.Join(stored, " ") {
			t.Errorf("round %d: columns %q, stored %q", round, columnNames(cols), stored)
		}
		if len(cols) == 12 { // killed while it stood
			if err := p.DropColumn(t.Context(), engine.SchemaTable, "t", "extra"); err != nil {
				t.Error(err)
			}
		}
		if err := p.files.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d documents in %d rounds", len(acked), rounds)
}

// TestChangesSurviveWithoutACheckpoint reads rebuilt tables back from the log alone.
func TestChangesSurviveWithoutACheckpoint(t *testing.T) {
	dir := t.TempDir()
	p := tableProject(t, dir)
	ctx := t.Context()
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "varchar"}, engine.ColumnDef{Name: "u",
		Type: "bigint", Unique: ptr(true)})
	mustImport(t, p, "t", "a,u\n1,1\n2,2\n")
	for _, def := range []engine.ColumnDef{{Type: "bigint"}, {Unique: ptr(true)}, {Name: "b"}, {NotNull: ptr(true)},
		{Unique: ptr(false), Type: "decimal"}} {
		col := "a"
		if cols, _ := p.Columns(ctx, engine.SchemaTable, "t"); cols[8].Name == "b" {
			col = "b"
		}
		if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", col, def); err != nil {
			t.Fatal(err)
		}
		mustImport(t, p, "t", fmt.Sprintf("%s,u\n%d,%d\n", map[bool]string{true: "b", false: col}[def.Name == "b"],
			time.Now().UnixNano(), time.Now().UnixNano()))
	}
	want := rowsOf(t, p, `SELECT * FROM "~data"."table".t ORDER BY _id`)
	copied := t.TempDir()
	for _, name := range []string{"data.duckdb", "data.duckdb.wal"} {
		b, err := os.ReadFile(filepath.Join(dir, "prjA", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(copied, "prjA"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, "prjA", name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q := tableProject(t, copied)
	got := rowsOf(t, q, `SELECT * FROM "~data"."table".t ORDER BY _id`)
	if len(want) != 7 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := importText(t, q, engine.SchemaTable, "t", "b,u\n1,1\n"); err == nil {
		t.Error("the unique constraint is gone")
	}
}
