//go:build cgo

package cmd

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// loadClient is one of the clients of TestLoad.
type loadClient struct {
	l  *load
	p  *loadProject
	cl *api.Client
	r  *rand.Rand
	i  int
}

// step does one piece of work.
func (w *loadClient) step(n int) {
	for _, k := range []struct {
		share int
		work  func(n int)
	}{{25, w.importBatch}, {25, w.readEvents}, {8, w.refreshCache}, {12, w.readCache}, {6, w.refreshSnap},
		{8, w.readSnap}, {6, w.export}, {7, w.dropTable}, {5, w.dropQuery}, {3, w.trespass}} {
		if w.r.IntN(105) < k.share {
			k.work(n)
			return
		}
	}
}

// call runs one request and sorts its outcome: acknowledged, refused with one of the statuses given, or cut off by a
// kill. Anything else is wrong.
func (w *loadClient) call(kind string, work func(ctx context.Context) error, refused ...int) bool {
	l := w.l
	l.mu.Lock()
	kills, away := l.kills, l.away
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := work(ctx)
	l.mu.Lock()
	excused := away || l.away || l.kills != kills
	if err == nil {
		l.done[kind]++
	} else {
		l.cut[kind]++
	}
	l.mu.Unlock()
	if err == nil {
		return true
	}
	var ae *api.Error
	var re *api.RowsError
	if errors.As(err, &ae) {
		for _, s := range refused {
			if ae.Status == s {
				return false
			}
		}
		excused = excused && ae.Status == 0
	} else if !errors.As(err, &re) {
		excused = false
	}
	if !excused {
		l.errorf("%s in %s: %v", kind, w.p.mark, err)
	} else {
		time.Sleep(20 * time.Millisecond) // the server is coming back
	}
	return false
}

