// Package queries serves saved queries, their folders, and the stored results of materialized ones.
package queries

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/stored"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service manages saved queries, their folders, and the stored results of materialized ones.
type Service struct {
	Store   *store.Store
	Engine  engine.Engine
	Now     func() time.Time
	Log     *slog.Logger
	Jobs    *jobs.Service
	Names   *names.Service
	Results *stored.Service
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ListQueries, s.listQueries)
	web.Handle(m, spec.CreateQuery, s.createQuery)
	web.Handle(m, spec.GetQuery, s.getQuery)
	web.Handle(m, spec.UpdateQuery, s.updateQuery)
	web.Handle(m, spec.DeleteQuery, s.deleteQuery)
	web.Handle(m, spec.MoveQuery, s.moveQuery)
	s.folderRoutes(m)
	s.materializedRoutes(m)
}

// Types of saved queries [O].
const (
	plainQuery        = "PLAIN"
	materializedQuery = "MATERIALIZED"
)

// folderPaths returns the paths of a project's folders by id.
func (s *Service) folderPaths(ctx context.Context, p store.Project) (map[string]string, error) {
	all, err := s.Store.Folders(ctx, p.ID)
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
	out := api.Query{ID: q.ID, DisplayName: q.DisplayName, Name: q.Name, InputQuery: q.SQL, QueryType: plainQuery,
		Path: &path, FolderID: q.FolderID}
	if q.Materialized != nil {
		out.QueryType, out.Schedule = materializedQuery, scheduleOut(q.Materialized.Schedule)
	}
	return out
}

func (s *Service) queriesOut(ctx context.Context, p store.Project, qs []store.Query) ([]api.Query, error) {
	paths, err := s.folderPaths(ctx, p)
	return each.Map(qs, func(q store.Query) api.Query { return queryOut(q, paths) }), err
}

func (s *Service) queryReply(ctx context.Context, p store.Project, q store.Query) (api.Query, error) {
	out, err := s.queriesOut(ctx, p, []store.Query{q})
	if err != nil {
		return api.Query{}, err
	}
	return out[0], nil
}

// SavedQuery finds a saved query. A missing one is 400, as hosted [L].
func (s *Service) SavedQuery(ctx context.Context, p store.Project, id string) (store.Query, error) {
	q, err := s.Store.Query(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return q, fault.Data(400, "There is no query with id: %s", id)
	}
	return q, err
}

func (s *Service) listQueries(ctx context.Context, r *web.Request[web.None]) ([]api.Query, error) {
	all, err := s.Store.Queries(ctx, r.Project.ID)
	if err != nil {
		return nil, err
	}
	return s.queriesOut(ctx, r.Project, all)
}

func (s *Service) getQuery(ctx context.Context, r *web.Request[web.None]) (api.Query, error) {
	q, err := s.SavedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return api.Query{}, err
	}
	return s.queryReply(ctx, r.Project, q)
}

func (s *Service) createQuery(ctx context.Context, r *web.Request[api.QueryRequest]) (api.Query, error) {
	b := r.Body
	if b.DisplayName == nil {
		return api.Query{}, fault.Missing("displayName")
	}
	if b.InputQuery == nil && b.InputQueryRefID == nil {
		return api.Query{}, fault.Missing("inputQuery")
	}
	return s.saveQuery(ctx, r, func() (store.Query, error) { return store.Query{ProjectID: r.Project.ID}, nil })
}

func (s *Service) updateQuery(ctx context.Context, r *web.Request[api.QueryRequest]) (api.Query, error) {
	return s.saveQuery(ctx, r, func() (store.Query, error) { return s.SavedQuery(ctx, r.Project, r.Param("queryId")) })
}

// saveQuery applies a request to a query and stores it, and starts or ends runs according to its type.
func (s *Service) saveQuery(ctx context.Context, r *web.Request[api.QueryRequest], read func() (store.Query,
	error)) (api.Query, error) {
	old, saved, err := s.replaceQuery(ctx, r, read)
	if err != nil {
		return api.Query{}, err
	}
	switch {
	case saved.Materialized != nil && (old.Materialized == nil || saved.SQL != old.SQL):
		err = s.startRun(ctx, r.Project, saved.ID, false, func() {})
	case saved.Materialized == nil && old.Materialized != nil:
		s.Results.DropOf(ctx, old.ID)
	}
	if err != nil {
		return api.Query{}, err
	}
	return s.queryReply(ctx, r.Project, saved)
}

// lock has the changes of the saved queries of a project follow each other.
func (s *Service) lock(ctx context.Context, p store.Project) (*engine.Lock, error) {
	return s.Jobs.Lock(ctx, "queries "+p.ID)
}

