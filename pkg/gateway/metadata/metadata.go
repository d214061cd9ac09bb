// Package metadata serves the metadata of tables and columns: descriptions, relations, golden SQL, lineage.
package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service stores the metadata that users enter about tables and columns, and reads that of the sources.
type Service struct {
	Store     *store.Store
	Engine    engine.Engine
	Now       func() time.Time
	Log       *slog.Logger
	Jobs      *jobs.Service
	Names     *names.Service
	Sources   *sources.Service
	Catalogs  *catalogs.Service
	Sampling  time.Duration // SampleTime, except in tests
	Rereading jobs.Tally    // by project and catalog: running refreshes
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.GetProjectMetadata, s.getProjectMetadata)
	web.Handle(m, spec.QueryMetadata, s.queryMetadata)
	web.Handle(m, spec.UpdateTableMetadata, s.updateTableMetadata)
	web.Handle(m, spec.SetCatalogAiUsage, s.setAIUsage)
	web.Handle(m, spec.SetSchemaAiUsage, s.setAIUsage)
	web.Handle(m, spec.GenerateSampleQuestions, web.Refuse[api.SampleQuestions](web.NeedsModel))
	web.Handle(m, spec.GenerateSemantics, web.Refuse[api.SemanticsResult](web.NeedsModel))
	web.Handle(m, spec.GenerateCategoricalValues, s.generateCategorical)
	web.Handle(m, spec.DeleteCategoricalValues, s.deleteCategorical)
	web.Handle(m, spec.ListRelations, s.listRelations)
	web.Handle(m, spec.AddRelation, s.addRelation)
	web.Handle(m, spec.UpdateRelation, s.updateRelation)
	web.Handle(m, spec.DeleteRelation, s.deleteRelation)
	web.Handle(m, spec.ListGoldenSqls, s.listGoldenSQL)
	web.Handle(m, spec.CreateGoldenSql, s.createGoldenSQL)
	web.Handle(m, spec.DeleteGoldenSql, s.deleteGoldenSQL)
	web.Handle(m, spec.QueryGoldenSqls, s.queryGoldenSQL)
	web.Handle(m, spec.RefreshMetadata, s.refreshMetadata)
	web.Handle(m, spec.GetMetadataRefreshStatus, s.metadataRefreshStatus)
	web.Handle(m, spec.GetRefreshCallback, s.getRefreshCallback)
	web.Handle(m, spec.RegisterRefreshCallback, s.registerRefreshCallback)
	web.Handle(m, spec.UnregisterRefreshCallback, s.unregisterRefreshCallback)
}

// done is the reply {} of an operation without a result [O].
type done struct{}

// describer reads the metadata of one project's tables: the current definition in the catalogs, overlaid with the
// users' descriptions.
type describer struct {
	g         *Service
	p         store.Project
	notes     store.Notes
	catalogs  map[string]names.Catalog
	order     []names.Catalog
	relations map[store.TableKey][]api.Relation
}

func (s *Service) describer(ctx context.Context, p store.Project) (*describer, error) {
	d := &describer{g: s, p: p, catalogs: map[string]names.Catalog{}, relations: map[store.TableKey][]api.Relation{}}
	var err error
	if d.notes, err = s.Store.MetadataNotes(ctx, p.ID); err != nil {
		return nil, err
	}
	if d.order, err = s.Names.Catalogs(ctx, p); err != nil {
		return nil, err
	}
	for _, c := range d.order {
		d.catalogs[c.ID] = c
	}
	all, err := s.Store.Relations(ctx, p.ID, "")
	for _, r := range all {
		d.relations[r.Source.TableKey] = append(d.relations[r.Source.TableKey], d.relation(r))
	}
	return d, err
}

func (d *describer) relation(r store.Relation) api.Relation {
	return api.Relation{ID: r.ID, ProjectID: d.p.ID, Type: r.Type,
		SourceCatalogID: r.Source.Catalog, SourceCatalogName: d.catalogs[r.Source.Catalog].Name,
		SourceSchemaName: r.Source.Schema, SourceTableName: r.Source.Table, SourceColumnName: r.Source.Column,
		TargetCatalogID: r.Target.Catalog, TargetCatalogName: d.catalogs[r.Target.Catalog].Name,
		TargetSchemaName: r.Target.Schema, TargetTableName: r.Target.Table, TargetColumnName: r.Target.Column}
}

// table describes one table. If its statement does not work now, because a table was deleted or a source is
// unreachable, it has no columns and must not hide the other tables.
func (d *describer) table(ctx context.Context, c names.Catalog, t api.Table) (api.TableMetadata, error) {
	cols, err := c.Columns(ctx, t.SchemaName, t.TableName)
	return d.tableOf(ctx, c, t, cols, err)
}

