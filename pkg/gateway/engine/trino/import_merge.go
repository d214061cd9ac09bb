package trino

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// merge replaces or updates the rows of the table, in one commit of the catalog.
func (im *importing) merge(ctx context.Context) (engine.Imported, error) {
	done, err := im.mergeRows(ctx)
	if err != nil {
		return engine.Imported{}, err
	}
	return done, nil
}

func (im *importing) mergeRows(ctx context.Context) (done engine.Imported, err error) {
	if im.widened {
		if err := im.retype(ctx); err != nil {
			return done, err
		}
	}
	drop, err := im.apart(ctx)
	if err != nil {
		return done, err
	}
	defer drop()
	table, replace := im.p.at(im.t), im.m.Mode == api.ImportReplace
	k := im.keys()
	done.Rows = im.rows
	if replace {
		done.Inserted = im.rows
		if done.Deleted, err = im.p.count(ctx, table); err != nil {
			return done, err
		}
	} else if err := im.compare(ctx, k, &done); err != nil {
		return done, err
	}
	others := "FROM " + table + " o WHERE NOT EXISTS (SELECT 1 FROM " + im.scratch() + " n WHERE " + k.match + ")"
	if replace || im.m.DeleteMissing {
		others = "FROM " + table + " o WHERE false"
	}
	if err := im.uniqueIn(ctx, others); err != nil {
		return done, err
	}
	about := intent{Schema: im.p.schema(im.t.Kind), Table: physical(strings.ToLower(im.t.Name)), Rows: im.rows}
	if _, err := im.p.exec(ctx, im.merging(k), true, nil); err != nil {
		return done, err
	}
	about.Stored, im.merged = true, true
	return done, im.note(about)
}

// keys are parts of the statements of an import that updates rows. o is the table, n the rows of the document.
type keys struct {
	names   []string
	match   string       // the rows with one key
	changed string       // of which the document has other values
	fresh   map[int]bool // the columns with values of the document
}

func (im *importing) keys() keys {
	k := keys{fresh: map[int]bool{}}
	var on, differ []string
	for _, m := range im.m.Mappings {
		i, ok := im.t.Column(m.Name)
		if !ok {
			continue
		}
		name := quoted(im.t.Columns[i])
		if slices.ContainsFunc(im.m.Key, func(key string) bool { return tabledef.SameName(key, m.Name) }) {
			k.names = append(k.names, name)
			on = append(on, "o."+name+" = n."+name)
			continue
		}
		k.fresh[i] = true
		differ = append(differ, "o."+name+" IS DISTINCT FROM n."+name)
	}
	k.match, k.changed = strings.Join(on, " AND "), "("+strings.Join(append(differ, "false"), " OR ")+")"
	if on == nil {
		k.match = "false"
	}
	return k
}

// compare counts what an update will do, and rejects keys that are not unique.
func (im *importing) compare(ctx context.Context, k keys, done *engine.Imported) error {
	if err := im.uniqueKeys(ctx, k); err != nil {
		return err
	}
	table := im.p.at(im.t)
	var pairs, matched, stored int64
	_, err := im.p.exec(ctx,
		"SELECT count(*), count(o._id), count_if(o._id IS NOT NULL AND "+k.changed+"), (SELECT count(*) FROM "+
			table+") FROM "+im.scratch()+" n LEFT JOIN "+table+" o ON "+k.match, false, func(v []*string) error {
			return integers(v, &pairs, &matched, &done.Updated, &stored)
		})
	if err != nil {
		return err
	}
	if pairs > im.rows {
		return im.storedTwice(ctx, k)
	}
	done.Inserted, done.Unchanged = im.rows-matched, matched-done.Updated
	if im.m.DeleteMissing {
		done.Deleted = stored - matched
	}
	return nil
}

func integers(v []*string, into ...*int64) (err error) {
	for i := range into {
		n, perr := strconv.ParseInt(*v[i], 10, 64)
		*into[i], err = n, errors.Join(err, perr)
	}
	return err
}