// rows runs a statement and gives the values as text.
func (w *loadClient) rows(ctx context.Context, sql string) ([][]string, error) {
	res, err := w.cl.Queries.Execute(ctx, w.p.id, api.ExecuteByStatement{Statement: sql},
		api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	rows := res.Rows()
	var out [][]string
	for rows.Next() {
		var row []string
		for _, c := range rows.Row() {
			row = append(row, strings.Trim(string(c), `"`))
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

func (w *loadClient) importBatch(n int) {
	name, size := fmt.Sprintf("c%02d-%05d", w.i, n), 20+w.r.IntN(300)
	var b bytes.Buffer
	b.WriteString("mark,batch,seq\n")
	for i := range size {
		fmt.Fprintf(&b, "%s,%s,%d\n", w.p.mark, name, i)
	}
	w.p.mu.Lock()
	w.p.batches[name] = batch{rows: size}
	w.p.mu.Unlock()
	if w.call("import", func(ctx context.Context) error {
		_, err := w.cl.Tables.Import(ctx, w.p.id, "events", eventsMapping(), "events.csv", &b)
		return err
	}) {
		w.p.mu.Lock()
		w.p.batches[name] = batch{rows: size, acked: true}
		w.p.mu.Unlock()
	}
}

func eventsMapping() api.ImportRequest {
	return api.ImportRequest{ContainsHeader: true, Mappings: []api.ImportMapping{{Name: "mark", CSVColumnName: "mark"},
		{Name: "batch", CSVColumnName: "batch"}, {Name: "seq", CSVColumnName: "seq"}}}
}

// known is what has been acknowledged by now.
func (p *loadProject) known() map[string]batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.batches)
}

// whole checks rows of mark, batch, count, distinct count: batches of this project only, each complete. Those that
// before holds as acknowledged must be there.
func (w *loadClient) whole(what string, rows [][]string, before map[string]batch) {
	after := w.p.known()
	seen := map[string]bool{}
	for _, r := range rows {
		if len(r) != 4 || r[0] != w.p.mark {
			w.l.errorf("%s of %s shows a row of another project: %v", what, w.p.mark, r)
			continue
		}
		b, ok := after[r[1]]
		if n := strconv.Itoa(b.rows); !ok || r[2] != n || r[3] != n {
			w.l.errorf("%s of %s: batch %s has %s rows, %s of them different, want %s", what, w.p.mark,
				r[1], r[2], r[3], n)
		}
		seen[r[1]] = true
	}
	for name, b := range before {
		if b.acked && !seen[name] {
			w.l.errorf("%s of %s lost the acknowledged batch %s", what, w.p.mark, name)
		}
	}
}

const eventsByBatch = `SELECT mark, batch, count(*) AS n, count(DISTINCT seq) AS d FROM peaka."table".events GROUP ` +
	`BY mark, batch`

func (w *loadClient) readEvents(int) {
	before := w.p.known()
	var rows [][]string
	if w.call("query", func(ctx context.Context) (err error) { rows, err = w.rows(ctx, eventsByBatch); return }) {
		w.whole("table events", rows, before)
	}
}

func (w *loadClient) refreshSnap(int) {
	w.call("materialized refresh", func(ctx context.Context) error {
		return w.cl.Materialized.Refresh(ctx,
			w.p.id, w.p.snap)
	})
}

func (w *loadClient) readSnap(int) {
	var rows [][]string
	if w.call("materialized query", func(ctx context.Context) (err error) {
		rows, err = w.rows(ctx, "SELECT mark, batch, n, d FROM peaka.mtquery.snap")
		return
	}, 400) { // 400: no run has completed yet
		w.whole("materialized query", rows, nil)
	}
}

func (w *loadClient) refreshCache(int) {
	if w.r.IntN(3) == 0 {
		w.p.mu.Lock()
		w.p.version++
		w.p.writeFile(w.l.t, w.p.version)
		w.p.mu.Unlock()
	}
	w.call("cache refresh", func(ctx context.Context) error {
		if w.r.IntN(2) == 0 {
			return w.cl.Cache.FullRefresh(ctx, w.p.id, w.p.cache)
		}
		return w.cl.Cache.IncrementalUpdate(ctx, w.p.id, w.p.cache)
	}, 409) // one is running
}

// readCache reads the cached file: rows of one version only, as many as that version has.
func (w *loadClient) readCache(int) {
	var rows [][]string
	if !w.call("cached query", func(ctx context.Context) (err error) {
		rows, err = w.rows(ctx, "SELECT mark, version, count(*) AS n, count(DISTINCT n) AS d FROM lake.files.orders "+
			"GROUP BY mark, version")
		return
	}) {
		return
	}
	if len(rows) != 1 || rows[0][0] != w.p.mark {
		w.l.errorf("the cache of %s mixes versions or projects: %v", w.p.mark, rows)
		return
	}
	v, _ := strconv.Atoi(rows[0][1])
	if n := strconv.Itoa(300 + v%200); rows[0][2] != n || rows[0][3] != n {
		w.l.errorf("the cache of %s has %v, want %s rows of version %d", w.p.mark, rows[0], n, v)
	}
}

// export writes the table to a file and reads the file.
func (w *loadClient) export(int) {
	no := false
	var made api.ExportJobCreated
	before := w.p.known()
	if !w.call("export", func(ctx context.Context) (err error) {
		made, err = w.cl.Exports.StartTable(ctx, w.p.id, "1", "table", "events",
			api.ExportRequest{IncludeSystemColumns: &no})
		return
	}) {
		return
	}
	w.p.mu.Lock()
	w.p.exports = append(w.p.exports, made.ID)
	w.p.mu.Unlock()
	if w.r.IntN(6) == 0 {
		w.call("export cancel", func(ctx context.Context) error { return w.cl.Exports.Cancel(ctx, w.p.id, made.ID) })
		return
	}
	var job api.ExportJobResponse
	for job.Status != "SUCCEEDED" {
		if !w.call("export status", func(ctx context.Context) (err error) {
			job, err = w.cl.Exports.Get(ctx, w.p.id,
				made.ID)
			return
		}) || job.Status == "FAILED" {
			return // cut off; the check at the end looks at it
		}
		time.Sleep(50 * time.Millisecond)
	}
	var text []byte
	if w.call("download", func(ctx context.Context) error {
		rep, err := w.cl.Exports.Open(ctx, job.Files[0], 0, "")
		if err != nil {
			return err
		}
		defer rep.Body.Close()
		if text, err = io.ReadAll(rep.Body); err != nil {
			return &api.Error{Message: err.Error(), Err: err}
		}
		return nil
	}) {
		rows, err := byBatch(text)
		if err != nil {
			w.l.errorf("export %s of %s: %v", made.ID, w.p.mark, err)
		}
		w.whole("export "+made.ID, rows, before)
	}
}

// byBatch counts the rows of an exported file as eventsByBatch does.
func byBatch(text []byte) ([][]string, error) {
	recs, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(recs) == 0 {
		return nil, fmt.Errorf("unreadable file of %d bytes: %v", len(text), err)
	}
	type key struct{ mark, batch string }
	counts, distinct := map[key]int{}, map[key]map[string]bool{}
	for _, r := range recs[1:] {
		k := key{r[0], r[1]}
		if counts[k]++; distinct[k] == nil {
			distinct[k] = map[string]bool{}
		}
		distinct[k][r[2]] = true
	}
	var out [][]string
	for k, n := range counts {
		out = append(out, []string{k.mark, k.batch, strconv.Itoa(n), strconv.Itoa(len(distinct[k]))})
	}
	return out, nil
}

// passing makes something with a name of its own, and most times deletes it again.
func (w *loadClient) passing(what, name string, create, remove func(ctx context.Context) error) {
	p := w.p
	know := func(there bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.objects[what+" "+name] = there
	}
	if !w.call("create "+what, create) {
		return
	}
	know(true)
	if w.r.IntN(4) == 0 {
		return
	}
	p.mu.Lock()
	delete(p.objects, what+" "+name)
	p.mu.Unlock()
	if w.call("delete "+what, remove) {
		know(false)
	}
}

func (w *loadClient) dropTable(n int) {
	name := fmt.Sprintf("t%02d_%d", w.i, n)
	w.passing("table", name, func(ctx context.Context) error {
		if _, err := w.cl.Tables.Create(ctx, w.p.id, name); err != nil {
			return err
		}
		_, err := w.cl.Tables.AddColumns(ctx, w.p.id, name, []api.ColumnRequest{{Name: "a", DataType: "BIGINT"}})
		return err
	}, func(ctx context.Context) error { return w.cl.Tables.Delete(ctx, w.p.id, name) })
}

func (w *loadClient) dropQuery(n int) {
	name, sql := fmt.Sprintf("q%02d_%d", w.i, n), eventsByBatch
	typ := []string{"PLAIN", "MATERIALIZED"}[w.r.IntN(2)]
	var made api.Query
	w.passing("query", name, func(ctx context.Context) (err error) {
		made, err = w.cl.Queries.Create(ctx, w.p.id, api.QueryRequest{DisplayName: &name, InputQuery: &sql,
			QueryType: typ}, nil)
		return err
	}, func(ctx context.Context) error { return w.cl.Queries.Delete(ctx, w.p.id, made.ID) })
}

// trespass tries what belongs to the next project.
func (w *loadClient) trespass(int) {
	other := w.l.projects[(w.i+1)%len(w.l.projects)]
	for what, work := range map[string]func(ctx context.Context) error{
		"the other project": func(ctx context.Context) error { _, err := w.cl.Tables.List(ctx, other.id); return err },
		"its query by id": func(ctx context.Context) error {
			res, err := w.cl.Queries.Execute(ctx, w.p.id, api.ExecuteByID{ID: other.snap},
				api.ExecuteOptions{Format: api.Compact})
			if err == nil {
				res.Close()
			}
			return err
		},
		"its cache": func(ctx context.Context) error {
			_, err := w.cl.Cache.Settings(ctx, w.p.id, other.cache)
			return err
		},
	} {
		if w.call("trespass", func(ctx context.Context) error {
			err := work(ctx)
			var ae *api.Error
			if errors.As(err, &ae) && (ae.Status == 400 || ae.Status == 403 || ae.Status == 404) {
				return nil
			}
			if err == nil {
				w.l.errorf("%s reached %s", w.p.mark, what)
			}
			return err
		}) {
			continue
		}
	}
}