// tableOf is table where the columns have been read, or err says why not.
func (d *describer) tableOf(ctx context.Context, c names.Catalog, t api.Table, cols []names.Column,
	err error) (api.TableMetadata, error) {
	key := store.TableKey{Catalog: c.ID, Schema: t.SchemaName, Table: t.TableName}
	m := api.TableMetadata{ProjectID: d.p.ID, CatalogID: c.ID, CatalogType: c.CatalogType, CatalogQueryName: c.Name,
		CatalogDisplayName: c.DisplayName,
		SchemaName:         t.SchemaName, TableName: t.TableName, TableDescription: d.notes.Tables[key],
		IsCacheable: t.IsCacheable, IsDynamicTable: t.IsDynamicTable,
		UseWithAI: d.notes.AllowsAI(key), Columns: []api.MetadataColumn{}, Relations: d.relations[key]}
	if m.Relations == nil {
		m.Relations = []api.Relation{}
	}
	if (names.Broken(err) || names.Away(err)) && (c.ID == api.QueryCatalogID ||
		c.CatalogType == names.SemanticType) {
		return m, engine.Omit(ctx, engine.OmittedColumns, c.Name+"."+t.SchemaName+"."+t.TableName, err)
	}
	if err != nil {
		return m, err
	}
	lineage, err := d.lineage(ctx, c, t, cols)
	if err != nil {
		return m, err
	}
	for i, col := range cols {
		mc := d.column(key, col, int64(i+1))
		if lineage != nil {
			mc.Lineage = lineage[i]
		}
		m.Columns = append(m.Columns, mc)
	}
	return m, nil
}

func (d *describer) column(t store.TableKey, c names.Column, order int64) api.MetadataColumn {
	n := d.notes.Columns[store.ColumnKey{TableKey: t, Column: c.Name}]
	m := api.MetadataColumn{ColumnName: c.Name, DataType: c.DataType, Order: order, IsNotNull: c.IsNotNull,
		IsUnique: c.IsUnique,
		IsSystem: c.System || strings.HasPrefix(c.Name, "_q_"), IsPrimary: c.Primary,
		IsCategorical:     n.Categorical != nil,
		CategoricalValues: n.Categorical, Lineage: []api.ColumnLineage{}, SampleValues: []json.RawMessage{}}
	switch {
	case n.Description != nil:
		m.ColumnDescription = *n.Description
	case c.Desc != nil:
		m.ColumnDescription = *c.Desc
	}
	if m.CategoricalValues == nil {
		m.CategoricalValues = []string{}
	}
	for _, v := range n.Sample {
		raw, _ := json.Marshal(v) // a string always marshals
		m.SampleValues = append(m.SampleValues, raw)
	}
	return m
}

// content is the text by which a table is found.
func content(m api.TableMetadata) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s.%s", m.CatalogQueryName, m.SchemaName, m.TableName)
	if m.TableDescription != nil && *m.TableDescription != "" {
		fmt.Fprintf(&b, ": %s", *m.TableDescription)
	}
	for _, c := range m.Columns {
		if c.IsSystem {
			continue
		}
		fmt.Fprintf(&b, "\n%s %s", c.ColumnName, c.DataType)
		if c.ColumnDescription != "" {
			fmt.Fprintf(&b, ": %s", c.ColumnDescription)
		}
		if len(c.CategoricalValues) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(c.CategoricalValues, ", "))
		}
	}
	return b.String()
}

// getProjectMetadata describes the current tables. Categorical values that are due are read again first.
func (s *Service) getProjectMetadata(ctx context.Context, r *web.Request[web.None]) (api.ProjectMetadata, error) {
	out := api.ProjectMetadata{Metadata: []api.MetadataEntry{}}
	if err := s.DueCategorical(ctx, r.Project); err != nil {
		return out, err
	}
	d, err := s.describer(ctx, r.Project)
	if err != nil {
		return out, err
	}
	tables, err := d.all(ctx, r.Query("catalogId"), r.Query("schemaName"))
	for _, m := range tables {
		out.Metadata = append(out.Metadata, api.MetadataEntry{ID: m.CatalogID + "." + m.SchemaName + "." + m.TableName,
			Content: content(m), Metadata: m})
	}
	return out, err
}

