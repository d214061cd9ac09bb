// Package exports writes results to files and serves them by signed links.
package exports

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service writes results to files.
type Service struct {
	Store    *store.Store
	Now      func() time.Time
	Log      *slog.Logger
	Web      *web.Mux
	Jobs     *jobs.Service
	Names    *names.Service
	Sources  *sources.Service
	Queries  *queries.Service
	Catalogs *catalogs.Service
	Files    files.Files
	ReadOnly bool
	Limits   web.Limits
	swept    atomic.Bool // files without a job were removed

	Fail func(rows int64) error // called after a file is written, if set; an error fails the export
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ExportQuery, s.exportQuery)
	web.Handle(m, spec.ExportTable, s.exportTable)
	web.Handle(m, spec.ListExports, s.listExports)
	web.Handle(m, spec.GetExport, s.getExport)
	web.Handle(m, spec.CancelExport, s.cancelExport)
	m.HandleFiles(downloadPath, s.download)
	s.Jobs.OnTick(jobs.Duty{Name: "exports", Every: time.Minute, Run: func(ctx context.Context, _ time.Time) error {
		return errors.Join(s.shrinkExports(ctx), s.SweepExports(ctx))
	}}, jobs.Duty{Name: "ended exports", Every: jobs.EndEvery,
		Run: func(ctx context.Context, _ time.Time) error { return s.tidyExports(ctx) }})
}

const (
	exportMaxLimit = 1_000_000           // a larger limit is accepted and then fails [O]
	exportLife     = 24 * time.Hour      // how long a file is kept
	exportTimeout  = 2 * time.Hour       // of one job
	exportMemory   = 30 * 24 * time.Hour // how long a job without a file is listed
)

func (s *Service) exportQuery(ctx context.Context, r *web.Request[api.ExportRequest]) (web.Reply, error) {
	q, err := s.Queries.SavedQuery(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return web.Reply{}, err
	}
	read, err := s.Queries.SavedStatement(ctx, r.Project, q.ID)
	if err != nil {
		return web.Reply{}, err
	}
	name := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaQuery, Table: q.Name}
	return s.startExport(ctx, r, store.Export{Source: store.ExportOfQuery, QueryID: q.ID}, read, name,
		q.Materialized == nil)
}

func (s *Service) exportTable(ctx context.Context, r *web.Request[api.ExportRequest]) (web.Reply, error) {
	c, t, err := s.Catalogs.Table(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	if err != nil {
		return web.Reply{}, err
	}
	name := engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName}
	x := store.Export{Source: store.ExportOfTable, CatalogID: c.ID, SchemaName: t.SchemaName, TableName: t.TableName}
	return s.startExport(ctx, r, x, sql.Query{Ask: sql.Rows{Table: name}}, name, false)
}

// startExport validates a request against the columns of what it exports, records the job and starts it. text reports
// whether the statement is the text of a saved query.
func (s *Service) startExport(ctx context.Context, r *web.Request[api.ExportRequest], x store.Export, q sql.Query,
	name engine.TableName, text bool) (web.Reply, error) {
	o, err := exportOptions(r.Body)
	if err != nil {
		return web.Reply{}, err
	}
	cols, err := s.Names.Describe(ctx, r.Project, name)
	if err != nil {
		return web.Reply{}, queries.Placed(name, false, err)
	}
	if err := o.choose(each.Map(cols, func(c names.Column) api.ResultColumn {
		return api.ResultColumn{Name: c.Name,
			DataType: c.DataType}
	}), x); err != nil {
		return web.Reply{}, err
	}
	if err := errors.Join(s.tidyExports(ctx), unstored(s.sweptExports(ctx))); err != nil {
		return web.Reply{}, err
	}
	if x.Runner, err = s.Jobs.Runner(); err != nil {
		return web.Reply{}, err
	}
	scope := r.Scope
	x.ProjectID, x.Format, x.Compression = r.Project.ID, o.format, o.compression
	x.UserID, x.UserName, x.KeyID, x.KeyPrefix, x.ClientSource = scope.UserID, scope.Email, scope.KeyID,
		scope.KeyPrefix, "API"
	x.FileName = safeFileName(name.Table) + o.suffix()
	if x, err = s.Store.CreateExport(ctx, x); err != nil {
		return web.Reply{}, err
	}
	o.placed = func(err error) error { return queries.Placed(name, text, err) }
	q.Props, q.Timeout = names.Props(scope, r.Project), exportTimeout
	s.Jobs.Background(jobs.JobExport, func(ctx context.Context) { s.runExport(ctx, r.Project, x, q, o) })
	return web.Reply{Status: 202, Value: api.ExportJobCreated{ID: x.ID, Status: x.Status}}, nil
}