// replaceQuery reads, changes and stores a query. This is serialized per project: two concurrent changes could create a
// cycle, or undo each other. Nothing is stored if anything is rejected.
func (s *Service) replaceQuery(ctx context.Context, r *web.Request[api.QueryRequest], read func() (store.Query,
	error)) (old, saved store.Query, err error) {
	lock, err := s.lock(ctx, r.Project)
	if err != nil {
		return old, saved, err
	}
	defer lock.Unlock()
	if old, err = read(); err != nil {
		return old, saved, err
	}
	check, err := r.Bool("checkSchemaExists", true)
	if err != nil {
		return old, saved, err
	}
	q := old
	if err := s.layOver(ctx, r, &q); err != nil {
		return old, saved, err
	}
	var path []string
	if r.Body.Path != nil {
		if path, err = splitPath(*r.Body.Path); err != nil {
			return old, saved, err
		}
	}
	if err := s.nameFree(ctx, q); err != nil {
		return old, saved, err
	}
	if q.SQL != old.SQL || q.Name != old.Name {
		check = check && q.SQL != old.SQL // a query with missing tables can still be renamed
		if err := s.checkQuery(ctx, r, q, old.Name, check); err != nil {
			return old, saved, err
		}
	}
	saved, err = s.Store.SaveQuery(ctx, q, path, r.Body.Path != nil)
	if errors.Is(err, store.ErrConflict) {
		err = nameTaken(q.Name)
	}
	return old, saved, err
}

// layOver changes what a request specifies and keeps the rest.
func (s *Service) layOver(ctx context.Context, r *web.Request[api.QueryRequest], q *store.Query) error {
	b := r.Body
	if b.DisplayName != nil {
		name := sqltext.OfQuery(*b.DisplayName)
		if !sqltext.IsQueryName(name) {
			return fault.Data(400, "displayName %q cannot be converted to an SQL name: it must contain a letter or a "+
				"digit, and at most %d characters", *b.DisplayName, sqltext.MaxQueryName)
		}
		q.DisplayName, q.Name = *b.DisplayName, name
	}
	switch {
	case b.InputQuery != nil && b.InputQueryRefID != nil:
		return fault.Data(400, "inputQuery and inputQueryRefId are mutually exclusive")
	case b.InputQuery != nil:
		q.SQL = *b.InputQuery
	case b.InputQueryRefID != nil:
		ref, err := s.SavedQuery(ctx, r.Project, *b.InputQueryRefID)
		if err != nil {
			return err
		}
		q.SQL = ref.SQL
	}
	if strings.TrimSpace(q.SQL) == "" {
		return fault.Data(400, "inputQuery is empty")
	}
	switch b.QueryType {
	case "":
	case plainQuery:
		q.Materialized = nil
	case materializedQuery:
		if q.Materialized == nil {
			q.Materialized = &store.Materialized{Schedule: store.Schedule{Type: schedule.None,
				Anchor: store.Time(s.Now())}}
		}
	default:
		return fault.Data(400, "queryType: %q is neither PLAIN nor MATERIALIZED", b.QueryType)
	}
	if b.Schedule == nil {
		return nil
	}
	due, err := s.newSchedule(*b.Schedule)
	if err != nil {
		return err
	}
	if q.Materialized == nil {
		if due.Type == schedule.None {
			return nil
		}
		return fault.Data(400, "schedule: only a materialized query has one; set queryType to MATERIALIZED")
	}
	m := *q.Materialized
	m.Schedule = due
	q.Materialized = &m
	return nil
}

func nameTaken(name string) error {
	return fault.Data(409, "a query named %s already exists in this project", name)
}

func (s *Service) nameFree(ctx context.Context, q store.Query) error {
	other, err := s.Store.QueryNamed(ctx, q.ProjectID, q.Name)
	if errors.Is(err, store.ErrNotFound) || err == nil && other.ID == q.ID {
		return nil
	}
	if err != nil {
		return err
	}
	return nameTaken(q.Name)
}

func (s *Service) deleteQuery(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	q, err := s.SavedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return web.None{}, err
	}
	if err := s.Store.DeleteQuery(ctx, q.ProjectID, q.ID); err != nil {
		return web.None{}, err
	}
	s.Results.DropOf(ctx, q.ID)
	return web.None{}, nil
}

func (s *Service) moveQuery(ctx context.Context, r *web.Request[api.QueryPathUpdateRequest]) (web.None, error) {
	lock, err := s.lock(ctx, r.Project)
	if err != nil {
		return web.None{}, err
	}
	defer lock.Unlock()
	q, err := s.SavedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return web.None{}, err
	}
	path, err := bodyPath(r.Body)
	if err != nil {
		return web.None{}, err
	}
	return web.None{}, s.Store.MoveQuery(ctx, q.ProjectID, q.ID, path)
}
