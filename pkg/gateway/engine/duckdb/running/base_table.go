//go:build cgo

package running

import (
	"context"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/ducktype"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sample"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/tables"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// BaseTable finds an internal table, a stored result, or a table of the built-in catalog.
func (p Statements) BaseTable(ctx context.Context, n engine.TableName) (*engine.BaseTable, error) {
	if n.Catalog == engine.SampleCatalog {
		k, err := p.sample(ctx, n.Table)
		if err != nil {
			return nil, err
		}
		return &engine.BaseTable{Name: n, Columns: k.Columns, Private: k}, nil
	}
	c, err := p.files.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return instance.Remembered(c, n, func() (*engine.BaseTable, error) { return baseTable(ctx, c, n) })
}

func baseTable(ctx context.Context, c *instance.Conn, n engine.TableName) (_ *engine.BaseTable, err error) {
	as := engine.TableName{Schema: n.Schema, Table: n.Table}
	if n.Catalog != "" {
		if as.Table, err = tables.StoredAs(ctx, c, n.Schema, n.Table); err != nil {
			return nil, err
		}
	}
	k, err := storedTable(ctx, c, n, as)
	if err != nil {
		return nil, err
	}
	return &engine.BaseTable{Name: as, Columns: k.Columns, Private: k}, nil
}

// storedTable is a table of the project's file. n is its name in errors.
func storedTable(ctx context.Context, c *instance.Conn, n, as engine.TableName) (*values.Kept, error) {
	var names []string
	var logical []bindings.LogicalType
	has, err := c.Describe(ctx, as.Schema, as.Table, func(d bindings.TableDescription) {
		for i := range bindings.TableDescriptionGetColumnCount(d) {
			names = append(names, bindings.TableDescriptionGetColumnName(d, i))
			logical = append(logical, bindings.TableDescriptionGetColumnType(d, i))
		}
	})
	if err != nil {
		return nil, err
	}
	if !has {
		return nil, engine.UnknownTable(n)
	}
	var notes map[string]string
	if as.Schema != engine.SchemaTable && as.Schema != engine.SchemaBI {
		if notes, err = typeNotes(ctx, c, as.Schema, as.Table); err != nil {
			return nil, err
		}
	}
	return values.FromOutside(naming.StoredTable(as.Schema, as.Table), names, logical, notes), nil
}

// typeNotes returns the comments on the columns of a stored result: the Trino types that cannot be derived from
// DuckDB's types.
func typeNotes(ctx context.Context, c *instance.Conn, schema, table string) (map[string]string, error) {
	notes := map[string]string{}
	err := c.Query(ctx, `SELECT column_name, comment FROM duckdb_columns() WHERE database_name = ? AND schema_name = `+
		`? AND table_name = ? AND comment IS NOT NULL`,
		[]any{naming.Store, schema, table}, func(v []*string) error {
			notes[*v[0]] = *v[1]
			return nil
		})
	return notes, err
}

// noteTypes writes the comments that typeNotes reads.
func noteTypes(ctx context.Context, c *instance.Conn, name string, columns []analyze.Column) error {
	for _, col := range columns {
		if !ducktype.NeedsNote(col.Type) {
			continue
		}
		if _, err := c.Exec(ctx, `COMMENT ON COLUMN `+name+`.`+sqltext.Quote(col.Name)+` IS `+
			sqltext.Literal(col.Type.Signature())); err != nil {
			return err
		}
	}
	return nil
}

// sample is a table of the built-in catalog. All projects share their descriptions.
func (p Statements) sample(ctx context.Context, table string) (*values.Kept, error) {
	if k, ok := p.all.samples.Load(table); ok {
		return k.(*values.Kept), nil
	}
	body := sample.Tables()[table]
	c, err := p.files.ConnFor(ctx, projects.Computing)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(c.Raw, body, &ps) == bindings.StateError {
		return nil, c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(ps))
	}
	var names []string
	var logical []bindings.LogicalType
	for i := range bindings.PreparedStatementColumnCount(ps) {
		names = append(names, bindings.PreparedStatementColumnName(ps, i))
		logical = append(logical, bindings.PreparedStatementColumnLogicalType(ps, i))
	}
	k := values.FromOutside("("+body+")", names, logical, nil)
	p.all.samples.Store(table, k)
	return k, nil
}
