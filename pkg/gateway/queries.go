package gateway

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// queriesService keeps saved queries, their folders, and the stored results of materialized ones.
type queriesService struct {
	store   *store.Store
	engine  engine.Engine
	now     func() time.Time
	log     *slog.Logger
	jobs    *jobsService
	names   *namesService
	saving  keyed // by project: saved queries are checked against each other and stored by one at a time
	storing keyed // by materialized query: its rows are replaced or dropped by one at a time
}

// Routes registers the handlers.
func (g *queriesService) Routes(m *webService) {
	handle(m, spec.ListQueries, g.listQueries)
	handle(m, spec.CreateQuery, g.createQuery)
	handle(m, spec.GetQuery, g.getQuery)
	handle(m, spec.UpdateQuery, g.updateQuery)
	handle(m, spec.DeleteQuery, g.deleteQuery)
	handle(m, spec.MoveQuery, g.moveQuery)
	g.folderRoutes(m)
	g.materializedRoutes(m)
}

// Types of saved queries [O].
const (
	plainQuery        = "PLAIN"
	materializedQuery = "MATERIALIZED"
)

// folderPaths finds the paths of a project's folders by id.
func (g *queriesService) folderPaths(ctx context.Context, p store.Project) (map[string]string, error) {
	all, err := g.store.Folders(ctx, p.ID)
	paths := make(map[string]string, len(all))
	for _, f := range all {
		paths[f.ID] = f.Path
	}
	return paths, err
}

func queryOut(q store.Query, paths map[string]string) api.Query {
	path := "/"
	if q.FolderID != nil {
		path = paths[*q.FolderID]
	}
	out := api.Query{ID: q.ID, DisplayName: q.DisplayName, Name: q.Name, InputQuery: q.SQL, QueryType: plainQuery, Path: &path, FolderID: q.FolderID}
	if q.Materialized != nil {
		out.QueryType, out.Schedule = materializedQuery, scheduleOut(q.Materialized.Schedule)
	}
	return out
}

func (g *queriesService) queriesOut(ctx context.Context, p store.Project, qs []store.Query) ([]api.Query, error) {
	paths, err := g.folderPaths(ctx, p)
	return mapAll(qs, func(q store.Query) api.Query { return queryOut(q, paths) }), err
}

func (g *queriesService) queryReply(ctx context.Context, p store.Project, q store.Query) (api.Query, error) {
	out, err := g.queriesOut(ctx, p, []store.Query{q})
	if err != nil {
		return api.Query{}, err
	}
	return out[0], nil
}

// savedQuery finds a saved query. A missing one is 400, as hosted [L].
func (g *queriesService) savedQuery(ctx context.Context, p store.Project, id string) (store.Query, error) {
	q, err := g.store.Query(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return q, dataFault(400, "There is no query with id: %s", id)
	}
	return q, err
}

func (g *queriesService) listQueries(ctx context.Context, r *Request[None]) ([]api.Query, error) {
	all, err := g.store.Queries(ctx, r.Project.ID)
	if err != nil {
		return nil, err
	}
	return g.queriesOut(ctx, r.Project, all)
}

func (g *queriesService) getQuery(ctx context.Context, r *Request[None]) (api.Query, error) {
	q, err := g.savedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return api.Query{}, err
	}
	return g.queryReply(ctx, r.Project, q)
}

func (g *queriesService) createQuery(ctx context.Context, r *Request[api.QueryRequest]) (api.Query, error) {
	b := r.Body
	if b.DisplayName == nil {
		return api.Query{}, missing("displayName")
	}
	if b.InputQuery == nil && b.InputQueryRefID == nil {
		return api.Query{}, missing("inputQuery")
	}
	return g.saveQuery(ctx, r, func() (store.Query, error) { return store.Query{ProjectID: r.Project.ID}, nil })
}

func (g *queriesService) updateQuery(ctx context.Context, r *Request[api.QueryRequest]) (api.Query, error) {
	return g.saveQuery(ctx, r, func() (store.Query, error) { return g.savedQuery(ctx, r.Project, r.Param("queryId")) })
}

// saveQuery lays a request over a query and stores it, and begins or ends what follows from its type.
func (g *queriesService) saveQuery(ctx context.Context, r *Request[api.QueryRequest], read func() (store.Query, error)) (api.Query, error) {
	old, saved, err := g.replaceQuery(ctx, r, read)
	if err != nil {
		return api.Query{}, err
	}
	switch {
	case saved.Materialized != nil && (old.Materialized == nil || saved.SQL != old.SQL):
		err = g.startRun(ctx, r.Project, saved.ID)
	case saved.Materialized == nil && old.Materialized != nil:
		err = g.dropStored(ctx, r.Project, saved.ID)
	}
	if err != nil {
		return api.Query{}, err
	}
	return g.queryReply(ctx, r.Project, saved)
}

