package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// tablesService keeps internal and BI tables.
type tablesService struct {
	store  *store.Store
	now    func() time.Time
	dir    string
	limits Limits

	Document func(src io.Reader, req *api.ImportRequest) io.Reader // changes a document before it is imported, if set
}

// Routes registers the handlers.
func (g *tablesService) Routes(m *webService) {
	handle(m, spec.ListInternalTables, g.listTablesOf(engine.SchemaTable))
	handle(m, spec.CreateInternalTable, g.createTableOf(engine.SchemaTable))
	handle(m, spec.DeleteInternalTable, g.deleteTableOf(engine.SchemaTable))
	handle(m, spec.ListInternalColumns, g.listColumnsOf(engine.SchemaTable))
	handle(m, spec.AddInternalColumns, g.addColumnsOf(engine.SchemaTable))
	handle(m, spec.UpdateInternalColumn, g.updateColumnOf(engine.SchemaTable))
	handle(m, spec.DeleteInternalColumn, g.deleteColumnOf(engine.SchemaTable))
	handle(m, spec.ImportCsv, g.importCSV)
	handleLocal(m, spec.CreateWholeTable, g.createWholeTableOf(engine.SchemaTable))
	handleLocal(m, spec.CreateWholeBi, g.createWholeTableOf(engine.SchemaBI))
	handleLocal(m, spec.ImportBi, func(ctx context.Context, r *Request[io.Reader]) (api.ImportJob, error) {
		return g.importInto(ctx, r, engine.SchemaBI)
	})
	handle(m, spec.GetSampleCsv, g.getSampleCSV)
	handle(m, spec.ListBiTables, g.listTablesOf(engine.SchemaBI))
	handle(m, spec.CreateBiTable, g.createTableOf(engine.SchemaBI))
	handle(m, spec.DeleteBiTable, g.deleteTableOf(engine.SchemaBI))
	handle(m, spec.ListBiColumns, g.listColumnsOf(engine.SchemaBI))
	handle(m, spec.AddBiColumns, g.addColumnsOf(engine.SchemaBI))
	handle(m, spec.UpdateBiColumn, g.updateColumnOf(engine.SchemaBI))
	handle(m, spec.DeleteBiColumn, g.deleteColumnOf(engine.SchemaBI))
}

// internalCatalogID is the id of the catalog that holds internal tables on every zone [O][L].
const internalCatalogID = "1"

func tableOut(kind, name string) api.Table {
	return api.Table{CatalogID: internalCatalogID, CatalogName: engine.InternalCatalog, SchemaName: kind, TableName: name, SupportedCacheTypes: []string{}}
}

func columnOut(c engine.Column) api.ColumnDetail {
	return api.ColumnDetail{ID: c.ID, Name: c.Name, DataType: c.Type, DisplayName: c.DisplayName, DefaultValue: c.DefaultValue,
		IsNotNull: c.NotNull, IsUnique: c.Unique, Desc: c.Desc}
}

func (g *tablesService) listTablesOf(kind string) func(context.Context, *Request[None]) ([]api.Table, error) {
	return func(ctx context.Context, r *Request[None]) ([]api.Table, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		names, err := p.ListTables(ctx, kind)
		return mapAll(names, func(n string) api.Table { return tableOut(kind, n) }), err
	}
}

func (g *tablesService) createTableOf(kind string) func(context.Context, *Request[None]) (api.Table, error) {
	return func(ctx context.Context, r *Request[None]) (api.Table, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return api.Table{}, err
		}
		stored, err := p.CreateTable(ctx, kind, r.Param("tableName"))
		return tableOut(kind, stored), err
	}
}

// createWholeTableOf makes a table with columns in one transaction.
func (g *tablesService) createWholeTableOf(kind string) func(context.Context, *Request[[]columnBody]) (api.Table, error) {
	return func(ctx context.Context, r *Request[[]columnBody]) (api.Table, error) {
		defs, err := columnDefs(r.Body)
		if err != nil {
			return api.Table{}, err
		}
		p, err := r.Data(ctx)
		if err != nil {
			return api.Table{}, err
		}
		stored, err := p.CreateTable(ctx, kind, r.Param("tableName"), defs...)
		return tableOut(kind, stored), err
	}
}

func (g *tablesService) deleteTableOf(kind string) func(context.Context, *Request[None]) (None, error) {
	return func(ctx context.Context, r *Request[None]) (None, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return None{}, err
		}
		stored, err := storedTable(ctx, p, kind, r.Param("tableName"))
		if err != nil {
			return None{}, err
		}
		if err := p.DropTable(ctx, kind, r.Param("tableName")); err != nil {
			return None{}, err
		}
		return None{}, g.store.ForgetTable(ctx, r.Project.ID, store.TableKey{Catalog: internalCatalogID, Schema: kind, Table: stored})
	}
}

