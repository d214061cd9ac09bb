package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *catalogsService) parametricRoutes(m *webService) {
	handle(m, spec.ListParametricTables, g.listParametricTables)
	handle(m, spec.CreateParametricTable, g.createParametricTable)
	handle(m, spec.DeleteParametricTable, g.deleteParametricTable)
}

// parametricCatalog finds the catalog of a request, which must stand over a connection of this project.
func (g *catalogsService) parametricCatalog(ctx context.Context, p store.Project, id string) (externalCatalog, error) {
	c, err := g.catalog(ctx, p, id)
	if err != nil {
		return externalCatalog{}, err
	}
	e, ok := c.source.(externalCatalog)
	if !ok {
		return e, dataFault(400, "catalog %s stands over no connection; parametric tables are made from tables of a source", c.Name)
	}
	return e, nil
}

func (g *catalogsService) listParametricTables(ctx context.Context, r *Request[None]) ([]api.ParametricTable, error) {
	e, err := g.parametricCatalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return nil, err
	}
	made, err := e.parametric(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]api.ParametricTable, len(made))
	for i, m := range made {
		out[i] = api.ParametricTable{FromSchema: m.FromSchema, FromTable: m.FromTable, ToSchema: m.ToSchema, ToTable: m.ToTable}
		if err := json.Unmarshal([]byte(m.Values), &out[i].ParamValues); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// createParametricTable makes a table that reads another one with fixed values for some columns. Date macros stay as they are
// and are worked out by every statement that reads the table.
func (g *catalogsService) createParametricTable(ctx context.Context, r *Request[api.ParametricTable]) (api.ParametricTable, error) {
	b := r.Body
	for _, f := range []struct{ name, value string }{{"fromSchema", b.FromSchema}, {"fromTable", b.FromTable}, {"toSchema", b.ToSchema}, {"toTable", b.ToTable}} {
		if f.value == "" {
			return b, missing(f.name)
		}
	}
	if len(b.ParamValues) == 0 {
		return b, missing("paramValues")
	}
	e, err := g.parametricCatalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return b, err
	}
	if e.c.SharedFrom != nil {
		return b, dataFault(400, "catalog %s was shared from another project, which alone can change it", e.c.Name)
	}
	// SQL folds names to lower case, so the new table must be found under that.
	b.ToSchema, b.ToTable = strings.ToLower(b.ToSchema), strings.ToLower(b.ToTable)
	taken := dataFault(400, "Table '%s.%s.%s' already exists", e.c.Name, b.ToSchema, b.ToTable)
	_, err = e.columns(ctx, b.ToSchema, b.ToTable)
	if err == nil {
		return b, taken
	}
	if !isUnknown(err) {
		return b, err
	}
	s, err := e.table(ctx, b.FromSchema, b.FromTable)
	if err != nil {
		return b, err
	}
	cols, err := s.Columns(ctx)
	if err != nil {
		return b, err
	}
	for i, v := range b.ParamValues {
		at := slices.IndexFunc(cols, func(c engine.ColumnInfo) bool { return strings.EqualFold(c.Name, v.Key) })
		if at < 0 {
			return b, dataFault(400, "paramValues[%d]: table %s has no column %q", i, b.FromTable, v.Key)
		}
		literals, err := paramLiterals(v, g.now())
		if err != nil {
			return b, dataFault(400, "paramValues[%d]: %v", i, err)
		}
		if err := g.checkParam(ctx, r.Project, cols[at], literals); err != nil {
			return b, dataFault(400, "paramValues[%d]: column %q is of type %s: %s", i, v.Key, cols[at].Type, faultOf(err).Message)
		}
	}
	raw, err := json.Marshal(b.ParamValues)
	if err != nil {
		return b, err
	}
	err = g.store.CreateParametricTable(ctx, store.ParametricTable{CatalogID: e.c.ID, FromSchema: b.FromSchema, FromTable: b.FromTable,
		ToSchema: b.ToSchema, ToTable: b.ToTable, Values: string(raw)})
	if errors.Is(err, store.ErrConflict) {
		err = taken
	}
	return b, err
}

