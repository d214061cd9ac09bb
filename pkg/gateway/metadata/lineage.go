package metadata

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// lineage tells for each column of a table which columns of which tables it is computed from: those that the statement behind a
// saved query, a materialized one, a semantic or a parametric table names. It is nil for a table that holds rows of its own, and
// where the statement cannot be followed.
func (d *describer) lineage(ctx context.Context, c catalogs.Catalog, t api.Table, cols []api.ColumnDetail) ([][]api.ColumnLineage, error) {
	q, err := d.statementOf(ctx, c, t)
	if err != nil || q.SQL == "" && q.Ask == nil {
		return nil, err
	}
	q.Catalogs = d.g.Names.Resolver(d.p)
	data, err := d.g.Engine.Project(ctx, d.p.ID)
	if err != nil {
		return nil, err
	}
	l, ok := data.(engine.Lineager)
	if !ok {
		return nil, nil
	}
	origins, err := l.Lineage(ctx, q)
	if names.Broken(err) { // it no longer works; its columns, if any are told, are those of the last run
		return nil, nil
	}
	if err != nil || len(origins) != len(cols) {
		return nil, err
	}
	out := make([][]api.ColumnLineage, len(cols))
	for i, o := range origins {
		out[i] = d.origin(o)
	}
	return out, nil
}

// statementOf is the statement that a table stands for, if any.
func (d *describer) statementOf(ctx context.Context, c catalogs.Catalog, t api.Table) (engine.Query, error) {
	var id string
	switch src := c.Source.(type) {
	case catalogs.QueryCatalog:
		q, err := d.g.Store.QueryNamed(ctx, d.p.ID, t.TableName)
		if errors.Is(err, store.ErrNotFound) {
			return engine.Query{}, nil
		}
		return engine.Query{SQL: q.SQL}, err
	case names.ExternalCatalog:
		rows, err := src.ParametricRows(ctx, engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName})
		return engine.Query{Ask: rows}, err
	case catalogs.SemanticSource:
		if src.C.ProjectID != d.p.ID { // what it reads is the other project's own affair
			return engine.Query{}, nil
		}
		all, err := d.g.Store.SemanticTables(ctx, c.ID)
		if err != nil {
			return engine.Query{}, err
		}
		for _, s := range all {
			if s.Schema == t.SchemaName && s.Table == t.TableName {
				id = s.QueryID
			}
		}
		q, err := d.g.Store.Query(ctx, d.p.ID, id)
		if errors.Is(err, store.ErrNotFound) {
			return engine.Query{}, nil
		}
		return engine.Query{SQL: q.SQL}, err
	}
	return engine.Query{}, nil
}

// origin puts the tables whose columns have one name into one entry [O].
func (d *describer) origin(o engine.ColumnOrigin) []api.ColumnLineage {
	out := []api.ColumnLineage{}
	for _, r := range o.Reads {
		i := slices.IndexFunc(out, func(l api.ColumnLineage) bool { return l.Column == r.Column })
		if i < 0 {
			i = len(out)
			out = append(out, api.ColumnLineage{Column: r.Column, Expression: o.Expression})
		}
		out[i].Tables = append(out[i].Tables, r.Table.String())
		if out[i].ColumnDescription == nil {
			out[i].ColumnDescription = d.described(r)
		}
	}
	return out
}

// described is what users have said about a column that a statement reads.
func (d *describer) described(r engine.ColumnRead) *string {
	for _, c := range d.order {
		if !strings.EqualFold(c.Name, r.Table.Catalog) {
			continue
		}
		k := store.TableKey{Catalog: c.ID, Schema: r.Table.Schema, Table: r.Table.Table}
		if n := d.notes.Columns[store.ColumnKey{TableKey: k, Column: r.Column}]; n.Description != nil {
			return n.Description
		}
	}
	return nil
}
