//go:build cgo

package tables

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// stagedFrom is the size of a document, in bytes, from which its rows are prepared in a stage. Smaller ones take about
// as long as opening the project does.
const stagedFrom = 1 << 20

// stagedRows are the checked and converted rows of a document.
type stagedRows struct {
	*projects.Stage
	of *table // for which they were prepared
	// of the stage: the numbers of the rows from 0 as _id, and the columns whose values differ between rows
	cols  *table
	fixed []importer.Filled
	rows  int64
	at    time.Time
}

// stageRows checks and converts all rows of a document for a table, to the types of another definition of it, that of
// the import.
func (p Tables) stageRows(ctx context.Context, of *table, to *importing) (_ *stagedRows, err error) {
	st, err := p.files.NewStage()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			st.Done()
		}
	}()
	s := &stagedRows{Stage: st, of: of, at: time.Now()}
	s.arrange(to)
	moved := slices.Clone(to.Targets)
	for i, tg := range to.Targets {
		moved[i].Col, _ = s.cols.column(to.t.cols[tg.Col].Name)
	}
	c, done, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer done()
	err = faults.OfTables(c.Tx(ctx, func() error {
		if _, err := c.Exec(ctx, s.cols.create(s.cols.sql())); err != nil {
			return err
		}
		s.rows, err = conn{c}.importRows(ctx, newImporting(s.cols, moved, to.m, to.doc), s.cols.name)
		return err
	}))
	if err == nil {
		err = s.Store(ctx, c, naming.Store)
	}
	return s, err
}

// arrange chooses what is staged: all but the system columns that have one value for all rows.
func (s *stagedRows) arrange(im *importing) {
	fixed := map[int]bool{}
	for _, f := range importer.FilledBy(s.at, im.t.cols, im.Targets) {
		if im.t.cols[f.Column].System {
			s.fixed = append(s.fixed, f)
			fixed[f.Column] = true
		}
	}
	s.cols = &table{kind: im.t.kind, name: "rows"}
	for i, col := range im.t.cols {
		if !fixed[i] {
			col.Unique = false // can be checked only together with the rows already stored
			s.cols.cols = append(s.cols.cols, col)
		}
	}
}

// fits reports whether a table is still the one that the rows were prepared for.
func (s *stagedRows) fits(t *table) bool { return reflect.DeepEqual(t, s.of) }

// move makes the rows those of the table, within the transaction of a commit that has the stage attached.
func (s *stagedRows) move(ctx context.Context, k commit) (engine.Imported, error) {
	ids, err := k.nextIDs(ctx, time.Now())
	if err != nil {
		return engine.Imported{}, err
	}
	exprs := s.of.names()
	exprs[0] = ids.SQL(exprs[0])
	for _, f := range s.fixed {
		exprs[f.Column] = inAllRows(&s.of.cols[f.Column], f)
	}
	for i, name := range s.of.names() {
		exprs[i] += ` AS ` + name
	}
	done, err := k.take(ctx, `SELECT `+strings.Join(exprs, ", ")+` FROM `+sqltext.Quote(s.Name, s.cols.kind,
		s.cols.name), s.rows)
	if err != nil || s.rows == 0 {
		return done, err
	}
	ids = ids.After(s.rows)
	return done, k.keepLastID(ctx, ids.Last())
}

// inAllRows is the value that a column has in all rows of an import.
func inAllRows(col *engine.Column, f importer.Filled) string {
	switch {
	case f.Null:
		return "NULL"
	case !col.System:
		return sqlValue(col.Type, *col.DefaultValue)
	case col.Type == tabledef.Instant:
		at := time.UnixMicro(int64(f.Value.Lo)).UTC()
		return `CAST('` + at.Format("2006-01-02 15:04:05.000000+00") + `' AS TIMESTAMPTZ)`
	case col.Type == "varchar":
		return sqltext.DuckDBLiteral(string(f.Text))
	}
	return strconv.FormatInt(int64(f.Value.Lo), 10)
}
