package catalogs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) parametricRoutes(m *web.Mux) {
	web.Handle(m, spec.ListParametricTables, s.listParametricTables)
	web.Handle(m, spec.CreateParametricTable, s.createParametricTable)
	web.Handle(m, spec.DeleteParametricTable, s.deleteParametricTable)
}

// parametricCatalog finds the catalog of a request, which must have a connection of this project.
func (s *Service) parametricCatalog(ctx context.Context, p store.Project, id string) (*names.External, error) {
	c, err := s.Names.Catalog(ctx, p, id)
	if err != nil {
		return nil, err
	}
	e, ok := c.Contents.(*names.External)
	if !ok {
		return e, fault.Data(400, "catalog %s has no connection; parametric tables require tables of a source", c.Name)
	}
	return e, nil
}

func (s *Service) listParametricTables(ctx context.Context, r *web.Request[web.None]) ([]api.ParametricTable, error) {
	e, err := s.parametricCatalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return nil, err
	}
	made, err := e.Parametric(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]api.ParametricTable, len(made))
	for i, m := range made {
		out[i] = api.ParametricTable{FromSchema: m.FromSchema, FromTable: m.FromTable, ToSchema: m.ToSchema,
			ToTable: m.ToTable}
		if err := json.Unmarshal([]byte(m.Values), &out[i].ParamValues); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// createParametricTable creates a table that reads another one with fixed values for some columns. Date macros are
// stored as written and evaluated by every statement that reads the table.
func (s *Service) createParametricTable(ctx context.Context,
	r *web.Request[api.ParametricTable]) (api.ParametricTable, error) {
	b := r.Body
	for _, f := range []struct{ name, value string }{{"fromSchema", b.FromSchema}, {"fromTable", b.FromTable},
		{"toSchema", b.ToSchema}, {"toTable", b.ToTable}} {
		if f.value == "" {
			return b, fault.Missing(f.name)
		}
	}
	if len(b.ParamValues) == 0 {
		return b, fault.Missing("paramValues")
	}
	e, err := s.parametricCatalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return b, err
	}
	if e.C.SharedFrom != nil {
		return b, fault.Data(400, "catalog %s was shared from another project, and only that project can change it",
			e.C.Name)
	}
	// SQL folds names to lower case, so the new table must be found by the lower-case name.
	b.ToSchema, b.ToTable = strings.ToLower(b.ToSchema), strings.ToLower(b.ToTable)
	taken := fault.Data(400, "Table '%s.%s.%s' already exists", e.C.Name, b.ToSchema, b.ToTable)
	_, err = e.ColumnInfos(ctx, b.ToSchema, b.ToTable)
	if err == nil {
		return b, taken
	}
	if !isUnknown(err) {
		return b, err
	}
	scanner, err := e.Table(ctx, b.FromSchema, b.FromTable)
	if err != nil {
		return b, err
	}
	cols, err := scanner.Columns(ctx)
	if err != nil {
		return b, err
	}
	for i, v := range b.ParamValues {
		// of two, neither can be read
		at := slices.IndexFunc(cols, func(c engine.ColumnInfo) bool { return strings.EqualFold(c.Name, v.Key) })
		if at < 0 {
			return b, fault.Data(400, "paramValues[%d]: table %s has no column %q", i, b.FromTable, v.Key)
		}
		values, err := names.ParamValues(v, s.Now())
		if err != nil {
			return b, fault.Data(400, "paramValues[%d]: %v", i, err)
		}
		if err := s.checkParam(ctx, r.Project, cols[at], values); err != nil {
			return b, fault.Data(400, "paramValues[%d]: column %q is of type %s: %s", i, v.Key, cols[at].Type,
				fault.Of(err).Error())
		}
	}
	raw, err := json.Marshal(b.ParamValues)
	if err != nil {
		return b, err
	}
	err = s.Store.CreateParametricTable(ctx, store.ParametricTable{CatalogID: e.C.ID, FromSchema: b.FromSchema,
		FromTable: b.FromTable,
		ToSchema:  b.ToSchema, ToTable: b.ToTable, Values: string(raw)})
	if errors.Is(err, store.ErrConflict) {
		err = taken
	}
	return b, err
}

func isUnknown(err error) bool {
	var ee *engine.Error
	return errors.As(err, &ee) && (ee.Kind == engine.KindUnknownSchema || ee.Kind == engine.KindUnknownTable)
}

func (s *Service) deleteParametricTable(ctx context.Context, r *web.Request[web.None]) (web.Reply, error) {
	schema, table := strings.ToLower(r.Query("toSchema")), strings.ToLower(r.Query("toTable"))
	switch {
	case schema == "":
		return web.Reply{}, fault.Missing("toSchema")
	case table == "":
		return web.Reply{}, fault.Missing("toTable")
	}
	e, err := s.parametricCatalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return web.Reply{}, err
	}
	err = s.Store.DeleteParametricTable(ctx, e.C.ID, schema, table)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Data(404, "there is no parametric table %s.%s in catalog %s", schema, table, e.C.Name)
	}
	return web.Reply{Status: 204}, err
}

// checkParam rejects values that no row of a column can have, because every statement over the table would fail then.
// Types with values that differ in text from their literals are not checked.
func (s *Service) checkParam(ctx context.Context, p store.Project, c engine.ColumnInfo, values []any) error {
	base, _, _ := strings.Cut(c.Type, "(")
	switch base, _, _ = strings.Cut(base, " "); base {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal", "date", "timestamp",
		"time", "uuid":
	default:
		return nil
	}
	for _, v := range values {
		if _, err := s.Names.Answer(ctx, p, sql.Cast{Value: v, Type: c.Type}); err != nil {
			return err
		}
	}
	return nil
}
