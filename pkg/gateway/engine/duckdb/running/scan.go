//go:build cgo

package running

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// DuckDB reads rows of sources through one table function of this package. A name that is read by a scan becomes the
// view
//
//	SELECT * FROM "~scan"('"catalog"."schema"."table"')
//
// which is the same for every statement. Its rows are determined by the connection that runs it: the statement's
// scanSet.

// scanSet holds the scans of one statement.
type scanSet struct {
	ctx    context.Context
	all    *sync.Map             // of the engine
	owner  *scanOwner            // nil until join
	tables map[string]*scanTable // by scanKey
	shown  []*scanTable          // while a plan is explained: the tables of its columns named ~t0.name

	mu   sync.Mutex
	err  error // the first error of a source
	runs []*scanRun
}

// scanTable is a table of a source in one statement.
type scanTable struct {
	name    engine.TableName
	src     engine.Scanner
	cols    []engine.ColumnInfo
	trino   []*types.Type
	types   []string // DuckDB's, by column
	filters []engine.Filter
	limit   int64
	count   bool // rows are only counted: the values of requested columns are not used
	ordered bool // the result depends on the order of the rows even below an aggregate
}

// logical returns the DuckDB type of a column, and a function that releases it.
func (t *scanTable) logical(i int) (bindings.LogicalType, func()) {
	if r, ok := t.src.(*relay); ok {
		return r.types[i], func() {}
	}
	lt := values.ScanType(t.types[i])
	return lt, func() { bindings.DestroyLogicalType(&lt) }
}

// scanRun is one scan of a table.
type scanRun struct {
	set   *scanSet
	table *scanTable
	cols  []int // the columns DuckDB requested, in its order; -1 if it only counts
	rows  engine.Batches
	names []string // of the columns requested from the source
	batch [][]any  // of a source that is not a Filler, which one thread reads
	done  bool
}

// scanPart is what one thread of DuckDB reads of a scan.
type scanPart struct {
	*scanRun
	from engine.Filler    // nil for another source
	out  []*values.Writer // of the columns that DuckDB requested
	vecs []engine.Vector  // the same for those that are requested from the source
}

// part begins to read for one more thread.
func (r *scanRun) part() *scanPart {
	p := &scanPart{scanRun: r}
	for _, c := range r.cols {
		if c < 0 {
			continue
		}
		w := values.NewWriter(r.table.types[c])
		p.out = append(p.out, w)
		if !r.table.count {
			p.vecs = append(p.vecs, w)
		}
	}
	if d, ok := r.rows.(engine.Divided); ok {
		p.from = d.Part()
	} else if f, ok := r.rows.(engine.Filler); ok {
		p.from = f
	}
	return p
}

// threads is the number of threads that read the scan. If there is one, it reads in the order of the source: DuckDB
// does so, too, where that order is the order of the result.
func (r *scanRun) threads() int {
	if d, ok := r.rows.(engine.Divided); ok && !r.table.ordered {
		return d.Threads()
	}
	return 1
}

// ordering are the aggregate functions whose result depends on the order of the rows.
var ordering = []string{"any_value", "approx_most_frequent", "approx_percentile", "arbitrary", "array_agg", "map_agg",
	"map_union", "max_by", "min_by", "multimap_agg", "reduce_agg"}

// isOrdered reports whether a statement, or a saved query in it, calls one of them.
func isOrdered(x *engine.Statement) (found bool) {
	trinosql.Inspect(x.Query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Func:
			found = found || len(n.Name) == 1 && slices.Contains(ordering, n.Name[0].Lower())
		case *trinosql.Listagg:
			found = true
		}
		return !found
	})
	for _, r := range x.Relations {
		found = found || r.View != nil && isOrdered(r.View)
	}
	return found
}

// addScan adds the rows of a table to the scans of the statement.
func (s *statement) addScan(ctx context.Context, r *engine.Relation) error {
	n, cols := r.Shown, r.Infos
	if len(cols) == 0 {
		return &engine.Error{Kind: engine.KindUnsupported, Message: "table " + n.String() + " has no columns"}
	}
	seen := map[string]string{}
	for _, c := range cols {
		key := engine.LowerASCII(c.Name)
		if other, twice := seen[key]; twice {
			return &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf(
				"table %s has the columns %q and %q, which SQL cannot distinguish; a view at the source can give one "+
					"of them another name", n, other, c.Name)}
		}
		seen[key] = c.Name
	}
	if s.scans == nil {
		s.scans = &scanSet{ctx: ctx, all: &s.p.all.scans, tables: map[string]*scanTable{}}
	}
	t := &scanTable{name: n, src: r.Scan, cols: cols, filters: r.Filters, limit: r.Limit, count: r.Count,
		ordered: isOrdered(s.of)}
	if r.Relay != nil {
		src, err := s.newRelay(ctx, r)
		if err != nil {
			return err
		}
		t.src = src
	}
	for _, c := range r.Table.Columns {
		name, _ := translate.DuckType(c.Type)
		t.trino, t.types = append(t.trino, c.Type), append(t.types, name)
	}
	s.scans.tables[scanKey(r.Name)] = t
	return nil
}