func (g *tablesService) listColumnsOf(kind string) func(context.Context, *Request[None]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *Request[None]) ([]api.ColumnDetail, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		cols, err := p.Columns(ctx, kind, r.Param("tableName"))
		return mapAll(cols, columnOut), err
	}
}

// columnBody is a ColumnRequest as it may come: a number or boolean as default is kept as its text [S], null takes the default away.
type columnBody struct {
	api.ColumnRequest
	Default json.RawMessage `json:"defaultValue"`
}

func (c columnBody) def() (engine.ColumnDef, error) {
	d := engine.ColumnDef{Name: c.Name, Type: c.DataType, NotNull: c.IsNotNull, Unique: c.IsUnique, Desc: c.Desc}
	if c.DisplayName != "" {
		d.DisplayName = &c.DisplayName
	}
	if len(c.Default) == 0 {
		return d, nil
	}
	text := string(c.Default)
	switch text[0] {
	case 'n':
		d.NoDefault = true
		return d, nil
	case '{', '[':
		return d, frameworkFault(400, "the request body: field %q must be a string, a number, true, false or null", "defaultValue")
	case '"':
		if err := json.Unmarshal(c.Default, &text); err != nil {
			return d, err
		}
	}
	d.DefaultValue = &text
	return d, nil
}

// columnDefs reads the declarations of new columns.
func columnDefs(body []columnBody) ([]engine.ColumnDef, error) {
	defs := make([]engine.ColumnDef, len(body))
	for i, c := range body {
		switch {
		case c.Name == "":
			return nil, missing("name")
		case c.DataType == "":
			return nil, missing("dataType")
		}
		var err error
		if defs[i], err = c.def(); err != nil {
			return nil, err
		}
	}
	return defs, nil
}

func (g *tablesService) addColumnsOf(kind string) func(context.Context, *Request[[]columnBody]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *Request[[]columnBody]) ([]api.ColumnDetail, error) {
		defs, err := columnDefs(r.Body)
		if err != nil {
			return nil, err
		}
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		cols, err := p.AddColumns(ctx, kind, r.Param("tableName"), defs)
		return mapAll(cols, columnOut), err
	}
}

func (g *tablesService) updateColumnOf(kind string) func(context.Context, *Request[columnBody]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *Request[columnBody]) ([]api.ColumnDetail, error) {
		if r.Body.DataType == "" {
			return nil, dataFault(400, "property %q is missing: a column is updated as a whole", "dataType")
		}
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		def, err := r.Body.def()
		if err != nil {
			return nil, err
		}
		old, err := storedColumn(ctx, p, kind, r.Param("tableName"), r.Param("columnName"))
		if err != nil {
			return nil, err
		}
		cols, err := p.UpdateColumn(ctx, kind, r.Param("tableName"), r.Param("columnName"), def)
		if err == nil && len(cols) == 1 && cols[0].Name != old.Column {
			err = g.store.RenameColumn(ctx, r.Project.ID, old, cols[0].Name)
		}
		return mapAll(cols, columnOut), err
	}
}

func (g *tablesService) deleteColumnOf(kind string) func(context.Context, *Request[None]) (None, error) {
	return func(ctx context.Context, r *Request[None]) (None, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return None{}, err
		}
		old, err := storedColumn(ctx, p, kind, r.Param("tableName"), r.Param("columnName"))
		if err != nil {
			return None{}, err
		}
		if err := p.DropColumn(ctx, kind, r.Param("tableName"), r.Param("columnName")); err != nil {
			return None{}, err
		}
		return None{}, g.store.ForgetColumn(ctx, r.Project.ID, old)
	}
}

// getSampleCSV answers a document that can be imported as it is: a header and five rows of values by type [L]. A table that
// does not exist is an error, where the hosted service answers empty lines.
func (g *tablesService) getSampleCSV(ctx context.Context, r *Request[None]) (Stream, error) {
	p, err := r.Data(ctx)
	if err != nil {
		return nil, err
	}
	cols, err := p.Columns(ctx, engine.SchemaTable, r.Param("tableName"))
	if err != nil {
		return nil, err
	}
	text := sampleCSV(cols)
	return func(w http.ResponseWriter) error {
		w.Header().Set("Content-Type", "text/csv")
		w.Header().Set("Content-Disposition", `attachment; filename="sample.csv"`)
		_, err := io.WriteString(w, text)
		return err
	}, nil
}

func sampleCSV(cols []engine.Column) string {
	var names []string
	var use []engine.Column
	for _, c := range cols {
		if !c.System || c.Name == "text" {
			use = append(use, c)
			names = append(names, csvField(c.Name))
		}
	}
	lines := []string{strings.Join(names, ",")}
	for row := 1; row <= 5; row++ {
		var vals []string
		for _, c := range use {
			vals = append(vals, sampleValue(c, row))
		}
		lines = append(lines, strings.Join(vals, ","))
	}
	return strings.Join(lines, "\n")
}

func csvField(s string) string {
	if strings.ContainsAny(s, ",\"\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
