package gateway

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// draft is a saved query as it will be, for checking it before it is saved. It is planned under a name of its own, so that nobody
// who runs the query in the meantime gets the text that is only being checked.
type draft struct{ name, was, sql string }

// draftMark cannot begin the name of a saved query.
const draftMark = "~"

// lookupQuery finds what a name below peaka.query or peaka.mtquery stands for: the live text, or the rows stored by the last
// complete run.
func (r resolver) lookupQuery(ctx context.Context, n engine.TableName) (engine.Source, error) {
	name := strings.ToLower(n.Table)
	if d := r.draft; d != nil && n.Schema == engine.SchemaQuery {
		switch name {
		case draftMark + d.name:
			return engine.Source{SQL: d.sql}, nil
		case d.name: // whatever leads here goes round in a circle, which the engine finds
			n.Table = draftMark + d.name
			return engine.Source{SQL: "SELECT * FROM " + n.Quoted()}, nil
		case d.was:
			return engine.Source{}, unknown(engine.KindUnknownTable, "Table '%s' does not exist", n.String())
		}
	}
	q, err := r.g.store.QueryNamed(ctx, r.p.ID, name)
	if errors.Is(err, store.ErrNotFound) {
		return engine.Source{}, unknown(engine.KindUnknownTable, "Table '%s' does not exist", n.String())
	}
	if err != nil {
		return engine.Source{}, err
	}
	if n.Schema == engine.SchemaQuery {
		return engine.Source{SQL: q.SQL}, nil
	}
	m := q.Materialized
	if m == nil {
		return engine.Source{}, unknown(engine.KindUnknownTable, "Table '%s' does not exist: query %s is not materialized", n.String(), q.Name)
	}
	if m.StoredAt == nil {
		return engine.Source{}, unknown(engine.KindUnknownTable, "Table '%s' holds nothing yet: no run of the materialized query has completed%s", n.String(), runState(m))
	}
	return engine.Source{Stored: &engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaMtQuery, Table: q.ID}}, nil
}

func runState(m *store.Materialized) string {
	switch {
	case m.StartedAt == nil:
		return ""
	case m.Error != nil:
		return ", the latest " + m.Status + ": " + *m.Error
	}
	return ", the latest is " + m.Status
}

// listQueries names the saved queries, and the stored results that can be read.
func (r resolver) listQueries(ctx context.Context) ([]engine.TableName, error) {
	all, err := r.g.store.Queries(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, q := range all {
		out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaQuery, Table: q.Name})
	}
	for _, q := range all {
		if q.Materialized != nil && q.Materialized.StoredAt != nil {
			out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaMtQuery, Table: q.Name})
		}
	}
	return out, nil
}

// savedStatement is the SQL that execution by id stands for: the text of a plain query, the stored rows of a materialized one [L].
func (g *queriesService) savedStatement(ctx context.Context, p store.Project, id string) (string, error) {
	q, err := g.savedQuery(ctx, p, id)
	if err != nil {
		return "", err
	}
	if q.Materialized == nil {
		return q.SQL, nil
	}
	return "SELECT * FROM " + engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaMtQuery, Table: q.Name}.Quoted(), nil
}

// checkQuery plans a query with the new text in place of what is stored. So the engine finds a query that refers to itself, through
// others too, and what is no SELECT. An object that does not exist is refused only when exists is set:
// the text is bound when it runs, so it may be saved before the table is made [O].
func (g *queriesService) checkQuery(ctx context.Context, r *Request[api.QueryRequest], q store.Query, was string, exists bool) error {
	if was == q.Name {
		was = ""
	}
	rs := g.names.resolver(r.Project)
	rs.draft = &draft{name: q.Name, was: was, sql: q.SQL}
	n := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaQuery, Table: draftMark + q.Name}
	data, err := g.engine.Project(ctx, r.Project.ID)
	if err != nil {
		return err
	}
	res, err := data.Query(ctx, engine.Query{SQL: "SELECT * FROM " + n.Quoted() + " LIMIT 0", Catalogs: rs, Props: props(r.Scope, r.Project)})
	if err == nil {
		return res.Close()
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

// inOwnText unwraps an error of the check to the one that lies in the checked text, with its line and column there. A cycle has
// no one place: its message names every query on the way.
func inOwnText(e *engine.Error, n engine.TableName) error {
	if e.Kind == engine.KindCycle {
		own := strings.TrimSuffix(e.Message, " -> "+n.String())
		return &engine.Error{Kind: e.Kind, Message: strings.ReplaceAll(own, n.String(), strings.Replace(n.String(), draftMark, "", 1))}
	}
	for err := error(e); err != nil; err = errors.Unwrap(err) {
		if own, ok := err.(*engine.Error); ok && //nolint:errorlint // the loop unwraps
			ownPart(own.Message, n) == own.Message {
			return own
		}
	}
	return &engine.Error{Kind: e.Kind, Message: ownPart(e.Message, n)}
}

// ownPart is a message less the name of the query, and the place in it, that engine.Error.In has put before it.
func ownPart(msg string, n engine.TableName) string {
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
