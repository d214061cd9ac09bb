//go:build cgo

package tables

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// RenameTable implements engine.Tables.
func (p Tables) RenameTable(ctx context.Context, kind, name, to string) (stored string, err error) {
	err = p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		if stored, err = c.freeName(ctx, kind, to, t.name); err != nil || stored == t.name {
			return err
		}
		was := t.name
		// by another name in between: DuckDB takes names that differ in case for one
		for _, n := range []string{rebuiltName, stored} {
			if _, err := c.Exec(ctx, `ALTER TABLE `+t.sql()+` RENAME TO `+sqltext.Quote(n)); err != nil {
				return err
			}
			t.name = n
		}
		if _, err := c.Exec(ctx, `UPDATE `+digTable("columns")+` SET tbl = ? WHERE kind = ? AND tbl = ?`, stored, kind,
			was); err != nil {
			return err
		}
		_, err = c.Exec(ctx, `UPDATE `+digTable("tables")+` SET name = ?, key = ? WHERE kind = ? AND name = ?`, stored,
			strings.ToLower(stored), kind, was)
		return err
	})
	return stored, err
}

// freeName is a new name as it is stored; one that another table than self has is KindExists.
func (c conn) freeName(ctx context.Context, kind, name, self string) (string, error) {
	stored := engine.StoredName(kind, name)
	if err := tabledef.CheckName("table", name, stored); err != nil {
		return "", err
	}
	taken, err := c.lookupTable(ctx, kind, stored)
	if err == nil && taken != "" && taken != self {
		err = &engine.Error{Kind: engine.KindExists, Message: fmt.Sprintf("table %q already exists", taken)}
	}
	return stored, err
}

// CopyTable implements engine.Tables.
func (p Tables) CopyTable(ctx context.Context, kind, name, to string) (stored string, rows int64, err error) {
	err = p.change(ctx, func(c conn) error {
		from, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		if p.files.Opts.NewID == nil {
			return engine.Defect("the engine was opened without a source of identifiers")
		}
		if stored, err = c.freeName(ctx, kind, to, ""); err != nil {
			return err
		}
		t := &table{kind: kind, name: stored, cols: tabledef.System(kind)}
		for _, col := range from.cols[len(t.cols):] {
			col.ID = p.files.Opts.NewID()
			t.cols = append(t.cols, col)
		}
		if err := c.createTable(ctx, t); err != nil {
			return err
		}
		ids, err := c.nextIDs(ctx, time.Now())
		if err != nil {
			return err
		}
		exprs := from.names()
		for i, col := range from.cols {
			switch {
			case col.Name == "_id":
				exprs[i] = ids.SQL(`(row_number() OVER (ORDER BY _id) - 1)`)
			case col.Type == tabledef.Instant:
				exprs[i] = `now()`
			case col.System && col.Type == "bigint":
				exprs[i] = `1`
			}
		}
		if rows, err = c.Exec(ctx, `INSERT INTO `+t.sql()+` SELECT `+strings.Join(exprs, `, `)+` FROM `+
			from.sql()); err != nil || rows == 0 {
			return err
		}
		ids = ids.After(rows)
		return c.keepLastID(ctx, ids.Last())
	})
	return stored, rows, err
}

// DeleteRows implements engine.Tables.
func (p Tables) DeleteRows(ctx context.Context, kind, name string, rows []engine.RowVersion) (n int64, err error) {
	err = p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		if rows == nil {
			if n, err = c.Count(ctx, t.sql()); err != nil {
				return err
			}
			// not DELETE: an index would have the deleted values until the end of the transaction
			return c.rebuildFrom(ctx, t, `FROM `+t.sql()+` LIMIT 0`)
		}
		const gone = `temp.main.gone`
		if _, err := c.Exec(ctx, `CREATE OR REPLACE TEMP TABLE gone (id BIGINT, version BIGINT)`); err != nil {
			return err
		}
		if err := c.fillGone(ctx, rows); err != nil {
			return err
		}
		if n, err = c.Exec(ctx, `DELETE FROM `+t.sql()+` o USING `+gone+
			` g WHERE o._id = g.id AND o._version = g.version`); err != nil {
			return err
		}
		if n != int64(len(rows)) {
			return tabledef.Changed(len(rows), n, t.name)
		}
		_, err = c.Exec(ctx, `DROP TABLE `+gone)
		return err
	})
	return n, err
}

func (c conn) fillGone(ctx context.Context, rows []engine.RowVersion) error {
	ap, err := c.openAppenderIn("temp", "main", "gone")
	if err != nil {
		return err
	}
	defer ap.destroy()
	b := values.NewChunk([]string{"bigint", "bigint"})
	defer b.Destroy()
	for _, r := range rows {
		if b.Full() {
			if err := c.Ended(ctx); err != nil {
				return err
			}
			if err := ap.append(b); err != nil {
				return err
			}
			b.Reset()
		}
		b.Cols[0].Set(b.N, cells.Cell{Lo: uint64(r.ID)})
		b.Cols[1].Set(b.N, cells.Cell{Lo: uint64(r.Version)})
		b.N++
	}
	if b.N > 0 {
		if err := ap.append(b); err != nil {
			return err
		}
	}
	return ap.finish()
}
