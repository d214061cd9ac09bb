package enginetest

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// Names is a Catalogs backed by a map. Its keys are in lower case, like the arguments of Lookup.
type Names map[engine.TableName]sql.Source

// Lookup finds a name.
func (n Names) Lookup(ctx context.Context, name engine.TableName) (sql.Source, error) {
	if s, ok := n[name]; ok {
		return s, nil
	}
	if s, err := (sql.Own{}).Lookup(ctx, name); err == nil {
		return s, nil
	}
	known := func(same func(engine.TableName) bool) bool {
		for k := range n {
			if same(k) {
				return true
			}
		}
		return false
	}
	internal := name.Catalog == engine.InternalCatalog || name.Catalog == engine.SampleCatalog
	switch {
	case !internal && !known(func(k engine.TableName) bool { return k.Catalog == name.Catalog }):
		return sql.Source{}, &engine.Error{Kind: engine.KindUnknownCatalog, Message: "Catalog '" + name.Catalog +
			"' does not exist"}
	case !internal && !known(func(k engine.TableName) bool {
		return k.Catalog == name.Catalog &&
			k.Schema == name.Schema
	}):
		return sql.Source{}, &engine.Error{Kind: engine.KindUnknownSchema, Message: "Schema '" + name.Schema +
			"' does not exist"}
	}
	return sql.Source{}, engine.UnknownTable(name)
}

// List names all, or those of some catalogs.
func (n Names) List(ctx context.Context, catalogs []string) ([]engine.TableName, error) {
	out, err := sql.Own{}.List(ctx, catalogs)
	for k := range n {
		if catalogs == nil || slices.Contains(catalogs, k.Catalog) {
			out = append(out, k)
		}
	}
	return out, err
}

// Spelled implements sql.Catalogs.
func (Names) Spelled(context.Context, engine.TableName) error { return nil }

// Kinds implements sql.Catalogs.
func (n Names) Kinds(ctx context.Context) (map[string]string, error) {
	kinds, err := sql.Own{}.Kinds(ctx)
	for name := range n {
		kinds[name.Catalog] = "test"
	}
	return kinds, err
}

// Comments implements sql.Catalogs.
func (Names) Comments(context.Context) (map[engine.TableName]string, error) { return nil, nil }

// Replace stores the rows of a statement under a name that may have others.
func Replace(ctx context.Context, p engine.Project, schema, table string, q sql.Query) (int64, error) {
	if err := p.DropStored(ctx, schema, table); err != nil {
		return 0, err
	}
	return sql.Store(ctx, p, schema, table, q)
}

// Rows is a Scanner over rows in memory that counts its uses.
type Rows struct {
	Cols  []engine.ColumnInfo
	Data  [][]any
	Batch int   // rows of a batch, 0: all
	Fail  error // returned by Next after the rows
	Block bool  // after the rows, wait until the statement ends

	Opened, Closed atomic.Int64
	Last           atomic.Pointer[engine.ScanRequest]
}

// Columns describes the rows.
func (r *Rows) Columns(context.Context) ([]engine.ColumnInfo, error) { return r.Cols, nil }

// Scan starts a reading.
func (r *Rows) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	r.Opened.Add(1)
	r.Last.Store(&req)
	b := &batches{r: r, rows: r.Data}
	for _, name := range req.Columns {
		b.idx = append(b.idx, slices.IndexFunc(r.Cols, func(c engine.ColumnInfo) bool { return c.Name == name }))
	}
	return b, nil
}

type batches struct {
	r    *Rows
	rows [][]any
	idx  []int
}

func (b *batches) Next(ctx context.Context) ([][]any, error) {
	if len(b.rows) == 0 {
		if b.r.Block {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if b.r.Fail != nil {
			return nil, b.r.Fail
		}
		return nil, io.EOF
	}
	n := len(b.rows)
	if b.r.Batch > 0 {
		n = min(n, b.r.Batch)
	}
	var out [][]any
	for _, row := range b.rows[:n] {
		var o []any
		for _, i := range b.idx {
			o = append(o, row[i])
		}
		out = append(out, o)
	}
	b.rows = b.rows[n:]
	return out, nil
}

func (b *batches) Close() error {
	b.r.Closed.Add(1)
	return nil
}
