package sync

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
)

func (a *applier) semanticCatalog(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Delete {
		return a.cl.Catalogs.Delete(ctx, a.project, manifest.BaseOf(ch.Have).ID)
	}
	c := ch.Want.(*manifest.SemanticCatalog)
	made, err := a.cl.SemanticCatalogs.Create(ctx, a.project, api.SemanticCatalogRequest{Name: c.DisplayName})
	if err == nil && made.Name != "" && made.Name != c.Name {
		return renamedBy("semantic catalog", c.Name, made.Name)
	}
	a.made(ch.Ref, made.ID)
	return err
}

func (a *applier) semanticTable(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Delete {
		b := manifest.BaseOf(ch.Have)
		if b.ID == "" {
			return &exitcode.Failure{Exit: exitcode.Failed, Code: "no-id",
				Msg:  "this gateway does not report the ids of semantic tables, so " + b.Name + " cannot be deleted",
				Hint: "delete it with `dig semantic-catalog table delete` and the id that its creation printed"}
		}
		return a.cl.SemanticCatalogs.DeleteTable(ctx, a.project, b.On, b.ID)
	}
	t := ch.Want.(*manifest.SemanticTable)
	catalog, err := a.id(manifest.KindSemanticCatalog, t.Catalog)
	if err != nil {
		return err
	}
	if t.Query == "" {
		return exitcode.Usagef("%s:%d: the query behind %s is not known: the gateway that it was pulled from does not "+
			"report it", t.At.File, t.At.Line, ch.Name).WithHint("write the name of the query there")
	}
	query, err := a.id(manifest.KindQuery, t.Query)
	if err != nil {
		return err
	}
	_, err = a.cl.SemanticCatalogs.CreateTable(ctx, a.project, catalog, api.SemanticTableRequest{SchemaName: t.Schema,
		TableName: t.Table, QueryID: query})
	return err
}

// catalogOf returns the id of the catalog that an object refers to.
func (a *applier) catalogOf(name, schema string) (string, error) {
	if id, ok := a.catalogID(name, schema); ok && id != "" {
		return id, nil
	}
	return a.id(manifest.KindCatalog, name)
}

func (a *applier) parametric(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Delete {
		t := ch.Have.(*manifest.ParametricTable)
		return a.cl.ParametricTables.Delete(ctx, a.project, t.On, t.Schema, t.Table)
	}
	t := ch.Want.(*manifest.ParametricTable)
	catalog, err := a.catalogOf(t.Catalog, t.Schema)
	if err != nil {
		return err
	}
	req := api.ParametricTable{FromSchema: t.FromSchema, FromTable: t.FromTable, ToSchema: t.Schema, ToTable: t.Table}
	for _, k := range slices.Sorted(maps.Keys(t.Values)) {
		req.ParamValues = append(req.ParamValues, api.ParametricTableColumn{Key: k, Value: t.Values[k].JSON()})
	}
	_, err = a.cl.ParametricTables.Create(ctx, a.project, catalog, req)
	return err
}

func every(period string) *api.CacheSchedule {
	if period == "" {
		return &api.CacheSchedule{Type: "NONE"}
	}
	return &api.CacheSchedule{Type: "BASIC", Expression: &period}
}

// tracking returns how zone local detects the changes of a table; nil for other gateways, which detect them
// themselves.
func (a *applier) tracking(c *manifest.Cache) *api.CacheTracking {
	if a.e.MayDropRows() {
		return nil
	}
	key := c.Key
	if key == nil {
		key = []string{}
	}
	return &api.CacheTracking{KeyColumns: key, UpdatedAtColumn: c.UpdatedAt, InsertOnly: c.InsertOnly}
}

