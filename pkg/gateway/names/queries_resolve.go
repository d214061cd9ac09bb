package names

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// lookupQuery resolves a name in peaka.query or peaka.mtquery: the live statement, or the rows stored by the last
// complete run.
func (r Resolver) lookupQuery(ctx context.Context, n engine.TableName) (sql.Source, error) {
	name := strings.ToLower(n.Table)
	if d := r.Draft; d != nil && n.Schema == engine.SchemaQuery {
		switch name {
		case DraftMark + d.Name:
			return sql.Source{SQL: d.SQL}, nil
		case d.Name: // the draft refers to itself, possibly through other queries; the engine detects the cycle
			n.Table = DraftMark + d.Name
			return sql.Source{Ask: sql.Rows{Table: n}}, nil
		case d.Was:
			return sql.Source{}, engine.UnknownTable(n)
		}
	}
	q, err := r.g.Store.QueryNamed(ctx, r.p.ID, name)
	if errors.Is(err, store.ErrNotFound) {
		return sql.Source{}, engine.UnknownTable(n)
	}
	if err != nil {
		return sql.Source{}, err
	}
	if n.Schema == engine.SchemaQuery {
		return sql.Source{SQL: q.SQL}, nil
	}
	m := q.Materialized
	if m == nil {
		return sql.Source{}, fault.Unknown(engine.KindUnknownTable, "%s: query %s is not materialized",
			engine.UnknownTable(n), q.Name)
	}
	if m.StoredAt == nil {
		return sql.Source{}, fault.Unknown(engine.KindUnknownTable,
			"Table '%s' is still empty: no run of the materialized query has completed%s", n.String(), runState(m))
	}
	return sql.Source{Stored: &engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaMtQuery,
		Table: q.ID}}, nil
}

// ListQueries lists the saved queries, and the stored results that can be read.
func (r Resolver) ListQueries(ctx context.Context) ([]engine.TableName, error) {
	all, err := r.g.Store.Queries(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, q := range all {
		out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaQuery, Table: q.Name})
	}
	for _, q := range all {
		if q.Materialized != nil && q.Materialized.StoredAt != nil {
			out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaMtQuery,
				Table: q.Name})
		}
	}
	return out, nil
}
