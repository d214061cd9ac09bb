package enginetest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// TestMinimal: the contract is small enough for an engine over slices, which runs SELECT of columns and literals of one
// table, with conditions that compare a column with a literal, and refuses everything else.
func TestMinimal(t *testing.T) {
	Minimal(t, func(*testing.T, string) engine.Engine { return &memory{projects: map[string]*slicesProject{}} })
}

type memory struct {
	mu       sync.Mutex
	projects map[string]*slicesProject
}

func (m *memory) Project(_ context.Context, id string) (engine.Project, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.projects[id] == nil {
		m.projects[id] = &slicesProject{tables: map[engine.TableName]*relation{}}
	}
	return m.projects[id], nil
}

func (m *memory) DropProject(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.projects, id)
	return nil
}

func (*memory) Close() error { return nil }

// relation are rows in memory. It never changes: another one takes its place.
type relation struct {
	columns []analyze.TableColumn
	rows    [][]any // int64, float64, string or nil
}

type slicesProject struct {
	engine.NoTables
	mu     sync.Mutex
	tables map[engine.TableName]*relation
}

func refuse(what string) error {
	return &engine.Error{Kind: engine.KindUnsupported, Message: what + " is not supported by this engine",
		Err: engine.ErrNotSupported}
}

func (p *slicesProject) Check(_ context.Context, x *engine.Statement) error {
	_, err := compile(x)
	return err
}

func (*slicesProject) Plan(context.Context, *engine.Statement) (*plan.Node, error) {
	return nil, refuse("EXPLAIN")
}
func (*slicesProject) Calls(*functions.Function) bool { return false }

func (p *slicesProject) Run(ctx context.Context, x *engine.Statement) (engine.Rows, error) {
	rows, err := p.rows(ctx, x)
	if err != nil {
		return nil, err
	}
	out := &memoryRows{ctx: ctx, rows: rows}
	for _, c := range x.Columns {
		if kinds[c.Type.Kind].lay == nil {
			return nil, refuse("a column of type " + c.Type.String())
		}
		out.columns = append(out.columns, engine.RowColumn{TableColumn: analyze.TableColumn{Name: c.Name, Type: c.Type},
			Layout: &batch.Type{Layout: kinds[c.Type.Kind].layout}})
	}
	return out, nil
}

// kind is how the values of a type are laid out.
type kind struct {
	layout batch.Layout
	lay    func(layout *batch.Type, rows [][]any, column int) batch.Vec
}

var (
	number = kind{batch.Int64, column(func(v int64) int64 { return v })}
	text   = kind{batch.Text, column(viewOf)}
	kinds  = map[types.Kind]kind{types.Bigint: number, types.Integer: number, types.Varchar: text, types.Unknown: text,
		types.Double: {batch.Float64, column(func(v float64) float64 { return v })}}
)

// viewOf refers to a text of the rows, which the batch keeps.
func viewOf(v string) batch.View { return batch.ViewOf(unsafe.Slice(unsafe.StringData(v), len(v))) }

type memoryRows struct {
	ctx     context.Context
	columns []engine.RowColumn
	rows    [][]any
	done    bool
}

func (r *memoryRows) Columns() []engine.RowColumn { return r.columns }
func (r *memoryRows) Context() context.Context    { return r.ctx }
func (r *memoryRows) Close() error                { return nil }

func (r *memoryRows) Next(ctx context.Context) (*batch.Batch, error) {
	if err := errors.Join(engine.Ended(ctx, nil), engine.Ended(r.ctx, nil)); err != nil {
		return nil, err
	}
	if r.done {
		return nil, io.EOF
	}
	r.done = true
	out := &batch.Batch{Len: len(r.rows), Keep: r.rows}
	for i, c := range r.columns {
		out.Columns = append(out.Columns, kinds[c.Type.Kind].lay(c.Layout, r.rows, i))
	}
	return out, nil
}

