//go:build cgo && linux

package duckdb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// stagedDocument is large enough for a stage.
func stagedDocument(label string) (doc string, rows int) {
	var b strings.Builder
	b.WriteString("n,label\n")
	for b.Len() < 1<<20 {
		fmt.Fprintf(&b, "%d,%s\n", rows, label)
		rows++
	}
	return b.String(), rows
}

var stagedMapping = engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"},
	{Name: "label", CSVColumnName: "label"}}}

// TestStagedRowsAreLikeOthers: rows that were prepared beside the project's file have the same in all columns as those
// that were not.
func TestStagedRowsAreLikeOthers(t *testing.T) {
	for _, kind := range []string{engine.SchemaTable, engine.SchemaBI} {
		p := window(t, t.TempDir())
		if _, err := p.CreateTable(t.Context(), kind, "x", engine.ColumnDef{Name: "n", Type: "bigint",
			NotNull: ptr(true)}, engine.ColumnDef{Name: "label", Type: "varchar"},
			engine.ColumnDef{Name: "d", Type: "date", DefaultValue: ptr("2024-02-29")}, engine.ColumnDef{Name: "s",
				Type: "varchar", DefaultValue: ptr("it's")}); err != nil {
			t.Fatal(err)
		}
		doc, rows := stagedDocument("large")
		for _, text := range []string{"n,label\n0,large\n", doc, "n,label\n0,large\n"} {
			if _, err := p.ImportCSV(t.Context(), kind, "x", strings.NewReader(text), stagedMapping); err != nil {
				t.Fatal(err)
			}
		}
		from := `FROM "~data"."` + kind + `"."x"`
		want := fmt.Sprintf("%d|%[1]d|true|%d", rows+2, rows)
		if got := rowsOf(t, p, `SELECT count(*), count(DISTINCT _id), max(_created_time) - min(_created_time) < `+
			`INTERVAL 1 MINUTE, max(n) + 1 `+from); got[0] != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
		if got := rowsOf(t, p, `SELECT DISTINCT * EXCLUDE (_id, n, _created_time, _last_modified_time), `+
			`_created_time IS NULL, _last_modified_time IS NULL `+from); len(got) != 1 {
			t.Errorf("%s: rows that differ: %s", kind, got)
		}
		if got := one(t, p, `SELECT count(*) FROM (SELECT n, lag(n) OVER (ORDER BY _id) AS before `+from+
			`) WHERE n <> 0 AND n <> before + 1`); got != "0" {
			t.Errorf("%s: %s rows are not in the order of the document", kind, got)
		}
		_, err := p.ImportCSV(t.Context(), kind, "x", strings.NewReader(doc+",none\n"), stagedMapping)
		var ie *engine.ImportError
		if !errors.As(err, &ie) || ie.Total != 1 || ie.Cells[0].Line != int64(rows+2) {
			t.Errorf("%s: NULL in the last row: %v", kind, err)
		}
	}
}

