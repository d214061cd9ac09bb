//go:build cgo

package tables

import (
	"context"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

// commit makes the rows of an import those of its table, as its mode says, within the transaction of the only writer:
// other statements read the former rows until the transaction ends.
type commit struct {
	conn
	im *importing // its table has the definition that it has afterwards
}

// arrivedName is the name of a table with the rows of a document that is merged into another.
const arrivedName = "\x01arrived"

// begin returns the name of the table to which the rows are appended.
func (k commit) begin(ctx context.Context) (into string, err error) {
	t := k.im.t
	switch k.im.m.Mode {
	case api.ImportReplace:
		into = rebuiltName
	case api.ImportUpsert:
		into = arrivedName
		t = &table{kind: t.kind, cols: slices.Clone(t.cols)}
		for i := range t.cols {
			t.cols[i].Unique = false // such rows may replace each other
		}
	default:
		return t.name, nil
	}
	_, err = k.Exec(ctx, t.create(naming.StoredTable(t.kind, into)))
	return into, err
}

// end does what remains when the rows stand in the table that begin has named.
func (k commit) end(ctx context.Context, into string, rows int64) (done engine.Imported, err error) {
	done.Rows, done.Inserted = rows, rows
	switch k.im.m.Mode {
	case api.ImportReplace:
		if done.Deleted, err = k.Count(ctx, k.im.t.sql()); err != nil {
			return done, err
		}
		return done, k.replaceRebuilt(ctx, k.im.t)
	case api.ImportUpsert:
		arrived := naming.StoredTable(k.im.t.kind, into)
		if done, err = k.merge(ctx, `FROM `+arrived, rows); err != nil {
			return done, err
		}
		_, err = k.Exec(ctx, `DROP TABLE `+arrived)
	}
	return done, err
}

// take does the same with the rows of a query, whose columns are those of the table.
func (k commit) take(ctx context.Context, query string, rows int64) (done engine.Imported, err error) {
	if k.im.m.Mode == api.ImportUpsert {
		return k.merge(ctx, query, rows)
	}
	into, err := k.begin(ctx)
	if err != nil {
		return done, err
	}
	if _, err = k.Exec(ctx, `INSERT INTO `+naming.StoredTable(k.im.t.kind, into)+` BY NAME `+query); err != nil {
		return done, err
	}
	return k.end(ctx, into, rows)
}

// merge updates the rows that have the key of a row of the query n, and adds its other rows. A row whose mapped columns
// have the same values stays as it is. A key of the table that is NULL is that of no row.
func (k commit) merge(ctx context.Context, query string, rows int64) (done engine.Imported, err error) {
	t, m := k.im.t, k.im.m
	u := importer.UpdateOf(t.cols, k.im.Targets, m.Key, func(c engine.Column) string { return sqltext.Quote(c.Name) })
	match, changed, n := u.Match, u.Changed, `(`+query+`) n`
	done, err = u.Compare(ctx, importer.Given{Name: t.name, Table: t.sql(), Rows: `(` + query + `)`, Count: rows,
		Document: k.im.doc, Reader: k.im.Reader,
		Query: func(ctx context.Context, text string, each func([]*string) error) error {
			return k.Query(ctx, text, nil, each)
		}}, m.DeleteMissing)
	if err != nil {
		return done, err
	}
	var sets, rebuilt []string
	for i, name := range t.names() {
		now := ``
		switch col := t.cols[i].Name; {
		case u.Fresh[i], col == "_last_modified_time", col == "_last_modified_by":
			now = `n.` + name
		case col == "_version":
			now = `o._version + 1`
		default:
			rebuilt = append(rebuilt, `o.`+name)
			continue
		}
		sets = append(sets, name+` = `+now)
		rebuilt = append(rebuilt, `CASE WHEN n._id IS NOT NULL AND `+changed+` THEN `+now+` ELSE o.`+name+` END`)
	}
	if !slices.ContainsFunc(t.cols, func(c engine.Column) bool { return c.Unique && !c.System }) {
		missing := ``
		if m.DeleteMissing {
			missing = ` WHEN NOT MATCHED BY SOURCE THEN DELETE`
		}
		_, err = k.Exec(ctx, `MERGE INTO `+t.sql()+` o USING `+n+` ON `+match+` WHEN MATCHED AND `+changed+
			` THEN UPDATE SET `+strings.Join(sets, `, `)+` WHEN NOT MATCHED THEN INSERT BY NAME`+missing)
		return done, err
	}
	// DuckDB compares an index with each row that changes, not with the rows that remain in the end
	join := ` LEFT JOIN `
	if m.DeleteMissing {
		join = ` JOIN `
	}
	return done, k.rebuildFrom(ctx, t, `SELECT `+strings.Join(rebuilt, `, `)+` FROM `+t.sql()+` o`+join+n+` ON `+match+
		` UNION ALL SELECT n.`+strings.Join(t.names(), `, n.`)+` FROM `+n+` ANTI JOIN `+t.sql()+` o ON `+match)
}
