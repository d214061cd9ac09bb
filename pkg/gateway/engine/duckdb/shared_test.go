//go:build cgo && linux

package duckdb

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// window is a project as a process of its own has it: the locks belong to open files.
func window(t *testing.T, dir string) *project {
	t.Helper()
	p := testProject(t, testEngine(t, dir, func(o *engine.Options) {
		o.Shared, o.LockWait, o.IdleClose = true, 20*time.Second, time.Millisecond
		o.NewID = func() string { return fmt.Sprint(time.Now().UnixNano()) }
	}), "prjA")
	return p
}

// reading begins a statement that reads a stored table and does not end before the returned function reads on.
func reading(t *testing.T, p *project, text string) (rest func() (rows int, err error)) {
	t.Helper()
	r, err := sql.Run(t.Context(), p, sql.Query{SQL: text})
	if err != nil {
		t.Fatal(err)
	}
	goOn, begun := make(chan struct{}), make(chan struct{})
	rows := 0
	ended := make(chan error, 1)
	go func() {
		_, err := r.Rows(t.Context(), func([][]byte) error {
			if rows++; rows == 1 {
				close(begun)
				<-goOn
			}
			return nil
		})
		ended <- errors.Join(err, r.Close())
	}()
	<-begun
	return func() (int, error) {
		close(goOn)
		err := <-ended
		return rows, err
	}
}

func create(t *testing.T, p *project, name string) {
	t.Helper()
	if _, err := p.CreateTable(t.Context(), engine.SchemaTable, name, engine.ColumnDef{Name: "n",
		Type: "bigint"}); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, p *project, name string, rows int) {
	t.Helper()
	var b strings.Builder
	for i := range rows {
		fmt.Fprintln(&b, i)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}}
	if n, err := p.ImportCSV(t.Context(), engine.SchemaTable, name, strings.NewReader("n\n"+b.String()),
		m); err != nil || n.Rows != int64(rows) {
		t.Fatal(n, err)
	}
}

const counted = `SELECT count(*) FROM "~data"."table"."x"`

// TestReaderHoldsUpNoWriter: while one window reads, another adds rows twice and a third sees them. The first gets the
// rows that were there.
func TestReaderHoldsUpNoWriter(t *testing.T) {
	dir := t.TempDir()
	first, second, third := window(t, dir), window(t, dir), window(t, dir)
	create(t, second, "x")
	add(t, second, "x", 30_000)
	rest := reading(t, first, `SELECT a.n, b.i FROM peaka."table"."x" a, UNNEST(sequence(1, 100)) b(i)`)
	for i := range 2 {
		add(t, second, "x", 30_000)
		if got := one(t, third, counted); got != fmt.Sprint(30_000*(i+2)) {
			t.Errorf("the third window counts %s", got)
		}
	}
	if got := one(t, first, counted); got != "90000" { // a new statement of the window that still reads the old rows
		t.Errorf("the first window counts %s", got)
	}
	add(t, first, "x", 1)
	if rows, err := rest(); rows != 3_000_000 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
	if got := one(t, third, counted); got != "90001" {
		t.Errorf("at the end there are %s", got)
	}
}

// TestWriterHoldsUpNoReader: while a window changes the data, others read what is committed, with what is in its log.
func TestWriterHoldsUpNoReader(t *testing.T) {
	dir := t.TempDir()
	first, second := window(t, dir), window(t, dir)
	create(t, first, "x")
	add(t, first, "x", 30_000)
	first.waitClosed(t)
	c, err := first.files.Writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := c.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(t.Context(),
			`INSERT INTO "~data"."table"."x" (_id, n) SELECT range, range FROM range(200000)`); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := one(t, second, counted); got != fmt.Sprint(30_000+200_000*i) {
				t.Errorf("after %d transactions the other window counts %s", i, got)
			}
		}
		if err := c.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := one(t, second, counted); got != "630000" {
		t.Errorf("after the last one it counts %s", got)
	}
	c.Close()
	first.waitClosed(t)
	if left, _ := filepath.Glob(filepath.Join(dir, "prjA", "snapshots")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := one(t, second, counted); got != "630000" {
		t.Errorf("at the end it counts %s", got)
	}
}

// WaitClosed waits until a window has released the project.
func (p *project) waitClosed(t *testing.T) {
	t.Helper()
	for !p.files.Closed() && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

const killedDir = "DIG_TEST_KILLED_WINDOW"

// TestKilledWindow is the process that TestLogOfAKilledWindow kills with a log that is not in the file, and a
// transaction that is open.
func TestKilledWindow(t *testing.T) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	p := window(t, dir)
	c, err := p.files.Writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`CREATE TABLE "~data"."table"."x" AS SELECT range AS n FROM range(10)`, `BEGIN`,
		`INSERT INTO "~data"."table"."x" SELECT range FROM range(300000)`} {
		if err := instance.RawExec(c.Raw, text); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	_ = self.Kill()
	select {}
}

// TestLogOfAKilledWindow: the next window, which only reads, finds what was committed, and so do all that come with it.
func TestLogOfAKilledWindow(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWindow$")
	child.Env = append(os.Environ(), killedDir+"="+dir)
	if out, err := child.CombinedOutput(); err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	if !sharing.Logged(filepath.Join(dir, "prjA")) {
		t.Fatal("it left no log: the test shows nothing")
	}
	got := make(chan string)
	for range 4 {
		p := window(t, dir)
		go func() { got <- one(t, p, counted) }()
	}
	for range 4 {
		if n := <-got; n != "10" {
			t.Errorf("%s rows", n)
		}
	}
	if sharing.Logged(filepath.Join(dir, "prjA")) {
		t.Error("the log is still there")
	}
}

// TestCompactionHoldsUpNoReader: a file is rewritten while a window reads it.
func TestCompactionHoldsUpNoReader(t *testing.T) {
	dir := t.TempDir()
	first, second := window(t, dir), window(t, dir)
	create(t, first, "y")
	add(t, first, "y", 300_000)
	create(t, first, "x")
	add(t, first, "x", 30_000)
	if err := first.DropTable(t.Context(), engine.SchemaTable, "y"); err != nil {
		t.Fatal(err)
	}
	rest := reading(t, second, `SELECT a.n, b.i FROM peaka."table"."x" a, UNNEST(sequence(1, 100)) b(i)`)
	c, err := first.files.Compact(t.Context())
	if err != nil || c.After >= c.Before {
		t.Errorf("%+v %v", c, err)
	}
	if rows, err := rest(); rows != 3_000_000 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
	if got := one(t, second, counted); got != "30000" {
		t.Errorf("%s rows", got)
	}
}
