package enginetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func (p *slicesProject) Check(_ context.Context, x *engine.Statement) error {
	_, err := understood(x)
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
	layouts := map[types.Kind]batch.Layout{types.Bigint: batch.Int64, types.Integer: batch.Int64,
		types.Double: batch.Float64, types.Boolean: batch.Bool,
		types.Varchar: batch.Text, types.Unknown: batch.Text}
	for _, c := range x.Columns {
		layout, ok := layouts[c.Type.Kind]
		if !ok {
			return nil, refuse("a column of type " + c.Type.String())
		}
		out.columns = append(out.columns, engine.RowColumn{TableColumn: analyze.TableColumn{Name: c.Name, Type: c.Type},
			Layout: &batch.Type{Layout: layout}})
	}
	return out, nil
}

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
		valid := make([]uint64, len(r.rows)/64+1)
		ints, floats, bools, texts := make([]int64, len(r.rows)), make([]float64, len(r.rows)),
			make([]bool, len(r.rows)), make([]batch.View, len(r.rows))
		for k, row := range r.rows {
			if row[i] != nil {
				valid[k/64] |= 1 << (k % 64)
			}
			switch v := row[i].(type) {
			case int64:
				ints[k] = v
			case float64:
				floats[k] = v
			case bool:
				bools[k] = v
			case string:
				texts[k] = batch.ViewOf([]byte(v))
			}
		}
		switch c.Layout.Layout {
		case batch.Int64:
			out.Columns = append(out.Columns, batch.Of(c.Layout, ints, valid))
		case batch.Float64:
			out.Columns = append(out.Columns, batch.Of(c.Layout, floats, valid))
		case batch.Bool:
			out.Columns = append(out.Columns, batch.Of(c.Layout, bools, valid))
		default:
			out.Columns = append(out.Columns, batch.Of(c.Layout, texts, valid))
		}
	}
	return out, nil
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

func (p *slicesProject) ListTables(_ context.Context, kind string) (names []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range slices.SortedFunc(maps.Keys(p.tables), engine.TableName.Compare) {
		if n.Schema == kind {
			names = append(names, n.Table)
		}
	}
	return names, nil
}

func (p *slicesProject) CreateTable(_ context.Context, kind, name string, defs ...engine.ColumnDef) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := engine.TableName{Schema: kind, Table: name}
	if p.tables[n] != nil {
		return "", &engine.Error{Kind: engine.KindExists, Message: "table " + name + " exists"}
	}
	r := &relation{}
	for _, d := range defs {
		typ, err := types.Parse(d.Type)
		if err != nil || typ.Kind != types.Bigint && typ.Kind != types.Varchar {
			return "", refuse("a column of type " + d.Type)
		}
		r.columns = append(r.columns, analyze.TableColumn{Name: d.Name, Type: typ})
		r.defs = append(r.defs, engine.Column{Name: d.Name, Type: d.Type})
	}
	p.tables[n] = r
	return name, nil
}

func (p *slicesProject) DropTable(ctx context.Context, kind, name string) error {
	return p.DropStored(ctx, kind, name)
}

func (*slicesProject) RenameTable(context.Context, string, string, string) (string, error) {
	return "", refuse("a new name of a table")
}

func (*slicesProject) CopyTable(context.Context, string, string, string) (string, int64, error) {
	return "", 0, refuse("a copy of a table")
}

func (*slicesProject) DeleteRows(context.Context, string, string, []engine.RowVersion) (int64, error) {
	return 0, refuse("the deletion of rows")
}

func (p *slicesProject) DropEmptyTable(ctx context.Context, kind, name string) (int64, error) {
	n, err := p.RowCount(ctx, kind, name)
	if err == nil && n == 0 {
		err = p.DropTable(ctx, kind, name)
	}
	return n, err
}

func (p *slicesProject) Columns(ctx context.Context, kind, table string) ([]engine.Column, error) {
	t, err := p.BaseTable(ctx, engine.TableName{Catalog: engine.InternalCatalog, Schema: kind, Table: table})
	if err != nil {
		return nil, err
	}
	return t.Private.(*relation).defs, nil
}

func (*slicesProject) AddColumns(context.Context, string, string, []engine.ColumnDef) ([]engine.Column, error) {
	return nil, refuse("a change of columns")
}

func (*slicesProject) UpdateColumn(context.Context, string, string, string, engine.ColumnDef) ([]engine.Column, error) {
	return nil, refuse("a change of columns")
}

