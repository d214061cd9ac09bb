package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// States of a refresh, as the service spells them [L].
const (
	refreshNever  = "not-active"
	refreshActive = "active"
	refreshDone   = "completed"
	refreshFailed = "failed"
)

// refreshMetadata reads one catalog, or all of them, anew: sample values of the columns the AI may use, and categorical values.
// A source's foreign keys become relations. Tables and columns need no refresh; they are read live.
func (g *metadataService) refreshMetadata(ctx context.Context, r *Request[io.Reader]) (api.MetadataRefreshTriggered, error) {
	var out api.MetadataRefreshTriggered
	var body api.MetadataRefreshRequest
	if err := optionalBody(r.Body, &body); err != nil {
		return out, err
	}
	tell, err := g.callback(ctx, r.Project, body.CallbackURL, string(body.CallbackToken))
	if err != nil {
		return out, err
	}
	cats, err := g.catalogs.catalogs(ctx, r.Project)
	if err != nil {
		return out, err
	}
	if body.CatalogID != "" {
		c, err := g.catalogs.catalog(ctx, r.Project, body.CatalogID)
		if err != nil {
			return out, err
		}
		cats = []catalog{c}
	}
	runner, err := g.jobs.runner()
	if err != nil {
		return out, err
	}
	for i, c := range cats {
		err := g.rereading.add(r.Project.ID+"."+c.ID, 1, func(int) error {
			return g.store.SetMetadataRefresh(ctx, r.Project.ID, c.ID, store.Refresh{Status: refreshActive, Runner: runner})
		})
		if err != nil {
			for _, begun := range cats[:i+1] {
				g.refreshEnded(r.Project, begun, store.Refresh{Status: refreshFailed, Runner: runner, Error: new(g.jobs.reason(err))})
			}
			return out, err
		}
	}
	g.jobs.background(jobMetadata, func(ctx context.Context) {
		for _, c := range cats {
			g.refreshCatalog(ctx, r.Project, c, runner, tell)
		}
	})
	return out, nil
}

// optionalBody decodes a body that may be left out.
func optionalBody(from io.Reader, into any) error {
	raw, err := io.ReadAll(io.LimitReader(from, maxBody))
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return err
	}
	return decodeBody(raw, into)
}

// refreshTimeout bounds the refresh of one catalog, so that a source that hangs does not keep it active for ever.
const refreshTimeout = 2 * time.Hour

// refreshCatalog runs one refresh to its end, records it and tells whoever asked to be told.
func (g *metadataService) refreshCatalog(ctx context.Context, p store.Project, c catalog, runner string, tell *listener) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	end := store.Refresh{Status: refreshDone, Runner: runner}
	if err := caught(func() error { return g.reread(ctx, p, c) }); err != nil {
		text := g.jobs.reason(err)
		end.Status, end.Error = refreshFailed, &text
	}
	g.refreshEnded(p, c, end)
	if tell != nil {
		if err := tell.post(context.WithoutCancel(ctx), refreshNews{p.ID, c.ID, end.Status, end.Error}); err != nil {
			g.log.Warn("metadata refresh callback", "catalog", c.ID, "error", err)
		}
	}
}

// refreshEnded records the end of a refresh, also when the process is asked to stop. While another one of the catalog goes on, it is
// active.
func (g *metadataService) refreshEnded(p store.Project, c catalog, end store.Refresh) {
	again := false
	err := g.rereading.add(p.ID+"."+c.ID, -1, func(now int) error {
		if now > 0 {
			return nil
		}
		again = true
		return nil
	})
	if again {
		// Not inside: while the state cannot be stored, another refresh must be able to begin. It counts then.
		err = g.jobs.record("metadata "+p.ID+"."+c.ID, func(ctx context.Context) error {
			return g.rereading.add(p.ID+"."+c.ID, 0, func(now int) error {
				if now > 0 {
					return nil
				}
				return g.store.SetMetadataRefresh(ctx, p.ID, c.ID, end)
			})
		})
	}
	if err != nil && !errors.Is(err, store.ErrInUse) { // the project is gone
		g.log.Error("metadata refresh", "catalog", c.ID, "error", err)
	}
}

