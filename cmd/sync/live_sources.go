package sync

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
)

// readCatalogs reads the catalogs. Catalogs that are built in, or shared by another project, are not in the files.
func (l *live) readCatalogs(ctx context.Context) error {
	var err error
	if l.catalogs, err = l.cl.Catalogs.List(ctx, l.project); err != nil {
		return err
	}
	var conns []api.Connection
	if slices.ContainsFunc(l.catalogs, func(c api.Catalog) bool { return c.ConnectionID != nil }) {
		if conns, err = l.cl.Connections.List(ctx, l.project); err != nil {
			return err
		}
	}
	for _, c := range l.catalogs {
		l.names[c.ID] = c.Name
		switch {
		case resolve.IsSemantic(c):
			l.add(&manifest.SemanticCatalog{Base: base(manifest.KindSemanticCatalog, c.Name),
				DisplayName: cmp.Or(c.DisplayName, c.Name)}, c.ID)
		case c.ConnectionID != nil && *c.ConnectionID != "":
			i := slices.IndexFunc(conns, func(k api.Connection) bool { return k.ID == *c.ConnectionID })
			if i < 0 {
				continue // of another project
			}
			out := &manifest.Catalog{Base: base(manifest.KindCatalog, c.Name), DisplayName: cmp.Or(c.DisplayName,
				c.Name), Connection: conns[i].Name}
			if c.CacheAnything {
				yes, err := manifest.ValueOf(json.RawMessage("true"))
				if err != nil {
					return err
				}
				out.Parameters = map[string]manifest.Value{api.CacheAnything: yes}
			}
			l.add(out, c.ID)
		}
	}
	return nil
}

func (l *live) readConnections(ctx context.Context) error {
	if !l.reads(manifest.KindConnection) && !l.reads(manifest.KindCatalog) {
		return nil
	}
	all, err := l.cl.Connections.List(ctx, l.project)
	if err != nil {
		return err
	}
	details := make([]map[string]manifest.Value, len(all))
	if l.reads(manifest.KindConnection) {
		if details, err = forAll(ctx, all, func(ctx context.Context, c api.Connection) (map[string]manifest.Value,
			error) {
			return l.detail(ctx, c.ID)
		}); err != nil {
			return err
		}
	}
	for i, c := range all {
		if details[i] != nil || !l.reads(manifest.KindConnection) { // otherwise it has been deleted
			l.add(&manifest.Connection{Base: base(manifest.KindConnection, c.Name), Type: c.Type,
				Credential: details[i]}, c.ID)
		}
	}
	return nil
}

// detail reads the members of a credential that are not secret. A member that looks like a secret, or contains one, is
// omitted even if a gateway returns it: a member without its secret would differ from every file.
func (l *live) detail(ctx context.Context, id string) (map[string]manifest.Value, error) {
	raw, err := l.cl.Connections.Detail(ctx, l.project, id)
	out := map[string]manifest.Value{}
	for k, v := range raw {
		if k == "type" || string(v) == "null" || secret.Named(k) {
			continue
		}
		found, err := secretIn(k, v)
		if err != nil {
			return nil, err
		}
		if found != "" {
			continue
		}
		if out[k], err = manifest.ValueOf(v); err != nil {
			return nil, err
		}
	}
	return out, err
}

func (l *live) readParametric(ctx context.Context) error {
	if !l.reads(manifest.KindParametricTable) {
		return nil
	}
	for _, c := range l.catalogs {
		if c.ConnectionID == nil || *c.ConnectionID == "" {
			continue
		}
		all, err := l.cl.ParametricTables.List(ctx, l.project, c.ID)
		if api.NoRoute(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, t := range all {
			out := &manifest.ParametricTable{Base: base(manifest.KindParametricTable, manifest.JoinName(c.Name,
				t.ToSchema, t.ToTable)), Catalog: c.Name, Schema: t.ToSchema, Table: t.ToTable,
				FromSchema: t.FromSchema, FromTable: t.FromTable, Values: map[string]manifest.Value{}}
			out.On = c.ID
			for _, v := range t.ParamValues {
				if out.Values[v.Key], err = manifest.ValueOf(v.Value); err != nil {
					return err
				}
			}
			l.add(out, "")
		}
	}
	return nil
}

func (l *live) readCaches(ctx context.Context) error {
	if !l.reads(manifest.KindCache) {
		return nil
	}
	all, err := l.cl.Cache.Statuses(ctx, l.project)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(st api.CacheStatus) bool {
		// of a catalog that was deleted
		return api.JobState(st.Status) == api.StateDeleted || l.names[st.CatalogID] == ""
	})
	settings, err := forAll(ctx, all, func(ctx context.Context, st api.CacheStatus) (api.Cache, error) {
		return l.cl.Cache.Settings(ctx, l.project, st.ID)
	})
	if err != nil {
		return err
	}
	for i, st := range all {
		if c := settings[i]; c.ID != "" {
			l.add(l.cacheOf(c, l.names[st.CatalogID]), st.ID)
		}
	}
	return nil
}

func (l *live) cacheOf(c api.Cache, catalog string) *manifest.Cache {
	every := func(s *api.CacheSchedule) string {
		if s == nil || s.Type == "NONE" {
			return ""
		}
		return api.OrEmpty(s.Expression)
	}
	out := &manifest.Cache{Base: base(manifest.KindCache, manifest.JoinName(catalog, c.SchemaName, c.TableName)),
		Catalog: catalog, Schema: c.SchemaName, Table: c.TableName,
		Incremental: every(c.IncrementalCacheSchedule), Full: every(c.FullRefreshCacheSchedule),
		Untracked: l.e.MayDropRows()}
	out.On = c.CatalogID
	if t := c.ChangeTracking; t != nil {
		out.Key, out.UpdatedAt, out.InsertOnly = t.KeyColumns, t.UpdatedAtColumn, t.InsertOnly
	}
	return out
}

