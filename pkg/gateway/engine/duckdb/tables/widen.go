//go:build cgo

package tables

import (
	"context"
	"slices"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// widened is the definition of a table with at least the given types of columns that imports may widen, by name.
func (t *table) widened(types map[string]string) *table {
	now := &table{kind: t.kind, name: t.name, cols: slices.Clone(t.cols)}
	for i, col := range now.cols {
		more, ok := types[col.Name]
		precision, scale, decimal := api.DecimalOf(col.Type)
		if !ok || !col.Widens || !decimal {
			continue
		}
		wide, places, _ := api.DecimalOf(more)
		before, after := max(precision-scale, wide-places), max(scale, places)
		if before+after <= api.MaxPrecision {
			now.cols[i].Type = api.DecimalType(before+after, after)
		}
	}
	return now
}

// widen gives the columns of a table at least the given types, within the transaction.
func (c conn) widen(ctx context.Context, t *table, types map[string]string) error {
	now := t.widened(types)
	indexed := slices.ContainsFunc(t.cols, func(col engine.Column) bool { return col.Unique && !col.System })
	changed := false
	for i, col := range now.cols {
		if col.Type == t.cols[i].Type {
			continue
		}
		changed = true
		if _, err := c.Exec(ctx, `UPDATE `+digTable("columns")+` SET type = ? WHERE id = ?`, storedType(col),
			col.ID); err != nil {
			return err
		}
		if indexed { // ALTER cannot change a table with an index
			continue
		}
		if _, err := c.Exec(ctx, `ALTER TABLE `+t.sql()+` ALTER COLUMN `+sqltext.Quote(col.Name)+` SET DATA TYPE `+
			sqlType(col.Type)); err != nil {
			return err
		}
	}
	if changed && indexed {
		return c.rebuild(ctx, now, now.names())
	}
	return nil
}
