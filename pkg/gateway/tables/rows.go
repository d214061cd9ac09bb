package tables

import (
	"context"
	"errors"
	"strconv"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// deleteRows deletes the rows that meet a condition, or all. The rows are read first, and deleted only if they are
// still as they were read.
func (s *Service) deleteRows(ctx context.Context, r *web.Request[api.RowDeletion]) (out api.ChangedTable, err error) {
	kind := r.Param("schemaName")
	p, err := r.Data(ctx)
	if err != nil {
		return out, err
	}
	if r.Body.All == (r.Body.Where != "") {
		return out, fault.Data(400, "either a condition or all rows must be given")
	}
	if out.TableName, err = known(ctx, p, kind, r.Param("tableName")); err != nil {
		return out, err
	}
	if r.Body.All {
		out.Rows, err = p.DeleteRows(ctx, kind, out.TableName, nil)
		return out, err
	}
	rows := []engine.RowVersion{}
	res, err := s.Query(ctx, r.Project, sql.Query{Timeout: s.Limits.Statement, Ask: sql.Versions{Where: r.Body.Where,
		Table: engine.TableName{Catalog: engine.InternalCatalog, Schema: kind, Table: out.TableName}}})
	if err != nil {
		return out, err
	}
	defer res.Close()
	if _, err = res.Rows(ctx, func(row [][]byte) error {
		id, err := strconv.ParseInt(string(row[0]), 10, 64)
		version, verr := strconv.ParseInt(string(row[1]), 10, 64)
		rows = append(rows, engine.RowVersion{ID: id, Version: version})
		return errors.Join(err, verr)
	}); err != nil {
		return out, err
	}
	if want := r.Body.Expect; want != nil && *want != int64(len(rows)) {
		return out, fault.Data(409, "the condition is met by %d rows of table %q, not by %d; no row was deleted",
			len(rows), out.TableName, *want)
	}
	if len(rows) > 0 {
		out.Rows, err = p.DeleteRows(ctx, kind, out.TableName, rows)
	}
	if ee := (*engine.Error)(nil); errors.As(err, &ee) && ee.Kind == engine.KindOutdated {
		err = fault.Data(409, "%s", ee.Message)
	}
	return out, err
}

// known returns the stored name of a table that exists.
func known(ctx context.Context, p engine.Project, kind, name string) (string, error) {
	if _, err := p.Columns(ctx, kind, name); err != nil {
		return "", err
	}
	return storedTable(ctx, p, kind, name)
}

func (s *Service) renameTable(ctx context.Context, r *web.Request[api.TableName]) (out api.ChangedTable, err error) {
	kind := r.Param("schemaName")
	if r.Body.To == "" {
		return out, fault.Missing("to")
	}
	p, err := r.Data(ctx)
	if err != nil {
		return out, err
	}
	old, err := known(ctx, p, kind, r.Param("tableName"))
	if err != nil {
		return out, err
	}
	if out.TableName, err = p.RenameTable(ctx, kind, old, r.Body.To); err != nil {
		return out, err
	}
	if err := s.Store.RenameTable(ctx, r.Project.ID, store.TableKey{Catalog: api.InternalCatalogID, Schema: kind,
		Table: old}, out.TableName); err != nil {
		return out, err
	}
	out.Rows, err = p.RowCount(ctx, kind, out.TableName)
	return out, err
}

func (s *Service) copyTable(ctx context.Context, r *web.Request[api.TableName]) (out api.ChangedTable, err error) {
	if r.Body.To == "" {
		return out, fault.Missing("to")
	}
	p, err := r.Data(ctx)
	if err != nil {
		return out, err
	}
	out.TableName, out.Rows, err = p.CopyTable(ctx, r.Param("schemaName"), r.Param("tableName"), r.Body.To)
	web.CountRows(ctx, out.Rows)
	return out, err
}
