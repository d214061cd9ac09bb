package names

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Catalog is a catalog of a project with its contents.
type Catalog struct {
	api.Catalog
	Contents
}

// Contents is what a catalog contains. Each kind of catalog has one, and what lists, describes or reads catalogs does
// not depend on the kind. It may remember what it has read, so it is used for one request or one statement.
type Contents interface {
	Schemas(ctx context.Context) ([]string, error)
	// Tables lists a schema, or all of them for "". A schema that does not exist has no tables.
	Tables(ctx context.Context, schema string) ([]api.Table, error)
	Columns(ctx context.Context, schema, table string) ([]Column, error)
	// Resolve returns what a statement reads for a name in lower case.
	Resolve(ctx context.Context, r Resolver, n engine.TableName) (sql.Source, error)
	// Definition is the statement that computes a table; zero for a table with rows of its own.
	Definition(ctx context.Context, schema, table string) (sql.Query, error)
	ForeignKeys(ctx context.Context) ([]connector.ForeignKey, error)
	// Statistics estimates the number of distinct values of each column; connector.ErrNoStatistics if it cannot.
	Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error)
}

// Column is a column of a table as it is listed.
type Column struct {
	api.ColumnDetail
	System  bool                 // added by the gateway to an internal table
	Primary bool                 // part of the primary key
	Origin  *engine.ColumnOrigin // in the statement of Definition, if that was analysed for the columns
}

// plain is what most kinds of catalogs lack.
type plain struct{}

func (plain) Definition(context.Context, string, string) (sql.Query, error) { return sql.Query{}, nil }
func (plain) ForeignKeys(context.Context) ([]connector.ForeignKey, error)   { return nil, nil }
func (plain) Statistics(context.Context, string, string) ([]api.ColumnStatistics, error) {
	return nil, connector.ErrNoStatistics
}

// memory is what a Contents has read and does not read again.
type memory struct{ mu sync.Mutex }

// once calls look unless the value is known. look must not use the same memory.
func once[T any](m *memory, known **T, look func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if *known != nil {
		return **known, nil
	}
	v, err := look()
	if err == nil {
		*known = &v
	}
	return v, err
}

// SampleCatalogID identifies the built-in sample, which only zone local has.
const SampleCatalogID = "3"

// SemanticType is the service's name for semantic catalogs, under the key type [O].
const SemanticType = "SEMANTIC"

// builtin returns the catalogs that every project has.
func (s *Service) builtin(p store.Project) []Catalog {
	of := func(id, name, kind string, c Contents) Catalog {
		return Catalog{api.Catalog{ID: id, Name: name, DisplayName: name, CatalogType: kind}, c}
	}
	return []Catalog{
		of(api.InternalCatalogID, engine.InternalCatalog, "internal", internal{g: s, p: p}),
		of(api.QueryCatalogID, engine.InternalCatalog, "query", saved{g: s, p: p}),
		of(SampleCatalogID, engine.SampleCatalog, "sample", sample{g: s, p: p}),
	}
}

func (s *Service) external(c store.Catalog) Catalog {
	return Catalog{Listed(c), &External{G: s, C: c}}
}

// Listed is a catalog with a connection as the API lists it.
func Listed(c store.Catalog) api.Catalog {
	out := api.Catalog{ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, CatalogType: c.Type,
		ConnectionID: &c.ConnectionID, CacheAnything: c.CacheAnything}
	if c.SharedFrom != nil {
		out.ConnectionID = nil // it belongs to another project
	}
	return out
}

func (s *Service) semantic(p store.Project, c store.SemanticCatalog) Catalog {
	return Catalog{ListedSemantic(c), &semantic{g: s, p: p, c: c}}
}

// ListedSemantic is a semantic catalog as the API lists it.
func ListedSemantic(c store.SemanticCatalog) api.Catalog {
	kind := SemanticType
	return api.Catalog{ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, CatalogType: SemanticType, Type: &kind}
}

