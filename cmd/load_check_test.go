//go:build cgo

package cmd

import (
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	_ "modernc.org/sqlite"
)

// verify asks the gateway, which has just come back from a kill, what is there.
func (l *load) verify() {
	ctx := context.Background()
	for i, p := range l.projects {
		w := newLoadClient(l, i)
		fatal := func(err error) {
			l.t.Helper()
			if err != nil {
				l.t.Fatalf("%s: %v", p.mark, err)
			}
		}
		// Nobody asks for work any more: what was running when the server died must not be called running now.
		caches, err := w.cl.Cache.Statuses(ctx, p.id)
		fatal(err)
		for _, c := range caches {
			if c.Status == "RUNNING" {
				l.errorf("%s: cache %s is RUNNING", p.mark, c.ID)
			}
		}
		runs, err := w.cl.Materialized.Statuses(ctx, p.id)
		fatal(err)
		for _, r := range runs {
			if r.Status == "RUNNING" {
				l.errorf("%s: materialized query %s is RUNNING", p.mark, r.QueryName)
			}
		}
		for _, id := range p.exports {
			job, err := w.cl.Exports.Get(ctx, p.id, id)
			fatal(err)
			switch job.Status {
			case "PENDING", "RUNNING":
				l.errorf("%s: export %s is %s", p.mark, id, job.Status)
			case "SUCCEEDED":
				rep, err := w.cl.Exports.Open(ctx, job.Files[0], 0, "")
				fatal(err)
				text, err := io.ReadAll(rep.Body)
				rep.Body.Close()
				rows, berr := byBatch(text)
				if err != nil || berr != nil || int64(len(text)) != job.Files[0].Bytes {
					l.errorf("%s: the file of export %s: %d bytes of %d, %v %v", p.mark, id, len(text),
						job.Files[0].Bytes, err, berr)
				}
				w.whole("the file of export "+id, rows, nil)
			}
		}

		rows, err := w.rows(ctx, eventsByBatch)
		fatal(err)
		w.whole("at the end, table events", rows, p.known())
		w.readCache(0)
		w.readSnap(0)

		tables, err := w.cl.Tables.List(ctx, p.id)
		fatal(err)
		queries, err := w.cl.Queries.List(ctx, p.id)
		fatal(err)
		there := map[string]bool{}
		for _, t := range tables {
			there["table "+t.TableName] = true
		}
		for _, q := range queries {
			there["query "+q.Name] = true
		}
		for name, want := range p.objects {
			if there[name] != want {
				l.errorf("%s: %s is there: %v, acknowledged: %v", p.mark, name, there[name], want)
			}
		}

		// The gateway still works.
		fatal(w.cl.Materialized.Refresh(ctx, p.id, p.snap))
		fatal(w.cl.Cache.FullRefresh(ctx, p.id, p.cache))
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			s, err := w.cl.Materialized.Status(ctx, p.id, p.snap)
			fatal(err)
			c, err := w.cl.Cache.Status(ctx, p.id, p.cache, nil)
			fatal(err)
			if s.Status == "COMPLETED" && c.Status == "COMPLETED" {
				break
			}
			if time.Now().After(deadline) || s.Status == "FAILED" || c.Status == "FAILED" {
				l.t.Fatalf("%s: after all a refresh is %s, one of the cache %s", p.mark, s.Status, c.Status)
			}
		}
		if rows, err = w.rows(ctx, "SELECT mark, batch, n, d FROM peaka.mtquery.snap"); err == nil {
			w.whole("at the end, the materialized query", rows, p.known())
		}
		fatal(err)
	}
}

// knownFiles are the files that a data directory holds when nothing runs.
var knownFiles = regexp.MustCompile(
	`^(state\.db|secret\.key|gateway\.lock|projects/[A-Za-z0-9]+/(data\.duckdb|lock|holder|readers\.[0-9]+)|exports/[0-9a-f-]{36})$`)

// leftOvers looks at the files of the stopped gateway, behind its back.
func (l *load) leftOvers() {
	state, err := sql.Open("sqlite", "file:"+filepath.Join(l.data, "state.db")+"?mode=ro")
	if err != nil {
		l.t.Fatal(err)
	}
	defer state.Close()
	has := func(query string, args ...any) bool {
		var n int
		if err := state.QueryRow(query, args...).Scan(&n); err != nil {
			l.t.Fatal(err)
		}
		return n > 0
	}
	err = filepath.WalkDir(l.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(l.data, path)
		if rel = filepath.ToSlash(rel); !knownFiles.MatchString(rel) {
			l.errorf("left behind: %s", rel)
		}
		if filepath.Dir(rel) == "exports" && !has("SELECT count(*) FROM exports WHERE id = ? AND status = 'SUCCEEDED'",
			filepath.Base(rel)) {
			l.errorf("the file %s belongs to no export", rel)
		}
		return nil
	})
	if err != nil {
		l.t.Error(err)
	}
	for _, job := range []string{"exports WHERE status IN ('PENDING', 'RUNNING')",
		"cache_runs WHERE status = 'RUNNING'", "materialized WHERE status = 'RUNNING'"} {
		if has("SELECT count(*) FROM " + job) {
			l.errorf("the state holds open jobs: %s", job)
		}
	}
	for _, p := range l.projects {
		db, err := sql.Open("duckdb", filepath.Join(l.data, "projects", p.id, "data.duckdb")+"?access_mode=read_only")
		if err != nil {
			l.t.Fatal(err)
		}
		rows, err := db.Query("SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name IN ('cache', " +
			"'mtquery')")
		if err != nil {
			l.t.Fatal(err)
		}
		for rows.Next() {
			var schema, table string
			if err := rows.Scan(&schema, &table); err != nil {
				l.t.Fatal(err)
			}
			if !has("SELECT count(*) FROM stored_results WHERE kind = ? AND id = ?", schema, table) {
				l.errorf("%s: the rows %s.%s belong to nothing", p.mark, schema, table)
			}
		}
		if err := rows.Err(); err != nil {
			l.t.Fatal(err)
		}
		rows.Close()
		db.Close()
	}
}