// join registers the scans with the connection that is to run them, once.
func (s *scanSet) join(ctx context.Context, c *instance.Conn) error {
	if s == nil || s.owner != nil {
		return nil
	}
	c.Spend()
	// The first rows of a slow source are passed on before a megabyte of them has arrived.
	if _, err := c.Exec(ctx, `SET streaming_buffer_size = '256KB'`); err != nil {
		return err
	}
	s.owner = &scanOwner{c.Instance, c.ID()}
	s.all.Store(*s.owner, s)
	return nil
}

const scanFunction = "~scan"

// scanKey identifies a table in the text of a statement: its parts are quoted, since dots may be part of them.
func scanKey(n engine.TableName) string { return n.Quoted() }

// scanCall reads a table with column names inside: identical scans are then read once.
func scanCall(n engine.TableName) string {
	return "(SELECT * FROM " + sqltext.Quote(scanFunction) + "(" + sqltext.Literal(scanKey(n)) + "))"
}

func (s *scanSet) close() {
	if s == nil {
		return
	}
	if s.owner != nil {
		s.all.Delete(*s.owner)
	}
	s.rewind()
}

// rewind ends the scans of a statement that is to run again.
func (s *scanSet) rewind() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		r.close()
	}
	s.runs = nil
}

// failure is the error of a source, or nil.
func (s *scanSet) failure() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fail remembers the first error of a source. One that results from the end of the statement is reported as that end.
func (s *scanSet) fail(t *scanTable, err error) error {
	if end := engine.Ended(s.ctx, nil); end != nil {
		err = end
	} else {
		err = engine.SourceError(t.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return err
}

// open starts the scan of the columns that DuckDB requests.
func (s *scanSet) open(t *scanTable, cols []int) (*scanRun, error) {
	r := &scanRun{set: s, table: t, cols: cols}
	req := engine.ScanRequest{Filters: t.filters, Limit: t.limit}
	for i, c := range cols {
		if c < 0 || c >= len(t.cols) { // a row id: DuckDB only counts rows
			r.cols[i] = -1
			continue
		}
		if !t.count {
			req.Columns = append(req.Columns, t.cols[c].Name)
		}
	}
	r.names = req.Columns
	rows, err := t.src.Scan(s.ctx, req)
	if err != nil {
		return nil, s.fail(t, err)
	}
	r.rows = rows
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
	return r, nil
}

func (r *scanRun) close() {
	if r.rows != nil {
		_ = r.rows.Close()
		r.rows = nil
	}
}

// fill writes the next rows into a chunk; a chunk without rows is the end.
func (r *scanPart) fill(chunk bindings.DataChunk) error {
	out := 0
	for i, c := range r.cols {
		if c >= 0 {
			r.out[out].Begin(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))
			out++
		}
	}
	var n int
	var err error
	if r.from != nil {
		n, err = r.from.Fill(r.set.ctx, r.vecs, int(bindings.VectorSize()))
		if errors.Is(err, io.EOF) {
			n, err = 0, nil
		}
	} else {
		n, err = r.copy()
	}
	if err != nil {
		return r.set.fail(r.table, err)
	}
	for _, w := range r.out {
		for row := range n {
			if r.table.count {
				w.Null(row)
			}
		}
		w.Flush()
	}
	bindings.DataChunkSetSize(chunk, bindings.IdxT(n))
	return nil
}

// copy takes rows from the batches of a source that is not a Filler.
func (r *scanPart) copy() (int, error) {
	for len(r.batch) == 0 && !r.done {
		batch, err := r.rows.Next(r.set.ctx)
		if errors.Is(err, io.EOF) {
			r.done = true
		} else if err != nil {
			return 0, err
		}
		r.batch = batch
	}
	n := min(len(r.batch), int(bindings.VectorSize()))
	for i, w := range r.out[:len(r.vecs)] {
		for row, vals := range r.batch[:n] {
			if i >= len(vals) {
				return 0, fmt.Errorf("a row has %d values, %d were requested", len(vals), len(r.out))
			}
			if err := w.Set(row, vals[i]); err != nil {
				err = error(&engine.ColumnError{Table: r.table.name, Column: r.names[i], Err: err})
				if src, ok := r.table.src.(engine.Named); ok {
					err = src.Fault(r.set.ctx, err)
				}
				return 0, err
			}
		}
	}
	r.batch = r.batch[n:]
	return n, nil
}
