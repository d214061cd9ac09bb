package names

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Kinds implements sql.Catalogs.
func (r Resolver) Kinds(ctx context.Context) (map[string]string, error) {
	_, kinds, err := r.catalogs(ctx)
	return kinds, err
}

// catalogs returns the names of the project's catalogs by their ids, and the kinds by the names.
func (r Resolver) catalogs(ctx context.Context) (names, kinds map[string]string, err error) {
	names = map[string]string{api.InternalCatalogID: engine.InternalCatalog, api.QueryCatalogID: engine.InternalCatalog,
		SampleCatalogID: engine.SampleCatalog}
	kinds = map[string]string{engine.InternalCatalog: "internal", engine.SampleCatalog: "sample"}
	stored, err := r.g.Store.Catalogs(ctx, r.p.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range stored {
		names[c.ID], kinds[c.Name] = c.Name, strings.ToLower(c.Type)
	}
	semantic, err := r.g.Store.SemanticCatalogs(ctx, r.p.ID)
	for _, c := range semantic {
		names[c.ID], kinds[c.Name] = c.Name, "semantic"
	}
	return names, kinds, err
}

// Comments implements sql.Catalogs.
func (r Resolver) Comments(ctx context.Context) (map[engine.TableName]string, error) {
	names, _, err := r.catalogs(ctx)
	if err != nil {
		return nil, err
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
