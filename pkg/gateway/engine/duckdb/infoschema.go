//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// information_schema lists what the project may see, under the names its users write: the internal tables, the sample catalog and
// what Catalogs.List names. With a catalog before it, it lists that catalog; without one, all of them. The rows are gathered
// before the statement runs; its equality conditions on names narrow what is gathered.

const (
	infoSchema  = "information_schema"
	infoCatalog = "~info" // where the views stand: DuckDB lets no schema be named information_schema
	allCatalogs = "*"
)

var infoColumns = map[string][]engine.ColumnInfo{
	"schemata": {{Name: "catalog_name", Type: "varchar"}, {Name: "schema_name", Type: "varchar"}},
	"tables": {{Name: "table_catalog", Type: "varchar"}, {Name: "table_schema", Type: "varchar"}, {Name: "table_name", Type: "varchar"},
		{Name: "table_type", Type: "varchar"}},
	"columns": {{Name: "table_catalog", Type: "varchar"}, {Name: "table_schema", Type: "varchar"}, {Name: "table_name", Type: "varchar"},
		{Name: "column_name", Type: "varchar"}, {Name: "ordinal_position", Type: "bigint"}, {Name: "column_default", Type: "varchar"},
		{Name: "is_nullable", Type: "varchar"}, {Name: "data_type", Type: "varchar"}},
}

// infoName tells whether a table of FROM is one of information_schema, and under which name its view stands.
func infoName(parts []string) (engine.TableName, bool) {
	if len(parts) < 2 || !strings.EqualFold(parts[len(parts)-2], infoSchema) {
		return engine.TableName{}, false
	}
	n := engine.TableName{Catalog: infoCatalog, Schema: allCatalogs, Table: strings.ToLower(parts[len(parts)-1])}
	if len(parts) == 3 {
		n.Schema = strings.ToLower(parts[0])
	}
	return n, true
}

// infoTable gathers the rows of a table of information_schema and makes its view.
func (s *statement) infoTable(ctx context.Context, n engine.TableName, want narrowing) error {
	cols, ok := infoColumns[n.Table]
	shown := engine.TableName{Catalog: n.Schema, Schema: infoSchema, Table: n.Table}
	if n.Schema == allCatalogs {
		shown.Catalog = engine.InternalCatalog
	}
	if !ok {
		return unknownTable(shown)
	}
	named := namedCatalogs(n.Schema, cols[0].Name, want.conds)
	known, err := s.allTables(ctx, named)
	if err != nil {
		return err
	}
	if n.Schema != allCatalogs {
		if !slices.ContainsFunc(known, func(t engine.TableName) bool { return t.Catalog == n.Schema }) {
			return unknownCatalog(n.Schema)
		}
		want.conds = append(want.conds, condition{cols[0].Name, "=", []constant{{constText, n.Schema}}})
	}
	keep := func(t engine.TableName) bool {
		for _, c := range want.conds {
			if c.op != "=" || c.vals[0].kind != constText && c.vals[0].kind != constParam {
				continue
			}
			v := c.vals[0].text
			switch strings.ToLower(c.column) {
			case "table_catalog", "catalog_name":
				if t.Catalog != v {
					return false
				}
			case "table_schema", "schema_name":
				if t.Schema != v {
					return false
				}
			case "table_name":
				if t.Table != v {
					return false
				}
			}
		}
		return true
	}
	known = slices.DeleteFunc(known, func(t engine.TableName) bool { return !keep(t) })
	var rows [][]any
	switch n.Table {
	case "schemata":
		rows = schemaRows(known)
	case "tables":
		for _, t := range known {
			if t.Table != "" {
				rows = append(rows, []any{t.Catalog, t.Schema, t.Table, tableType(t)})
			}
		}
	default:
		if rows, err = s.columnRows(ctx, known, named != nil); err != nil {
			return err
		}
	}
	if err := s.addScan(ctx, n, &staticRows{cols: cols, rows: rows}, cols, everything()); err != nil {
		return err
	}
	_, err = s.putView(ctx, n, scanBody(n)) // which never changes, so that the name is this one
	return err
}

// namedCatalogs are those that a look at information_schema is about, by the name before it or by a condition; nil for all.
func namedCatalogs(before, column string, conds []condition) []string {
	if before != allCatalogs {
		return []string{before}
	}
	for _, c := range conds {
		if !strings.EqualFold(c.column, column) || c.op != "=" && c.op != "in" {
			continue
		}
		var names []string
		for _, v := range c.vals {
			if v.kind != constText && v.kind != constParam {
				names = nil
				break
			}
			names = append(names, v.text)
		}
		if names != nil {
			return names
		}
	}
	return nil
}

func unknownCatalog(name string) error {
	return &engine.Error{Kind: engine.KindUnknownCatalog, Message: "Catalog '" + name + "' does not exist"}
}

func tableType(t engine.TableName) string {
	if t.Schema == infoSchema || t.Catalog == engine.InternalCatalog && t.Schema == engine.SchemaQuery {
		return "VIEW"
	}
	return "BASE TABLE"
}

func schemaRows(known []engine.TableName) [][]any {
	var rows [][]any
	for i, t := range known {
		if i == 0 || t.Catalog != known[i-1].Catalog || t.Schema != known[i-1].Schema {
			rows = append(rows, []any{t.Catalog, t.Schema})
		}
	}
	return rows
}