// replaceQuery reads a query, changes and stores it. One at a time does so in a project: two that do not see each other's change
// could make a circle, or undo it. Nothing is stored when anything is refused.
func (g *queriesService) replaceQuery(ctx context.Context, r *Request[api.QueryRequest], read func() (store.Query, error)) (old, saved store.Query, err error) {
	unlock, err := g.saving.lock(ctx, r.Project.ID)
	if err != nil {
		return old, saved, err
	}
	defer unlock()
	if old, err = read(); err != nil {
		return old, saved, err
	}
	check, err := r.Bool("checkSchemaExists", true)
	if err != nil {
		return old, saved, err
	}
	q := old
	if err := g.layOver(ctx, r, &q); err != nil {
		return old, saved, err
	}
	var path []string
	if r.Body.Path != nil {
		if path, err = splitPath(*r.Body.Path); err != nil {
			return old, saved, err
		}
	}
	if err := g.nameFree(ctx, q); err != nil {
		return old, saved, err
	}
	if q.SQL != old.SQL || q.Name != old.Name {
		check = check && q.SQL != old.SQL // a query that found its tables no more can get another name
		if err := g.checkQuery(ctx, r, q, old.Name, check); err != nil {
			return old, saved, err
		}
	}
	saved, err = g.store.SaveQuery(ctx, q, path, r.Body.Path != nil)
	if errors.Is(err, store.ErrConflict) {
		err = nameTaken(q.Name)
	}
	return old, saved, err
}

// layOver changes what a request names and keeps the rest.
func (g *queriesService) layOver(ctx context.Context, r *Request[api.QueryRequest], q *store.Query) error {
	b := r.Body
	if b.DisplayName != nil {
		name := sqlName(*b.DisplayName)
		if strings.Trim(name, "_") == "" || utf8.RuneCountInString(name) > 255 {
			return dataFault(400, "displayName %q makes no name for SQL: it needs a letter or a digit, and at most 255 characters", *b.DisplayName)
		}
		q.DisplayName, q.Name = *b.DisplayName, name
	}
	switch {
	case b.InputQuery != nil && b.InputQueryRefID != nil:
		return dataFault(400, "inputQuery and inputQueryRefId exclude each other")
	case b.InputQuery != nil:
		q.SQL = *b.InputQuery
	case b.InputQueryRefID != nil:
		ref, err := g.savedQuery(ctx, r.Project, *b.InputQueryRefID)
		if err != nil {
			return err
		}
		q.SQL = ref.SQL
	}
	if strings.TrimSpace(q.SQL) == "" {
		return dataFault(400, "inputQuery is empty")
	}
	switch b.QueryType {
	case "":
	case plainQuery:
		q.Materialized = nil
	case materializedQuery:
		if q.Materialized == nil {
			q.Materialized = &store.Materialized{Schedule: store.Schedule{Type: "none", Anchor: store.Time(g.now())}}
		}
	default:
		return dataFault(400, "queryType: %q is neither PLAIN nor MATERIALIZED", b.QueryType)
	}
	if b.Schedule == nil {
		return nil
	}
	s, err := g.newSchedule(*b.Schedule)
	if err != nil {
		return err
	}
	if q.Materialized == nil {
		if s.Type == "none" {
			return nil
		}
		return dataFault(400, "schedule: only a materialized query has one; set queryType to MATERIALIZED")
	}
	m := *q.Materialized
	m.Schedule = s
	q.Materialized = &m
	return nil
}

// sqlName makes the name that SQL uses: lower case, and an underscore for whatever is neither letter nor digit. The service
// documents the lower case [O]; the underscores are ours.
func sqlName(display string) string {
	return strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, strings.TrimSpace(display))
}

func nameTaken(name string) error {
	return dataFault(409, "a query named %s already exists in this project", name)
}

func (g *queriesService) nameFree(ctx context.Context, q store.Query) error {
	other, err := g.store.QueryNamed(ctx, q.ProjectID, q.Name)
	if errors.Is(err, store.ErrNotFound) || err == nil && other.ID == q.ID {
		return nil
	}
	if err != nil {
		return err
	}
	return nameTaken(q.Name)
}

func (g *queriesService) deleteQuery(ctx context.Context, r *Request[None]) (None, error) {
	q, err := g.savedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return None{}, err
	}
	return None{}, g.removeQuery(ctx, r.Project, q, func() error { return g.store.DeleteQuery(ctx, q.ProjectID, q.ID) })
}

// removeQuery drops the rows a query has stored, then the query. In this order a failure leaves something that can be deleted again.
func (g *queriesService) removeQuery(ctx context.Context, p store.Project, q store.Query, remove func() error) error {
	if q.Materialized != nil {
		if _, err := g.store.AskCancel(ctx, q.ID); err != nil {
			return err
		}
		if err := g.dropStored(ctx, p, q.ID); err != nil {
			return err
		}
	}
	return remove()
}

// dropStored drops the rows of a query. It waits for a run that goes on, which was asked to stop before.
func (g *queriesService) dropStored(ctx context.Context, p store.Project, id string) error {
	unlock, err := g.storing.lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := g.engine.Project(ctx, p.ID)
	if err != nil {
		return err
	}
	return data.DropStored(ctx, engine.SchemaMtQuery, id)
}

func (g *queriesService) moveQuery(ctx context.Context, r *Request[api.QueryPathUpdateRequest]) (None, error) {
	unlock, err := g.saving.lock(ctx, r.Project.ID)
	if err != nil {
		return None{}, err
	}
	defer unlock()
	q, err := g.savedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return None{}, err
	}
	path, err := bodyPath(r.Body)
	if err != nil {
		return None{}, err
	}
	return None{}, g.store.MoveQuery(ctx, q.ProjectID, q.ID, path)
}