// column lays a column of rows out, of whose values convert makes those of the layout.
func column[V, T any](convert func(V) T) func(*batch.Type, [][]any, int) batch.Vec {
	return func(layout *batch.Type, rows [][]any, i int) batch.Vec {
		values, valid := make([]T, len(rows)), make([]uint64, len(rows)/64+1)
		for k, row := range rows {
			if v, ok := row[i].(V); ok {
				values[k] = convert(v)
				valid[k/64] |= 1 << (k % 64)
			}
		}
		return batch.Of(layout, values, valid)
	}
}

func (p *slicesProject) Store(ctx context.Context, schema, table string, x *engine.Statement) (int64, error) {
	rows, err := p.rows(ctx, x)
	if err != nil {
		return 0, err
	}
	r := &relation{rows: rows}
	for _, c := range x.Columns {
		r.columns = append(r.columns, analyze.TableColumn{Name: c.Name, Type: c.Type})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	name := engine.TableName{Schema: schema, Table: table}
	if p.tables[name] != nil {
		return 0, engine.ErrStored
	}
	p.tables[name] = r
	return int64(len(rows)), nil
}

func (p *slicesProject) DropStored(_ context.Context, schema, table string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tables, engine.TableName{Schema: schema, Table: table})
	return nil
}

func (p *slicesProject) RowCount(ctx context.Context, schema, table string) (int64, error) {
	t, err := p.BaseTable(ctx, engine.TableName{Schema: schema, Table: table})
	if err != nil {
		return 0, err
	}
	return int64(len(t.Private.(*relation).rows)), nil
}

func (p *slicesProject) BaseTable(_ context.Context, n engine.TableName) (*engine.BaseTable, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.tables[engine.TableName{Schema: n.Schema, Table: n.Table}]
	if r == nil || n.Catalog == engine.SampleCatalog {
		return nil, engine.UnknownTable(n)
	}
	return &engine.BaseTable{Name: engine.TableName{Schema: n.Schema, Table: n.Table}, Columns: r.columns, Private: r},
		nil
}

// compiled is a statement that this engine runs.
type compiled struct {
	from  *engine.Relation // nil: one row without columns
	where []func(row []any) bool
	items []func(row []any) any
	limit int64
}

func compile(x *engine.Statement) (*compiled, error) {
	q, s := x.Query, &compiled{limit: -1}
	body, ok := q.Body.(*trinosql.Select)
	if !ok || q.With != nil || len(q.OrderBy) > 0 || q.Offset != nil || q.WithTies || body.Distinct ||
		body.GroupBy != nil || body.Having != nil || x.Analysis.Selects[body].Grouped ||
		len(x.Analysis.Selects[body].WindowCalls) > 0 || len(body.From) > 1 {
		return nil, refuse("more than a SELECT from one table")
	}
	fields := map[*analyze.Field]int{}
	if len(body.From) == 1 {
		ref, ok := body.From[0].(*trinosql.TableRef)
		if !ok {
			return nil, refuse("anything but a table in FROM")
		}
		use := x.Analysis.Tables[ref]
		s.from = x.Relations[use.Table]
		for i, f := range use.Fields {
			fields[f] = i
		}
	}
	if n, ok := q.Limit.(*trinosql.IntLit); ok {
		s.limit, _ = strconv.ParseInt(n.Text, 10, 64)
	}
	for _, item := range x.Analysis.Selects[body].Items {
		if i, ok := fields[item.Source]; ok && item.Expr == nil {
			s.items = append(s.items, func(row []any) any { return row[i] })
			continue
		}
		f, err := scalar(x.Analysis, fields, item.Expr)
		if err != nil {
			return nil, err
		}
		s.items = append(s.items, f)
	}
	var conditions []trinosql.Expr
	if and, ok := body.Where.(*trinosql.Logic); ok && and.Op == "AND" {
		conditions = and.Terms
	} else if body.Where != nil {
		conditions = append(conditions, body.Where)
	}
	for _, c := range conditions {
		f, err := condition(x.Analysis, fields, c)
		if err != nil {
			return nil, err
		}
		s.where = append(s.where, f)
	}
	return s, nil
}

