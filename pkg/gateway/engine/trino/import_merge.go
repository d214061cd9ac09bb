package trino

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
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
	targets, err := importer.Map(im.t.Name, im.t.Columns, im.m)
	if err != nil {
		return done, err
	}
	u := importer.UpdateOf(im.t.Columns, targets, im.m.Key, quoted)
	if replace {
		done.Rows, done.Inserted = im.rows, im.rows
		done.Deleted, err = im.p.count(ctx, table)
	} else {
		done, err = u.Compare(ctx, importer.Given{Name: im.t.Name, Table: table, Rows: im.scratch(), Count: im.rows,
			Document: im.doc,
			Reader:   &importer.Reader{Columns: im.t.Columns, Targets: targets, Header: im.m.Header},
			Query: func(ctx context.Context, text string, each func([]*string) error) error {
				_, err := im.p.exec(ctx, text, false, each)
				return err
			}}, im.m.DeleteMissing)
	}
	if err != nil {
		return done, err
	}
	others := "FROM " + table + " o WHERE NOT EXISTS (SELECT 1 FROM " + im.scratch() + " n WHERE " + u.Match + ")"
	if replace || im.m.DeleteMissing {
		others = "FROM " + table + " o WHERE false"
	}
	if err := im.uniqueIn(ctx, others); err != nil {
		return done, err
	}
	about := intent{Schema: im.p.schema(im.t.Kind), Table: physical(strings.ToLower(im.t.Name)), Rows: im.rows}
	if _, err := im.p.exec(ctx, im.merging(u), true, nil); err != nil {
		return done, err
	}
	about.Stored, im.merged = true, true
	return done, im.note(about)
}

// merging is the statement that changes the table.
func (im *importing) merging(u importer.Update) string {
	table := im.p.at(im.t)
	names, fresh, nothing := make([]string, len(im.t.Columns)), []string{}, make([]string, len(im.t.Columns))
	values := make([]string, len(im.t.Columns))
	for i, c := range im.t.Columns {
		names[i], nothing[i], values[i] = quoted(c), "NULL", "s."+quoted(c)
		switch {
		case u.Fresh[i], c.Name == "_last_modified_time", c.Name == "_last_modified_by":
			fresh = append(fresh, names[i]+" = s."+names[i])
		case c.Name == "_version":
			fresh = append(fresh, names[i]+" = o."+names[i]+" + 1")
		}
	}
	document := "SELECT o._id AS \"~id\", true AS \"~kept\", n." + strings.Join(names, ", n.") + " FROM " +
		im.scratch() + " n LEFT JOIN " +
		table + " o ON " + u.Match + " WHERE o._id IS NULL OR " + u.Changed
	gone := " UNION ALL SELECT o._id, false, " + strings.Join(nothing, ", ") + " FROM " + table + " o"
	switch {
	case im.m.Mode == api.ImportReplace:
	case im.m.DeleteMissing:
		gone += " WHERE NOT EXISTS (SELECT 1 FROM " + im.scratch() + " n WHERE " + u.Match + ")"
	default:
		gone = ""
	}
	return "MERGE INTO " + table + " o USING (" + document + gone +
		") s ON o._id = s.\"~id\" WHEN MATCHED AND NOT s.\"~kept\" " +
		"THEN DELETE WHEN MATCHED THEN UPDATE SET " + strings.Join(fresh, ", ") + " WHEN NOT MATCHED THEN INSERT (" +
		strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}