// TestColumnsChangeDuringImports: another window adds and removes columns and a unique constraint while documents are
// prepared. Every one is stored whole, or refused for the constraint.
func TestColumnsChangeDuringImports(t *testing.T) {
	dir := t.TempDir()
	first, second := window(t, dir), window(t, dir)
	makeTable(t, first, engine.SchemaTable, "x", engine.ColumnDef{Name: "n", Type: "bigint"},
		engine.ColumnDef{Name: "label", Type: "varchar"})
	ended := make(chan int)
	go func() {
		stored := 0
		for i := range 4 {
			doc, rows := stagedDocument(fmt.Sprint("document", i))
			n, err := second.ImportCSV(t.Context(), engine.SchemaTable, "x", strings.NewReader(doc), stagedMapping)
			if err != nil || n.Rows != int64(rows) {
				t.Errorf("%v of %d rows, %v", n, rows, err)
			}
			stored += int(n.Rows)
		}
		ended <- stored
	}()
	for {
		select {
		case stored := <-ended:
			if got := rowsOf(t, first,
				`SELECT count(*), count(DISTINCT _id), count(n), count(label) FROM "~data"."table"."x"`); got[0] != fmt.Sprintf("%d|%[1]d|%[1]d|%[1]d", stored) {
				t.Errorf("%s, want %d", got, stored)
			}
			return
		default:
		}
		if _, err := first.AddColumns(t.Context(), engine.SchemaTable, "x",
			[]engine.ColumnDef{{Name: "extra", Type: "bigint", Unique: ptr(true)}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if err := first.DropColumn(t.Context(), engine.SchemaTable, "x", "extra"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestMaterializeBesideOthers: a stored result is complete, has its types, and replaces the former one.
func TestMaterializeBesideOthers(t *testing.T) {
	dir := t.TempDir()
	first, second := window(t, dir), window(t, dir)
	create(t, first, "x")
	add(t, first, "x", 1000)
	rest := reading(t, second, `SELECT a.n, b.i FROM peaka."table"."x" a, UNNEST(sequence(1, 300)) b(i)`)
	for i, text := range []string{`SELECT n, CAST('ab' AS varchar(5)) AS v, CAST(ROW(1, 'x') AS ROW(a bigint, b ` +
		`varchar)) AS r FROM peaka."table"."x"`, `SELECT 'other' AS only`} {
		if n, err := enginetest.Replace(t.Context(), first, engine.SchemaMtQuery, "m",
			sql.Query{SQL: text}); err != nil ||
			n != []int64{1000, 1}[i] {
			t.Fatal(n, err)
		}
		want := []string{"n|BIGINT|∅ v|VARCHAR|varchar(5) r|STRUCT(a BIGINT, b VARCHAR)|∅",
			"only|VARCHAR|varchar(5)"}[i]
		if got := strings.Join(rowsOf(t, second, `SELECT column_name, data_type, comment FROM duckdb_columns() WHERE `+
			`database_name = '~data' AND table_name = 'm' ORDER BY column_index`), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := one(t, second, `SELECT count(*) FROM "~data".mtquery.m`); got != []string{"1000", "1"}[i] {
			t.Errorf("%s rows", got)
		}
	}
	if rows, err := rest(); rows != 300_000 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

const stoppedDir = "DIG_TEST_STOPPED_WINDOW"

// TestStoppedWindow is the process that TestStoppedWriter stops while it has the project.
func TestStoppedWindow(t *testing.T) {
	dir := os.Getenv(stoppedDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	p := window(t, dir)
	c, err := p.files.Writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("has it")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	c.Close()
	_, _ = io.ReadAll(os.Stdin)
}

// TestStoppedWriter: Ctrl-Z stops a process that changes the project only after it has released it. Who waits for one
// that was stopped by other means is told which, and gives up.
func TestStoppedWriter(t *testing.T) {
	dir := t.TempDir()
	create(t, window(t, dir), "x")
	child := exec.Command(os.Args[0], "-test.run=^TestStoppedWindow$")
	child.Env = append(os.Environ(), stoppedDir+"="+dir)
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-Z does nothing to a group without a parent
	in, err1 := child.StdinPipe()
	out, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "has it\n" {
		t.Fatal(line, err)
	}
	state := func() byte {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return stat[strings.LastIndex(string(stat), ")")+2]
	}
	until := func(want byte) {
		t.Helper()
		for state() != want {
			time.Sleep(time.Millisecond)
		}
	}
	signal := func(s syscall.Signal) {
		if err := child.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	until('T')
	told := make(chan string, 9)
	waiter := testProject(t, testEngine(t, dir, func(o *engine.Options) {
		o.Shared, o.LockWait, o.Waiting = true, 1500*time.Millisecond, func(h string) { told <- h }
	}), "prjA")
	_, err := waiter.files.Writer(t.Context())
	pid := fmt.Sprint(child.Process.Pid)
	if e := (*engine.Error)(nil); !errors.As(err, &e) || e.Kind != engine.KindLocked || !strings.Contains(e.Message,
		"process pid "+pid) || !strings.Contains(e.Message, "`kill -CONT "+pid+"`") {
		t.Errorf("%v", err)
	}
	if got := <-told; !strings.Contains(got, "process pid "+pid) || !strings.Contains(got, "stopped") {
		t.Errorf("%q", got)
	}
	signal(syscall.SIGCONT)
	signal(syscall.SIGTSTP)
	if state() == 'T' {
		t.Error("it was stopped while it had the project")
	}
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Fatal(err)
	}
	until('T')
	add(t, waiter, "x", 10)
}