// queryMetadata finds the tables that match a text best: those the AI may use, by full-text rank, with exact matches of
// the name first.
func (s *Service) queryMetadata(ctx context.Context, r *web.Request[web.None]) (api.MetadataQueryResult, error) {
	out := api.MetadataQueryResult{Result: []api.TableMetadata{}}
	text := strings.TrimSpace(r.Query("table"))
	if text == "" {
		return out, fault.Framework(400, "required query parameter %q is missing", "table")
	}
	top, err := r.Int("topK", 5, 1)
	if err != nil {
		return out, err
	}
	d, err := s.describer(ctx, r.Project)
	if err != nil {
		return out, err
	}
	tables, err := d.all(ctx, "", "")
	if err != nil {
		return out, err
	}
	tables = slices.DeleteFunc(tables, func(m api.TableMetadata) bool { return !m.UseWithAI })
	hits := rank(text, each.Map(tables, content))
	named := func(m api.TableMetadata) bool {
		full := m.CatalogQueryName + "." + m.SchemaName + "." + m.TableName
		return strings.EqualFold(text, m.TableName) || strings.EqualFold(text, full) || strings.EqualFold(text,
			m.SchemaName+"."+m.TableName)
	}
	slices.SortStableFunc(hits, func(a, b int) int {
		return strings.Compare(strconv.FormatBool(named(tables[b])), strconv.FormatBool(named(tables[a])))
	})
	for _, i := range hits[:min(top, len(hits))] {
		out.Result = append(out.Result, tables[i])
	}
	return out, nil
}

// metadataTable finds the table that a path names.
func (s *Service) metadataTable(ctx context.Context, p store.Project,
	k store.TableKey) (names.Catalog, api.Table, error) {
	return s.Catalogs.Table(ctx, p, k.Catalog, k.Schema, k.Table)
}

func tableKey[B any](r *web.Request[B]) store.TableKey {
	return store.TableKey{Catalog: r.Param("catalogId"), Schema: r.Param("schemaName"), Table: r.Param("tableName")}
}

// updateTableMetadata changes what is given. An unchanged or omitted member of a column is not a change.
func (s *Service) updateTableMetadata(ctx context.Context,
	r *web.Request[api.TableMetadataUpdateRequest]) (api.TableMetadata, error) {
	k := tableKey(r)
	c, t, err := s.metadataTable(ctx, r.Project, k)
	if err != nil {
		return api.TableMetadata{}, err
	}
	d, err := s.describer(ctx, r.Project)
	if err != nil {
		return api.TableMetadata{}, err
	}
	now, err := d.table(ctx, c, t)
	if err != nil {
		return api.TableMetadata{}, err
	}
	change := store.TableChange{Description: r.Body.TableDescription, AI: r.Body.UseWithAI,
		Columns: map[string]store.ColumnChange{}}
	for _, col := range r.Body.Columns {
		i := slices.IndexFunc(now.Columns,
			func(have api.MetadataColumn) bool { return have.ColumnName == col.ColumnName })
		if i < 0 {
			return api.TableMetadata{}, fault.Data(400, "Column '%s' cannot be resolved", col.ColumnName)
		}
		old, ch := now.Columns[i], store.ColumnChange{}
		if d := col.ColumnDescription; d != nil && *d != old.ColumnDescription {
			ch.Description = d
		}
		categorical, values := old.IsCategorical, old.CategoricalValues
		if col.IsCategorical != nil {
			categorical = *col.IsCategorical
		}
		if col.CategoricalValues != nil {
			values = *col.CategoricalValues
		}
		switch {
		case !categorical && old.IsCategorical:
			ch.Categorical = &[]string{}
		case categorical && len(values) == 0:
			return api.TableMetadata{}, fault.Data(400, "column %s cannot be categorical without values",
				col.ColumnName)
		case categorical && !slices.Equal(old.CategoricalValues, values):
			ch.Categorical = &values
		}
		change.Columns[col.ColumnName] = ch
	}
	if err := s.Store.UpdateTableNotes(ctx, r.Project.ID, k, change); err != nil {
		return api.TableMetadata{}, err
	}
	if d, err = s.describer(ctx, r.Project); err != nil {
		return api.TableMetadata{}, err
	}
	return d.table(ctx, c, t)
}

// setAIUsage sets whether the AI may use a catalog or a schema, and its contents.
func (s *Service) setAIUsage(ctx context.Context, r *web.Request[api.AIUsageRequest]) (done, error) {
	if r.Body.UseWithAI == nil {
		return done{}, fault.Missing("useWithAI")
	}
	k := tableKey(r)
	var err error
	if k.Schema == "" {
		_, err = s.Names.Catalog(ctx, r.Project, k.Catalog)
	} else {
		_, err = s.Catalogs.Schema(ctx, r.Project, k.Catalog, k.Schema)
	}
	if err != nil {
		return done{}, err
	}
	return done{}, s.Store.SetAIUsage(ctx, r.Project.ID, k, *r.Body.UseWithAI)
}
