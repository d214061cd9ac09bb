package trino

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// ParseMapping reads CATALOG=PROJECT/CONNECTION.
func ParseMapping(text string) (engine.Mapping, error) {
	catalog, of, ok := strings.Cut(text, "=")
	project, connection, both := strings.Cut(of, "/")
	if !ok || !both || catalog == "" || project == "" || connection == "" || strings.Contains(connection, "/") {
		return engine.Mapping{}, fmt.Errorf("%q is not CATALOG=PROJECT/CONNECTION with the name of a catalog and "+
			"the ids of a project and a connection", text)
	}
	return engine.Mapping{Catalog: catalog, Project: project, Connection: connection}, nil
}

// checkMappings rejects catalogs that are not those of sources, and connections that would be two.
func (o Options) checkMappings() error {
	type connection struct{ project, id string }
	seen := map[connection]bool{}
	for _, m := range o.Catalogs {
		if m.Catalog != strings.ToLower(m.Catalog) || m.Catalog == o.Catalog || m.Catalog == "system" {
			return fmt.Errorf("catalog %q is not one of a source", m.Catalog)
		}
		c := connection{m.Project, m.Connection}
		if seen[c] {
			return fmt.Errorf("connection %s of project %s is read from two catalogs", m.Connection, m.Project)
		}
		seen[c] = true
	}
	return nil
}

// Mappings implements engine.Mapper.
func (e *Engine) Mappings() []engine.Mapping { return e.Catalogs }

// catalogsOf are the names of the catalogs that a project reads, those of all projects for "".
func (e *Engine) catalogsOf(project string) []string {
	var out []string
	for _, m := range e.Catalogs {
		if project == "" || m.Project == project {
			out = append(out, m.Catalog)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mapped is a table of a source that the cluster reads. Its columns are those that the cluster has.
func (p *project) mapped(ctx context.Context, catalog string, n engine.TableName) (*engine.BaseTable, error) {
	made := strings.HasPrefix(catalog, p.e.madePrefix(p.id))
	if !made && !slices.Contains(p.e.catalogsOf(p.id), catalog) {
		return nil, engine.Defect("the project reads a catalog that is not its own")
	}
	out := &engine.BaseTable{Name: n}
	var names []string
	ask := p.asked(ctx, "SELECT column_name, data_type FROM "+sqltext.Quote(catalog)+
		".information_schema.columns WHERE table_schema = "+sqltext.Literal(strings.ToLower(n.Schema))+
		" AND table_name = "+sqltext.Literal(strings.ToLower(n.Table))+" ORDER BY ordinal_position")
	column := func(v []*string) error {
		if v[0] == nil || v[1] == nil {
			return errors.New("the cluster has a column without a name or a type")
		}
		t, err := types.Parse(*v[1])
		if err != nil {
			t = types.NewOpaque(*v[1])
		}
		names = append(names, *v[0])
		out.Columns = append(out.Columns, analyze.TableColumn{Name: *v[0], Type: t})
		return nil
	}
	_, err := p.e.exec(ctx, ask, false, column)
	if made && isKind(fault(ctx, err), engine.KindUnknownCatalog) {
		if err = p.e.makeCatalog(ctx, catalog); err != nil {
			return nil, err
		}
		_, err = p.e.exec(ctx, ask, false, column)
	}
	if err != nil {
		return nil, fault(ctx, p.e.masked(err))
	}
	if len(names) == 0 {
		return nil, engine.UnknownTable(n)
	}
	out.Private = &kept{"SELECT " + sqltext.List(names) + " FROM " + sqltext.Quote(catalog, n.Schema, n.Table)}
	return out, nil
}
