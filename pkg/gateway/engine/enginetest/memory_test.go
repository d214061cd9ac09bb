package enginetest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
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
		m.projects[id] = &slicesProject{tables: map[engine.TableName]*relation{}, imports: map[string]int64{}}
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
	defs    []engine.Column
	rows    [][]any // int64, float64, bool, string or nil
}

type slicesProject struct {
	mu      sync.Mutex
	tables  map[engine.TableName]*relation
	imports map[string]int64
}

func refuse(what string) error {
	return &engine.Error{Kind: engine.KindUnsupported, Message: what + " is not supported by this engine",
		Err: engine.ErrNotSupported}
}

// select1 is a statement that this engine runs.
type select1 struct {
	from   *engine.Relation // nil: one row without columns
	where  []trinosql.Expr  // joined by AND
	limit  int64
	items  []analyze.Item
	fields map[*analyze.Field]int
	a      *analyze.Analysis
}

func understood(x *engine.Statement) (*select1, error) {
	q := x.Query
	body, ok := q.Body.(*trinosql.Select)
	s := &select1{limit: -1, a: x.Analysis, fields: map[*analyze.Field]int{}}
	switch {
	case !ok || q.With != nil:
		return nil, refuse("a set operation, VALUES or WITH")
	case len(q.OrderBy) > 0 || q.Offset != nil || q.WithTies:
		return nil, refuse("ORDER BY or OFFSET")
	case body.Distinct || body.GroupBy != nil || body.Having != nil || x.Analysis.Selects[body].Grouped ||
		len(x.Analysis.Selects[body].WindowCalls) > 0:
		return nil, refuse("DISTINCT, grouping or a window")
	case len(body.From) > 1:
		return nil, refuse("a join")
	case len(body.From) == 1:
		ref, ok := body.From[0].(*trinosql.TableRef)
		if !ok {
			return nil, refuse("anything but a table in FROM")
		}
		use := x.Analysis.Tables[ref]
		s.from = x.Relations[use.Table]
		for i, f := range use.Fields {
			s.fields[f] = i
		}
	}
	if n, ok := q.Limit.(*trinosql.IntLit); ok {
		s.limit, _ = strconv.ParseInt(n.Text, 10, 64)
	}
	s.items = x.Analysis.Selects[body].Items
	for _, item := range s.items {
		if _, err := s.value(item, nil); err != nil {
			return nil, err
		}
	}
	if and, ok := body.Where.(*trinosql.Logic); ok && and.Op == "AND" {
		s.where = and.Terms
	} else if body.Where != nil {
		s.where = []trinosql.Expr{body.Where}
	}
	_, err := s.passes(nil)
	return s, err
}

func (s *select1) value(item analyze.Item, row []any) (any, error) {
	if item.Expr == nil {
		return at(row, s.fields[item.Source]), nil
	}
	return s.scalar(item.Expr, row)
}

// at is a value of a row; without a row, the statement is only examined.
func at(row []any, i int) any {
	if row == nil {
		return nil
	}
	return row[i]
}

func (s *select1) scalar(x trinosql.Expr, row []any) (any, error) {
	if ref := s.a.Columns[x]; ref != nil && ref.Outer == 0 {
		return at(row, s.fields[ref.Field]), nil
	}
	switch x := x.(type) {
	case *trinosql.NullLit:
		return nil, nil
	case *trinosql.BoolLit:
		return x.Value, nil
	case *trinosql.StringLit:
		return x.Value, nil
	case *trinosql.IntLit:
		return strconv.ParseInt(x.Text, 10, 64)
	case *trinosql.Cast:
		v, err := s.scalar(x.X, row)
		if _, isText := v.(string); isText && s.a.Types[x].Kind != types.Varchar {
			return nil, refuse("a cast of a text")
		}
		return v, err
	}
	return nil, engine.Placed(x.Pos(), refuse("this expression").(*engine.Error))
}

// passes reports whether all conditions are true for a row.
func (s *select1) passes(row []any) (bool, error) {
	for _, x := range s.where {
		pass := false
		switch x := x.(type) {
		case *trinosql.IsNull:
			v, err := s.scalar(x.X, row)
			if err != nil {
				return false, err
			}
			pass = (v == nil) != x.Not
		case *trinosql.Compare:
			l, err := s.scalar(x.L, row)
			if err != nil {
				return false, err
			}
			r, err := s.scalar(x.R, row)
			if err != nil {
				return false, err
			}
			pass = compare(l, r, x.Op)
		default:
			return false, engine.Placed(x.Pos(), refuse("this condition").(*engine.Error))
		}
		if !pass && row != nil {
			return false, nil
		}
	}
	return true, nil
}

func compare(l, r any, op string) bool {
	c := 0
	switch l := l.(type) {
	case int64:
		n, ok := r.(int64)
		if !ok {
			return false
		}
		c = cmp.Compare(l, n)
	case string:
		text, ok := r.(string)
		if !ok {
			return false
		}
		c = cmp.Compare(l, text)
	default:
		return false // NULL
	}
	return map[string]bool{"=": c == 0, "<>": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op]
}

// rows are all rows of a statement.
func (p *slicesProject) rows(ctx context.Context, x *engine.Statement) ([][]any, error) {
	s, err := understood(x)
	if err != nil {
		return nil, err
	}
	in, err := p.read(ctx, s.from)
	out := [][]any{}
	for _, row := range in {
		if int64(len(out)) == s.limit {
			break
		}
		if ok, err := s.passes(row); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		values := make([]any, len(s.items))
		for i, item := range s.items {
			if values[i], err = s.value(item, row); err != nil {
				return nil, err
			}
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
		case engine.Ended(ctx, nil) != nil:
			return nil, engine.Ended(ctx, nil)
		case err != nil:
			return nil, engine.SourceError(r.Shown, err)
		}
	}
}
