package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
)

// writers is the number of them in the tests of transactions: half of them in a process of its own.
const writers = 8

// contest lets writers change the same state at once; n numbers them. It returns how many had no error. Every other
// error must be one of those that lose says.
func contest(t *testing.T, two [2]*Store, lose []error, change func(s *Store, n int) error) (won int) {
	t.Helper()
	errs := make([]error, writers)
	var all sync.WaitGroup
	start := make(chan struct{})
	for n := range writers {
		all.Go(func() {
			<-start
			errs[n] = change(two[n%2], n)
		})
	}
	close(start)
	all.Wait()
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		known := false
		for _, l := range lose {
			known = known || errors.Is(err, l)
		}
		if !known {
			t.Errorf("a writer failed: %v", err)
		}
	}
	consistent(t, two[0])
	return won
}

// both opens the state as two processes do, and a third time to look at it.
func both(t *testing.T, open func() *Store) (context.Context, *Store, [2]*Store) {
	return t.Context(), open(), [2]*Store{open(), open()}
}

// consistent checks what holds after every change.
func consistent(t *testing.T, s *Store) {
	t.Helper()
	for name, query := range map[string]string{
		"a folder is in itself": "query_folders WHERE id NOT IN (WITH RECURSIVE f(id) AS (SELECT id FROM " +
			"query_folders WHERE parent_id IS NULL UNION SELECT c.id FROM query_folders c JOIN f ON c.parent_id = " +
			"f.id) SELECT id FROM f)",
		"rows that nobody needs are not free": "stored_results WHERE free_at IS NULL AND runner = '' AND id NOT IN " +
			currentResults,
		"rows in use are free": "stored_results WHERE free_at IS NOT NULL AND id IN " + currentResults,
		"rows in use are unknown": "caches WHERE stored IS NOT NULL AND stored NOT IN " +
			"(SELECT id FROM stored_results)",
		"a cache has two runs": "(SELECT cache_id FROM cache_runs WHERE " + isRunning +
			" GROUP BY cache_id HAVING count(*) > 1) AS r",
		"a query is nowhere": "queries WHERE folder_id IS NOT NULL AND folder_id NOT IN (SELECT id FROM query_folders)",
	} {
		if n := count(t, s, query); n != 0 {
			t.Errorf("%s: %d", name, n)
		}
	}
}

func count(t *testing.T, s *Store, query string, args ...any) int {
	t.Helper()
	return got[int](t)(queryOne(t.Context(), s.db, one[int], "SELECT count(*) FROM "+query, args...))
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func cacheOf(table string) Cache {
	return Cache{ProjectID: DefaultProject, CatalogID: "9", SchemaName: "s", TableName: table,
		Incremental: CacheSchedule{Type: "NONE"}, Full: CacheSchedule{Type: "NONE"}}
}

func aQuery(project, name string) Query {
	return Query{ProjectID: project, DisplayName: name, Name: name, SQL: "SELECT 1"}
}

func aCache(t *testing.T, s *Store) Cache {
	t.Helper()
	c, _, err := s.EnsureCache(t.Context(), cacheOf("t"))
	must(t, err)
	return c
}

func TestWritersOfCaches(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s, two := both(t, open)
		c := aCache(t, s)
		gone := []error{ErrNotFound, ErrConflict}
		equal(t, "runs begun at once", contest(t, two, gone, func(s *Store, _ int) error {
			_, err := s.StartCacheRun(ctx, c.ID, states.Full, "r", false)
			return err
		}), 1)
		run := got[CacheRun](t)(s.LastCacheRun(ctx, c.ID, ""))
		run.Status = states.Completed
		equal(t, "ends of one run", contest(t, two, gone, func(s *Store, _ int) error {
			return s.EndCacheRun(ctx, run, "")
		}), 1)
		equal(t, "the stored rows", *got[Cache](t)(s.Cache(ctx, DefaultProject, c.ID)).Stored, run.ID)
		ended := contest(t, two, gone, func(s *Store, n int) error {
			mode := []string{states.Full, states.Incremental}[n%2]
			r, err := s.StartCacheRun(ctx, c.ID, mode, "r", false)
			if err != nil {
				return err
			}
			r.Status = states.Completed
			return s.EndCacheRun(ctx, r, "")
		})
		equal(t, "complete runs", count(t, s, "cache_runs WHERE status = ?", states.Completed), ended+1)
		equal(t, "running", count(t, s, "cache_runs WHERE "+isRunning), 0)
		had := count(t, s, "cache_logs WHERE action = 'UPDATE'")
		changed := contest(t, two, nil, func(s *Store, n int) error {
			c := c
			at := fmt.Sprint(n)
			if n < writers/2 {
				c.Incremental.Due, c.Incremental.Expr = &at, &at
			} else {
				c.Full.Due, c.Full.Expr = &at, &at
			}
			return s.SetCacheSettings(ctx, c, CacheChange{Incremental: n < writers/2, Full: n >= writers/2})
		})
		equal(t, "entries of the log", count(t, s, "cache_logs WHERE action = 'UPDATE'")-had, changed)
		if now := got[Cache](t)(s.Cache(ctx, DefaultProject, c.ID)); *now.Incremental.Due != *now.Incremental.Expr ||
			*now.Full.Due != *now.Full.Expr {
			t.Errorf("mixed settings: %v", now)
		}
		contest(t, two, gone, func(s *Store, n int) error {
			if n == writers/2 {
				return s.DeleteCache(ctx, DefaultProject, c.ID)
			}
			_, err := s.StartCacheRun(ctx, c.ID, states.Full, "r", false)
			return err
		})
		equal(t, "rows of a cache that is gone", count(t, s, "stored_results WHERE free_at IS NULL"), 0)
		var mu sync.Mutex
		ids, made := map[string]bool{}, 0
		contest(t, two, nil, func(s *Store, _ int) error {
			c, new, err := s.EnsureCache(ctx, cacheOf("u"))
			mu.Lock()
			defer mu.Unlock()
			if ids[c.ID] = true; new {
				made++
			}
			return err
		})
		equal(t, "caches of a table", len(ids), 1)
		equal(t, "made", made, 1)
	})
}

