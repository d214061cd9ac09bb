package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// kept is the text of the columns of a table that the cluster reads.
type kept struct{ text string }

// base is a query for the rows of a table.
func (p *project) base(b *engine.BaseTable) string {
	if k, ok := b.Private.(*kept); ok {
		return k.text
	}
	return ""
}

// note is the comment of a stored result: its columns with the types that they had.
type note struct {
	Columns []noted `json:"columns"`
}

type noted struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// BaseTable implements engine.Project.
func (p *project) BaseTable(ctx context.Context, n engine.TableName) (*engine.BaseTable, error) {
	if err := p.admit(nil); err != nil {
		return nil, err
	}
	if catalog, ok := strings.CutPrefix(n.Catalog, engine.MappedCatalog); ok {
		return p.mapped(ctx, catalog, n)
	}
	switch n.Catalog {
	case engine.SampleCatalog:
		return sampleTable(n)
	case "":
		return p.result(ctx, n)
	}
	t, err := p.find(ctx, n.Schema, n.Table)
	if err != nil {
		return nil, err
	}
	out := &engine.BaseTable{Name: n}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = strings.ToLower(c.Name)
		typ, err := types.Parse(columnType(c.Type))
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, analyze.TableColumn{Name: c.Name, Type: typ})
	}
	out.Private = &kept{"SELECT " + sqltext.List(names) + " FROM " + p.table(t.Kind, strings.ToLower(t.Name))}
	return out, nil
}

// result finds a stored result.
func (p *project) result(ctx context.Context, n engine.TableName) (*engine.BaseTable, error) {
	var about *note
	_, err := p.exec(ctx, "SELECT comment FROM system.metadata.table_comments WHERE catalog_name = "+
		sqltext.Literal(p.e.Catalog)+" AND schema_name = "+sqltext.Literal(p.schema(n.Schema))+" AND table_name = "+
		sqltext.Literal(physical(n.Table)), false, func(v []*string) error {
		if v[0] == nil {
			return fmt.Errorf("the table %s has no comment: it is not one of the gateway", p.table(n.Schema, n.Table))
		}
		about = &note{}
		return json.Unmarshal([]byte(*v[0]), about)
	})
	if err != nil {
		return nil, err
	}
	if about == nil {
		return nil, engine.UnknownTable(n)
	}
	out := &engine.BaseTable{Name: n}
	list := make([]string, len(about.Columns))
	for i, c := range about.Columns {
		t, err := types.Parse(c.Type)
		if err != nil {
			return nil, err
		}
		s, err := storageOf(t)
		if err != nil {
			return nil, err
		}
		list[i] = s.read(fmt.Sprintf("c%d", i)) + " AS " + sqltext.Quote(c.Name)
		out.Columns = append(out.Columns, analyze.TableColumn{Name: c.Name, Type: t})
	}
	out.Private = &kept{"SELECT " + strings.Join(list, ", ") + " FROM " + p.table(n.Schema, n.Table)}
	return out, nil
}

// Store implements engine.Project: the rows become visible by one commit of the catalog.
func (p *project) Store(ctx context.Context, schema, table string, x *engine.Statement) (n int64, err error) {
	if err := p.admit(x); err != nil {
		return 0, err
	}
	var about note
	names, list := make([]string, len(x.Columns)), make([]string, len(x.Columns))
	seen := map[string]bool{}
	for i, c := range x.Columns {
		if seen[strings.ToLower(c.Name)] {
			return 0, &engine.Error{Kind: engine.KindValue, Message: "Column name '" + c.Name +
				"' specified more than once"}
		}
		seen[strings.ToLower(c.Name)] = true
		s, err := storageOf(c.Type)
		if err != nil {
			return 0, &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf("column '%s': %v", c.Name, err),
				Hint: "cast it to varchar", Err: engine.ErrNotSupported}
		}
		names[i] = fmt.Sprintf("c%d", i)
		list[i] = s.write(names[i]) + " AS " + names[i]
		about.Columns = append(about.Columns, noted{c.Name, c.Type.Signature()})
	}
	out := p.newWriter(ctx, x)
	out.stages = true
	defer func() {
		for _, end := range out.ends {
			err = errors.Join(err, end())
		}
	}()
	w, err := out.all(x)
	if err != nil {
		return 0, err
	}
	if p.e.ProjectUser != "" { // the gateway stores the rows, and may read more than the project
		if err := p.ahead(ctx, w, "EXPLAIN (TYPE VALIDATE) ", nil); err != nil {
			return 0, err
		}
	}
	comment, err := json.Marshal(about)
	if err != nil {
		return 0, err
	}
	if err := p.ready(ctx, schema); err != nil {
		return 0, err
	}
	ctx, unlock, err := p.change(ctx, "result "+p.table(schema, table))
	if err != nil {
		return 0, err
	}
	defer unlock()
	w = w.between("CREATE TABLE "+p.table(schema, table)+" COMMENT "+sqltext.Literal(string(comment))+" AS SELECT "+
		strings.Join(list, ", ")+" FROM (", ") s("+strings.Join(names, ", ")+")")
	n, err = p.e.exec(ctx, p.request(ctx, w.text), true, nil)
	if err = w.explain(ctx, err); isKind(err, engine.KindExists) {
		err = errors.Join(engine.ErrStored, err)
	}
	return max(n, 0), err
}

