package tables

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// The metadata of an internal table is stored under the stored spelling of its name. A request may spell the name in
// any case. The name of a BI table may also have underscores in a request; they are dropped when the table is created.

func sameName(kind, stored, asked string) bool {
	if kind == engine.SchemaBI {
		asked = strings.ReplaceAll(asked, "_", "")
	}
	return strings.EqualFold(stored, asked)
}

// storedTable returns the stored spelling of a table's name, or the name unchanged if there is no such table.
func storedTable(ctx context.Context, p engine.Project, kind, name string) (string, error) {
	all, err := p.ListTables(ctx, kind)
	for _, n := range all {
		if sameName(kind, n, name) {
			return n, err
		}
	}
	return name, err
}

// storedColumn returns the key under which the metadata of a column is stored. The operation that follows rejects a
// missing column.
func storedColumn(ctx context.Context, p engine.Project, kind, table, column string) (store.ColumnKey, error) {
	k := store.ColumnKey{TableKey: store.TableKey{Catalog: api.InternalCatalogID, Schema: kind}, Column: column}
	var err error
	if k.Table, err = storedTable(ctx, p, kind, table); err != nil {
		return k, err
	}
	cols, err := p.Columns(ctx, kind, table)
	for _, c := range cols {
		if sameName(kind, c.Name, column) {
			k.Column = c.Name
		}
	}
	return k, err
}