func (*slicesProject) DropColumn(context.Context, string, string, string) error {
	return refuse("a change of columns")
}

func (p *slicesProject) FindImport(_ context.Context, id string) (int64, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.imports[id]
	return n, ok, nil
}

func (p *slicesProject) ImportCSV(ctx context.Context, kind, table string, src io.Reader,
	m engine.Import) (done engine.Imported, err error) {
	if n, stored, _ := p.FindImport(ctx, m.ID); stored && m.ID != "" {
		return engine.Imported{Rows: n, Again: true}, nil
	}
	t, err := p.BaseTable(ctx, engine.TableName{Catalog: engine.InternalCatalog, Schema: kind, Table: table})
	if err != nil {
		return done, err
	}
	r := t.Private.(*relation)
	targets, err := importer.Map(table, r.defs, m)
	if err != nil {
		return done, err
	}
	var key []int
	for _, name := range m.Key {
		key = append(key, importer.Column(r.defs, name))
	}
	doc := m.Document
	if doc == nil {
		text, err := io.ReadAll(src)
		if err != nil {
			return done, err
		}
		doc = csv.Stored{In: bytes.NewReader(text), Bytes: int64(len(text))}
	}
	rows, err := rowsOf(ctx, doc, &importer.Reader{Columns: r.defs, Targets: targets, Header: m.Header}, key)
	if err != nil {
		return done, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	done = engine.Imported{Rows: int64(len(rows)), Inserted: int64(len(rows))}
	switch m.Mode {
	case api.ImportReplace:
		done.Deleted = int64(len(r.rows))
	case api.ImportUpsert:
		rows = upsert(r.rows, rows, key, targets, m.DeleteMissing, &done)
	default:
		rows = slices.Concat(r.rows, rows)
	}
	p.tables[t.Name] = &relation{columns: r.columns, defs: r.defs, rows: rows}
	p.imports[m.ID] = done.Rows
	return done, nil
}

// rowsOf reads the rows of a document, and checks that each has another key.
func rowsOf(ctx context.Context, doc csv.Document, in *importer.Reader, key []int) (rows [][]any, err error) {
	err = in.With(ctx, doc, func() (err error) {
		for err = in.Next(); err == nil; err = in.Next() {
			row := make([]any, len(in.Columns))
			for _, to := range in.Targets {
				f, def := in.Field(to.Field), in.Columns[to.Col]
				switch parse := cells.ParserOf(def.Type); {
				case in.Null(f):
					if slices.Contains(key, to.Col) {
						in.BadCell(def.Name, f, "a null key")
					}
				case parse == nil:
					row[to.Col] = string(f.Text)
				default:
					v, fault := parse(f.Text)
					if fault != cells.None {
						in.BadCell(def.Name, f, fault.Reason(def.Type, string(f.Text)))
					}
					row[to.Col] = int64(v.Lo)
				}
			}
			if key != nil && find(rows, row, key) >= 0 {
				in.BadCell(in.Columns[key[0]].Name, in.Field(in.Targets[0].Field), "a key twice")
			}
			rows = append(rows, row)
		}
		if !errors.Is(err, io.EOF) {
			return in.FormFault(err)
		}
		return in.Fault()
	})
	return rows, err
}

// find returns the index of the row with the key of another, or -1.
func find(rows [][]any, row []any, key []int) int {
	return slices.IndexFunc(rows, func(r []any) bool {
		return !slices.ContainsFunc(key, func(k int) bool { return r[k] == nil || r[k] != row[k] })
	})
}

// upsert updates the rows that have the key of a new row, and adds the other new rows.
func upsert(old, fresh [][]any, key []int, targets []importer.Target, missing bool,
	done *engine.Imported) (out [][]any) {
	for _, row := range old {
		at := find(fresh, row, key)
		if at < 0 {
			if missing {
				done.Deleted++
			} else {
				out = append(out, row)
			}
			continue
		}
		now := slices.Clone(row)
		for _, to := range targets {
			now[to.Col] = fresh[at][to.Col]
		}
		done.Inserted--
		if slices.Equal(now, row) {
			done.Unchanged++
		} else {
			done.Updated++
		}
		out = append(out, now)
	}
	for _, row := range fresh {
		if find(old, row, key) < 0 {
			out = append(out, row)
		}
	}
	return out
}
