package cmd

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// systemNames are the columns that SELECT * over an internal table brings besides those its owner declared [L].
var systemNames = []string{"_id", "_version", "_created_time", "_created_by", "_last_modified_time", "_last_modified_by", "_session", "text"}

// parameterPrefix begins the names of columns that take parameters of API connectors; they read NULL [L].
const parameterPrefix = "_q_"

// withoutSystem leaves system columns out of a table for people, when a result has all of them and others too, and parameter columns. It returns how
// many were left out. Formats that programs read are never touched.
func withoutSystem(rows api.RowReader) (api.RowReader, int, error) {
	cols, err := rows.Columns()
	if err != nil {
		return rows, 0, err
	}
	has, internal := map[string]bool{}, true
	for _, c := range cols {
		has[c.Name] = true
	}
	for _, n := range systemNames {
		internal = internal && has[n]
	}
	f := &someColumns{RowReader: rows}
	for i, c := range cols {
		system := internal && (slices.Contains(systemNames, c.Name) || c.Name == "_operation")
		if !system && !strings.HasPrefix(c.Name, parameterPrefix) {
			f.keep = append(f.keep, i)
			f.cols = append(f.cols, c)
		}
	}
	if len(f.keep) == 0 || len(f.keep) == len(cols) {
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
