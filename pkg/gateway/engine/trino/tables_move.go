package trino

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	"github.com/google/uuid"
)

// RenameTable implements engine.Tables. The definition has both names before the catalog has the new one, so that the
// table has one of them at any time.
func (p *project) RenameTable(ctx context.Context, kind, name, to string) (stored string, err error) {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, name), p.named(kind, to))
	if err != nil {
		return "", err
	}
	defer unlock()
	t, err := p.find(ctx, kind, name)
	if err != nil {
		return "", err
	}
	if stored, err = p.freeName(ctx, kind, to, t.Name); err != nil || stored == t.Name {
		return stored, err
	}
	old, moved := p.at(t), &tabledef.Table{Kind: kind, Name: stored, Columns: t.Columns}
	last, err := p.lastID(old, p.at(moved)) // the ids go with the rows
	if err == nil {
		err = p.keepLastID(p.at(moved), last)
	}
	if err != nil {
		return "", err
	}
	if _, err := p.exec(ctx, "COMMENT ON COLUMN "+old+"._id IS "+commentOf(moved, 0, t.Name), true, nil); err != nil {
		return "", err
	}
	if p.at(moved) == old {
		return stored, nil
	}
	return stored, p.move(ctx, kind, strings.ToLower(t.Name), moved)
}

// move gives a table another name, of a kind as well. If its reply is lost, it is looked up.
func (p *project) move(ctx context.Context, kind, name string, to *tabledef.Table) error {
	_, err := p.exec(ctx, "ALTER TABLE "+p.table(kind, name)+" RENAME TO "+p.at(to), true, nil)
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	old := false
	_, ferr := p.exec(ctx, "SELECT 1 FROM "+sqltext.Quote(p.e.Catalog)+
		".information_schema.tables WHERE table_schema = "+sqltext.Literal(p.schema(kind))+" AND table_name = "+
		sqltext.Literal(physical(name)), false, func([]*string) error { old = true; return nil })
	if ferr == nil && !old {
		if _, ferr = p.find(ctx, to.Kind, to.Name); ferr == nil {
			return nil
		}
	}
	return err
}

// freeName is a new name as it is stored; one that another table than self has is KindExists.
func (p *project) freeName(ctx context.Context, kind, name, self string) (string, error) {
	stored := engine.StoredName(kind, name)
	if err := tabledef.CheckName("table", name, stored); err != nil {
		return "", err
	}
	switch other, err := p.find(ctx, kind, name); {
	case err == nil && other.Name != self:
		return "", &engine.Error{Kind: engine.KindExists, Message: fmt.Sprintf("table %q already exists", other.Name)}
	case err != nil && !isKind(err, engine.KindUnknownTable):
		return "", err
	}
	return stored, nil
}

// CopyTable implements engine.Tables. The copy is made under another name, so that nobody sees a part of it.
func (p *project) CopyTable(ctx context.Context, kind, name, to string) (stored string, rows int64, err error) {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, name), p.named(kind, to))
	if err != nil {
		return "", 0, err
	}
	defer unlock()
	from, err := p.find(ctx, kind, name)
	if err != nil {
		return "", 0, err
	}
	if stored, err = p.freeName(ctx, kind, to, ""); err != nil {
		return "", 0, err
	}
	if p.e.newID == nil {
		return "", 0, errors.New("the engine was opened without a source of identifiers")
	}
	t := &tabledef.Table{Kind: kind, Name: stored, Columns: tabledef.System(kind)}
	for _, col := range from.Columns[len(t.Columns):] {
		col.ID = p.e.newID()
		t.Columns = append(t.Columns, col)
	}
	ids, err := p.nextIDs(time.Now(), p.at(t))
	if err != nil {
		return "", 0, err
	}
	exprs := make([]string, len(from.Columns))
	for i, col := range from.Columns {
		switch exprs[i] = quoted(col); {
		case col.Name == "_id":
			exprs[i] = ids.SQL("(row_number() OVER (ORDER BY _id) - 1)")
		case col.Type == tabledef.Instant:
			exprs[i] = "CAST(current_timestamp AS " + columnType(col.Type) + ")"
		case col.System && col.Type == "bigint":
			exprs[i] = "1"
		}
	}
	scratch := uuid.NewString()
	apart := p.table(kindOfCopies, scratch)
	if err := errors.Join(p.ready(ctx, kindOfCopies), p.ready(ctx, kind)); err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			_ = p.forget(ctx, kindOfCopies, physical(scratch))
		}
	}()
	if _, err = p.exec(ctx, "CREATE TABLE "+apart+" ("+columnList(t)+")", true, nil); err != nil {
		return "", 0, err
	}
	rows, err = p.exec(ctx, "INSERT INTO "+apart+" SELECT "+strings.Join(exprs, ", ")+" FROM "+p.at(from), true, nil)
	if err != nil {
		return "", 0, err
	}
	rows = max(rows, 0)
	ids = ids.After(rows)
	if err = p.keepLastID(p.at(t), ids.Last()); err != nil {
		return "", 0, err
	}
	err = p.move(ctx, kindOfCopies, scratch, t)
	return stored, rows, err
}

// DeleteRows implements engine.Tables: the rows become a table of their own, with which they are compared and deleted.
func (p *project) DeleteRows(ctx context.Context, kind, name string, rows []engine.RowVersion) (n int64, err error) {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, name))
	if err != nil {
		return 0, err
	}
	defer unlock()
	t, err := p.find(ctx, kind, name)
	if err != nil {
		return 0, err
	}
	if rows == nil {
		if n, err = p.count(ctx, p.at(t)); err == nil && n > 0 {
			_, err = p.exec(ctx, "DELETE FROM "+p.at(t), true, nil)
		}
		return n, err
	}
	if p.e.Stage == "" {
		return 0, noStage()
	}
	gone := &importing{p: p, name: uuid.NewString(),
		t: &tabledef.Table{Kind: kind, Name: t.Name, Columns: t.Columns[:2]}}
	defer gone.discard()
	if err := gone.versions(rows); err != nil {
		return 0, err
	}
	drop, err := gone.apart(ctx)
	if err != nil {
		return 0, err
	}
	defer drop()
	const same = " WHERE o._id = g._id AND o._version = g._version"
	if n, err = p.count(ctx, p.at(t)+" o, "+gone.scratch()+" g"+same); err != nil {
		return 0, err
	}
	if n != int64(len(rows)) {
		return n, tabledef.Changed(len(rows), n, t.Name)
	}
	_, err = p.exec(ctx, "DELETE FROM "+p.at(t)+" WHERE _id IN (SELECT _id FROM "+gone.scratch()+")", true, nil)
	return n, err
}

// versions writes the ids and versions of rows to the file of rows.
func (im *importing) versions(rows []engine.RowVersion) error {
	if err := im.makeFolder(); err != nil {
		return err
	}
	out, err := newParquet(im.file(), im.t.Columns)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := out.integers(r.ID, r.Version); err != nil {
			return errors.Join(err, out.abandon())
		}
	}
	return errors.Join(out.flush(), out.close())
}

// columnList declares the columns of a table with their definitions.
func columnList(t *tabledef.Table) string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = sqltext.Quote(strings.ToLower(c.Name)) + " " + columnType(c.Type) + " COMMENT " + comment(t, i)
	}
	return strings.Join(list, ", ")
}
