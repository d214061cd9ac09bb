package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// Update are the statements of an import that updates rows by a key, in the part of SQL that engines share. In them, o
// is the table and n the rows of the document.
type Update struct {
	Match   string       // condition: the rows have one key. A key that is NULL is that of no row
	Changed string       // condition: the document has other values for the row
	Fresh   map[int]bool // the columns whose values in an updated row are those of the document

	names []string // of the key's columns, quoted
	key   string   // as given
}

// UpdateOf returns the statements for a table whose names in SQL are given by quote. Without a key no rows match.
func UpdateOf(columns []engine.Column, targets []Target, key []string, quote func(engine.Column) string) Update {
	u := Update{Fresh: map[int]bool{}, key: strings.Join(key, ", ")}
	var match, changed []string
	for _, tg := range targets {
		col := columns[tg.Col]
		name := quote(col)
		if InKey(key, col.Name) {
			u.names = append(u.names, name)
			match = append(match, "o."+name+" = n."+name)
			continue
		}
		u.Fresh[tg.Col] = true
		changed = append(changed, "o."+name+" IS DISTINCT FROM n."+name)
	}
	u.Match, u.Changed = strings.Join(match, " AND "), "("+strings.Join(append(changed, "false"), " OR ")+")"
	if match == nil {
		u.Match = "false"
	}
	return u
}

// InKey reports whether a key names a column.
func InKey(key []string, column string) bool {
	return slices.ContainsFunc(key, func(k string) bool { return tabledef.SameName(k, column) })
}

// Given are the rows that update a table.
type Given struct {
	Name        string // of the table, as people have it
	Table, Rows string // the table and the rows of the document in FROM
	Count       int64  // of the rows of the document
	Document    csv.Document
	Reader      *Reader // that has read it
	// Query runs a statement and passes the texts of its rows.
	Query func(ctx context.Context, text string, each func(values []*string) error) error
}

// Compare counts what an update will do. Rows with one key, in the document or stored, are an error.
func (u Update) Compare(ctx context.Context, g Given, deleteMissing bool) (done engine.Imported, err error) {
	if err := u.unique(ctx, g); err != nil {
		return done, err
	}
	var pairs, matched, stored int64
	err = g.Query(ctx, "SELECT count(*), count(o._id), count(*) FILTER (WHERE o._id IS NOT NULL AND "+u.Changed+
		"), (SELECT count(*) FROM "+g.Table+") FROM "+g.Rows+" n LEFT JOIN "+g.Table+" o ON "+u.Match,
		func(v []*string) error { return Integers(v, &pairs, &matched, &done.Updated, &stored) })
	if err != nil {
		return done, err
	}
	if pairs > g.Count {
		return done, u.storedTwice(ctx, g)
	}
	done.Rows, done.Inserted, done.Unchanged = g.Count, g.Count-matched, matched-done.Updated
	if deleteMissing {
		done.Deleted = stored - matched
	}
	return done, nil
}

// said is the text of the key of a row, for an error.
func (u Update) said(of string) string {
	out := make([]string, len(u.names))
	for i, n := range u.names {
		out[i] = "CAST(" + of + n + " AS varchar)"
	}
	return "concat_ws(', ', " + strings.Join(out, ", ") + ")"
}

// unique reports the lines of the document that have the key of another one.
func (u Update) unique(ctx context.Context, g Given) error {
	list := strings.Join(u.names, ", ")
	var different int64
	err := g.Query(ctx, "SELECT count(*) FROM (SELECT DISTINCT "+list+" FROM "+g.Rows+" n) d",
		func(v []*string) error { return Integers(v, &different) })
	if err != nil || different == g.Count {
		return err
	}
	type pair struct{ row, first int64 }
	var found []pair
	values, lines := map[int64]string{}, map[int64]int64{}
	err = g.Query(ctx, "WITH numbered AS (SELECT "+list+", "+u.said("")+` AS "~said", row_number() OVER (ORDER BY `+
		`_id) AS "~r" FROM `+g.Rows+` n), firsts AS (SELECT "~r" AS r, min("~r") OVER (PARTITION BY `+list+`) AS f, `+
		`"~said" AS said FROM numbered) SELECT r, f, said FROM firsts WHERE r > f ORDER BY r LIMIT `+
		strconv.Itoa(MaxBadCells),
		func(v []*string) error {
			var p pair
			err := Integers(v[:2], &p.row, &p.first)
			found, values[p.row] = append(found, p), *v[2]
			lines[p.row], lines[p.first] = 0, 0
			return err
		})
	if err != nil {
		return err
	}
	if err := g.Reader.lines(ctx, g.Document, lines); err != nil {
		return err
	}
	faults := &engine.ImportError{Total: g.Count - different}
	for _, p := range found {
		faults.Cells = append(faults.Cells, engine.BadCell{Line: lines[p.row], Column: u.key,
			Value:  csv.Clip([]byte(values[p.row]), 1000),
			Reason: fmt.Sprintf("line %d has the same key", lines[p.first]), First: lines[p.first]})
	}
	return faults
}

// lines finds the lines of rows of the document, by their numbers from 1.
func (r *Reader) lines(ctx context.Context, doc csv.Document, of map[int64]int64) error {
	again := &Reader{Columns: r.Columns, Targets: r.Targets, Header: r.Header}
	return again.With(ctx, doc, func() error {
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
func (u Update) storedTwice(ctx context.Context, g Given) error {
	fault := &engine.Error{Kind: engine.KindValue}
	err := g.Query(ctx, "SELECT "+u.said("o.")+", count(*) FROM "+g.Rows+" n JOIN "+g.Table+" o ON "+u.Match+
		" GROUP BY o."+strings.Join(u.names, ", o.")+" HAVING count(*) > 1 ORDER BY 1 LIMIT 1",
		func(v []*string) error {
			fault.Message = fmt.Sprintf("table %q has %s rows with the key (%s) = (%s): a row can be updated only by "+
				"a key that no other row has", g.Name, *v[1], u.key, csv.Clip([]byte(*v[0]), 1000))
			return nil
		})
	if err != nil {
		return err
	}
	return fault
}

// Integers parses the integers of a row.
func Integers(v []*string, into ...*int64) (err error) {
	for i := range into {
		n, perr := strconv.ParseInt(*v[i], 10, 64)
		*into[i], err = n, errors.Join(err, perr)
	}
	return err
}
