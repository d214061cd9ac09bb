package metadata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// States of a refresh, in the service's spelling [L].
const (
	RefreshNever  = "not-active"
	refreshActive = "active"
	RefreshDone   = "completed"
	refreshFailed = "failed"
)

// refreshMetadata reads one catalog, or all of them, again: sample values of the columns the AI may use, and
// categorical values. A source's foreign keys become relations. Tables and columns need no refresh; they are read live.
func (s *Service) refreshMetadata(ctx context.Context,
	r *web.Request[io.Reader]) (api.MetadataRefreshTriggered, error) {
	var out api.MetadataRefreshTriggered
	var body api.MetadataRefreshRequest
	if err := optionalBody(r.Body, &body); err != nil {
		return out, err
	}
	tell, err := s.callback(ctx, r.Project, body.CallbackURL, string(body.CallbackToken))
	if err != nil {
		return out, err
	}
	cats, err := s.Names.Catalogs(ctx, r.Project)
	if err != nil {
		return out, err
	}
	if body.CatalogID != "" {
		c, err := s.Names.Catalog(ctx, r.Project, body.CatalogID)
		if err != nil {
			return out, err
		}
		cats = []names.Catalog{c}
	}
	runner, err := s.Jobs.Runner()
	if err != nil {
		return out, err
	}
	for i, c := range cats {
		err := s.Rereading.Add(r.Project.ID+"."+c.ID, 1, func(int) error {
			return s.Store.SetMetadataRefresh(ctx, r.Project.ID, c.ID, store.Refresh{Status: refreshActive,
				Runner: runner})
		})
		if err != nil {
			for _, begun := range cats[:i+1] {
				s.refreshEnded(r.Project, begun, store.Refresh{Status: refreshFailed, Runner: runner,
					Error: new(s.Jobs.Reason(err))})
			}
			return out, err
		}
	}
	s.Jobs.Background(jobs.JobMetadata, func(ctx context.Context) {
		for _, c := range cats {
			s.RefreshCatalog(ctx, r.Project, c, runner, tell)
		}
	})
	return out, nil
}

// optionalBody decodes a body that may be absent.
func optionalBody(from io.Reader, into any) error {
	raw, err := io.ReadAll(io.LimitReader(from, web.MaxBody))
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return err
	}
	return web.DecodeBody(raw, into)
}

// refreshTimeout limits the refresh of one catalog, so that a hanging source does not keep it active forever.
const refreshTimeout = 2 * time.Hour

// RefreshCatalog runs one refresh to its end, records it and notifies the listener.
func (s *Service) RefreshCatalog(ctx context.Context, p store.Project, c names.Catalog, runner string,
	tell *Listener) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	began, reason := s.Now(), ""
	end := store.Refresh{Status: RefreshDone, Runner: runner}
	if err := jobs.Caught(func() error { return s.reread(ctx, p, c) }); err != nil {
		text := s.Jobs.Reason(err)
		end.Status, end.Error, reason = refreshFailed, &text, text
	}
	s.refreshEnded(p, c, end)
	s.Jobs.Ended(jobs.End{Kind: jobs.JobMetadata, Project: p.ID, Object: c.ID, Name: c.Name, Status: end.Status,
		Reason: reason, Took: s.Now().Sub(began), Rows: -1})
	if tell != nil {
		if err := tell.post(context.WithoutCancel(ctx), refreshNews{p.ID, c.ID, end.Status, end.Error}); err != nil {
			s.Log.Warn("metadata refresh callback", "catalog", c.ID, "error", err)
		}
	}
}

// refreshEnded records the end of a refresh, even if the process is asked to stop. While another refresh of the catalog
// is running, the state is active.
func (s *Service) refreshEnded(p store.Project, c names.Catalog, end store.Refresh) {
	again := false
	err := s.Rereading.Add(p.ID+"."+c.ID, -1, func(now int) error {
		if now > 0 {
			return nil
		}
		again = true
		return nil
	})
	if again {
		// Not inside the call of Add above: while the state cannot be stored, it must be possible to start another
		// refresh; the state of that one is then recorded instead.
		err = s.Jobs.Record("metadata "+p.ID+"."+c.ID, func(ctx context.Context) error {
			return s.Rereading.Add(p.ID+"."+c.ID, 0, func(now int) error {
				if now > 0 {
					return nil
				}
				return s.Store.EndMetadataRefresh(ctx, p.ID, c.ID, refreshActive, end)
			})
		})
	}
	if err != nil && !errors.Is(err, store.ErrInUse) && !errors.Is(err, store.ErrNotFound) { // it is gone
		s.Log.Error("metadata refresh", "catalog", c.ID, "error", err)
	}
}

// Sample values: this many of each column, from this many rows, of at most this many bytes each.
const (
	samples     = 5
	sampledRows = 200
	sampleWidth = 200
)

// SampleTime limits the sampling of one table, so that a hanging view does not delay the others.
const SampleTime = 5 * time.Minute

