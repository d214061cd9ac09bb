package gateway

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
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// namesService finds what the names in a statement mean, and runs statements with them.
type namesService struct {
	store   *store.Store
	engine  engine.Engine
	now     func() time.Time
	log     *slog.Logger
	sources *sourcesService

	Scan func(context.Context, scanOf) (engine.Scanner, error) // what a statement reads of a table that is not cached, if set
}

// resolver tells the engine what the names of one project mean.
type resolver struct {
	g     *namesService
	p     store.Project
	draft *draft // a saved query about to be saved, nil for none
	live  bool   // read sources and not their caches
	only  bool   // read nothing of other catalogs but caches
	seen  *seen
}

// seen is what a statement has found out about catalogs.
type seen struct {
	mu       sync.Mutex
	external map[string]externalCatalog
	plain    map[string]bool // no semantic catalog
}

func (g *namesService) resolver(p store.Project) resolver {
	return resolver{g: g, p: p, seen: &seen{external: map[string]externalCatalog{}, plain: map[string]bool{}}}
}

// Lookup implements engine.Catalogs.
func (r resolver) Lookup(ctx context.Context, n engine.TableName) (engine.Source, error) {
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
	return engine.Source{}, unknown(engine.KindUnknownSchema, "Schema '%s' does not exist in catalog '%s'", n.Schema, n.Catalog)
}

// List implements engine.Catalogs.
func (r resolver) List(ctx context.Context, catalogs []string) ([]engine.TableName, error) {
	wanted := func(name string) bool { return catalogs == nil || slices.Contains(catalogs, strings.ToLower(name)) }
	var queries []engine.TableName
	if wanted(engine.InternalCatalog) {
		var err error
		if queries, err = r.listQueries(ctx); err != nil {
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

func unknown(k engine.Kind, format string, args ...any) error {
	return &engine.Error{Kind: k, Message: dataFault(400, format, args...).Message}
}

// query starts a statement of the gateway's own or of a user on a project.
func (g *namesService) query(ctx context.Context, p store.Project, q engine.Query) (engine.Result, error) {
	data, err := g.engine.Project(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	q.Catalogs = g.resolver(p)
	return data.Query(ctx, q)
}

// Ways to read tables of other catalogs, as the query parameter reading of an execution names them. It is zone local's own.
const (
	readLive   = "live"   // the source, also where there is a cache
	readStored = "stored" // the cache, and never the source
)

// queryReading is query with a choice between caches and sources.
func (g *namesService) queryReading(ctx context.Context, p store.Project, q engine.Query, reading string) (engine.Result, error) {
	data, err := g.engine.Project(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	r := g.resolver(p)
	switch reading {
	case "":
	case readLive:
		r.live, q.Variant = true, readLive
	case readStored:
		r.only = true
	default:
		return nil, frameworkFault(400, "query parameter reading: %q is none of live, stored", reading)
	}
	q.Catalogs = r
	return data.Query(ctx, q)
}

// queryText runs a small statement and returns its values as text, NULL as "".
func (g *namesService) queryText(ctx context.Context, p store.Project, sql string, bindings ...string) ([][]string, error) {
	res, err := g.query(ctx, p, engine.Query{SQL: sql, Bindings: bindings})
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

// describe lists the columns of anything a statement can name, by planning a SELECT over it.
func (g *namesService) describe(ctx context.Context, p store.Project, n engine.TableName) ([]api.ColumnDetail, error) {
	res, err := g.query(ctx, p, engine.Query{SQL: "SELECT * FROM " + n.Quoted() + " LIMIT 0"})
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
