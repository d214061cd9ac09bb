// Package tables serves internal and BI tables: their columns, and imports into them.
package tables

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service manages internal and BI tables.
type Service struct {
	Store  *store.Store
	Now    func() time.Time
	Log    *slog.Logger
	Dir    string
	Limits web.Limits

	// Query runs a statement in a project.
	Query func(ctx context.Context, p store.Project, q sql.Query) (*wire.Result, error)

	Document func(src io.Reader, req *api.ImportRequest) io.Reader // changes a document before it is imported, if set
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ListInternalTables, s.listTablesOf(engine.SchemaTable))
	web.Handle(m, spec.CreateInternalTable, s.createTableOf(engine.SchemaTable))
	web.Handle(m, spec.DeleteInternalTable, s.dropTableOf(engine.SchemaTable, false))
	web.Handle(m, spec.ListInternalColumns, s.listColumnsOf(engine.SchemaTable))
	web.Handle(m, spec.AddInternalColumns, s.addColumnsOf(engine.SchemaTable))
	web.Handle(m, spec.UpdateInternalColumn, s.updateColumnOf(engine.SchemaTable))
	web.Handle(m, spec.DeleteInternalColumn, s.deleteColumnOf(engine.SchemaTable))
	web.Handle(m, spec.ImportCsv, s.importCSV)
	web.HandleLocal(m, spec.CreateWholeTable, s.createWholeTableOf(engine.SchemaTable))
	web.HandleLocal(m, spec.CreateWholeBi, s.createWholeTableOf(engine.SchemaBI))
	web.HandleLocal(m, spec.FindImport, s.findImport)
	web.HandleLocal(m, spec.ListImports, s.listImports)
	web.HandleLocal(m, spec.DeleteRows, s.deleteRows)
	web.HandleLocal(m, spec.RenameTable, s.renameTable)
	web.HandleLocal(m, spec.CopyTable, s.copyTable)
	web.HandleLocal(m, spec.DropEmptyTable, s.dropTableOf(engine.SchemaTable, true))
	web.HandleLocal(m, spec.DropEmptyBi, s.dropTableOf(engine.SchemaBI, true))
	web.HandleLocal(m, spec.ImportBi, func(ctx context.Context, r *web.Request[io.Reader]) (api.ImportJob, error) {
		return s.importInto(ctx, r, engine.SchemaBI)
	})
	web.Handle(m, spec.GetSampleCsv, s.getSampleCSV)
	web.Handle(m, spec.ListBiTables, s.listTablesOf(engine.SchemaBI))
	web.Handle(m, spec.CreateBiTable, s.createTableOf(engine.SchemaBI))
	web.Handle(m, spec.DeleteBiTable, s.dropTableOf(engine.SchemaBI, false))
	web.Handle(m, spec.ListBiColumns, s.listColumnsOf(engine.SchemaBI))
	web.Handle(m, spec.AddBiColumns, s.addColumnsOf(engine.SchemaBI))
	web.Handle(m, spec.UpdateBiColumn, s.updateColumnOf(engine.SchemaBI))
	web.Handle(m, spec.DeleteBiColumn, s.deleteColumnOf(engine.SchemaBI))
}

func TableOut(kind, name string) api.Table {
	return api.Table{CatalogID: api.InternalCatalogID, CatalogName: engine.InternalCatalog, SchemaName: kind,
		TableName: name, SupportedCacheTypes: []string{}}
}

func ColumnOut(c engine.Column) api.ColumnDetail {
	return api.ColumnDetail{ID: c.ID, Name: c.Name, DataType: c.Type, DisplayName: c.DisplayName,
		DefaultValue: c.DefaultValue,
		IsNotNull:    c.NotNull, IsUnique: c.Unique, Desc: c.Desc, Widens: c.Widens}
}

func (s *Service) listTablesOf(kind string) func(context.Context, *web.Request[web.None]) ([]api.Table, error) {
	return func(ctx context.Context, r *web.Request[web.None]) ([]api.Table, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		names, err := p.ListTables(ctx, kind)
		return each.Map(names, func(n string) api.Table { return TableOut(kind, n) }), err
	}
}

func (s *Service) createTableOf(kind string) func(context.Context, *web.Request[web.None]) (api.Table, error) {
	return func(ctx context.Context, r *web.Request[web.None]) (api.Table, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return api.Table{}, err
		}
		stored, err := p.CreateTable(ctx, kind, r.Param("tableName"))
		return TableOut(kind, stored), err
	}
}