func TestWritersOfExportsAndImports(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s, two := both(t, open)
		const each = 4
		equal(t, "writers of exports", contest(t, two, nil, func(s *Store, _ int) error {
			for range each {
				x, err := s.CreateExport(ctx, Export{ProjectID: DefaultProject})
				if err != nil {
					return err
				}
				x.Status, x.Bytes, x.ExpiresAt = ExportSucceeded, 10, Time(time.Now().Add(time.Hour))
				if err := errors.Join(s.StartExport(ctx, x.ID), s.EndExport(ctx, x)); err != nil {
					return err
				}
			}
			return nil
		}), writers)
		equal(t, "exports", count(t, s, "exports WHERE status = ?", ExportSucceeded), writers*each)
		var mu sync.Mutex
		times := map[string]int{}
		tally := func(all []Export, err error) error {
			mu.Lock()
			defer mu.Unlock()
			for _, x := range all {
				times[x.ID]++
			}
			return err
		}
		once := func(what string, want int) {
			t.Helper()
			equal(t, what, len(times), want)
			for id, n := range times {
				equal(t, what+" "+id, n, 1)
			}
			clear(times)
		}
		contest(t, two, nil, func(s *Store, _ int) error { return tally(s.ShrinkExports(ctx, 100)) })
		once("shrunk", writers*each-10)
		_, err := s.db.ExecContext(ctx, "UPDATE exports SET expires_at = ? WHERE status = ?", "2020", ExportSucceeded)
		must(t, err)
		contest(t, two, nil, func(s *Store, _ int) error { return tally(s.ExpireExports(ctx)) })
		once("expired", 10)
		contest(t, two, nil, func(s *Store, n int) error {
			return errors.Join(s.NoteImport(ctx, DefaultProject, "same", 7),
				s.NoteImport(ctx, DefaultProject, fmt.Sprint(n), 7),
				s.EndImport(ctx, ImportRun{ID: fmt.Sprint(n), ProjectID: DefaultProject}, "again"))
		})
		equal(t, "imports", count(t, s, "imports"), writers+2)
		equal(t, "ends of one import", count(t, s, "import_runs"), 1)
		_, err = s.db.ExecContext(ctx, "INSERT INTO import_runs("+importRunColumns+") WITH RECURSIVE n(i) AS "+
			"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001) SELECT 'older ' || i, ?, '', '', '', '', 0, 0, "+
			"'', '2020-' || i FROM n", DefaultProject)
		must(t, err)
		must(t, s.EndImport(ctx, ImportRun{ID: "last", ProjectID: DefaultProject, CreatedAt: "2030"}, ""))
		equal(t, "imports kept", count(t, s, "import_runs"), importsKept)
		latest := got[[]ImportRun](t)(s.ImportRuns(ctx, DefaultProject, 1))
		equal(t, "the latest", latest[0].ID, "last")
	})
}