// reread reads each table again. A failure does not stop the others; the first failure is that of the whole refresh.
func (s *Service) reread(ctx context.Context, p store.Project, c names.Catalog) error {
	d, err := s.describer(ctx, p)
	if err != nil {
		return err
	}
	listing, lacks := engine.WithOmissions(ctx)
	tables, err := d.tables(listing, c, "", true)
	if err != nil {
		return err
	}
	first := s.rereadRelations(ctx, p, c, tables)
	for _, o := range lacks.Tell() {
		if first == nil {
			first = fault.Data(400, "%s", o)
		}
	}
	for _, m := range tables {
		err := s.rereadTable(ctx, d, c, m)
		if ctx.Err() != nil {
			return err
		}
		if err != nil && first == nil && s.dropped(listing, d, c, m) {
			continue
		}
		if err != nil && first == nil {
			// without the position, which is in a statement that the user does not know
			first = fault.Data(400, "table %s.%s: %s", m.SchemaName, m.TableName, fault.Of(err).Message)
		}
	}
	return first
}

// dropped reports whether a table, or one of its columns, is no longer listed: it was dropped while others were read.
func (s *Service) dropped(ctx context.Context, d *describer, c names.Catalog, m api.TableMetadata) bool {
	c, err := s.Names.Catalog(ctx, d.p, c.ID) // c keeps what it has listed
	if err != nil {
		return false
	}
	now, err := d.tables(ctx, c, m.SchemaName, true)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(now, func(t api.TableMetadata) bool {
		return t.SchemaName == m.SchemaName &&
			t.TableName == m.TableName
	})
	return i < 0 || slices.ContainsFunc(m.Columns, func(was api.MetadataColumn) bool {
		return !slices.ContainsFunc(now[i].Columns,
			func(col api.MetadataColumn) bool { return col.ColumnName == was.ColumnName })
	})
}

func (s *Service) rereadTable(ctx context.Context, d *describer, c names.Catalog, m api.TableMetadata) error {
	key := store.TableKey{Catalog: c.ID, Schema: m.SchemaName, Table: m.TableName}
	var list []string
	for _, col := range m.Columns {
		if !col.IsSystem {
			list = append(list, col.ColumnName)
		}
	}
	// A table with required parameters returns nothing without them.
	if m.UseWithAI && !m.IsDynamicTable && len(list) > 0 {
		values, err := s.sample(ctx, d.p, engine.TableName{Catalog: c.Name, Schema: m.SchemaName, Table: m.TableName},
			list)
		if err != nil {
			return err
		}
		if err := s.Store.SetSamples(ctx, d.p.ID, key, values); err != nil {
			return err
		}
	}
	for _, col := range m.Columns {
		k := store.ColumnKey{TableKey: key, Column: col.ColumnName}
		if n := d.notes.Columns[k]; n.Categorical != nil {
			if err := s.rereadCategorical(ctx, d.p, k, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// sample reads a few distinct values of each column.
func (s *Service) sample(ctx context.Context, p store.Project, n engine.TableName,
	columns []string) (map[string][]string, error) {
	within, cancel := context.WithTimeout(ctx, s.Sampling)
	defer cancel()
	out, err := s.sampleOf(within, p, n, columns)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return nil, fault.Data(400, "its sample values were not read within %s", s.Sampling)
	}
	return out, err
}

func (s *Service) sampleOf(ctx context.Context, p store.Project, n engine.TableName,
	columns []string) (map[string][]string, error) {
	res, err := s.Names.Query(ctx, p, sql.Query{Ask: sql.Rows{Table: n, Columns: columns, Limit: sampledRows}})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	out := map[string][]string{}
	for _, c := range columns {
		out[c] = []string{}
	}
	_, err = res.Rows(ctx, func(row [][]byte) error {
		for i, v := range row {
			have := out[columns[i]]
			if v != nil && len(have) < samples && len(v) <= sampleWidth && utf8.Valid(v) &&
				!slices.Contains(have, string(v)) {
				out[columns[i]] = append(have, string(v))
			}
		}
		return nil
	})
	return out, err
}

// metadataRefreshStatus returns the state of the last refresh of a catalog. A refresh of a terminated process has
// failed.
func (s *Service) metadataRefreshStatus(ctx context.Context,
	r *web.Request[web.None]) (api.MetadataRefreshStatus, error) {
	c, err := s.Names.Catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return api.MetadataRefreshStatus{}, err
	}
	if err := s.Jobs.Recorded(ctx, "metadata "+r.Project.ID+"."+c.ID); err != nil {
		return api.MetadataRefreshStatus{}, err
	}
	last, err := s.Store.MetadataRefresh(ctx, r.Project.ID, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return api.MetadataRefreshStatus{Status: RefreshNever}, nil
	}
	if err == nil && last.Status == refreshActive && !s.Jobs.Alive(last.Runner) {
		text := "the gateway stopped during this refresh"
		last.Status, last.Error = refreshFailed, &text
		err = s.Store.EndMetadataRefresh(ctx, r.Project.ID, c.ID, refreshActive, last)
		if errors.Is(err, store.ErrNotFound) { // another process was first, or has begun one
			last, err = s.Store.MetadataRefresh(ctx, r.Project.ID, c.ID)
		}
	}
	return api.MetadataRefreshStatus{Status: last.Status, Error: last.Error}, err
}

// refreshNews is the JSON body of a callback.
type refreshNews struct {
	ProjectID string  `json:"projectId"`
	CatalogID string  `json:"catalogId"`
	Status    string  `json:"status"`
	Error     *string `json:"error,omitempty"`
}

func (n refreshNews) body() []byte {
	raw, _ := json.Marshal(n) // strings always marshal
	return raw
}