// merging is the statement that changes the table.
func (im *importing) merging(k keys) string {
	table := im.p.at(im.t)
	names, fresh, nothing := make([]string, len(im.t.Columns)), []string{}, make([]string, len(im.t.Columns))
	values := make([]string, len(im.t.Columns))
	for i, c := range im.t.Columns {
		names[i], nothing[i], values[i] = quoted(c), "NULL", "s."+quoted(c)
		switch {
		case k.fresh[i], c.Name == "_last_modified_time", c.Name == "_last_modified_by":
			fresh = append(fresh, names[i]+" = s."+names[i])
		case c.Name == "_version":
			fresh = append(fresh, names[i]+" = o."+names[i]+" + 1")
		}
	}
	document := "SELECT o._id AS \"~id\", true AS \"~kept\", n." + strings.Join(names, ", n.") + " FROM " +
		im.scratch() + " n LEFT JOIN " +
		table + " o ON " + k.match + " WHERE o._id IS NULL OR " + k.changed
	gone := " UNION ALL SELECT o._id, false, " + strings.Join(nothing, ", ") + " FROM " + table + " o"
	switch {
	case im.m.Mode == api.ImportReplace:
	case im.m.DeleteMissing:
		gone += " WHERE NOT EXISTS (SELECT 1 FROM " + im.scratch() + " n WHERE " + k.match + ")"
	default:
		gone = ""
	}
	return "MERGE INTO " + table + " o USING (" + document + gone +
		") s ON o._id = s.\"~id\" WHEN MATCHED AND NOT s.\"~kept\" " +
		"THEN DELETE WHEN MATCHED THEN UPDATE SET " + strings.Join(fresh, ", ") + " WHEN NOT MATCHED THEN INSERT (" +
		strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}

// uniqueKeys reports the lines of the document that have the key of another one.
func (im *importing) uniqueKeys(ctx context.Context, k keys) error {
	said := make([]string, len(k.names))
	for i, n := range k.names {
		said[i] = "CAST(" + n + " AS varchar)"
	}
	type pair struct{ row, first int64 }
	var found []pair
	var total int64
	values, lines := map[int64]string{}, map[int64]int64{}
	_, err := im.p.exec(ctx, "WITH numbered AS (SELECT "+strings.Join(k.names,
		", ")+", concat_ws(', ', "+strings.Join(said, ", ")+
		") AS \"~said\", row_number() OVER (ORDER BY _id) AS \"~r\" FROM "+im.scratch()+"), firsts AS (SELECT "+
		"\"~r\" AS r, min(\"~r\") "+
		"OVER (PARTITION BY "+strings.Join(k.names, ", ")+") AS f, \"~said\" AS said FROM numbered) SELECT r, f, "+
		"count(*) OVER (), said "+
		"FROM firsts WHERE r > f ORDER BY r LIMIT "+strconv.Itoa(importer.MaxBadCells), false, func(v []*string) error {
		var p pair
		err := integers(v, &p.row, &p.first, &total)
		found, values[p.row] = append(found, p), *v[3]
		lines[p.row], lines[p.first] = 0, 0
		return err
	})
	if err != nil || found == nil {
		return err
	}
	if err := im.lines(ctx, lines); err != nil {
		return err
	}
	faults := &engine.ImportError{Total: total}
	for _, p := range found {
		faults.Cells = append(faults.Cells, engine.BadCell{Line: lines[p.row], Column: strings.Join(im.m.Key, ", "),
			Value: csv.Clip([]byte(values[p.row]), 1000), Reason: fmt.Sprintf("line %d has the same key",
				lines[p.first]), First: lines[p.first]})
	}
	return faults
}

// lines finds the lines of rows of the document, by their numbers from 1.
func (im *importing) lines(ctx context.Context, of map[int64]int64) error {
	targets, err := importer.Map(im.t.Name, im.t.Columns, im.m)
	if err != nil {
		return err
	}
	in := &importer.Reader{Columns: im.t.Columns, Targets: targets, Header: im.m.Header}
	return in.With(ctx, im.doc, func() error {
		for row, left := int64(1), len(of); left > 0; row++ {
			if err := in.Next(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return in.FormFault(err)
			}
			if _, wanted := of[row]; wanted {
				of[row] = in.Line()
				left--
			}
		}
		return nil
	})
}

// storedTwice is the error for a key that several rows of the table have.
func (im *importing) storedTwice(ctx context.Context, k keys) error {
	said := make([]string, len(k.names))
	for i, n := range k.names {
		said[i] = "CAST(o." + n + " AS varchar)"
	}
	fault := &engine.Error{Kind: engine.KindValue}
	list := "o." + strings.Join(k.names, ", o.")
	_, err := im.p.exec(ctx, "SELECT concat_ws(', ', "+strings.Join(said,
		", ")+"), count(*) FROM "+im.scratch()+" n JOIN "+
		im.p.at(im.t)+" o ON "+k.match+" GROUP BY "+list+" HAVING count(*) > 1 ORDER BY 1 LIMIT 1", false,
		func(v []*string) error {
			fault.Message = fmt.Sprintf("table %q has %s rows with the key (%s) = (%s): a row can be updated only by "+
				"a key that "+
				"no other row has", im.t.Name, *v[1], strings.Join(im.m.Key, ", "), csv.Clip([]byte(*v[0]), 1000))
			return nil
		})
	if err != nil {
		return err
	}
	return fault
}