func (l *live) readSemanticTables(ctx context.Context) error {
	if !l.reads(manifest.KindSemanticTable) {
		return nil
	}
	queries := map[string]string{}
	for ref, id := range l.ids {
		if ref.Kind == manifest.KindQuery {
			queries[id] = ref.Name
		}
	}
	for _, c := range l.catalogs {
		if !resolve.IsSemantic(c) {
			continue
		}
		schemas, err := l.cl.Catalogs.Schemas(ctx, l.project, c.ID)
		if err != nil {
			return err
		}
		for _, s := range schemas {
			if s.SchemaName == "information_schema" {
				continue
			}
			tables, err := l.cl.Catalogs.Tables(ctx, l.project, c.ID, s.SchemaName)
			if err != nil {
				return err
			}
			for _, t := range tables {
				out := &manifest.SemanticTable{Base: base(manifest.KindSemanticTable, manifest.JoinName(c.Name,
					s.SchemaName, t.TableName)), Catalog: c.Name, Schema: s.SchemaName, Table: t.TableName,
					Query: queries[t.QueryID]}
				out.On = c.ID
				l.add(out, t.TableID)
			}
		}
	}
	return nil
}

// askMetadata asks for the metadata of all tables, which takes longest, while other parts are read, unless the requests
// are only told, in their order. end cancels that, and waits for its end.
func (l *live) askMetadata(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	l.metadata = sync.OnceValues(func() (api.ProjectMetadata, error) {
		return l.cl.Metadata.Project(ctx, l.project, "", "")
	})
	if l.e.DryRun() || !l.reads(manifest.KindMetadata) {
		return cancel
	}
	var asking sync.WaitGroup
	asking.Go(func() { _, _ = l.metadata() }) // readMetadata returns the error
	return func() {
		cancel()
		asking.Wait()
	}
}

func (l *live) readMetadata(ctx context.Context) error {
	if !l.reads(manifest.KindMetadata) {
		return nil
	}
	all, err := l.metadata()
	if err != nil {
		return err
	}
	for _, m := range all.Metadata {
		if catalog, ok := l.names[m.Metadata.CatalogID]; ok {
			if out := l.metadataOf(m.Metadata, catalog); out != nil {
				l.add(out, "")
			}
		}
	}
	return nil
}

// metadataOf returns the descriptions of a table; nil if there are none. The description of a column of an internal
// table is part of that table.
func (l *live) metadataOf(m api.TableMetadata, catalog string) *manifest.Metadata {
	out := &manifest.Metadata{Base: base(manifest.KindMetadata, manifest.JoinName(catalog, m.SchemaName, m.TableName)),
		Catalog: catalog, Schema: m.SchemaName, Table: m.TableName,
		Description: said(api.OrEmpty(m.TableDescription)), Hidden: !m.UseWithAI,
		Columns: map[string]manifest.ColumnMetadata{}}
	out.On = m.CatalogID
	own := map[string]string{}
	if m.CatalogID == api.InternalCatalogID {
		if t, ok := l.tables[m.SchemaName+"."+m.TableName]; ok {
			for _, c := range t.Columns {
				own[c.Column] = api.OrEmpty(c.Description)
			}
		}
	}
	for _, c := range m.Columns {
		text := said(c.ColumnDescription)
		if text == own[c.ColumnName] {
			text = ""
		}
		var values []string
		if c.IsCategorical {
			values = c.CategoricalValues
		}
		if !c.IsSystem && (text != "" || len(values) > 0) {
			out.Columns[c.ColumnName] = manifest.ColumnMetadata{Description: text, Values: values}
		}
	}
	if out.Description == "" && !out.Hidden && len(out.Columns) == 0 {
		return nil
	}
	return out
}

// said returns a description; in some places the service represents a missing one as the string null [E].
func said(text string) string {
	if text == "null" {
		return ""
	}
	return text
}

func (l *live) readRelations(ctx context.Context) error {
	if !l.reads(manifest.KindRelation) {
		return nil
	}
	seen := map[string]bool{}
	for _, c := range l.catalogs {
		all, err := l.cl.Metadata.Relations(ctx, l.project, c.ID)
		if api.NoRoute(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, r := range all {
			source, target := l.names[cmp.Or(r.SourceCatalogID, c.ID)], l.names[r.TargetCatalogID]
			if seen[r.ID] || source == "" || target == "" {
				continue
			}
			seen[r.ID] = true
			out := manifest.NewRelation([4]string{source, r.SourceSchemaName, r.SourceTableName, r.SourceColumnName},
				[4]string{target, r.TargetSchemaName, r.TargetTableName, r.TargetColumnName}, strings.ToUpper(r.Type),
				manifest.Position{})
			out.On = cmp.Or(r.SourceCatalogID, c.ID)
			l.add(out, r.ID)
		}
	}
	return nil
}

func (l *live) readGolden(ctx context.Context) error {
	if !l.reads(manifest.KindGoldenSQL) {
		return nil
	}
	all, err := l.cl.Metadata.ListGoldenSQL(ctx, l.project)
	for _, g := range all {
		out := manifest.NewGoldenSQL(cmp.Or(g.Metadata.Prompt, g.Content), g.Metadata.SQL, manifest.Position{})
		if l.p.Get(manifest.KindGoldenSQL, out.Name) == nil { // duplicates are ignored
			l.add(out, g.ID)
		}
	}
	return err
}
