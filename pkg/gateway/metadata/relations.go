package metadata

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// rereadRelations creates a relation for every foreign key of a source, between columns that the catalog has. An
// existing one is kept, including a type that a user may have set; none is removed, because a user may have created it.
func (s *Service) rereadRelations(ctx context.Context, p store.Project, c catalogs.Catalog, tables []api.TableMetadata) error {
	e, ok := c.Source.(names.ExternalCatalog)
	if !ok {
		return nil
	}
	src, err := e.Source(ctx)
	if err != nil {
		return err
	}
	related, ok := src.Connector.(connector.Related)
	if !ok {
		return nil
	}
	keys, err := related.ForeignKeys(ctx)
	if err != nil {
		return src.Fault(ctx, err)
	}
	unique := map[connector.Place]bool{} // for each existing column, whether its values are unique
	for _, t := range tables {
		for _, col := range t.Columns {
			unique[connector.Place{Schema: t.SchemaName, Table: t.TableName, Column: col.ColumnName}] = col.IsUnique
		}
	}
	for _, k := range keys {
		once, from := unique[k.From]
		_, to := unique[k.To]
		if !from || !to || k.From == k.To {
			continue
		}
		kind := "MANY_TO_ONE"
		if k.Single && once {
			kind = "ONE_TO_ONE"
		}
		at := func(p connector.Place) store.ColumnKey {
			return store.ColumnKey{TableKey: store.TableKey{Catalog: c.ID, Schema: p.Schema, Table: p.Table}, Column: p.Column}
		}
		if _, err := s.Store.AddRelation(ctx, p.ID, store.Relation{Source: at(k.From), Target: at(k.To), Type: kind}); err != nil && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return nil
}
