// Package names holds the catalogs of a project: what they list and describe, and what their names in a statement mean.
package names

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Service finds the catalogs of projects, and runs statements with their names.
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
	named zone.Files
	seen  *seen
}

// seen are the catalogs that a statement has looked up.
type seen struct {
	mu       sync.Mutex
	catalogs map[string]Catalog
}

func (s *Service) Resolver(p store.Project) Resolver {
	return Resolver{g: s, p: p, seen: &seen{catalogs: map[string]Catalog{}}}
}

// Lookup implements sql.Catalogs.
func (r Resolver) Lookup(ctx context.Context, n engine.TableName) (sql.Source, error) {
	if r.files != "" && n.Catalog == r.files {
		return r.lookupFile(ctx, n)
	}
	c, err := r.catalog(ctx, n)
	if err != nil {
		return sql.Source{}, err
	}
	return c.Resolve(ctx, r, n)
}

// remark passes on what is to be said of the files that a table is read from.
func (r Resolver) remark(table engine.Scanner) {
	f, ok := table.(interface{ Remarks() []string })
	if !ok || r.named.Note == nil {
		return
	}
	for _, remark := range f.Remarks() {
		r.named.Note(remark)
	}
}

func noSchema(schema string) error {
	return fault.Unknown(engine.KindUnknownSchema, "Schema '%s' does not exist", schema)
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
	var ok bool
	if r.named, ok = web.FilesOf(ctx); !ok {
		q.Files = ""
	}
	r.files = q.Files
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

// ScanOf is a table of a source that a statement reads and that is not cached.
type ScanOf struct {
	Project   string
	Catalog   string // its id
	Name      engine.TableName
	Cacheable bool
	Scan      engine.Scanner
}
