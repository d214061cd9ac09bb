package cli

import (
	"context"
	"errors"
	"net/http"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
)

// CreateCache creates a cache. The hosted service answers 500 while the first refresh of the same cache runs, although
// the cache is in the list [L].
func CreateCache(ctx context.Context, cl *api.Client, project string, req api.CacheRequest) (api.Cache, error) {
	made, err := cl.Cache.Create(ctx, project, req)
	var ae *api.Error
	if !errors.As(err, &ae) || ae.Status != http.StatusInternalServerError {
		return made, err
	}
	id := ""
	_, cerr := retry.Settle(ctx, func() (bool, error) {
		st, lerr := resolve.CacheByTable(ctx, cl, project, req.CatalogID, req.SchemaName, req.TableName)
		if lerr != nil || st == nil {
			return false, nil //nolint:nilerr // the error of the creation is reported
		}
		id = st.ID
		return true, nil
	})
	switch {
	case cerr != nil:
		return made, cerr
	case id != "":
		return cl.Cache.Settings(ctx, project, id)
	}
	return made, err
}

// TableService are the common operations of internal tables and BI tables.
type TableService interface {
	List(ctx context.Context, project string) ([]api.Table, error)
	Create(ctx context.Context, project, table string) (api.Table, error)
	Delete(ctx context.Context, project, table string) error
	Columns(ctx context.Context, project, table string) ([]api.ColumnDetail, error)
	AddColumns(ctx context.Context, project, table string, body []api.ColumnRequest) ([]api.ColumnDetail, error)
	UpdateColumn(ctx context.Context, project, table, column string, body api.ColumnRequest) ([]api.ColumnDetail, error)
	DeleteColumn(ctx context.Context, project, table, column string) error
}

// DropEmpty deletes a table that has no rows. On zone local that is one step, so that rows which another process
// imports meanwhile are not lost; elsewhere the caller has counted.
func (e *Env) DropEmpty(ctx context.Context, cl *api.Client, tables TableService, project, name string, bi bool) error {
	if e.Local() {
		err := cl.DropEmptyTable(ctx, project, name, bi)
		var ae *api.Error
		// a gateway of an earlier release
		if !errors.As(err, &ae) || ae.Status != http.StatusNotFound || ae.Name != "Not Found" {
			return err
		}
	}
	return tables.Delete(ctx, project, name)
}

// CreateWhole creates a table with its columns in one transaction, which only zone local supports. done is false if
// that is not possible: on another zone, or if the gateway that serves the zone is of an earlier release.
func (e *Env) CreateWhole(ctx context.Context, cl *api.Client, project, name string, bi bool,
	columns []api.ColumnRequest) (t api.Table, done bool, err error) {
	if !e.Local() {
		return t, false, nil
	}
	t, err = cl.CreateWholeTable(ctx, project, name, bi, columns)
	var ae *api.Error
	if errors.As(err, &ae) && ae.Status == http.StatusNotFound && ae.Name == "Not Found" {
		return t, false, nil
	}
	return t, true, err
}
