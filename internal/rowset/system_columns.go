// Package rowset holds sources of rows that are made of others.
package rowset

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// SystemNames are the columns that SELECT * over an internal table brings besides those its owner declared [L].
var SystemNames = []string{"_id", "_version", "_created_time", "_created_by", "_last_modified_time", "_last_modified_by", "_session", BareText}

// BareText is the one system column that rows of a file can be imported into, and whose name may be the owner's: it counts as one
// while it is NULL in every row.
const BareText = "text"

// parameterPrefix begins the names of columns that take parameters of API connectors; they read NULL [L].
const parameterPrefix = "_q_"

// textAhead is how many rows are looked at for a value in the bare text column before it is left out.
const textAhead = 50

// SystemColumn reports whether a column is one that every internal table has [L].
func SystemColumn(name string) bool {
	return slices.Contains(SystemNames, name) || name == "_operation"
}

// internalRows reports whether a result has every system column, and so is made of all columns of an internal table.
func internalRows(cols []api.ResultColumn) bool {
	for _, n := range SystemNames {
		if !slices.ContainsFunc(cols, func(c api.ResultColumn) bool { return c.Name == n }) {
			return false
		}
	}
	return true
}

// WithoutSystem leaves system columns out of a table for people, when a result has all of them and others too, and parameter columns.
// Formats that programs read are never touched. The second result is nil if nothing is left out.
func WithoutSystem(rows api.RowReader) (api.RowReader, *SomeColumns, error) {
	cols, err := rows.Columns()
	if err != nil {
		return rows, nil, err
	}
	internal := internalRows(cols)
	return leaveOut(rows, cols, func(c api.ResultColumn) bool {
		return internal && SystemColumn(c.Name) || strings.HasPrefix(c.Name, parameterPrefix)
	})
}

// leaveOut hides columns, the bare text column only while it holds nothing.
func leaveOut(rows api.RowReader, cols []api.ResultColumn, hide func(api.ResultColumn) bool) (api.RowReader, *SomeColumns, error) {
	f := &SomeColumns{RowReader: rows, text: -1}
	for i, c := range cols {
		if hide(c) && c.Name == BareText {
			ahead := &aheadRows{RowReader: rows}
			f.RowReader = ahead
			if !ahead.holds(i) {
				f.text = i
				continue
			}
		} else if hide(c) {
			continue
		}
		f.keep = append(f.keep, i)
		f.cols = append(f.cols, c)
	}
	if len(f.keep) == 0 || len(f.keep) == len(cols) {
		return f.RowReader, nil, nil
	}
	f.hidden = len(cols) - len(f.keep)
	f.row = make([]api.Cell, len(f.keep))
	return f, f, nil
}

// SomeColumns is a result with some of its columns.
type SomeColumns struct {
	api.RowReader
	keep   []int
	cols   []api.ResultColumn
	row    []api.Cell
	hidden int
	text   int  // index of the bare text column that is left out, -1 for none
	Lost   bool // it held a value
}

func (f *SomeColumns) Columns() ([]api.ResultColumn, error) { return f.cols, nil }

func (f *SomeColumns) Row() []api.Cell {
	all := f.RowReader.Row()
	for i, k := range f.keep {
		f.row[i] = all[k]
	}
	if f.text >= 0 && !all[f.text].IsNull() {
		f.Lost = true
	}
	return f.row
}

// Told says what was left out.
func (f *SomeColumns) Told(notes io.Writer) {
	if f == nil {
		return
	}
	fmt.Fprintf(notes, "(%d system columns hidden; --all shows them)\n", f.hidden)
	f.WarnText(notes)
}

func (f *SomeColumns) WarnText(notes io.Writer) {
	if f != nil && f.Lost {
		fmt.Fprintf(notes, "warning: the column %q was taken for a system column, and holds values; --all takes it along\n", BareText)
	}
}

// aheadRows is a result whose first rows were looked at already.
type aheadRows struct {
	api.RowReader
	held [][]api.Cell
	at   int
}

// holds reads ahead for a value in a column.
func (a *aheadRows) holds(column int) bool {
	for len(a.held) < textAhead && a.RowReader.Next() {
		row := a.RowReader.Row()
		kept := make([]api.Cell, len(row))
		for i, c := range row {
			kept[i] = slices.Clone(c)
		}
		a.held = append(a.held, kept)
		if !kept[column].IsNull() {
			return true
		}
	}
	return false
}

func (a *aheadRows) Next() bool {
	if a.at < len(a.held) {
		a.at++
		return true
	}
	a.at = len(a.held) + 1
	return a.RowReader.Next()
}

func (a *aheadRows) Row() []api.Cell {
	if a.at <= len(a.held) {
		return a.held[a.at-1]
	}
	return a.RowReader.Row()
}

// WithoutSystemSides leaves system columns out of both sides of a comparison if one of them is an internal table: a copy elsewhere has
// others, or none. The bare text column stays where both sides have it. What is named stays.
func WithoutSystemSides(sides *[2]api.RowReader, named []string) (left []*SomeColumns, err error) {
	var cols [2][]api.ResultColumn
	for i := range sides {
		if cols[i], err = sides[i].Columns(); err != nil {
			return nil, err
		}
	}
	internal := [2]bool{internalRows(cols[0]), internalRows(cols[1])}
	if !internal[0] && !internal[1] {
		return nil, nil
	}
	for i := range sides {
		hasText := slices.ContainsFunc(cols[1-i], func(c api.ResultColumn) bool { return c.Name == BareText })
		rows, f, err := leaveOut(sides[i], cols[i], func(c api.ResultColumn) bool {
			return SystemColumn(c.Name) && !slices.Contains(named, c.Name) && (c.Name != BareText || internal[i] && !hasText)
		})
		if err != nil {
			return nil, err
		}
		sides[i], left = rows, append(left, f)
	}
	return left, nil
}