// allTables names every table of some catalogs, or of all of the project for nil, sorted. A schema without tables stands with an empty
// table name. What is not among those catalogs may be named, too.
func (s *statement) allTables(ctx context.Context, named []string) ([]engine.TableName, error) {
	var out []engine.TableName
	catalogs := map[string]bool{}
	add := func(catalog, schema, table string) {
		out = append(out, fold(engine.TableName{Catalog: catalog, Schema: schema, Table: table}))
		catalogs[strings.ToLower(catalog)] = true
	}
	for _, schema := range []string{engine.SchemaTable, engine.SchemaBI, engine.SchemaQuery, engine.SchemaMtQuery} {
		add(engine.InternalCatalog, schema, "")
	}
	for name := range sampleTables() {
		add(engine.SampleCatalog, sampleSchema, name)
	}
	err := s.c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name IN ('table', 'bitable')`,
		[]any{storeDB}, func(v []*string) error {
			add(engine.InternalCatalog, *v[0], *v[1])
			return nil
		})
	if err != nil {
		return nil, err
	}
	if s.q.Catalogs != nil {
		more, err := s.q.Catalogs.List(ctx, named)
		if err != nil {
			return nil, err
		}
		for _, n := range more {
			add(n.Catalog, n.Schema, n.Table)
		}
	}
	for c := range catalogs {
		for t := range infoColumns {
			add(c, infoSchema, t)
		}
	}
	slices.SortFunc(out, func(a, b engine.TableName) int {
		if c := strings.Compare(a.Catalog, b.Catalog); c != 0 {
			return c
		}
		if c := strings.Compare(a.Schema, b.Schema); c != 0 {
			return c
		}
		return strings.Compare(a.Table, b.Table)
	})
	return slices.Compact(out), nil
}

// columnRows lists the columns of tables. A saved query that does not work as it stands has none to tell; so has, among those of all
// catalogs, a table whose source cannot be read now. The answer says so. The only table asked for is an error.
func (s *statement) columnRows(ctx context.Context, tables []engine.TableName, named bool) ([][]any, error) {
	var rows [][]any
	for _, t := range tables {
		if t.Table == "" {
			continue
		}
		cols, err := s.columnsOf(ctx, t)
		if err != nil {
			if len(tables) > 1 && mayLack(t, err, named) {
				err = engine.Omit(ctx, engine.OmittedColumns, t.String(), err)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		for i, c := range cols {
			nullable := "NO"
			if c.Nullable {
				nullable = "YES"
			}
			rows = append(rows, []any{t.Catalog, t.Schema, t.Table, c.Name, int64(i + 1), nil, nullable, c.Type})
		}
	}
	return rows, nil
}

// mayLack reports whether a list of columns can do without those of a table.
func mayLack(t engine.TableName, err error, named bool) bool {
	var e *engine.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case engine.KindTimeout, engine.KindLocked, engine.KindInternal, engine.KindFull, engine.KindLimit:
		return false
	case engine.KindSource:
		return !named || t.Catalog == engine.InternalCatalog
	}
	return true
}

// columnsOf reads the names and types of a table's columns: those of a source as it gives them, others by planning a SELECT on a
// connection of its own.
func (s *statement) columnsOf(ctx context.Context, n engine.TableName) ([]engine.ColumnInfo, error) {
	if s.q.Dialect != dialectDuck && s.q.Catalogs != nil && n.Schema != infoSchema && n.Catalog != engine.InternalCatalog && n.Catalog != engine.SampleCatalog {
		src, err := s.q.Catalogs.Lookup(ctx, n)
		if err != nil {
			return nil, err
		}
		if src.Scan != nil {
			return src.Scan.Columns(ctx)
		}
	}
	if n.Schema == infoSchema {
		cols, ok := infoColumns[n.Table]
		if !ok {
			return nil, unknownTable(n)
		}
		return slices.Clone(cols), nil
	}
	q := s.q
	q.SQL, q.Bindings = `SELECT * FROM `+n.Quoted(), nil
	other, err := s.p.statement(ctx, q)
	if err != nil {
		return nil, err
	}
	defer other.close()
	if other.t, err = other.translate(ctx, q.SQL, dialectDuck, true); err != nil {
		return nil, err
	}
	stop := other.c.watch(ctx)
	defer stop()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if err := other.prepare(ctx, other.t.text, &ps, false); err != nil {
		return nil, other.explain(err)
	}
	var out []engine.ColumnInfo
	for i := range bindings.PreparedStatementColumnCount(ps) {
		lt := bindings.PreparedStatementColumnLogicalType(ps, i)
		t, err := newType(lt, s.q.Dialect)
		bindings.DestroyLogicalType(&lt)
		name := columnName(bindings.PreparedStatementColumnName(ps, i))
		if err != nil {
			return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "column '" + name + "': " + err.Error()}
		}
		out = append(out, engine.ColumnInfo{Name: name, Type: t.name, Nullable: true})
	}
	return out, nil
}

// staticRows is a scanner over rows that are at hand.
type staticRows struct {
	cols []engine.ColumnInfo
	rows [][]any
}

func (s *staticRows) Columns(context.Context) ([]engine.ColumnInfo, error) { return s.cols, nil }

func (s *staticRows) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	var idx []int
	for _, name := range req.Columns {
		idx = append(idx, slices.IndexFunc(s.cols, func(c engine.ColumnInfo) bool { return c.Name == name }))
	}
	if slices.Contains(idx, -1) {
		return nil, errors.New("no such column")
	}
	return &staticBatch{rows: s.rows, idx: idx}, nil
}

type staticBatch struct {
	rows [][]any
	idx  []int
}

func (b *staticBatch) Next(context.Context) ([][]any, error) {
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	n := min(len(b.rows), 2000)
	out := make([][]any, n)
	for i, r := range b.rows[:n] {
		for _, k := range b.idx {
			out[i] = append(out[i], r[k])
		}
	}
	b.rows = b.rows[n:]
	return out, nil
}

func (b *staticBatch) Close() error { return nil }
