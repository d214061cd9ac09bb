//go:build cgo

package duckdb

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

const (
	compactDir   = "DIG_TEST_COMPACT_DIR"
	compactKills = "DIG_TEST_COMPACT_KILLS"
	compactRows  = 5000 // of one document
)

func childEngine(dir string) (*duck, error) {
	e, err := Open(engine.Options{Dir: dir, Threads: 2, LockWait: time.Minute, IdleClose: 2 * time.Millisecond,
		NewID: func() string { return fmt.Sprint(time.Now().UnixNano()) }})
	if err != nil {
		return nil, err
	}
	return e.(*duck), nil
}

func compactDocument(k int) (string, engine.Import) {
	var b strings.Builder
	b.WriteString("doc,s\n")
	for i := range compactRows {
		fmt.Fprintf(&b, "%d,\"row %d of document %d\"\n", k, i, k)
	}
	return b.String(), engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "doc", CSVColumnName: "doc"},
		{Name: "s", CSVColumnName: "s"}}}
}

// TestCompactWriter is a process beside the tests below: it imports documents, makes waste and, where it is asked to,
// compacts, and says what was acknowledged.
func TestCompactWriter(t *testing.T) {
	dir := os.Getenv(compactDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	first, err := strconv.Atoi(os.Getenv(compactDir + "_FIRST"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	e, err := childEngine(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := testProject(t, e, "prjA")
	for k := first; ; k++ {
		text, m := compactDocument(k)
		fmt.Println("begin", k)
		if _, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader(text), m); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", k)
		if os.Getenv(compactDir+"_ALONE") == "" {
			time.Sleep(60 * time.Millisecond) // the other process has its turn
			continue
		}
		waste(t, p)
		fmt.Println("compact", k)
		if _, err := p.files.Compact(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// compactChild starts the process above.
func compactChild(t *testing.T, dir string, first int, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestCompactWriter$")
	child.Env = append(append(os.Environ(), compactDir+"="+dir, fmt.Sprintf("%s_FIRST=%d", compactDir, first)), env...)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	return child, bufio.NewScanner(out)
}

// wholeDocuments fails unless all of a document is there or nothing, and all that were acknowledged.
func wholeDocuments(t *testing.T, p *project, acked map[int]bool) {
	t.Helper()
	got := map[int]bool{}
	for _, r := range rowsOf(t, p, `SELECT doc, count(*), count(DISTINCT s), count(DISTINCT _id), min(s LIKE 'row % `+
		`of document ' || doc) FROM "~data"."table".t GROUP BY doc`) {
		doc, rest, _ := strings.Cut(r, "|")
		k, err := strconv.Atoi(doc)
		if got[k] = true; err != nil || rest != fmt.Sprintf("%d|%[1]d|%[1]d|true", compactRows) {
			t.Errorf("part of a document: %s", r)
		}
	}
	for k := range acked {
		if !got[k] {
			t.Errorf("acknowledged document %d is gone", k)
		}
	}
	for k := range got {
		acked[k] = true
	}
}

func compactTable(t *testing.T, dir string) {
	t.Helper()
	p := tableProject(t, dir)
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "doc", Type: "bigint"}, engine.ColumnDef{Name: "s",
		Type: "varchar", Unique: ptr(true)})
	if err := p.files.Close(); err != nil {
		t.Fatal(err)
	}
}

// files is what a directory holds.
func files(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all = append(all, fmt.Sprintf("%s %x", path, sha256.Sum256(raw)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// TestKillsWhileCompacting kills a process that compacts. DIG_TEST_COMPACT_KILLS sets how often.
func TestKillsWhileCompacting(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	if n, err := strconv.Atoi(os.Getenv(compactKills)); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	compactTable(t, dir)
	acked, next := map[int]bool{}, 0
	began, halfway := 0, 0
	for round := range rounds {
		child, lines := compactChild(t, dir, next, compactDir+"_ALONE=1")
		armed, said := false, ""
		for lines.Scan() {
			said += lines.Text() + "\n"
			var word string
			var k int
			if n, _ := fmt.Sscan(lines.Text(), &word, &k); n != 2 {
				continue
			}
			switch next = max(next, k+1); word {
			case "done":
				acked[k] = true
			case "compact":
				if began++; !armed {
					armed = true
					time.AfterFunc(time.Duration(rand.IntN(300_000))*time.Microsecond,
						func() { _ = child.Process.Kill() })
				}
			}
		}
		_ = child.Wait()
		if child.ProcessState.Exited() {
			t.Fatalf("round %d: the child ended by itself: %v\n%s", round, child.ProcessState, said)
		}
		left := filepath.Join(dir, "prjA", "compacting")
		if found(left) {
			halfway++
			if err := os.WriteFile(filepath.Join(left, "more"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := files(t, dir)
		reader := testEngine(t, dir, func(o *engine.Options) { o.ReadOnly = true })
		wholeDocuments(t, testProject(t, reader, "prjA"), acked)
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		if after := files(t, dir); after != before {
			t.Errorf("round %d: a reader changed %s", round, differ(before, after))
		}
		p := tableProject(t, dir)
		wholeDocuments(t, p, acked)
		if found(left) {
			t.Errorf("round %d: what was left of the copy is still there", round)
		}
		if _, err := importText(t, p, engine.SchemaTable, "t", "s\nrow 0 of document 0\n"); acked[0] && err == nil {
			t.Errorf("round %d: the unique constraint is gone", round)
		}
		if err := p.files.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d documents, %d compactions in %d rounds, %d of them killed with a copy half done", len(acked), began,
		rounds, halfway)
}

// TestCompactBesideAnotherProcess compacts what another process imports into.
func TestCompactBesideAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	compactTable(t, dir)
	child, lines := compactChild(t, dir, 0)
	enough := make(chan struct{})
	acked, last := map[int]bool{}, make(chan struct{})
	go func() {
		defer close(last)
		for lines.Scan() {
			var word string
			var k int
			if n, _ := fmt.Sscan(lines.Text(), &word, &k); n == 2 && word == "done" {
				if acked[k] = true; k == 2 {
					close(enough)
				}
			}
		}
	}()
	e, err := childEngine(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := testProject(t, e, "prjA")
	times := 0
	for done := false; !done || times < 3; times++ {
		select {
		case <-enough:
			done = true
		case <-last:
			t.Fatal("the other process has ended")
		default:
		}
		if times < 3 {
			waste(t, p)
		}
		if _, err := p.files.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := one(t, p, `SELECT count(*) FROM "~data"."table".behind`); got != "50000" {
			t.Errorf("got %s", got)
		}
		time.Sleep(50 * time.Millisecond) // the lock is not given in turns
	}
	_ = child.Process.Kill()
	<-last
	_ = child.Wait()
	wholeDocuments(t, p, acked)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d compactions beside %d imports", times, len(acked))

	// one that keeps the project is waited for, and then nothing is done.
	holder := testEngine(t, dir)
	testProject(t, holder, "prjA")
	second := testEngine(t, dir)
	before, err := os.ReadFile(filepath.Join(dir, "prjA", sharing.DataFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Compact(t.Context(), "prjA"); kindOf(err) != engine.KindLocked ||
		!strings.Contains(err.Error(), "pid") {
		t.Errorf("beside a holder: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "prjA", sharing.DataFile)); err != nil ||
		string(after) != string(before) {
		t.Errorf("the file has changed, %v", err)
	}
}
