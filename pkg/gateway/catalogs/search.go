package catalogs

import (
	"context"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) searchRoutes(m *web.Mux) { web.Handle(m, spec.Search, s.search) }

// defaultSearchLimit is the page size of a search without a limit [O].
const defaultSearchLimit = 100

// search finds catalogs, schemas and tables with names that contain a text, ignoring case [O]. A page runs over the
// three groups in that order; a group without a hit on the page is null [L]. It searches the current names, not an
// index.
func (s *Service) search(ctx context.Context, r *web.Request[api.SearchRequest]) (api.SearchResult, error) {
	limit, offset := int64(defaultSearchLimit), int64(0)
	if r.Body.Limit != nil {
		limit = *r.Body.Limit
	}
	if r.Body.Offset != nil {
		offset = *r.Body.Offset
	}
	if limit < 1 {
		return api.SearchResult{}, fault.Data(400, "limit: %d is less than 1", limit)
	}
	if offset < 0 {
		return api.SearchResult{}, fault.Data(400, "offset: %d is negative", offset)
	}
	groups, err := s.matches(ctx, r)
	if err != nil {
		return api.SearchResult{}, err
	}
	out := api.SearchResult{Meta: api.SearchMeta{Page: api.Page{Limit: limit, Offset: offset},
		Query: api.SearchMetaQuery{Text: r.Body.Query}}}
	var at int64
	for i, into := range []*[]api.CatalogSchemaTable{&out.MatchedCatalogs, &out.MatchedSchemas, &out.MatchedTables} {
		for _, hit := range groups[i] {
			if at >= offset && at-offset < limit {
				*into = append(*into, hit)
			}
			at++
		}
	}
	if at-offset > limit {
		next := offset + limit
		out.Meta.Page.NextOffset = &next
	}
	return out, nil
}

// matches walks the catalogs of the project. An unreachable source does not prevent the search of the others, unless
// the search names its catalog.
func (s *Service) matches(ctx context.Context,
	r *web.Request[api.SearchRequest]) (groups [3][]api.CatalogSchemaTable, err error) {
	text := strings.ToLower(r.Body.Query)
	has := func(names ...string) bool {
		for _, n := range names {
			if strings.Contains(strings.ToLower(n), text) {
				return true
			}
		}
		return false
	}
	all, err := s.Names.Catalogs(ctx, r.Project)
	if err != nil {
		return groups, err
	}
	if r.Body.Catalog != "" {
		all = slices.DeleteFunc(all, func(c names.Catalog) bool { return !strings.EqualFold(r.Body.Catalog, c.Name) })
	}
	seen := map[string]bool{}
	err = names.Each(ctx, all, r.Body.Catalog != "", func(c names.Catalog) error {
		if r.Body.Schema == "" && has(c.Name, c.DisplayName) && !seen[c.Name] {
			seen[c.Name] = true // both built-in catalogs have the same name
			groups[0] = append(groups[0], api.CatalogSchemaTable{Catalog: c.Name})
		}
		schemas, tables, err := matchesIn(ctx, c, r.Body.Schema, has)
		groups[1], groups[2] = append(groups[1], schemas...), append(groups[2], tables...)
		return err
	})
	return groups, err
}

func matchesIn(ctx context.Context, c names.Catalog, only string,
	has func(...string) bool) (schemas, tables []api.CatalogSchemaTable, err error) {
	names, err := c.Schemas(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range names {
		if only != "" && !strings.EqualFold(only, text) {
			continue
		}
		if has(text) {
			schemas = append(schemas, api.CatalogSchemaTable{Catalog: c.Name, Schema: text})
		}
		ts, err := c.Tables(ctx, text)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range ts {
			if has(t.TableName) {
				tables = append(tables, api.CatalogSchemaTable{Catalog: c.Name, Schema: text, Table: t.TableName})
			}
		}
	}
	return schemas, tables, nil
}
