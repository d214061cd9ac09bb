package uses

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"golang.org/x/sync/errgroup"
)

// The kinds of objects that only describe tables.
const (
	relations     = "relations"
	goldenQueries = "golden queries"
)

// atOnce is the number of requests that are sent at a time.
const atOnce = 4

// lists are the objects that the gateway lists.
type lists struct {
	connections []api.Connection
	catalogs    []api.Catalog
	queries     []api.Query
	caches      []api.CacheStatus
	golden      []api.GoldenSQLEntry
	parametric  [][]api.ParametricTable // by catalog
	relations   [][]api.Relation        // by catalog
	semantic    [][]api.Table           // by catalog
}

// Operations are those that Read sends.
func Operations() []spec.Op {
	return []spec.Op{spec.ListQueries, spec.ListCatalogs, spec.ListConnections, spec.ListCacheStatuses,
		spec.ListGoldenSqls, spec.ListRelations, spec.ListParametricTables, spec.ListSchemas, spec.ListTables}
}

// Read lists the objects of a project. Kinds that cannot be listed are in Unlisted, unless the gateway does not have
// them; it returns an error only if ctx ends.
func Read(ctx context.Context, cl *api.Client, project string) (*Graph, error) {
	g := &Graph{named: map[key]int{}}
	var all lists
	r := reading{ctx: ctx, failed: map[string]error{}}
	r.SetLimit(atOnce)
	r.list("saved queries", func() (err error) {
		all.queries, err = cl.Queries.List(ctx, project)
		return err
	})
	r.list("catalogs", func() (err error) {
		all.catalogs, err = cl.Catalogs.List(ctx, project)
		return err
	})
	if err := r.Wait(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all.catalogs, func(c api.Catalog) bool { return c.ID == api.InternalCatalogID }) {
		all.catalogs = append(all.catalogs, api.Catalog{ID: api.InternalCatalogID, Name: api.InternalCatalogName})
	}
	r.list("connections", func() (err error) {
		all.connections, err = cl.Connections.List(ctx, project)
		return err
	})
	r.list("caches", func() (err error) {
		all.caches, err = cl.Cache.Statuses(ctx, project)
		return err
	})
	r.list(goldenQueries, func() (err error) {
		all.golden, err = cl.Metadata.ListGoldenSQL(ctx, project)
		return err
	})
	n := len(all.catalogs)
	all.parametric, all.relations = make([][]api.ParametricTable, n), make([][]api.Relation, n)
	all.semantic = make([][]api.Table, n)
	for i, c := range all.catalogs {
		if c.ID == api.QueryCatalogID {
			continue
		}
		r.list(relations, func() (err error) {
			all.relations[i], err = cl.Metadata.Relations(ctx, project, c.ID)
			return err
		})
		if !resolve.IsSemantic(c) {
			if api.OrEmpty(c.ConnectionID) == "" && c.ID != api.InternalCatalogID {
				continue // the gateway answers with an error
			}
			r.list("parametric tables", func() (err error) {
				all.parametric[i], err = cl.ParametricTables.List(ctx, project, c.ID)
				if c.ID == api.InternalCatalogID && api.Answered(err) {
					err = nil // gateways without parametric tables over internal tables answer with various errors
				}
				return err
			})
			continue
		}
		r.list("semantic tables", func() error {
			schemas, err := cl.Catalogs.Schemas(ctx, project, c.ID)
			for _, s := range schemas {
				if s.SchemaName == "information_schema" {
					continue
				}
				tables, err := cl.Catalogs.Tables(ctx, project, c.ID, s.SchemaName)
				if err != nil {
					return err
				}
				for _, t := range tables {
					t.SchemaName = s.SchemaName
					all.semantic[i] = append(all.semantic[i], t)
				}
			}
			return err
		})
	}
	if err := r.Wait(); err != nil {
		return nil, err
	}
	g.Unlisted = slices.Sorted(maps.Keys(r.failed))
	g.err = errors.Join(r.failed["catalogs"], r.failed["saved queries"])
	g.fill(all)
	return g, nil
}

// reading runs requests for lists, some at a time. Its error is that of the context.
type reading struct {
	errgroup.Group
	ctx    context.Context
	mu     sync.Mutex
	failed map[string]error // by kind
}

func (r *reading) list(kind string, f func() error) {
	r.Go(func() error {
		if err := f(); err != nil && !api.NoRoute(err) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.failed[kind] = err
		}
		return context.Cause(r.ctx)
	})
}

// fill adds the listed objects. Those that statements name come first.
func (g *Graph) fill(all lists) {
	g.catalogs = all.catalogs
	names, byID := map[string]string{}, map[string]int{}
	for _, c := range all.connections {
		byID[c.ID] = g.add(Object{Kind: Connection, Name: c.Name, ID: c.ID}, c.ID)
	}
	for _, c := range all.catalogs {
		names[c.ID] = c.Name
		if strings.EqualFold(c.Name, api.InternalCatalogName) {
			continue // both built-in catalogs have this name
		}
		at := g.add(Object{Kind: Catalog, ID: c.ID, display: c.DisplayName}, c.Name)
		if conn, ok := byID[api.OrEmpty(c.ConnectionID)]; ok {
			g.link(at, conn)
		}
	}
	queries := map[string]int{}
	for _, q := range all.queries {
		queries[q.ID] = g.add(Object{Kind: Query, ID: q.ID, Materialized: q.QueryType == "MATERIALIZED",
			sql: q.InputQuery, display: q.DisplayName}, q.Name)
	}
	for i, c := range all.catalogs {
		for _, t := range all.semantic[i] {
			at := g.add(Object{Kind: Semantic, ID: t.TableID}, c.Name, t.SchemaName, t.TableName)
			g.link(at, g.Catalog(c.Name))
			if query, ok := queries[t.QueryID]; ok {
				g.link(at, query)
			}
		}
		for _, t := range all.parametric[i] {
			g.add(Object{Kind: Parametric}, c.Name, t.ToSchema, t.ToTable)
		}
	}
	for i, c := range all.catalogs {
		for _, t := range all.parametric[i] {
			at := g.add(Object{Kind: Parametric}, c.Name, t.ToSchema, t.ToTable)
			g.link(at, g.Table(c.Name, t.FromSchema, t.FromTable))
		}
	}
	for _, q := range all.queries {
		g.read(queries[q.ID], q.InputQuery)
	}
	for _, c := range all.caches {
		if name := names[c.CatalogID]; name != "" && api.JobState(c.Status) != api.StateDeleted {
			at := g.add(Object{Kind: Cache, ID: c.ID}, name, c.SchemaName, c.TableName)
			g.link(at, g.Table(name, c.SchemaName, c.TableName))
		}
	}
	for _, of := range all.relations {
		for _, r := range of {
			from, to := g.Table(r.SourceCatalogName, r.SourceSchemaName, r.SourceTableName),
				g.Table(r.TargetCatalogName, r.TargetSchemaName, r.TargetTableName)
			columns := []string{g.objects[from].Name + "." + r.SourceColumnName,
				g.objects[to].Name + "." + r.TargetColumnName}
			at := g.add(Object{Kind: Relation, ID: r.ID, Name: strings.Join(columns, " to ")}, columns...)
			g.link(at, from)
			g.link(at, to)
		}
	}
	for _, q := range all.golden {
		g.read(g.add(Object{Kind: Golden, ID: q.ID, sql: q.Metadata.SQL}, q.ID), q.Metadata.SQL)
	}
}