func TestWritersOfMaterializedQueries(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s, two := both(t, open)
		q := aQuery(DefaultProject, "m")
		q.Materialized = &Materialized{Schedule: Schedule{Type: "none"}}
		q = got[Query](t)(s.SaveQuery(ctx, q, nil, true))
		var mu sync.Mutex
		runs := map[string]bool{}
		end := func(s *Store, run string) error {
			for run != "" {
				mu.Lock()
				if runs[run] {
					t.Errorf("the run %s began twice", run)
				}
				runs[run] = true
				mu.Unlock()
				next, err := s.EndRun(ctx, q.ID, run, RunCompleted, "", 5_000_000_000)
				if err != nil {
					return err
				}
				run = next
			}
			return nil
		}
		contest(t, two, nil, func(s *Store, n int) error {
			for range 3 {
				if n == 1 {
					if _, err := s.AskCancel(ctx, q.ID); err != nil {
						return err
					}
					continue
				}
				run, err := s.StartRun(ctx, q.ID, "r")
				if err = errors.Join(err, end(s, run)); err != nil {
					return err
				}
			}
			return nil
		})
		now := got[Query](t)(s.Query(ctx, DefaultProject, q.ID))
		equal(t, "its state", now.Materialized.Status, RunCompleted)
		equal(t, "its rows", *now.Materialized.RowCount, 5_000_000_000)
		equal(t, "the results", count(t, s, "stored_results"), len(runs))
		run := got[string](t)(s.StartRun(ctx, q.ID, "r"))
		equal(t, "ends of one run", contest(t, two, []error{ErrNotFound}, func(s *Store, _ int) error {
			_, err := s.EndRun(ctx, q.ID, run, RunCompleted, "", 1)
			return err
		}), 1)
		contest(t, two, []error{ErrNotFound}, func(s *Store, n int) error {
			if n == writers/2 {
				return s.DeleteQuery(ctx, DefaultProject, q.ID)
			}
			_, err := s.StartRun(ctx, q.ID, "r")
			return err
		})
		equal(t, "rows of a query that is gone", count(t, s, "stored_results WHERE free_at IS NULL"), 0)
	})
}

func TestWritersOfFolders(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s, two := both(t, open)
		lose := []error{ErrConflict, ErrNotFound, ErrInUse, ErrCircular}
		equal(t, "folders of one path", contest(t, two, lose, func(s *Store, _ int) error {
			_, err := s.CreateFolder(ctx, DefaultProject, nil, []string{"a", "b", "c"})
			return err
		}), 1)
		equal(t, "folders", count(t, s, "query_folders"), 3)
		equal(t, "queries in one new folder", contest(t, two, nil, func(s *Store, n int) error {
			_, err := s.SaveQuery(ctx, aQuery(DefaultProject, fmt.Sprint("q", n)), []string{"new"}, true)
			return err
		}), writers)
		equal(t, "folders", count(t, s, "query_folders"), 4)
		equal(t, "queries of one name", contest(t, two, lose, func(s *Store, n int) error {
			_, err := s.SaveQuery(ctx, aQuery(DefaultProject, "one"), nil, true)
			return err
		}), 1)
		all := got[[]Query](t)(s.Queries(ctx, DefaultProject))
		contest(t, two, nil, func(s *Store, n int) error {
			return s.MoveQuery(ctx, DefaultProject, all[n].ID, []string{"moved", "here"})
		})
		equal(t, "folders", count(t, s, "query_folders"), 6)
		for range 5 { // each into the other
			x := got[Folder](t)(s.CreateFolder(ctx, DefaultProject, nil, []string{"x"}))
			y := got[Folder](t)(s.CreateFolder(ctx, DefaultProject, nil, []string{"y"}))
			contest(t, two, lose, func(s *Store, n int) error {
				from, to := x.ID, "y"
				if n%2 == 1 {
					from, to = y.ID, "x"
				}
				_, err := s.MoveFolder(ctx, DefaultProject, from, []string{to})
				return err
			})
			for _, f := range got[[]Folder](t)(s.Folders(ctx, DefaultProject)) {
				if f.ParentID == nil && (f.Name == "x" || f.Name == "y") {
					_, err := s.DeleteFolder(ctx, DefaultProject, f.ID, true)
					must(t, err)
				}
			}
			equal(t, "folders", count(t, s, "query_folders"), 6)
		}
		f := got[Folder](t)(s.CreateFolder(ctx, DefaultProject, nil, []string{"pair"}))
		contest(t, two, lose, func(s *Store, n int) error {
			pair := []string{all[0].ID, all[1].ID}
			if n%2 == 1 {
				_, err := s.MoveQueries(ctx, DefaultProject, f.ID, nil, pair)
				return err
			}
			_, err := s.MoveQueries(ctx, DefaultProject, f.ID, pair, nil)
			return err
		})
		if n := count(t, s, "queries WHERE folder_id = ?", f.ID); n == 1 {
			t.Error("one of two queries was moved")
		}
		contest(t, two, lose, func(s *Store, n int) error {
			if n%2 == 1 {
				_, err := s.DeleteFolder(ctx, DefaultProject, f.ID, n == 1)
				return err
			}
			_, err := s.SaveQuery(ctx, aQuery(DefaultProject, fmt.Sprint("d", n)), []string{"pair"}, true)
			return err
		})
	})
}
