package names

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// lookupSemantic finds a semantic table; ok is false if the catalog of the name is not semantic.
func (r Resolver) lookupSemantic(ctx context.Context, n engine.TableName) (src sql.Source, ok bool, err error) {
	r.seen.mu.Lock()
	plain := r.seen.plain[n.Catalog]
	r.seen.mu.Unlock()
	if plain {
		return src, false, nil
	}
	c, err := r.g.Store.SemanticCatalogNamed(ctx, r.p.ID, n.Catalog)
	if errors.Is(err, store.ErrNotFound) {
		r.seen.mu.Lock()
		r.seen.plain[n.Catalog] = true
		r.seen.mu.Unlock()
		return src, false, nil
	}
	if err != nil {
		return src, false, err
	}
	tables, err := r.g.Store.SemanticTables(ctx, c.ID)
	if err != nil {
		return src, true, err
	}
	schema := false
	for _, t := range tables {
		schema = schema || t.Schema == n.Schema
		if t.Schema != n.Schema || t.Table != n.Table {
			continue
		}
		if c.ProjectID != r.p.ID { // its names refer to the other project's tables, so it runs there
			owner, err := r.g.Store.Project(ctx, "", c.ProjectID)
			return sql.Source{Relay: sharedTable{r.g, owner, n}}, true, err
		}
		q, err := r.g.Store.Query(ctx, r.p.ID, t.QueryID)
		if errors.Is(err, store.ErrNotFound) {
			err = fault.Unknown(engine.KindUnknownTable, "the saved query %s of table '%s' was deleted", t.QueryID, n)
		}
		return sql.Source{SQL: q.SQL}, true, err // always live, also over a materialized query [O]
	}
	if !schema {
		return src, true, noSchema(n.Schema)
	}
	return src, true, engine.UnknownTable(n)
}

// listSemantic lists the tables of the requested semantic catalogs.
func (r Resolver) listSemantic(ctx context.Context, wanted func(name string) bool) ([]engine.TableName, error) {
	cats, err := r.g.Store.SemanticCatalogs(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, c := range cats {
		if !wanted(c.Name) {
			continue
		}
		tables, err := r.g.Store.SemanticTables(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, engine.TableName{Catalog: c.Name})
		for _, t := range tables {
			out = append(out, engine.TableName{Catalog: c.Name, Schema: t.Schema, Table: t.Table})
		}
	}
	return out, nil
}