// Sample values: this many of each column, from so many rows, none longer than so many bytes.
const (
	samples     = 5
	sampledRows = 200
	sampleWidth = 200
)

// reread reads each table anew. One that fails does not keep the others from it; the first failure is that of the whole.
func (g *metadataService) reread(ctx context.Context, p store.Project, c catalog) error {
	d, err := g.describer(ctx, p)
	if err != nil {
		return err
	}
	listing, lacks := engine.WithOmissions(ctx)
	tables, err := d.tables(listing, c, "", true)
	if err != nil {
		return err
	}
	first := g.rereadRelations(ctx, p, c, tables)
	for _, o := range lacks.Tell() {
		if first == nil {
			first = dataFault(400, "%s", o)
		}
	}
	for _, m := range tables {
		err := g.rereadTable(ctx, d, c, m)
		if ctx.Err() != nil {
			return err
		}
		if err != nil && first == nil {
			first = dataFault(400, "table %s.%s: %s", m.SchemaName, m.TableName, faultOf(err).Message)
		}
	}
	return first
}

func (g *metadataService) rereadTable(ctx context.Context, d *describer, c catalog, m api.TableMetadata) error {
	key := store.TableKey{Catalog: c.ID, Schema: m.SchemaName, Table: m.TableName}
	var list []string
	for _, col := range m.Columns {
		if !col.IsSystem {
			list = append(list, col.ColumnName)
		}
	}
	// A table with required parameters answers nothing without them.
	if m.UseWithAI && !m.IsDynamicTable && len(list) > 0 {
		values, err := g.sample(ctx, d.p, engine.TableName{Catalog: c.Name, Schema: m.SchemaName, Table: m.TableName}, list)
		if err != nil {
			return err
		}
		if err := g.store.SetSamples(ctx, d.p.ID, key, values); err != nil {
			return err
		}
	}
	for _, col := range m.Columns {
		k := store.ColumnKey{TableKey: key, Column: col.ColumnName}
		if n := d.notes.Columns[k]; n.Categorical != nil {
			if err := g.rereadCategorical(ctx, d.p, k, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// sample reads a few different values of each column.
func (g *metadataService) sample(ctx context.Context, p store.Project, n engine.TableName, columns []string) (map[string][]string, error) {
	res, err := g.names.query(ctx, p, engine.Query{SQL: "SELECT " + sqltext.List(columns) + " FROM " + n.Quoted() + " LIMIT " + strconv.Itoa(sampledRows)})
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
			if v != nil && len(have) < samples && len(v) <= sampleWidth && utf8.Valid(v) && !slices.Contains(have, string(v)) {
				out[columns[i]] = append(have, string(v))
			}
		}
		return nil
	})
	return out, err
}

// metadataRefreshStatus tells how the last refresh of a catalog went. One whose process is gone has failed.
func (g *metadataService) metadataRefreshStatus(ctx context.Context, r *Request[None]) (api.MetadataRefreshStatus, error) {
	c, err := g.catalogs.catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return api.MetadataRefreshStatus{}, err
	}
	if err := g.jobs.recorded(ctx, "metadata "+r.Project.ID+"."+c.ID); err != nil {
		return api.MetadataRefreshStatus{}, err
	}
	last, err := g.store.MetadataRefresh(ctx, r.Project.ID, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return api.MetadataRefreshStatus{Status: refreshNever}, nil
	}
	if err == nil && last.Status == refreshActive && !g.jobs.alive(last.Runner) {
		text := "the gateway stopped during this refresh"
		last.Status, last.Error = refreshFailed, &text
		err = g.store.SetMetadataRefresh(ctx, r.Project.ID, c.ID, last)
	}
	return api.MetadataRefreshStatus{Status: last.Status, Error: last.Error}, err
}

// refreshNews is what a callback is told, as JSON.
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