func (a *applier) cache(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Create {
		return a.createCache(ctx, ch.Want.(*manifest.Cache))
	}
	have := ch.Have.(*manifest.Cache)
	now, err := a.cl.Cache.Settings(ctx, a.project, have.ID)
	if missing(err) || err == nil && !same(have, a.cacheOf(now, have.Catalog)) {
		return changedSince(ch)
	}
	if err != nil {
		return err
	}
	if ch.Action == manifest.Delete {
		return a.cl.Cache.Delete(ctx, a.project, have.ID)
	}
	c := ch.Want.(*manifest.Cache) // both schedules are sent: the service may remove one that is omitted [O][M]
	req := api.CacheScheduleUpdate{IncrementalCacheSchedule: every(c.Incremental),
		FullRefreshCacheSchedule: every(c.Full)}
	if slices.ContainsFunc(ch.Fields, func(f manifest.Difference) bool {
		return f.Name != "incremental" &&
			f.Name != "full"
	}) {
		req.ChangeTracking = a.tracking(c)
	}
	_, err = a.cl.Cache.UpdateSettings(ctx, a.project, have.ID, req)
	return err
}

func (a *applier) createCache(ctx context.Context, c *manifest.Cache) error {
	catalog, err := a.catalogOf(c.Catalog, c.Schema)
	if err != nil {
		return err
	}
	req := api.CacheRequest{CatalogID: catalog, SchemaName: c.Schema, TableName: c.Table,
		IncrementalCacheSchedule: every(c.Incremental), FullRefreshCacheSchedule: every(c.Full)}
	if len(c.Key) > 0 {
		req.ChangeTracking = a.tracking(c)
	}
	_, err = cli.CreateCache(ctx, a.cl, a.project, req)
	return err
}

// metadata updates the description of a table. On the hosted zones an update replaces all of it, so it starts with the
// current metadata.
func (a *applier) metadata(ctx context.Context, ch manifest.Change) error {
	m, _ := ch.Want.(*manifest.Metadata)
	if m == nil {
		m = ch.Have.(*manifest.Metadata)
	}
	catalog, err := a.catalogOf(m.Catalog, m.Schema)
	if err != nil {
		return err
	}
	now, ok, err := a.described(ctx, catalog, m)
	if err != nil {
		return err
	}
	if !ok {
		if a.e.DryRun() {
			now = api.TableMetadata{UseWithAI: true}
			for name := range m.Columns {
				now.Columns = append(now.Columns, api.MetadataColumn{ColumnName: name})
			}
		} else {
			return &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
				Msg: "the gateway has no metadata of table " + ch.Name,
				Hint: fmt.Sprintf("`dig metadata refresh %s` reads new tables; then run apply again",
					shell.Quote(m.Catalog))}
		}
	}
	// this run may have changed the descriptions of its columns
	if catalog == api.InternalCatalogID && (m.Schema == api.SchemaTable || m.Schema == api.SchemaBI) && !a.e.DryRun() {
		kind := manifest.KindTable
		if m.Schema == tableSchema(manifest.KindBITable) {
			kind = manifest.KindBITable
		}
		cols, err := a.tablesOf(kind).Columns(ctx, a.project, m.Table)
		if err != nil {
			return err
		}
		a.tables[m.Schema+"."+m.Table] = tableOf(kind, m.Table, cols)
	}
	is := a.metadataOf(now, m.Catalog)
	if have, ok := ch.Have.(*manifest.Metadata); ok && (is == nil || !same(have, is)) || ch.Have == nil && is != nil {
		return changedSince(ch)
	}
	cols, err := api.AsUpdate(now.Columns)
	if err != nil {
		return err
	}
	req := api.TableMetadataUpdateRequest{TableDescription: now.TableDescription, Columns: cols,
		UseWithAI: &now.UseWithAI}
	return a.describe(ctx, ch, catalog, m, req)
}

// described reads the current description of a table.
func (a *applier) described(ctx context.Context, catalog string,
	m *manifest.Metadata) (api.TableMetadata, bool, error) {
	all, err := a.cl.Metadata.Project(ctx, a.project, catalog, m.Schema)
	if missing(err) {
		err = nil
	}
	for _, e := range all.Metadata {
		if e.Metadata.CatalogID == catalog && e.Metadata.SchemaName == m.Schema && e.Metadata.TableName == m.Table {
			return e.Metadata, true, err
		}
	}
	return api.TableMetadata{}, false, err
}

