package queries

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// SavedStatement returns the statement for execution by id: that of a plain query, or one over the stored rows of a
// materialized one [L].
func (s *Service) SavedStatement(ctx context.Context, p store.Project, id string) (sql.Query, error) {
	q, err := s.SavedQuery(ctx, p, id)
	if err != nil {
		return sql.Query{}, err
	}
	if q.Materialized == nil {
		return sql.Query{SQL: q.SQL}, nil
	}
	n := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaMtQuery, Table: q.Name}
	return sql.Query{Ask: sql.Rows{Table: n}}, nil
}

// checkQuery analyses a query with the new statement in place of the stored one. So the engine detects a query that
// refers to itself, also indirectly, and anything but a SELECT. A missing object is an error only if exists is set:
// names are resolved at run time, so a query may be saved before its tables are created [O].
func (s *Service) checkQuery(ctx context.Context, r *web.Request[api.QueryRequest], q store.Query, was string,
	exists bool) error {
	if was == q.Name {
		was = ""
	}
	rs := s.Names.Resolver(r.Project)
	rs.Draft = &names.Draft{Name: q.Name, Was: was, SQL: q.SQL}
	n := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaQuery, Table: names.DraftMark + q.Name}
	data, err := s.Engine.Project(ctx, r.Project.ID)
	if err != nil {
		return err
	}
	if err = sql.Check(ctx, data, sql.Query{Ask: sql.Rows{Table: n, Limit: sql.NoRows}, Catalogs: rs,
		Props: names.Props(r.Scope, r.Project)}); err == nil {
		return nil
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Kind {
	case engine.KindUnknownCatalog, engine.KindUnknownSchema, engine.KindUnknownTable, engine.KindUnknownColumn:
		if !exists {
			return nil
		}
	}
	return inOwnText(e, n)
}

// inOwnText unwraps an error of the check to the one in the checked statement, with its line and column there. A cycle
// has no single position: its message names every query in it.
func inOwnText(e *engine.Error, n engine.TableName) error {
	if e.Kind == engine.KindCycle {
		own := strings.TrimSuffix(e.Message, " -> "+n.String())
		return &engine.Error{Kind: e.Kind, Message: strings.ReplaceAll(own, n.String(), strings.Replace(n.String(),
			names.DraftMark, "", 1))}
	}
	for err := error(e); err != nil; err = errors.Unwrap(err) {
		if own, ok := err.(*engine.Error); ok && //nolint:errorlint // the loop unwraps
			OwnPart(own.Message, n) == own.Message {
			return own
		}
	}
	return &engine.Error{Kind: e.Kind, Message: OwnPart(e.Message, n)}
}

// Placed is an error of a statement that the gateway has made for a saved query: nobody has seen its text, so that a
// place is one in the text of the query, or absent. text reports whether the statement is that text.
func Placed(n engine.TableName, text bool, err error) error {
	var e *engine.Error
	switch {
	case !errors.As(err, &e):
		return err
	case text:
		return e.In(n, err)
	}
	return &engine.Error{Kind: e.Kind, Message: e.Message, Hint: e.Hint, Err: err}
}

// OwnPart removes from a message the prefix that engine.Error.In has added: the name of the query, and the position in
// it.
func OwnPart(msg string, n engine.TableName) string {
	rest, ok := strings.CutPrefix(msg, "in "+n.String())
	if own, found := strings.CutPrefix(rest, ": "); ok && found {
		return own
	}
	if rest, found := strings.CutPrefix(rest, ", line "); ok && found {
		if _, own, found := strings.Cut(rest, ": "); found {
			return own
		}
	}
	return msg
}