// Catalogs lists a project's catalogs in the order of the service: built-in ones first.
func (s *Service) Catalogs(ctx context.Context, p store.Project) ([]Catalog, error) {
	stored, err := s.Store.Catalogs(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	made, err := s.Store.SemanticCatalogs(ctx, p.ID)
	return slices.Concat(s.builtin(p), each.Map(stored, s.external),
		each.Map(made, func(c store.SemanticCatalog) Catalog { return s.semantic(p, c) })), err
}

// Catalog finds one catalog without reading the others.
func (s *Service) Catalog(ctx context.Context, p store.Project, id string) (Catalog, error) {
	for _, c := range s.builtin(p) {
		if c.ID == id {
			return c, nil
		}
	}
	stored, err := s.Store.Catalog(ctx, p.ID, id)
	if !errors.Is(err, store.ErrNotFound) {
		return s.external(stored), err
	}
	made, err := s.Store.SemanticCatalogVisible(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return Catalog{}, fault.Data(404, "there is no catalog with id: %s", id)
	}
	return s.semantic(p, made), err
}

// catalog finds the catalog of a name in a statement, once for each statement.
func (r Resolver) catalog(ctx context.Context, n engine.TableName) (Catalog, error) {
	key := strings.ToLower(n.Catalog)
	if key == engine.InternalCatalog && (n.Schema == engine.SchemaQuery || n.Schema == engine.SchemaMtQuery) {
		key = "query" // two catalogs have the name
	}
	r.seen.mu.Lock()
	defer r.seen.mu.Unlock()
	if c, ok := r.seen.catalogs[key]; ok {
		return c, nil
	}
	c, err := r.find(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Unknown(engine.KindUnknownCatalog, "Catalog '%s' does not exist", n.Catalog)
	}
	if err == nil {
		r.seen.catalogs[key] = c
	}
	return c, err
}

func (r Resolver) find(ctx context.Context, name string) (Catalog, error) {
	for _, c := range r.g.builtin(r.p) {
		if c.CatalogType == name || c.Name == name {
			return c, nil
		}
	}
	made, err := r.g.Store.SemanticCatalogNamed(ctx, r.p.ID, name)
	if !errors.Is(err, store.ErrNotFound) {
		return r.g.semantic(r.p, made), err
	}
	c, err := r.g.Store.CatalogByName(ctx, r.p.ID, name)
	return r.g.external(c), err
}

// Each calls do for each of some catalogs. If they are not named one by one, a source that cannot be read does not hide
// the others: it is reported as omitted.
func Each(ctx context.Context, all []Catalog, named bool, do func(Catalog) error) error {
	for _, c := range all {
		err := do(c)
		if err != nil && !named && Away(err) {
			err = engine.Omit(ctx, engine.OmittedCatalog, c.Name, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// List implements sql.Catalogs.
func (r Resolver) List(ctx context.Context, catalogs []string) ([]engine.TableName, error) {
	all, err := r.g.Catalogs(ctx, r.p)
	if err != nil {
		return nil, err
	}
	if catalogs != nil {
		all = slices.DeleteFunc(all, func(c Catalog) bool { return !slices.Contains(catalogs, c.Name) })
	}
	var out []engine.TableName
	err = Each(ctx, all, catalogs != nil, func(c Catalog) error {
		schemas, err := c.Schemas(ctx)
		if err != nil {
			return err
		}
		tables, err := c.Tables(ctx, "")
		if err != nil {
			return err
		}
		out = append(out, engine.TableName{Catalog: c.Name})
		for _, s := range schemas {
			out = append(out, engine.TableName{Catalog: c.Name, Schema: s})
		}
		for _, t := range tables {
			out = append(out, engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName})
		}
		return nil
	})
	return out, err
}

// Kinds implements sql.Catalogs.
func (r Resolver) Kinds(ctx context.Context) (map[string]string, error) {
	all, err := r.g.Catalogs(ctx, r.p)
	kinds := map[string]string{}
	for _, c := range all {
		if kinds[c.Name] == "" {
			kinds[c.Name] = strings.ToLower(c.CatalogType)
		}
	}
	return kinds, err
}

// Comments implements sql.Catalogs.
func (r Resolver) Comments(ctx context.Context) (map[engine.TableName]string, error) {
	all, err := r.g.Catalogs(ctx, r.p)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, c := range all {
		names[c.ID] = c.Name
	}
	notes, err := r.g.Store.MetadataNotes(ctx, r.p.ID)
	out := map[engine.TableName]string{}
	for k, d := range notes.Tables {
		if d != nil && names[k.Catalog] != "" {
			out[engine.TableName{Catalog: names[k.Catalog], Schema: k.Schema, Table: k.Table}.Fold()] = *d
		}
	}
	return out, err
}
