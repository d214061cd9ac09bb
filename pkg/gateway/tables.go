package gateway

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) registerTables() {
	handle(g, spec.ListInternalTables, g.listTablesOf(engine.SchemaTable))
	handle(g, spec.CreateInternalTable, g.createTableOf(engine.SchemaTable))
	handle(g, spec.DeleteInternalTable, g.deleteTableOf(engine.SchemaTable))
	handle(g, spec.ListInternalColumns, g.listColumnsOf(engine.SchemaTable))
	handle(g, spec.AddInternalColumns, g.addColumnsOf(engine.SchemaTable))
	handle(g, spec.UpdateInternalColumn, g.updateColumnOf(engine.SchemaTable))
	handle(g, spec.DeleteInternalColumn, g.deleteColumnOf(engine.SchemaTable))
	handle(g, spec.ImportCsv, g.importCSV)
	handleLocal(g, spec.ImportBi, func(ctx context.Context, r *Request[io.Reader]) (api.ImportJob, error) {
		return g.importInto(ctx, r, engine.SchemaBI)
	})
	handle(g, spec.GetSampleCsv, g.getSampleCSV)
	handle(g, spec.ListBiTables, g.listTablesOf(engine.SchemaBI))
	handle(g, spec.CreateBiTable, g.createTableOf(engine.SchemaBI))
	handle(g, spec.DeleteBiTable, g.deleteTableOf(engine.SchemaBI))
	handle(g, spec.ListBiColumns, g.listColumnsOf(engine.SchemaBI))
	handle(g, spec.AddBiColumns, g.addColumnsOf(engine.SchemaBI))
	handle(g, spec.UpdateBiColumn, g.updateColumnOf(engine.SchemaBI))
	handle(g, spec.DeleteBiColumn, g.deleteColumnOf(engine.SchemaBI))
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

func (g *Gateway) listTablesOf(kind string) func(context.Context, *Request[None]) ([]api.Table, error) {
	return func(ctx context.Context, r *Request[None]) ([]api.Table, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		names, err := p.ListTables(ctx, kind)
		return mapAll(names, func(n string) api.Table { return tableOut(kind, n) }), err
	}
}

func (g *Gateway) createTableOf(kind string) func(context.Context, *Request[None]) (api.Table, error) {
	return func(ctx context.Context, r *Request[None]) (api.Table, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return api.Table{}, err
		}
		stored, err := p.CreateTable(ctx, kind, r.Param("tableName"))
		return tableOut(kind, stored), err
	}
}

func (g *Gateway) deleteTableOf(kind string) func(context.Context, *Request[None]) (None, error) {
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
		return None{}, r.gateway.store.ForgetTable(ctx, r.Project.ID, store.TableKey{Catalog: internalCatalogID, Schema: kind, Table: stored})
	}
}

func (g *Gateway) listColumnsOf(kind string) func(context.Context, *Request[None]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *Request[None]) ([]api.ColumnDetail, error) {
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		cols, err := p.Columns(ctx, kind, r.Param("tableName"))
		return mapAll(cols, columnOut), err
	}
}

func columnDef(c api.ColumnRequest) engine.ColumnDef {
	d := engine.ColumnDef{Name: c.Name, Type: c.DataType, DefaultValue: c.DefaultValue, NotNull: c.IsNotNull, Unique: c.IsUnique, Desc: c.Desc}
	if c.DisplayName != "" {
		d.DisplayName = &c.DisplayName
	}
	return d
}

func (g *Gateway) addColumnsOf(kind string) func(context.Context, *Request[[]api.ColumnRequest]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *Request[[]api.ColumnRequest]) ([]api.ColumnDetail, error) {
		defs := make([]engine.ColumnDef, len(r.Body))
		for i, c := range r.Body {
			switch {
			case c.Name == "":
				return nil, missing("name")
			case c.DataType == "":
				return nil, missing("dataType")
			}
			defs[i] = columnDef(c)
		}
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		cols, err := p.AddColumns(ctx, kind, r.Param("tableName"), defs)
		return mapAll(cols, columnOut), err
	}
}

func (g *Gateway) updateColumnOf(kind string) func(context.Context, *Request[api.ColumnRequest]) ([]api.ColumnDetail, error) {
	return func(ctx context.Context, r *Request[api.ColumnRequest]) ([]api.ColumnDetail, error) {
		if r.Body.DataType == "" {
			return nil, dataFault(400, "property %q is missing: a column is updated as a whole", "dataType")
		}
		p, err := r.Data(ctx)
		if err != nil {
			return nil, err
		}
		old, err := storedColumn(ctx, p, kind, r.Param("tableName"), r.Param("columnName"))
		if err != nil {
			return nil, err
		}
		cols, err := p.UpdateColumn(ctx, kind, r.Param("tableName"), r.Param("columnName"), columnDef(r.Body))
		if err == nil && len(cols) == 1 && cols[0].Name != old.Column {
			err = r.gateway.store.RenameColumn(ctx, r.Project.ID, old, cols[0].Name)
		}
		return mapAll(cols, columnOut), err
	}
}