func isUnknown(err error) bool {
	var ee *engine.Error
	return errors.As(err, &ee) && (ee.Kind == engine.KindUnknownSchema || ee.Kind == engine.KindUnknownTable)
}

func (g *catalogsService) deleteParametricTable(ctx context.Context, r *Request[None]) (Reply, error) {
	schema, table := strings.ToLower(r.Query("toSchema")), strings.ToLower(r.Query("toTable"))
	switch {
	case schema == "":
		return Reply{}, missing("toSchema")
	case table == "":
		return Reply{}, missing("toTable")
	}
	e, err := g.parametricCatalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return Reply{}, err
	}
	err = g.store.DeleteParametricTable(ctx, e.c.ID, schema, table)
	if errors.Is(err, store.ErrNotFound) {
		err = dataFault(404, "there is no parametric table %s.%s in catalog %s", schema, table, e.c.Name)
	}
	return Reply{Status: 204}, err
}

// parametricSQL is what a name stands for if it is a parametric table, else "".
func (e externalCatalog) parametricSQL(ctx context.Context, n engine.TableName) (string, error) {
	made, err := e.parametric(ctx)
	if err != nil {
		return "", err
	}
	for _, m := range made {
		if !strings.EqualFold(m.ToSchema, n.Schema) || !strings.EqualFold(m.ToTable, n.Table) {
			continue
		}
		var params []api.ParametricTableColumn
		if err := json.Unmarshal([]byte(m.Values), &params); err != nil {
			return "", err
		}
		var where []string
		for _, p := range params {
			c, err := paramCondition(p, e.g.now())
			if err != nil {
				return "", unknown(engine.KindValue, "parametric table %s: %v", n.String(), err)
			}
			where = append(where, c)
		}
		from := engine.TableName{Catalog: n.Catalog, Schema: m.FromSchema, Table: m.FromTable}
		return "SELECT * FROM " + from.Quoted() + " WHERE " + strings.Join(where, " AND "), nil
	}
	return "", nil
}

// checkParam refuses values that no row of a column can have, because every statement over the table would fail then. Types whose
// values have other texts than their literals are not looked at.
func (g *catalogsService) checkParam(ctx context.Context, p store.Project, c engine.ColumnInfo, literals []string) error {
	base, _, _ := strings.Cut(c.Type, "(")
	switch base, _, _ = strings.Cut(base, " "); base {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal", "date", "timestamp", "time", "uuid":
	default:
		return nil
	}
	for _, l := range literals {
		if _, err := g.names.queryText(ctx, p, "SELECT CAST("+l+" AS "+c.Type+") AS v"); err != nil {
			return err
		}
	}
	return nil
}

// paramCondition writes one fixed value as SQL: equality, or IN for a list, with date macros worked out at the given moment.
func paramCondition(p api.ParametricTableColumn, now time.Time) (string, error) {
	list, err := paramLiterals(p, now)
	switch {
	case err != nil:
		return "", err
	case len(list) == 0:
		return sqltext.Quote(p.Key) + " IS NULL", nil
	case bytes.HasPrefix(bytes.TrimSpace(p.Value), []byte("[")):
		return sqltext.Quote(p.Key) + " IN (" + strings.Join(list, ", ") + ")", nil
	}
	return sqltext.Quote(p.Key) + " = " + list[0], nil
}

// paramLiterals writes the value, or the values of a list, as literals of SQL; none for null.
func paramLiterals(p api.ParametricTableColumn, now time.Time) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(p.Value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("a value is required")
	}
	var values []any
	switch x := v.(type) {
	case nil:
		return nil, nil
	case []any:
		if values = x; len(x) == 0 {
			return nil, errors.New("a list of values must not be empty")
		}
	default:
		values = []any{v}
	}
	out := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			m, isMacro, err := api.ResolveMacro(s, now)
			if err != nil {
				return nil, err
			}
			if isMacro {
				v = m.Text
			}
		}
		var err error
		if out[i], err = literal(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}
