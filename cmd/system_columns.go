package cmd

import (
	"slices"

	"github.com/dig-cli/dig/pkg/api"
)

// systemNames are the columns that SELECT * over an internal table brings besides those its owner declared [L].
var systemNames = []string{"_id", "_version", "_created_time", "_created_by", "_last_modified_time", "_last_modified_by", "_session", "text"}

// withoutSystem leaves system columns out of a table for people, when a result has all of them and others too. It returns how
// many were left out. Formats that programs read are never touched.
func withoutSystem(rows api.RowReader) (api.RowReader, int, error) {
	cols, err := rows.Columns()
	if err != nil {
		return rows, 0, err
	}
	has := map[string]bool{}
	for _, c := range cols {
		has[c.Name] = true
	}
	for _, n := range systemNames {
		if !has[n] {
			return rows, 0, nil
		}
	}
	f := &someColumns{RowReader: rows}
	for i, c := range cols {
		if !slices.Contains(systemNames, c.Name) && c.Name != "_operation" {
			f.keep = append(f.keep, i)
			f.cols = append(f.cols, c)
		}
	}
	if len(f.keep) == 0 {
		return rows, 0, nil
	}
	f.row = make([]api.Cell, len(f.keep))
	return f, len(cols) - len(f.keep), nil
}

// someColumns is a result with some of its columns.
type someColumns struct {
	api.RowReader
	keep []int
	cols []api.ResultColumn
	row  []api.Cell
}

func (f *someColumns) Columns() ([]api.ResultColumn, error) { return f.cols, nil }

func (f *someColumns) Row() []api.Cell {
	all := f.RowReader.Row()
	for i, k := range f.keep {
		f.row[i] = all[k]
	}
	return f.row
}
