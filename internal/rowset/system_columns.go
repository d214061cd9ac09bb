// Package rowset provides sources of rows: those of files, and those derived from others (differences, profiles of
// columns, results without system columns).
package rowset

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// SystemNames are the columns that SELECT * over an internal table returns besides those its owner declared [L].
var SystemNames = append(api.SystemColumns(), BareText)

// BareText is the only system column into which rows of a file can be imported, and the only system name that the owner
// may use: it counts as a system column while it is NULL in every row.
const BareText = "text"

// parameterPrefix starts the names of columns for parameters of API connectors; they read as NULL [L].
const parameterPrefix = "_q_"

// textAhead is the number of rows that are checked for a value in the bare text column before it is hidden.
const textAhead = 50

// SystemColumn reports whether a column is one that every internal table has [L].
func SystemColumn(name string) bool {
	return slices.Contains(SystemNames, name) || name == "_operation"
}

// Internal reports whether a table or result has every system column, and thus has all columns of an internal table.
func Internal[C any](cols []C, name func(C) string) bool {
	for _, n := range SystemNames {
		if !slices.ContainsFunc(cols, func(c C) bool { return name(c) == n }) {
			return false
		}
	}
	return true
}

func internalRows(cols []api.ResultColumn) bool {
	return Internal(cols, func(c api.ResultColumn) string { return c.Name })
}

// WithoutSystem hides parameter columns while they have no values, and system columns if a result has all of them and
// others too. The second result is nil if nothing is hidden.
func WithoutSystem(rows api.RowReader) (api.RowReader, *SomeColumns, error) {
	cols, err := rows.Columns()
	if err != nil {
		return rows, nil, err
	}
	internal := internalRows(cols)
	return leaveOut(rows, cols, func(c api.ResultColumn) hiding {
		switch {
		case internal && c.Name == BareText, strings.HasPrefix(c.Name, parameterPrefix):
			return hiddenEmpty
		case internal && SystemColumn(c.Name):
			return hidden
		}
		return shown
	})
}

// SystemLast moves the columns that every internal table has behind the declared ones, in output for people.
func SystemLast(rows api.RowReader) (api.RowReader, error) {
	cols, err := rows.Columns()
	if err != nil || !internalRows(cols) {
		return rows, err
	}
	f := &SomeColumns{RowReader: rows, row: make([]api.Cell, len(cols))}
	for _, system := range []bool{false, true} {
		for i, c := range cols {
			if SystemColumn(c.Name) == system {
				f.keep, f.cols = append(f.keep, i), append(f.cols, c)
			}
		}
	}
	return f, nil
}

// hiding is whether a column is hidden.
type hiding int

const (
	shown hiding = iota
	hidden
	hiddenEmpty // while it has no values
)

// leaveOut hides columns.
func leaveOut(
	rows api.RowReader, cols []api.ResultColumn, hide func(api.ResultColumn) hiding,
) (api.RowReader, *SomeColumns, error) {
	ahead := &aheadRows{RowReader: rows}
	f := &SomeColumns{RowReader: rows, all: cols}
	for i, c := range cols {
		switch hide(c) {
		case hidden:
			continue
		case hiddenEmpty:
			f.RowReader = ahead
			if !ahead.holds(i) {
				f.empty = append(f.empty, i)
				continue
			}
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
	empty  []int // indexes of the columns that are hidden for want of values
	all    []api.ResultColumn
	Lost   string // the name of one of them that contained a value, "" for none
}

func (f *SomeColumns) Columns() ([]api.ResultColumn, error) { return f.cols, nil }

func (f *SomeColumns) Row() []api.Cell {
	all := f.RowReader.Row()
	for i, k := range f.keep {
		f.row[i] = all[k]
	}
	for _, i := range f.empty {
		if !all[i].IsNull() {
			f.Lost = f.all[i].Name
		}
	}
	return f.row
}

// NoteHidden prints a note about the hidden columns.
func (f *SomeColumns) NoteHidden(notes io.Writer) {
	if f == nil {
		return
	}
	fmt.Fprintf(notes, "(%d system columns hidden; --all shows them)\n", f.hidden)
	f.WarnText(notes)
}

func (f *SomeColumns) WarnText(notes io.Writer) {
	if f != nil && f.Lost != "" {
		fmt.Fprintf(notes, "warning: the column %q was taken for a system column but has values; --all includes it\n",
			f.Lost)
	}
}

// aheadRows is a result of which the first rows were read ahead.
type aheadRows struct {
	api.RowReader
	held [][]api.Cell
	at   int
}

// holds reads ahead for a value in a column.
func (a *aheadRows) holds(column int) bool {
	if slices.ContainsFunc(a.held, func(row []api.Cell) bool { return !row[column].IsNull() }) {
		return true
	}
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

// WithoutSystemSides hides system columns on both sides of a comparison if one of them is an internal table: a copy
// elsewhere has different ones, or none. The bare text column is kept if both sides have it, and so are parameter
// columns. Columns that are named are kept.
func WithoutSystemSides(sides *[2]api.RowReader, named []string) (left []*SomeColumns, err error) {
	var cols [2][]api.ResultColumn
	for i := range sides {
		if cols[i], err = sides[i].Columns(); err != nil {
			return nil, err
		}
	}
	internal := [2]bool{internalRows(cols[0]), internalRows(cols[1])}
	for i := range sides {
		rows, f, err := leaveOut(sides[i], cols[i], func(c api.ResultColumn) hiding {
			alone := !slices.ContainsFunc(cols[1-i], func(o api.ResultColumn) bool { return o.Name == c.Name })
			switch {
			case slices.Contains(named, c.Name):
			case c.Name == BareText && internal[i] && alone, strings.HasPrefix(c.Name, parameterPrefix) && alone:
				return hiddenEmpty
			case c.Name != BareText && SystemColumn(c.Name) && (internal[0] || internal[1]):
				return hidden
			}
			return shown
		})
		if err != nil {
			return nil, err
		}
		sides[i], left = rows, append(left, f)
	}
	return left, nil
}
