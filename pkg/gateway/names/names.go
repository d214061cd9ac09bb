// Package names resolves the names in a statement: tables of sources and caches, saved queries, semantic catalogs.
package names

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/gateway/wire"
)

// Service resolves the names in a statement, and runs statements with them.
type Service struct {
	Store   *store.Store
	Engine  engine.Engine
	Now     func() time.Time
	Log     *slog.Logger
	Sources *sources.Service

	// called for each scan of a table that is not cached, if set
	Scan func(context.Context, ScanOf) (engine.Scanner, error)
}

// Resolver resolves the names of one project for the engine.
type Resolver struct {
	g     *Service
	p     store.Project
	Draft *Draft // a saved query that is about to be saved, nil for none
	Live  bool   // read sources and not their caches
	only  bool   // read only caches of other catalogs
	files string // the catalog of the files that the statement names, "" for none
	named web.Files
	seen  *seen
}

// seen stores the metadata of catalogs that a statement has looked up.
type seen struct {
	mu       sync.Mutex
	external map[string]ExternalCatalog
	plain    map[string]bool // not a semantic catalog
}

func (s *Service) Resolver(p store.Project) Resolver {
	return Resolver{g: s, p: p, seen: &seen{external: map[string]ExternalCatalog{}, plain: map[string]bool{}}}
}

// Lookup implements sql.Catalogs.
func (r Resolver) Lookup(ctx context.Context, n engine.TableName) (sql.Source, error) {
	if r.files != "" && n.Catalog == r.files {
		return r.lookupFile(ctx, n)
	}
	if n.Catalog != engine.InternalCatalog {
		if src, ok, err := r.lookupSemantic(ctx, n); ok || err != nil {
			return src, err
		}
		return r.lookupExternal(ctx, n)
	}
	switch n.Schema {
	case engine.SchemaQuery, engine.SchemaMtQuery:
		return r.lookupQuery(ctx, n)
	}
	return sql.Source{}, noSchema(n.Schema)
}

func noSchema(schema string) error {
	return fault.Unknown(engine.KindUnknownSchema, "Schema '%s' does not exist", schema)
}

// List implements sql.Catalogs.
func (r Resolver) List(ctx context.Context, catalogs []string) ([]engine.TableName, error) {
	wanted := func(name string) bool { return catalogs == nil || slices.Contains(catalogs, strings.ToLower(name)) }
	var queries []engine.TableName
	if wanted(engine.InternalCatalog) {
		var err error
		if queries, err = r.ListQueries(ctx); err != nil {
			return nil, err
		}
	}
	semantic, err := r.listSemantic(ctx, wanted)
	if err != nil {
		return nil, err
	}
	external, err := r.listExternal(ctx, wanted, catalogs != nil)
	return slices.Concat(queries, semantic, external), err
}

// Query starts a statement of the gateway itself or of a user in a project.
func (s *Service) Query(ctx context.Context, p store.Project, q sql.Query) (*wire.Result, error) {
	data, err := s.Engine.Project(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	q.Catalogs = s.Resolver(p)
	return sql.Run(ctx, data, q)
}

// Ways to read tables of other catalogs: values of the query parameter reading of an execution. It is specific to zone
// local.
const (
	readLive   = "live"   // the source, even if there is a cache
	readStored = "stored" // the cache, and never the source
)

// QueryReading is Query with a choice between caches and sources.
func (s *Service) QueryReading(ctx context.Context, p store.Project, q sql.Query,
	reading string) (*wire.Result, error) {
	data, err := s.Engine.Project(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	r := s.Resolver(p)
	switch reading {
	case "":
	case readLive:
		r.Live = true
	case readStored:
		r.only = true
	default:
		return nil, fault.Framework(400, "query parameter reading: %q is not one of live, stored", reading)
	}
	if named, ok := web.FilesOf(ctx); ok && q.Files != "" {
		r.files, r.named = q.Files, named
	} else {
		q.Files = ""
	}
	q.Catalogs = r
	return sql.Run(ctx, data, q)
}

// Answer fetches a few rows and returns their values as strings, NULL as "".
func (s *Service) Answer(ctx context.Context, p store.Project, a sql.Ask) ([][]string, error) {
	res, err := s.Query(ctx, p, sql.Query{Ask: a})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	out := [][]string{}
	_, err = res.Rows(ctx, func(row [][]byte) error {
		r := make([]string, len(row))
		for i, v := range row {
			r[i] = string(v)
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// Describe lists the columns of anything a statement can refer to, by planning a query of its rows.
func (s *Service) Describe(ctx context.Context, p store.Project, n engine.TableName) ([]api.ColumnDetail, error) {
	res, err := s.Query(ctx, p, sql.Query{Ask: sql.Rows{Table: n, Limit: sql.NoRows}})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	cols := res.Columns()
	out := make([]api.ColumnDetail, len(cols))
	for i, c := range cols {
		out[i] = api.ColumnDetail{ID: strconv.Itoa(i + 1), Name: c.Name, DataType: c.DataType, DisplayName: c.Name}
	}
	return out, nil
}

const (
	CacheSchema = "cache" // contains the stored tables of caches, each named after the run that created it
)

// SampleCatalogID identifies the built-in sample, which only zone local has.
const SampleCatalogID = "3"
