//go:build cgo

package duckdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

var (
	replaceRows = api.ImportMode{Mode: api.ImportReplace}
	upsertRows  = api.ImportMode{Mode: api.ImportUpsert, Key: []string{"n"}}
)

// reloadTable has the rows of daily reloads: day is the same in all of them.
func reloadTable(t *testing.T, p *project) {
	t.Helper()
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "n", Type: "bigint"},
		engine.ColumnDef{Name: "day", Type: "bigint"}, engine.ColumnDef{Name: "s", Type: "varchar"})
}

// reload imports the document of a day, by turns in both modes.
func reload(p *project, day, rows int) (engine.Imported, error) {
	var b strings.Builder
	b.WriteString("n,day,s\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%d,\"row %d of a document that is long enough for a stage\"\n", i, day, i)
	}
	m := engine.Import{Header: true, ImportMode: []api.ImportMode{replaceRows, upsertRows}[day%2]}
	for _, n := range []string{"n", "day", "s"} {
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: n, CSVColumnName: n})
	}
	return p.ImportCSV(context.Background(), engine.SchemaTable, "t", strings.NewReader(b.String()), m)
}

const oneDay = `SELECT count(*), count(DISTINCT n), min(day), max(day) FROM "peaka"."table"."t"`

// TestReadersDuringReloads: 16 readers, half of them in another process's place, see one day's rows or the next's while
// a table is replaced and updated.
func TestReadersDuringReloads(t *testing.T) {
	dir := t.TempDir()
	writer := window(t, dir)
	reloadTable(t, writer)
	sizes := []int{100, 25_000} // without and with a stage
	for _, rows := range sizes {
		if _, err := reload(writer, 0, rows); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		var readers sync.WaitGroup
		other := window(t, dir)
		seen := make([]map[int]bool, 16)
		for i := range seen {
			seen[i] = map[int]bool{}
			p := []*project{writer, other}[i%2]
			readers.Go(func() {
				for last := 0; ; {
					got, err := enginetest.Query(t.Context(), p, sql.Query{SQL: oneDay})
					var n, different, first, day int
					if _, serr := fmt.Sscanf(got, "%d|%d|%d|%d", &n, &different, &first, &day); err != nil ||
						serr != nil || n != rows || different != rows || first != day || day < last {
						t.Errorf("after day %d: %s, %v", last, got, errors.Join(err, serr))
						return
					}
					last = day
					seen[i][day] = true
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		for day := 1; day <= 4; day++ {
			done, err := reload(writer, day, rows)
			want := engine.Imported{Rows: int64(rows), Inserted: int64(rows), Deleted: int64(rows)}
			if day%2 == 1 {
				want = engine.Imported{Rows: int64(rows), Updated: int64(rows)}
			}
			if err != nil || done != want {
				t.Errorf("day %d: %+v, want %+v, %v", day, done, want, err)
			}
		}
		close(stop)
		readers.Wait()
		several := 0
		for _, days := range seen {
			several = max(several, len(days))
		}
		if several < 2 {
			t.Errorf("no reader ran beside a reload of %d rows", rows)
		}
	}
}

const (
	reloadDir  = "DIG_TEST_RELOAD_DIR"
	reloadRows = 25_000
)

// TestReloadWriter is the process that TestKillsDuringReloads kills.
func TestReloadWriter(t *testing.T) {
	dir := os.Getenv(reloadDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	first, err := strconv.Atoi(os.Getenv(reloadDir + "_FIRST"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := childEngine(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := testProject(t, e, "prjA")
	for day := first; ; day++ {
		fmt.Println("begin", day)
		if _, err := reload(p, day, reloadRows); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", day)
	}
}

// TestKillsDuringReloads: a process that is killed while it replaces or updates the rows of a table leaves the old rows
// or the new ones. DIG_TEST_RELOAD_KILLS is how often.
func TestKillsDuringReloads(t *testing.T) {
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("DIG_TEST_RELOAD_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	p := tableProject(t, dir)
	reloadTable(t, p)
	if _, err := reload(p, 0, reloadRows); err != nil {
		t.Fatal(err)
	}
	stored, old, moved := 0, 0, 0
	for range kills {
		if err := p.files.Close(); err != nil {
			t.Fatal(err)
		}
		child := exec.Command(os.Args[0], "-test.run", "^TestReloadWriter$")
		child.Env = append(os.Environ(), reloadDir+"="+dir, fmt.Sprintf("%s_FIRST=%d", reloadDir, stored+1))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		begun, acked := stored, stored
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var word string
			var day int
			if n, _ := fmt.Sscan(lines.Text(), &word, &day); n != 2 {
				continue
			}
			if word == "done" {
				acked = day
				continue
			}
			begun = day
			if day == stored+1 {
				time.AfterFunc(time.Duration(rand.IntN(2000))*time.Millisecond,
					func() { _ = child.Process.Kill() })
			}
		}
		_ = child.Wait()
		if child.ProcessState.Exited() {
			t.Fatalf("the writer ended by itself: %v", child.ProcessState)
		}
		p = tableProject(t, dir)
		var n, different, first, day int
		if got := rowsOf(t, p, strings.Replace(oneDay, "peaka", "~data", 1)); len(got) == 1 {
			if _, err := fmt.Sscanf(got[0], "%d|%d|%d|%d", &n, &different, &first, &day); err != nil {
				t.Error(err)
			}
		}
		if n != reloadRows || different != reloadRows || first != day || day < acked || day > begun {
			t.Fatalf("days %d to %d in %d rows; day %d was begun and day %d acknowledged", first, day, n, begun, acked)
		}
		if day < begun {
			old++
		} else {
			moved++
		}
		stored = day
	}
	t.Logf("%d kills: the old rows %d times, the new ones %d times, %d reloads", kills, old, moved, stored)
}

// TestUpsertKeepsWhatItDoesNotName: the ids, columns without a field and times of creation of rows stay, and their
// versions count. A constraint is compared with the rows that remain in the end.
func TestUpsertKeepsWhatItDoesNotName(t *testing.T) {
	for _, staged := range []bool{false, true} {
		for _, unique := range []bool{false, true} {
			p := tableProject(t, t.TempDir())
			makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "n", Type: "bigint"},
				engine.ColumnDef{Name: "mail = x", Type: "varchar", Unique: ptr(unique)},
				engine.ColumnDef{Name: "kept", Type: "varchar", DefaultValue: ptr("new")})
			mustImport(t, p, "t", "n,mail = x,kept\n1,a,one\n2,b,two\n3,c,three\n,d,none\n")
			was := rowsOf(t, p, `SELECT _id, _created_time FROM "~data"."table".t WHERE n <= 3 ORDER BY n`)
			doc := "n,mail = x\n2,a\n1,b\n3,c\n4,\n"
			want := engine.Imported{Rows: 4, Inserted: 1, Updated: 2, Unchanged: 1}
			if staged {
				var b strings.Builder
				for i := 5; b.Len() < 1<<20; i++ {
					fmt.Fprintf(&b, "%d,mail %d\n", i, i)
					want.Rows, want.Inserted = want.Rows+1, want.Inserted+1
				}
				doc += b.String()
			}
			m := engine.Import{Header: true, ImportMode: upsertRows, Mappings: []api.ImportMapping{{Name: "n",
				CSVColumnName: "n"}, {Name: "mail = x", CSVColumnName: "mail = x"}}}
			upsert := func(doc string) (engine.Imported, error) {
				return p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader(doc), m)
			}
			if done, err := upsert(doc); err != nil || done != want {
				t.Errorf("%+v, want %+v, %v", done, want, err)
			}
			got := rowsOf(t, p, `SELECT n, "mail = x", kept, _version, _last_modified_time > _created_time
				FROM "~data"."table".t WHERE n <= 4 OR n IS NULL ORDER BY n`)
			rows := "1|b|one|2|true 2|a|two|2|true 3|c|three|1|false 4|∅|new|1|false ∅|d|none|1|false"
			if strings.Join(got, " ") != rows {
				t.Errorf("unique %t:\n got %s\nwant %s", unique, got, rows)
			}
			now := rowsOf(t, p, `SELECT _id, _created_time FROM "~data"."table".t WHERE n <= 3 ORDER BY n`)
			if strings.Join(now, " ") != strings.Join(was, " ") {
				t.Errorf("unique %t: ids and times of creation\n got %s\nwant %s", unique, now, was)
			}
			if ids := one(t, p, `SELECT count(*) - count(DISTINCT _id) FROM "~data"."table".t`); ids != "0" {
				t.Errorf("%s ids twice", ids)
			}
			if unique {
				if _, err := upsert("n,mail = x\n9,c\n"); enginetest.Kind(err) != engine.KindConstraint ||
					!strings.Contains(err.Error(), "c") {
					t.Errorf("a value twice: %v", err)
				}
			}
			mustImport(t, p, "t", "n\n1\n")
			if _, err := upsert("n,mail = x\n2,z\n1,y\n"); enginetest.Kind(err) != engine.KindValue ||
				!strings.Contains(err.Error(), `table "t" has 2 rows with the key (n) = (1)`) {
				t.Errorf("a key twice: %v", err)
			}
			if z := one(t, p, `SELECT count(*) FROM "~data"."table".t WHERE "mail = x" IN ('y', 'z')`); z != "0" {
				t.Error("a part of the rows is stored")
			}
			m.DeleteMissing = true
			if done, err := upsert("n,mail = x\n2,z\n"); err != nil || done.Updated != 1 ||
				done.Deleted != want.Rows+1 {
				t.Errorf("%+v, %v", done, err)
			}
		}
	}
}

// TestReplaceUniqueRows: rows that are replaced have no part in a constraint.
func TestReplaceUniqueRows(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "n", Type: "bigint", Unique: ptr(true)})
	mustImport(t, p, "t", "n\n1\n2\n")
	m := engine.Import{Header: true, ImportMode: replaceRows,
		Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}}
	for range 2 {
		if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader("n\n2\n3\n"), m); err != nil {
			t.Error(err)
		}
	}
	_, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader("n\n2\n5\n5\n"), m)
	var fault *engine.ImportError
	if !errors.As(err, &fault) || fault.Total != 1 || fault.Cells[0].Line != 4 {
		t.Errorf("a value twice: %v", err)
	}
	if got := rowsOf(t, p, `SELECT n FROM "~data"."table".t ORDER BY n`); strings.Join(got, " ") != "2 3" {
		t.Errorf("%s", got)
	}
}