func (g *Gateway) deleteColumnOf(kind string) func(context.Context, *Request[None]) (None, error) {
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
		return None{}, r.gateway.store.ForgetColumn(ctx, r.Project.ID, old)
	}
}

// importCSV reads a multipart body with the parts "request" (JSON text) and "file" (CSV, gzip accepted), in either order as
// long as the file is small enough to wait for the request; clients send the request first [O].
func (g *Gateway) importCSV(ctx context.Context, r *Request[io.Reader]) (api.ImportJob, error) {
	return g.importInto(ctx, r, engine.SchemaTable)
}

func (g *Gateway) importInto(ctx context.Context, r *Request[io.Reader], kind string) (api.ImportJob, error) {
	start := g.now()
	kindOf, params, err := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	if err != nil || kindOf != "multipart/form-data" || params["boundary"] == "" {
		return api.ImportJob{}, frameworkFault(415, "an import is a multipart/form-data body with the parts \"request\" and \"file\"")
	}
	form := multipart.NewReader(r.Body, params["boundary"])
	var req *api.ImportRequest
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return api.ImportJob{}, missing("file")
		}
		if silent(err) {
			return api.ImportJob{}, err
		}
		if err != nil {
			return api.ImportJob{}, frameworkFault(400, "the multipart body cannot be read: %v", err)
		}
		switch part.FormName() {
		case "request":
			raw, err := io.ReadAll(io.LimitReader(part, maxBody))
			if err != nil {
				return api.ImportJob{}, frameworkFault(400, "part \"request\" cannot be read: %v", err)
			}
			if req, err = importRequest(raw); err != nil {
				return api.ImportJob{}, err
			}
		case "file":
			if req == nil {
				return api.ImportJob{}, frameworkFault(400, "part \"request\" must come before part \"file\"")
			}
			p, err := r.Data(ctx)
			if err != nil {
				return api.ImportJob{}, err
			}
			src, err := plain(part)
			if err != nil {
				return api.ImportJob{}, err
			}
			src = r.gateway.options.Quirks.forgetHeaders(src, req)
			n, err := p.ImportCSV(ctx, kind, r.Param("tableName"), src, engine.Import{Mappings: req.Mappings, Header: req.ContainsHeader, MaxBytes: r.gateway.options.Limits.Upload})
			if ee := (*engine.Error)(nil); errors.As(err, &ee) && ee.Kind == engine.KindLimit {
				return api.ImportJob{}, frameworkFault(413, "%s", ee.Message)
			}
			if err != nil {
				return api.ImportJob{}, err
			}
			return api.ImportJob{ID: uuid.NewString(), Status: "COMPLETED", StartTime: start.UnixMilli(), EndTime: g.now().UnixMilli(),
				Progress: 100, Result: api.ImportJobResult{Processed: n}}, nil
		default:
			return api.ImportJob{}, frameworkFault(400, "unknown part %q in the multipart body", part.FormName())
		}
	}
}

func importRequest(raw []byte) (*api.ImportRequest, error) {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(raw, &have); err != nil {
		return nil, frameworkFault(400, "part \"request\" is not valid JSON: %v", err)
	}
	for _, k := range []string{"mappings", "containsHeader"} {
		if _, ok := have[k]; !ok {
			return nil, missing(k)
		}
	}
	var req api.ImportRequest
	if err := decodeBody(raw, &req); err != nil {
		var f *Fault
		if errors.As(err, &f) {
			f.Message = strings.Replace(f.Message, "the request body", "part \"request\"", 1)
		}
		return nil, err
	}
	return &req, nil
}

// badCells lists what is wrong with a document in little room, however long its values are.
func badCells(cells []engine.BadCell) []api.BadCell {
	return mapAll(cells, func(c engine.BadCell) api.BadCell {
		return api.BadCell{Line: c.Line, Column: c.Column, Value: clip(c.Value, 80), Reason: clip(c.Reason, 200)}
	})
}

// clip shortens a text to at most n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// plain unpacks a gzip document, known by its first two bytes.
func plain(src io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(worded{src, "cannot be read to its end"}, 64<<10)
	if head, _ := b.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, frameworkFault(400, "part \"file\" looks like gzip but cannot be unpacked: %v", err)
		}
		return worded{z, "cannot be unpacked"}, nil
	}
	return b, nil
}

// worded says of a document that cannot be read that the request is at fault.
type worded struct {
	io.Reader
	what string
}

func (w worded) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	var f *Fault
	if err != nil && err != io.EOF && !errors.As(err, &f) {
		err = frameworkFault(400, "part \"file\" %s: %v", w.what, err)
	}
	return n, err
}

// getSampleCSV answers a document that can be imported as it is: a header and five rows of values by type [L]. A table that
// does not exist is an error, where the hosted service answers empty lines.
func (g *Gateway) getSampleCSV(ctx context.Context, r *Request[None]) (Stream, error) {
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
