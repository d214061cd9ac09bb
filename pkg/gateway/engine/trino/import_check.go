package trino

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

// unique compares the values of unique columns with each other and with those that are stored, before the commit.
// others are the stored rows that remain.
func (im *importing) unique(ctx context.Context, others string) error {
	if importer.UniqueColumns(im.t.Columns) == nil {
		return nil
	}
	drop, err := im.apart(ctx)
	if err != nil {
		return err
	}
	defer drop()
	return im.uniqueIn(ctx, others)
}

// uniqueIn does the same for a file that is a table.
func (im *importing) uniqueIn(ctx context.Context, others string) error {
	faults := &engine.ImportError{}
	for _, i := range importer.UniqueColumns(im.t.Columns) {
		if err := im.duplicates(ctx, i, others, faults); err != nil {
			return err
		}
	}
	if faults.Total > 0 {
		return faults
	}
	return nil
}

// scratch is the table of the file's own.
func (im *importing) scratch() string { return im.p.table(kindOfImports, im.name) }

// apart makes the file a table of its own, until drop is called, which leaves the file.
func (im *importing) apart(ctx context.Context) (drop func(), err error) {
	if err := im.p.ready(ctx, kindOfImports); err != nil {
		return nil, err
	}
	list := make([]string, len(im.t.Columns))
	for i, c := range im.t.Columns {
		list[i] = quoted(c) + " " + columnType(c.Type)
	}
	if _, err := im.p.exec(ctx, "CREATE TABLE "+im.scratch()+" ("+strings.Join(list, ", ")+")", true, nil); err != nil {
		return nil, err
	}
	drop = func() { _ = im.p.forget(ctx, kindOfImports, physical(im.name)) }
	if _, err := im.p.exec(ctx, im.adding(im.scratch()), true, nil); err != nil {
		drop()
		return nil, err
	}
	return drop, nil
}

// quoted is the name of a column in the catalog, for a statement.
func quoted(c engine.Column) string { return sqltext.Quote(strings.ToLower(c.Name)) }

// duplicates lists the lines of the document whose value of a column is in another one before, or stored.
func (im *importing) duplicates(ctx context.Context, column int, others string, faults *engine.ImportError) error {
	col := im.t.Columns[column]
	name := quoted(col)
	twice := map[string]bool{} // whether it is stored
	_, err := im.p.exec(ctx, "WITH given AS (SELECT "+name+" AS v, count(*) AS n FROM "+im.scratch()+" WHERE "+name+
		" IS NOT NULL GROUP BY 1), old AS (SELECT DISTINCT "+name+" AS v "+others+") SELECT CAST(given.v AS varchar), "+
		"old.v IS NOT NULL FROM given LEFT JOIN old ON given.v = old.v WHERE n > 1 OR old.v IS NOT NULL LIMIT "+
		strconv.Itoa(importer.MaxBadCells), false, func(v []*string) error {
		twice[*v[0]] = *v[1] == "true"
		return nil
	})
	if err != nil || len(twice) == 0 {
		return err
	}
	targets, err := importer.Map(im.t.Name, im.t.Columns, im.m)
	if err != nil {
		return err
	}
	of, _, err := importer.UniqueTarget(im.t.Columns, targets, column)
	if err != nil {
		return err
	}
	in := &importer.Reader{Columns: im.t.Columns, Targets: []importer.Target{of}, Header: im.m.Header}
	// The field is known after the header was read.
	return in.With(ctx, im.doc, func() error { return twices(in, col, twice, faults) })
}

// twices lists the lines whose value of a column is one of those that are twice in the document, after its first one,
// or stored.
func twices(in *importer.Reader, col engine.Column, twice map[string]bool, faults *engine.ImportError) error {
	first := map[string]int64{}
	for {
		if err := in.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return in.FormFault(err)
		}
		f := in.Field(in.Targets[0].Field)
		if in.Null(f) {
			continue
		}
		value := plainText(col.Type, f.Text)
		stored, bad := twice[value]
		before, seen := first[value]
		if !bad || !stored && !seen {
			first[value] = in.Line()
			continue
		}
		if stored {
			before = 0
		}
		if faults.Total++; len(faults.Cells) < importer.MaxBadCells {
			faults.Cells = append(faults.Cells, importer.Duplicate(in.Line(), col.Name, f.Text, before))
		}
	}
}