// between is a statement inside of a text.
func (w *written) between(before, after string) *written {
	out := &written{e: w.e, of: w.of, text: before + w.text + after, marks: make([]mark, len(w.marks))}
	for i, m := range w.marks {
		out.marks[i] = mark{m.out + len(before), m.at, m.in}
	}
	return out
}

// DropStored implements engine.Project.
func (p *project) DropStored(ctx context.Context, schema, table string) error {
	_, err := p.exec(ctx, "DROP TABLE IF EXISTS "+p.table(schema, table), false, nil)
	if isKind(err, engine.KindUnknownSchema) {
		return nil
	}
	return err
}

// RowCount implements engine.Project.
func (p *project) RowCount(ctx context.Context, schema, table string) (int64, error) {
	name := table
	if tabledef.CheckKind(schema) == nil { // the catalog has the names of internal tables in lower case
		name = strings.ToLower(engine.StoredName(schema, table))
	}
	n, err := p.count(ctx, p.table(schema, name))
	if isKind(err, engine.KindUnknownTable) || isKind(err, engine.KindUnknownSchema) {
		err = engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
	}
	return n, err
}

func (p *project) count(ctx context.Context, table string) (n int64, err error) {
	_, err = p.exec(ctx, "SELECT count(*) FROM "+table, false, func(v []*string) error {
		_, err := fmt.Sscan(*v[0], &n)
		return err
	})
	return n, err
}

// storage is how Iceberg has the values of a type. Empty templates leave a value as it is.
type storage struct{ in, out string }

func (s storage) write(column string) string { return fill(s.in, column) }
func (s storage) read(column string) string  { return fill(s.out, column) }

func fill(template, column string) string {
	if template == "" {
		return column
	}
	return strings.ReplaceAll(template, "$", column)
}

// storageOf is how the values of a type are stored without a loss.
func storageOf(t *types.Type) (storage, error) {
	as := func(stored string) (storage, error) {
		return storage{"CAST($ AS " + stored + ")", "CAST($ AS " + t.Signature() + ")"}, nil
	}
	switch t.Kind {
	case types.Boolean, types.Integer, types.Bigint, types.Real, types.Double, types.Decimal, types.Date,
		types.Varbinary,
		types.UUID:
		return storage{}, nil
	case types.Varchar:
		if t.N == types.Unbounded {
			return storage{}, nil
		}
		return as("varchar")
	case types.Tinyint, types.Smallint:
		return as("integer")
	case types.Char, types.IPAddress:
		return as("varchar")
	case types.Unknown:
		return storage{"CAST($ AS boolean)", "NULL"}, nil
	case types.JSON:
		return storage{"json_format($)", "json_parse($)"}, nil
	case types.Time, types.Timestamp, types.TimestampTZ:
		if t.N <= 6 {
			return as(types.NewTime(t.Kind, 6).String())
		}
		return as("varchar")
	case types.Array, types.Map, types.Row:
		if stored, ok := nestedOf(t); ok {
			return as(stored.Signature())
		}
	}
	return storage{}, fmt.Errorf("values of type %s cannot be stored on a cluster", t)
}

// nestedOf is the type with which a value inside of another is stored, from and to which it can be cast.
func nestedOf(t *types.Type) (*types.Type, bool) {
	switch t.Kind {
	case types.Boolean, types.Integer, types.Bigint, types.Real, types.Double, types.Decimal, types.Date,
		types.Varbinary,
		types.UUID:
		return t, true
	case types.Varchar, types.Char, types.IPAddress:
		return types.Of(types.Varchar), true
	case types.Tinyint, types.Smallint:
		return types.Of(types.Integer), true
	case types.Unknown:
		return types.Of(types.Boolean), true
	case types.Time, types.Timestamp, types.TimestampTZ:
		return types.NewTime(t.Kind, 6), t.N <= 6
	case types.Array, types.Map, types.Row:
		out := &types.Type{Kind: t.Kind, Names: t.Names}
		if t.Kind == types.Row && out.Names == nil {
			for i := range t.Args { // Iceberg has no fields without names
				out.Names = append(out.Names, fmt.Sprintf("f%d", i))
			}
		}
		for _, a := range t.Args {
			stored, ok := nestedOf(a)
			if !ok {
				return nil, false
			}
			out.Args = append(out.Args, stored)
		}
		return out, true
	}
	return nil, false
}
