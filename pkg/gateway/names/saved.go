package names

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// saved is catalog "2": saved queries and stored results of materialized ones.
type saved struct {
	plain
	g *Service
	p store.Project
}

func (c saved) Schemas(context.Context) ([]string, error) {
	return []string{engine.SchemaQuery, engine.SchemaMtQuery}, nil
}

// Tables lists the saved queries, and the stored results that can be read.
func (c saved) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	all, err := c.g.Store.Queries(ctx, c.p.ID)
	var out []api.Table
	for _, s := range []string{engine.SchemaQuery, engine.SchemaMtQuery} {
		for _, q := range all {
			stored := q.Materialized != nil && q.Materialized.StoredAt != nil
			if (schema == "" || schema == s) && (s == engine.SchemaQuery || stored) {
				out = append(out, api.Table{CatalogID: api.QueryCatalogID, CatalogName: engine.InternalCatalog,
					SchemaName: s, TableName: q.Name, SupportedCacheTypes: []string{}})
			}
		}
	}
	return out, err
}

func (c saved) Columns(ctx context.Context, schema, table string) ([]Column, error) {
	return c.g.Describe(ctx, c.p, engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
}

func (c saved) Definition(ctx context.Context, _, table string) (sql.Query, error) {
	q, err := c.g.Store.QueryNamed(ctx, c.p.ID, table)
	if errors.Is(err, store.ErrNotFound) {
		return sql.Query{}, nil
	}
	return sql.Query{SQL: q.SQL}, err
}

// Resolve resolves a name in peaka.query or peaka.mtquery: the live statement, or the rows stored by the last complete
// run.
func (c saved) Resolve(ctx context.Context, r Resolver, n engine.TableName) (sql.Source, error) {
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
	q, err := c.g.Store.QueryNamed(ctx, c.p.ID, name)
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
	if m.StoredAt == nil || m.Stored == nil {
		return sql.Source{}, fault.Unknown(engine.KindUnknownTable,
			"Table '%s' is still empty: no run of the materialized query has completed%s", n.String(), runState(m))
	}
	return sql.Source{Base: &engine.TableName{Schema: store.ResultOfQuery, Table: *m.Stored}}, nil
}

// Draft is a saved query with its future definition, for checking it before it is saved. It is planned under a separate
// name, so that nobody who runs the query in the meantime gets the unchecked definition.
type Draft struct{ Name, Was, SQL string }

// DraftMark cannot start the name of a saved query.
const DraftMark = "~"

func runState(m *store.Materialized) string {
	switch {
	case m.StartedAt == nil:
		return ""
	case m.Error != nil:
		return ", the latest " + m.Status + ": " + *m.Error
	}
	return ", the latest is " + m.Status
}

// semantic is a semantic catalog as seen from project p.
type semantic struct {
	plain
	g *Service
	p store.Project
	c store.SemanticCatalog

	memory
	tables *[]store.SemanticTable
}

func (s *semantic) Schemas(ctx context.Context) ([]string, error) {
	all, err := s.Tables(ctx, "")
	return slices.Compact(each.Map(all, func(t api.Table) string { return t.SchemaName })), err // the store sorts them
}

func (s *semantic) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	all, err := once(&s.memory, &s.tables, func() ([]store.SemanticTable, error) {
		return s.g.Store.SemanticTables(ctx, s.c.ID)
	})
	out := []api.Table{}
	for _, t := range all {
		if schema == "" || t.Schema == schema {
			out = append(out, api.Table{CatalogID: s.c.ID, CatalogName: s.c.Name, SchemaName: t.Schema,
				TableName: t.Table, SupportedCacheTypes: []string{}, TableID: t.ID, QueryID: t.QueryID})
		}
	}
	return out, err
}

func (s *semantic) Columns(ctx context.Context, schema, table string) ([]Column, error) {
	return s.g.Describe(ctx, s.p, engine.TableName{Catalog: s.c.Name, Schema: schema, Table: table})
}

// Definition is zero for a shared catalog, because its sources are private to the other project.
func (s *semantic) Definition(ctx context.Context, schema, table string) (sql.Query, error) {
	if s.c.ProjectID != s.p.ID {
		return sql.Query{}, nil
	}
	all, err := s.Tables(ctx, schema)
	for _, t := range all {
		if t.TableName == table {
			q, err := s.g.Store.Query(ctx, s.p.ID, t.QueryID)
			if errors.Is(err, store.ErrNotFound) {
				return sql.Query{}, nil
			}
			return sql.Query{SQL: q.SQL}, err
		}
	}
	return sql.Query{}, err
}

func (s *semantic) Resolve(ctx context.Context, _ Resolver, n engine.TableName) (sql.Source, error) {
	all, err := s.Tables(ctx, n.Schema)
	if err != nil {
		return sql.Source{}, err
	}
	i := slices.IndexFunc(all, func(t api.Table) bool { return t.TableName == n.Table })
	switch {
	case len(all) == 0:
		return sql.Source{}, noSchema(n.Schema)
	case i < 0:
		return sql.Source{}, engine.UnknownTable(n)
	case s.c.ProjectID != s.p.ID: // its names refer to the other project's tables, so it runs there
		owner, err := s.g.Store.Project(ctx, "", s.c.ProjectID)
		return sql.Source{Relay: sharedTable{s.g, owner, n}}, err
	}
	q, err := s.g.Store.Query(ctx, s.p.ID, all[i].QueryID)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Unknown(engine.KindUnknownTable, "the saved query %s of table '%s' was deleted", all[i].QueryID, n)
	}
	return sql.Source{SQL: q.SQL}, err // always live, also over a materialized query [O]
}

// Props are the values of current_user_props(key) [D].
func Props(s web.Scope, p store.Project) map[string]string {
	return map[string]string{"id": s.UserID, "user": s.UserID, "email": s.Email, "username": s.Email, "firstname": "",
		"lastname": "", "project": p.ID}
}
