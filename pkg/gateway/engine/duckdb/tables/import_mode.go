//go:build cgo

package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
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
	var on, keys, differ []string
	fresh := map[int]bool{} // the columns with new values in an updated row
	for _, tg := range k.im.Targets {
		name := sqltext.Quote(t.cols[tg.Col].Name)
		if slices.ContainsFunc(m.Key, func(key string) bool { return tabledef.SameName(key, t.cols[tg.Col].Name) }) {
			keys = append(keys, name)
			on = append(on, `o.`+name+` = n.`+name)
			continue
		}
		fresh[tg.Col] = true
		differ = append(differ, `o.`+name+` IS DISTINCT FROM n.`+name)
	}
	match, changed := strings.Join(on, ` AND `), `(`+strings.Join(append(differ, `false`), ` OR `)+`)`
	n := `(` + query + `) n`
	if err := k.uniqueKeys(ctx, n, keys, rows); err != nil {
		return done, err
	}
	var pairs, matched, stored int64
	err = k.Query(ctx, `SELECT count(*), count(o._id), count(*) FILTER (o._id IS NOT NULL AND `+changed+
		`), (SELECT count(*) FROM `+t.sql()+`) FROM `+n+` LEFT JOIN `+t.sql()+` o ON `+match, nil,
		func(v []*string) error { return scan(v, &pairs, &matched, &done.Updated, &stored) })
	if err != nil {
		return done, err
	}
	if pairs > rows {
		return done, k.storedTwice(ctx, n, keys, match)
	}
	done.Rows, done.Inserted, done.Unchanged = rows, rows-matched, matched-done.Updated
	if m.DeleteMissing {
		done.Deleted = stored - matched
	}
	var sets, rebuilt []string
	for i, name := range t.names() {
		now := ``
		switch col := t.cols[i].Name; {
		case fresh[i], col == "_last_modified_time", col == "_last_modified_by":
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

// uniqueKeys reports the lines of the document that have the key of another one.
func (k commit) uniqueKeys(ctx context.Context, n string, keys []string, rows int64) error {
	list := strings.Join(keys, `, `)
	var different int64
	err := k.Query(ctx, `SELECT count(*) FROM (SELECT DISTINCT `+list+` FROM `+n+`)`, nil, func(v []*string) error {
		return scan(v, &different)
	})
	if err != nil || different == rows {
		return err
	}
	type pair struct{ row, first int64 }
	var found []pair
	values := map[int64]string{}
	err = k.Query(ctx, `WITH numbered AS (SELECT row(`+list+`) AS k, concat_ws(', ', `+list+`) AS said,
			row_number() OVER (ORDER BY _id) AS r FROM `+n+`),
		firsts AS (SELECT r, min(r) OVER (PARTITION BY k) AS f, said FROM numbered)
		SELECT r, f, said FROM firsts WHERE r > f ORDER BY r LIMIT `+strconv.Itoa(importer.MaxBadCells), nil,
		func(v []*string) error {
			var p pair
			err := scan(v[:2], &p.row, &p.first)
			found, values[p.row] = append(found, p), *v[2]
			return err
		})
	if err != nil {
		return err
	}
	lines := map[int64]int64{}
	for _, p := range found {
		lines[p.row], lines[p.first] = 0, 0
	}
	if err := k.im.lines(ctx, lines); err != nil {
		return err
	}
	faults := &engine.ImportError{Total: rows - different}
	for _, p := range found {
		faults.Cells = append(faults.Cells, engine.BadCell{Line: lines[p.row], Column: strings.Join(k.im.m.Key, ", "),
			Value:  csv.Clip([]byte(values[p.row]), 1000),
			Reason: fmt.Sprintf("line %d has the same key", lines[p.first]), First: lines[p.first]})
	}
	return faults
}

// lines finds the lines of rows of the document, by their numbers from 1.
func (im *importing) lines(ctx context.Context, of map[int64]int64) error {
	again := newImporting(im.t, im.Targets, im.m, im.doc)
	return again.With(ctx, im.doc, func() error {
		for row, left := int64(1), len(of); left > 0; row++ {
			if err := again.Next(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return again.FormFault(err)
			}
			if _, wanted := of[row]; wanted {
				of[row] = again.Line()
				left--
			}
		}
		return nil
	})
}

// storedTwice is the error for a key that several rows of the table have.
func (k commit) storedTwice(ctx context.Context, n string, keys []string, match string) error {
	fault := &engine.Error{Kind: engine.KindValue}
	list := `o.` + strings.Join(keys, `, o.`)
	err := k.Query(ctx, `SELECT concat_ws(', ', `+list+`), count(*) FROM `+n+` JOIN `+k.im.t.sql()+` o ON `+match+
		` GROUP BY `+list+` HAVING count(*) > 1 ORDER BY 1 LIMIT 1`, nil, func(v []*string) error {
		fault.Message = fmt.Sprintf("table %q has %s rows with the key (%s) = (%s): a row can be updated only by a "+
			"key that no other row has", k.im.t.name, *v[1], strings.Join(k.im.m.Key, ", "),
			csv.Clip([]byte(*v[0]), 1000))
		return nil
	})
	if err != nil {
		return err
	}
	return fault
}

// scan parses the integers of a row.
func scan(v []*string, into ...*int64) (err error) {
	for i := range into {
		n, perr := strconv.ParseInt(*v[i], 10, 64)
		*into[i], err = n, errors.Join(err, perr)
	}
	return err
}