// createWholeTableOf creates a table with columns in one transaction.
func (s *Service) createWholeTableOf(kind string) func(context.Context, *web.Request[[]columnBody]) (api.Table, error) {
	return func(ctx context.Context, r *web.Request[[]columnBody]) (api.Table, error) {
		defs, err := columnDefs(r.Body)
		if err != nil {
			return api.Table{}, err
		}
		p, err := r.Data(ctx)
		if err != nil {
			return api.Table{}, err
		}
		stored, err := p.CreateTable(ctx, kind, r.Param("tableName"), defs...)
		return TableOut(kind, stored), err
	}
}

// dropTableOf deletes a table, with empty only if it has no rows.
func (s *Service) dropTableOf(kind string, empty bool) func(context.Context, *web.Request[web.None]) (web.None, error) {
	return func(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return web.None{}, err
		}
		stored, err := storedTable(ctx, p, kind, r.Param("tableName"))
		if err != nil {
			return web.None{}, err
		}
		if empty {
			rows, err := p.DropEmptyTable(ctx, kind, r.Param("tableName"))
			if err == nil && rows > 0 {
				err = fault.Data(409, "table %s has %d rows", stored, rows)
			}
			if err != nil {
				return web.None{}, err
			}
		} else if err := p.DropTable(ctx, kind, r.Param("tableName")); err != nil {
			return web.None{}, err
		}
		return web.None{}, s.Store.ForgetTable(ctx, r.Project.ID, store.TableKey{Catalog: api.InternalCatalogID,
			Schema: kind, Table: stored})
	}
}

func (s *Service) listColumnsOf(kind string) func(context.Context, *web.Request[web.None]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *web.Request[web.None]) ([]api.ColumnDetail, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		cols, err := p.Columns(ctx, kind, r.Param("tableName"))
		return each.Map(cols, ColumnOut), err
	}
}

// columnBody is a ColumnRequest as it may be received: a number or boolean as default is stored as text [S], null
// removes the default.
type columnBody struct {
	api.ColumnRequest
	Default json.RawMessage `json:"defaultValue"`
}

func (c columnBody) def() (engine.ColumnDef, error) {
	d := engine.ColumnDef{Name: c.Name, Type: c.DataType, Widens: c.Widens, NotNull: c.IsNotNull,
		Unique: c.IsUnique, Desc: c.Desc}
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
		return d, fault.Framework(400, "the request body: field %q must be a string, a number, true, false or null",
			"defaultValue")
	case '"':
		if err := json.Unmarshal(c.Default, &text); err != nil {
			return d, err
		}
	}
	d.DefaultValue = &text
	return d, nil
}

// columnDefs parses the declarations of new columns.
func columnDefs(body []columnBody) ([]engine.ColumnDef, error) {
	defs := make([]engine.ColumnDef, len(body))
	for i, c := range body {
		switch {
		case c.Name == "":
			return nil, fault.Missing("name")
		case c.DataType == "":
			return nil, fault.Missing("dataType")
		}
		var err error
		if defs[i], err = c.def(); err != nil {
			return nil, err
		}
	}
	return defs, nil
}

func (s *Service) addColumnsOf(kind string) func(context.Context, *web.Request[[]columnBody]) ([]api.ColumnDetail,
	error) {
	return func(ctx context.Context, r *web.Request[[]columnBody]) ([]api.ColumnDetail, error) {
		defs, err := columnDefs(r.Body)
		if err != nil {
			return nil, err
		}
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		cols, err := p.AddColumns(ctx, kind, r.Param("tableName"), defs)
		return each.Map(cols, ColumnOut), err
	}
}

func (s *Service) updateColumnOf(kind string) func(context.Context, *web.Request[columnBody]) ([]api.ColumnDetail,
	error) {
	return func(ctx context.Context, r *web.Request[columnBody]) ([]api.ColumnDetail, error) {
		if r.Body.DataType == "" {
			return nil, fault.Data(400, "property %q is missing: an update requires the whole column", "dataType")
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
			err = s.Store.RenameColumn(ctx, r.Project.ID, old, cols[0].Name)
		}
		return each.Map(cols, ColumnOut), err
	}
}

func (s *Service) deleteColumnOf(kind string) func(context.Context, *web.Request[web.None]) (web.None, error) {
	return func(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return web.None{}, err
		}
		old, err := storedColumn(ctx, p, kind, r.Param("tableName"), r.Param("columnName"))
		if err != nil {
			return web.None{}, err
		}
		if err := p.DropColumn(ctx, kind, r.Param("tableName"), r.Param("columnName")); err != nil {
			return web.None{}, err
		}
		return web.None{}, s.Store.ForgetColumn(ctx, r.Project.ID, old)
	}
}

// getSampleCSV returns a document that can be imported unchanged: a header and five rows of values by type [L]. A
// missing table is an error, for which the hosted service returns empty lines.
func (s *Service) getSampleCSV(ctx context.Context, r *web.Request[web.None]) (web.Stream, error) {
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