func (s *Service) listExports(ctx context.Context, r *web.Request[web.None]) ([]api.ExportJobResponse, error) {
	limit := 50
	if v := r.Query("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, fault.Data(400, "query parameter limit: %q is not an integer", v)
		}
		limit = min(max(n, 1), 200) // clamped, not rejected [O]
	}
	var states []string
	for _, st := range strings.Split(r.Query("status"), ",") {
		if st = strings.ToUpper(strings.TrimSpace(st)); st == "" {
			continue
		}
		switch st {
		case store.ExportPending, store.ExportRunning, store.ExportSucceeded, store.ExportFailed, store.ExportCancelled,
			store.ExportExpired:
			states = append(states, st)
		default:
			return nil,
				fault.Data(400,
					"query parameter status: %q is not one of PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED",
					st)
		}
	}
	before := r.Query("createdBefore")
	if before != "" {
		t, err := time.Parse(time.RFC3339, before)
		if err != nil {
			return nil,
				fault.Data(400,
					"query parameter createdBefore: %q is not an ISO 8601 time such as 2026-01-31T12:00:00Z", before)
		}
		before = store.Time(t)
	}
	if err := s.tidyExports(ctx); err != nil {
		return nil, err
	}
	all, err := s.Store.Exports(ctx, r.Project.ID, states, before, limit)
	return each.Map(all, func(x store.Export) api.ExportJobResponse { return exportOut(x, r.Scope) }), err
}

func (s *Service) getExport(ctx context.Context, r *web.Request[web.None]) (api.ExportJobResponse, error) {
	if err := s.tidyExports(ctx); err != nil {
		return api.ExportJobResponse{}, err
	}
	x, err := s.export(ctx, r.Project, r.Param("exportId"))
	if err != nil {
		return api.ExportJobResponse{}, err
	}
	out := exportOut(x, r.Scope)
	if out.Downloadable {
		url, err := s.downloadURL(ctx, r.HTTP, x)
		if err != nil {
			return out, err
		}
		out.Files = []api.ExportFile{{Name: x.FileName, URL: url, Bytes: x.Bytes}}
	}
	return out, nil
}

func (s *Service) export(ctx context.Context, p store.Project, id string) (store.Export, error) {
	if err := s.Jobs.Recorded(ctx, "export "+id); err != nil {
		return store.Export{}, err
	}
	x, err := s.Store.Export(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Data(404, "there is no export with id: %s", id)
	}
	return x, err
}

// cancelExport cancels an open job and is not an error for one that has ended [O]. The file of a finished job is kept.
func (s *Service) cancelExport(ctx context.Context, r *web.Request[web.None]) (web.Reply, error) {
	x, err := s.export(ctx, r.Project, r.Param("exportId"))
	if err != nil {
		return web.Reply{}, err
	}
	if x.Open() {
		x.Status, x.DurationMs = store.ExportCancelled, s.since(x.CreatedAt)
		if err := s.Store.EndExport(ctx, x); err != nil && !errors.Is(err, store.ErrNotFound) {
			return web.Reply{}, err
		}
	}
	return web.Reply{Status: 204}, nil
}

// since returns the milliseconds from a stored time to now.
func (s *Service) since(stamp string) int64 {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return 0
	}
	return max(0, s.Now().Sub(t).Milliseconds())
}

// owns reports whether a caller may download the files of a job: the key that created it, or the owner of the data
// directory.
func owns(x store.Export, s web.Scope) bool {
	return x.KeyID == s.KeyID || s.Partner && s.KeyID == ""
}

func exportOut(x store.Export, s web.Scope) api.ExportJobResponse {
	out := api.ExportJobResponse{ID: x.ID, Status: x.Status, Format: x.Format, Compression: x.Compression,
		CreatedAt: x.CreatedAt, Source: x.Source,
		UserID: x.UserID, UserName: x.UserName, ClientSource: x.ClientSource,
		Downloadable: x.Status == store.ExportSucceeded && owns(x, s)}
	text := func(v string) *string {
		if v == "" {
			return nil
		}
		return &v
	}
	out.QueryID, out.CatalogID, out.SchemaName, out.TableName = text(x.QueryID), text(x.CatalogID), text(x.SchemaName),
		text(x.TableName)
	out.Error, out.ExpiresAt, out.APIKeyPrefix = text(x.Error), text(x.ExpiresAt), text(x.KeyPrefix)
	if x.Status == store.ExportSucceeded || x.Status == store.ExportExpired {
		out.RowCount, out.Bytes = &x.RowCount, &x.Bytes
	}
	if !x.Open() {
		out.DurationMs = &x.DurationMs
	}
	return out
}

// safeFileName keeps letters, digits, dot, hyphen and underscore, so that a name is one path segment on every system.
func safeFileName(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	if len(out) > 80 {
		out = out[:80]
	}
	if out == "" {
		return "export"
	}
	return out
}

// limitFault returns the error for a limit above the service's maximum; 0 means none.
func limitFault(limit int64) error {
	if limit > exportMaxLimit {
		return errors.New("limit " + strconv.FormatInt(limit, 10) + " is above the maximum of " +
			strconv.Itoa(exportMaxLimit))
	}
	return nil
}
