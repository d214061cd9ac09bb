package metadata

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// lineage returns, for each column of a table, the columns it is computed from: those in the statement of a saved,
// materialized, semantic or parametric table. It is nil for a table with its own rows, and if the statement cannot be
// analysed.
func (d *describer) lineage(ctx context.Context, c names.Catalog, t api.Table,
	cols []names.Column) ([][]api.ColumnLineage, error) {
	origins, err := d.origins(ctx, c, t, cols)
	if err != nil || origins == nil {
		return nil, err
	}
	out := make([][]api.ColumnLineage, len(cols))
	for i, o := range origins {
		if out[i], err = d.origin(ctx, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// origins are what the columns of a table are computed from, nil if that is not known.
func (d *describer) origins(ctx context.Context, c names.Catalog, t api.Table,
	cols []names.Column) (out []engine.ColumnOrigin, err error) {
	for _, col := range cols {
		if col.Origin != nil {
			out = append(out, *col.Origin)
		}
	}
	if len(out) == len(cols) && len(out) > 0 {
		return out, nil
	}
	q, err := c.Definition(ctx, t.SchemaName, t.TableName)
	if err != nil || q.SQL == "" && q.Ask == nil {
		return nil, err
	}
	q.Catalogs = d.g.Names.Resolver(d.p)
	data, err := d.g.Engine.Project(ctx, d.p.ID)
	if err != nil {
		return nil, err
	}
	out, err = sql.Lineage(ctx, data, q)
	if names.Broken(err) { // it no longer works; its columns, if any, are those of the last run
		return nil, nil
	}
	if err != nil || len(out) != len(cols) {
		return nil, err
	}
	return out, nil
}

// origin merges tables with the same column name into one entry [O].
func (d *describer) origin(ctx context.Context, o engine.ColumnOrigin) ([]api.ColumnLineage, error) {
	out := []api.ColumnLineage{}
	for _, r := range o.Reads {
		i := slices.IndexFunc(out, func(l api.ColumnLineage) bool { return l.Column == r.Column })
		if i < 0 {
			i = len(out)
			out = append(out, api.ColumnLineage{Column: r.Column, Expression: o.Expression})
		}
		out[i].Tables = append(out[i].Tables, r.Table.String())
		if out[i].ColumnDescription != nil {
			continue
		}
		var err error
		if out[i].ColumnDescription, err = d.described(ctx, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// described returns the user's description of a column that a statement reads. A statement has the names in lower case,
// and descriptions are stored under those of the source.
func (d *describer) described(ctx context.Context, r engine.ColumnRead) (*string, error) {
	for _, c := range d.order {
		if c.Name != r.Table.Catalog {
			continue
		}
		key := store.TableKey{Catalog: c.ID, Schema: r.Table.Schema, Table: r.Table.Table}
		if n := d.notes.Columns[store.ColumnKey{TableKey: key, Column: r.Column}]; n.Description != nil {
			return n.Description, nil
		}
		for k, n := range d.notes.Columns {
			if n.Description == nil || k.Catalog != c.ID || !strings.EqualFold(k.Table, r.Table.Table) ||
				!strings.EqualFold(k.Column, r.Column) {
				continue
			}
			schema, table, err := names.Spelled(ctx, c, r.Table)
			if errors.Is(err, connector.ErrNoSchema) || errors.Is(err, connector.ErrNoTable) ||
				errors.Is(err, connector.ErrAmbiguous) {
				continue // only a cache has the table now
			}
			if names.Away(err) { // the statement reads a cache
				err = engine.Omit(ctx, engine.OmittedColumns, r.Table.String(), err)
			}
			if err != nil {
				return nil, err
			}
			if k.Schema == schema && k.Table == table {
				return n.Description, nil
			}
		}
	}
	return nil, nil
}