// describe sends the metadata of a table with the changes.
func (a *applier) describe(ctx context.Context, ch manifest.Change, catalog string, m *manifest.Metadata,
	req api.TableMetadataUpdateRequest) error {
	fields := ch.Fields
	if ch.Action == manifest.Delete {
		fields = manifest.Cleared(ch.Have)
	}
	for _, f := range fields {
		column, what := "", f.Name
		for _, end := range []string{"description", "values"} {
			if name, ok := strings.CutSuffix(f.Name, " "+end); ok {
				column, what = name, end
			}
		}
		switch {
		case column == "" && what == "description":
			req.TableDescription = &f.To
		case column == "":
			allowed := f.To != "false"
			req.UseWithAI = &allowed
		default:
			at := slices.IndexFunc(req.Columns, func(c api.MetadataColumnUpdate) bool { return c.ColumnName == column })
			if at < 0 {
				return &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
					Msg: fmt.Sprintf("table %s has no column %s", ch.Name, column)}
			}
			if c := &req.Columns[at]; what == "description" {
				c.ColumnDescription = &f.To
			} else {
				values := []string{}
				if f.To != "" {
					values = append(values, m.Columns[column].Values...)
				}
				categorical := len(values) > 0
				c.IsCategorical, c.CategoricalValues = &categorical, &values
			}
		}
	}
	_, err := a.cl.Metadata.UpdateTable(ctx, a.project, catalog, m.Schema, m.Table, req)
	return err
}

func (a *applier) relation(ctx context.Context, ch manifest.Change) error {
	if ch.Action != manifest.Create {
		have := ch.Have.(*manifest.Relation)
		if ch.Action == manifest.Delete {
			return a.cl.Metadata.DeleteRelation(ctx, a.project, have.On, have.Source[1], have.Source[2], have.ID)
		}
		_, err := a.cl.Metadata.UpdateRelation(ctx, a.project, have.On, have.Source[1], have.Source[2], have.ID,
			api.RelationUpdateRequest{Type: ch.Want.(*manifest.Relation).Type})
		return err
	}
	r := ch.Want.(*manifest.Relation)
	source, err := a.catalogOf(r.Source[0], r.Source[1])
	if err != nil {
		return err
	}
	target, err := a.catalogOf(r.Target[0], r.Target[1])
	if err != nil {
		return err
	}
	_, err = a.cl.Metadata.AddRelation(ctx, a.project, source, r.Source[1], r.Source[2], r.Source[3],
		api.RelationRequest{TargetCatalogID: target, TargetSchemaName: r.Target[1], TargetTableName: r.Target[2],
			TargetColumnName: r.Target[3], Type: r.Type})
	return err
}

func (a *applier) catalog(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Delete {
		return a.cl.Catalogs.Delete(ctx, a.project, manifest.BaseOf(ch.Have).ID)
	}
	c := ch.Want.(*manifest.Catalog)
	conn, err := a.id(manifest.KindConnection, c.Connection)
	if err != nil {
		return err
	}
	req := api.CatalogRequest{Name: c.DisplayName, ConnectionID: conn}
	for _, k := range slices.Sorted(maps.Keys(c.Parameters)) {
		if k == api.CacheAnything && !a.e.Local() {
			fmt.Fprintf(a.e.Err, "note: catalog %s is created without %s, which only zone local has\n", c.Name, k)
			continue
		}
		v, err := a.vault.expand(k, c.Parameters[k])
		if err != nil {
			return exitcode.Usagef("%s: parameters %s: %v", c.At.File, k, err)
		}
		if req.ExtraParameters == nil {
			req.ExtraParameters = map[string]any{}
		}
		req.ExtraParameters[k] = v.JSON()
	}
	made, err := resolve.OrAlternative(
		func() (api.Catalog, error) { return a.cl.Catalogs.Create(ctx, a.project, req) },
		func() (api.Catalog, error) { return a.cl.Catalogs.CreateAlt(ctx, a.project, req) })
	if err == nil && made.Name != "" && made.Name != c.Name {
		return renamedBy("catalog", c.Name, made.Name)
	}
	a.made(ch.Ref, made.ID)
	return err
}
