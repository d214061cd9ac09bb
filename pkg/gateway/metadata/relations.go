package metadata

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Types of relations [O].
const (
	manyToOne = "MANY_TO_ONE"
	oneToMany = "ONE_TO_MANY"
	oneToOne  = "ONE_TO_ONE"
)

func relationType(s string) error {
	switch s {
	case "":
		return fault.Missing("type")
	case manyToOne, oneToMany, oneToOne:
		return nil
	}
	return fault.Framework(400, "property %q: %q is not one of MANY_TO_ONE, ONE_TO_MANY, ONE_TO_ONE", "type", s)
}

func (s *Service) listRelations(ctx context.Context, r *web.Request[web.None]) (api.RelationList, error) {
	out := api.RelationList{Relations: []api.Relation{}}
	c, err := s.Names.Catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return out, err
	}
	d, err := s.describer(ctx, r.Project)
	if err != nil {
		return out, err
	}
	all, err := s.Store.Relations(ctx, r.Project.ID, c.ID)
	out.Relations = each.Map(all, d.relation)
	return out, err
}

func (s *Service) addRelation(ctx context.Context, r *web.Request[api.RelationRequest]) (api.Relation, error) {
	b := r.Body
	for _, f := range []struct{ name, value string }{{"targetCatalogId", b.TargetCatalogID},
		{"targetSchemaName", b.TargetSchemaName},
		{"targetTableName", b.TargetTableName}, {"targetColumnName", b.TargetColumnName}} {
		if f.value == "" {
			return api.Relation{}, fault.Missing(f.name)
		}
	}
	if err := relationType(b.Type); err != nil {
		return api.Relation{}, err
	}
	rel := store.Relation{Source: columnKey(r), Type: b.Type,
		Target: store.ColumnKey{TableKey: store.TableKey{Catalog: b.TargetCatalogID, Schema: b.TargetSchemaName,
			Table: b.TargetTableName}, Column: b.TargetColumnName}}
	if rel.Source == rel.Target {
		return api.Relation{}, fault.Data(400, "a relation requires two different columns")
	}
	for _, k := range []store.ColumnKey{rel.Source, rel.Target} {
		if _, err := s.column(ctx, r.Project, k); err != nil {
			return api.Relation{}, err
		}
	}
	rel, err := s.Store.AddRelation(ctx, r.Project.ID, rel)
	if errors.Is(err, store.ErrConflict) {
		return api.Relation{}, fault.Data(409, "this relation already exists")
	}
	return s.relationOut(ctx, r.Project, rel, err)
}

func (s *Service) relationOut(ctx context.Context, p store.Project, rel store.Relation,
	err error) (api.Relation, error) {
	if err != nil {
		return api.Relation{}, err
	}
	d, err := s.describer(ctx, p)
	if err != nil {
		return api.Relation{}, err
	}
	return d.relation(rel), nil
}

func (s *Service) updateRelation(ctx context.Context, r *web.Request[api.RelationUpdateRequest]) (api.Relation, error) {
	if err := relationType(r.Body.Type); err != nil {
		return api.Relation{}, err
	}
	id := r.Param("relationId")
	rel, err := s.Store.UpdateRelation(ctx, r.Project.ID, tableKey(r), id, r.Body.Type)
	return s.relationOut(ctx, r.Project, rel, fault.NotFound(err, "there is no relation with id %s on this table", id))
}

func (s *Service) deleteRelation(ctx context.Context, r *web.Request[web.None]) (done, error) {
	id := r.Param("relationId")
	return done{}, fault.NotFound(s.Store.DeleteRelation(ctx, r.Project.ID, tableKey(r), id),
		"there is no relation with id %s on this table", id)
}

// rereadRelations creates a relation for every foreign key of a source, between columns that the catalog has. An
// existing one is kept, including a type that a user may have set; none is removed, because a user may have created it.
func (s *Service) rereadRelations(ctx context.Context, p store.Project, c names.Catalog,
	tables []api.TableMetadata) error {
	keys, err := c.ForeignKeys(ctx)
	if err != nil || len(keys) == 0 {
		return err
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
		kind := manyToOne
		if k.Single && once {
			kind = oneToOne
		}
		at := func(p connector.Place) store.ColumnKey {
			return store.ColumnKey{TableKey: store.TableKey{Catalog: c.ID, Schema: p.Schema, Table: p.Table},
				Column: p.Column}
		}
		if _, err := s.Store.AddRelation(ctx, p.ID, store.Relation{Source: at(k.From), Target: at(k.To),
			Type: kind}); err != nil && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return nil
}