// scalar computes a column or a literal.
func scalar(a *analyze.Analysis, fields map[*analyze.Field]int, x trinosql.Expr) (func([]any) any, error) {
	var v any
	if ref := a.Columns[x]; ref != nil && ref.Outer == 0 {
		i := fields[ref.Field]
		return func(row []any) any { return row[i] }, nil
	}
	switch x := x.(type) {
	case *trinosql.NullLit:
	case *trinosql.StringLit:
		v = x.Value
	case *trinosql.IntLit:
		n, err := strconv.ParseInt(x.Text, 10, 64)
		return func([]any) any { return n }, err
	case *trinosql.Cast:
		if f, t := a.Types[x.X].Kind, a.Types[x].Kind; f == types.Unknown || kinds[f].layout == kinds[t].layout {
			return scalar(a, fields, x.X)
		}
		return nil, refuse("this cast")
	default:
		return nil, engine.Placed(x.Pos(), refuse("this expression").(*engine.Error))
	}
	return func([]any) any { return v }, nil
}

// condition compares two scalars, or one with NULL.
func condition(a *analyze.Analysis, fields map[*analyze.Field]int, x trinosql.Expr) (func([]any) bool, error) {
	switch x := x.(type) {
	case *trinosql.IsNull:
		v, err := scalar(a, fields, x.X)
		return func(row []any) bool { return (v(row) == nil) != x.Not }, err
	case *trinosql.Compare:
		l, err := scalar(a, fields, x.L)
		r, other := scalar(a, fields, x.R)
		return func(row []any) bool { return compare(l(row), r(row), x.Op) }, errors.Join(err, other)
	}
	return nil, engine.Placed(x.Pos(), refuse("this condition").(*engine.Error))
}

// compare compares two numbers or two texts; with anything else, such as NULL, no comparison is true.
func compare(l, r any, op string) bool {
	c := 2
	if n, ok := l.(int64); ok {
		if m, ok := r.(int64); ok {
			c = cmp.Compare(n, m)
		}
	} else if v, ok := l.(string); ok {
		if w, ok := r.(string); ok {
			c = cmp.Compare(v, w)
		}
	}
	holds := map[string][]int{"=": {0}, "<>": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}
	return slices.Contains(holds[op], c)
}

// rows are all rows of a statement.
func (p *slicesProject) rows(ctx context.Context, x *engine.Statement) (out [][]any, err error) {
	s, err := compile(x)
	if err != nil {
		return nil, err
	}
	in, err := p.read(ctx, s.from)
	for _, row := range in {
		if int64(len(out)) == s.limit {
			break
		}
		if slices.ContainsFunc(s.where, func(f func([]any) bool) bool { return !f(row) }) {
			continue
		}
		values := make([]any, len(s.items))
		for i, item := range s.items {
			values[i] = item(row)
		}
		out = append(out, values)
	}
	return out, err
}

func (p *slicesProject) read(ctx context.Context, r *engine.Relation) (out [][]any, err error) {
	switch {
	case r == nil:
		return [][]any{{}}, nil
	case r.View != nil:
		if out, err = p.rows(ctx, r.View); err != nil {
			return nil, engine.InSaved(r.Name, err)
		}
		return out, nil
	case r.Base != nil:
		return r.Base.Private.(*relation).rows, nil
	case r.Scan == nil:
		return nil, refuse("a table of another project")
	}
	req := engine.ScanRequest{Filters: r.Filters, Limit: r.Limit}
	for _, c := range r.Infos {
		req.Columns = append(req.Columns, c.Name)
	}
	src, err := r.Scan.Scan(ctx, req)
	if err != nil {
		return nil, engine.SourceError(r.Shown, err)
	}
	defer src.Close()
	for {
		some, err := src.Next(ctx)
		switch out = append(out, some...); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, cmp.Or(engine.Ended(ctx, nil), engine.SourceError(r.Shown, err))
		}
	}
}
