package repl

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// Limits of a table of crosstab: columns as in psql, and cells.
const (
	crosstabColumns = 1600
	crosstabCells   = 1_000_000
)

// crosstab shows the last result as a table: the values of its first column are the rows, those of the second the
// columns, and those of the third the cells. Arguments name other columns, and one by which the columns are sorted.
func (s *shell) crosstab(ctx context.Context, args []string) error {
	if len(args) > 4 {
		return exitcode.Usagef(`\crosstabview takes at most four columns: of rows, columns, cells, and their order`)
	}
	res, err := s.last.open()
	if err != nil {
		return err
	}
	defer res.Close()
	rows := res.Rows()
	cols, err := cell.ColumnsOf(rows, nil, nil)
	if err != nil {
		return err
	}
	if len(cols) < 3 {
		return exitcode.Usagef(`\crosstabview needs a result of at least three columns, not %d`, len(cols))
	}
	at, err := crosstabArgs(args, cols)
	if err != nil {
		return err
	}
	x := &crosstab{index: [2]map[string]int{{}, {}}, cells: map[[2]int]api.Cell{}}
	for rows.Next() {
		if err := x.add(rows.Row(), at); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return s.run.Show(ctx, x.table(cols, at), Statement{All: true}, output.Chart{})
}

// crosstabArgs are the positions of the columns: of rows, columns, cells and order, the last -1 if there is none.
func crosstabArgs(args []string, cols []cell.Column) ([4]int, error) {
	at := [4]int{-1, -1, -1, -1}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Key
	}
	for i, arg := range args {
		if n, err := strconv.Atoi(arg); err == nil && n >= 1 && n <= len(cols) {
			at[i] = n - 1
		} else if at[i] = cell.Find(arg, names); at[i] < 0 {
			return at, cell.UnknownColumn(arg, names)
		}
	}
	if at[0] < 0 {
		at[0] = 0
	}
	if at[1] < 0 {
		at[1] = (at[0] + 1) % 2
	}
	if at[0] == at[1] {
		return at, exitcode.Usagef(`\crosstabview: rows and columns need different columns of the result`)
	}
	if at[2] < 0 {
		for at[2] = 0; at[2] == at[0] || at[2] == at[1]; at[2]++ {
		}
		if len(cols) > 3 {
			return at, exitcode.Usagef(`\crosstabview: name the column of the cells: the result has %d`, len(cols))
		}
	}
	return at, nil
}

// crosstab collects the cells of a table by their rows and columns.
type crosstab struct {
	index [2]map[string]int // of rows and columns by their texts, which begin with "=" if they are not NULL
	rows  []api.Cell
	heads []crosstabHead
	cells map[[2]int]api.Cell
}

type crosstabHead struct {
	text  string
	order []byte
	n     int
}

func (x *crosstab) add(row []api.Cell, at [4]int) error {
	for _, i := range at {
		if i >= len(row) {
			return fmt.Errorf("a row has %d values", len(row))
		}
	}
	var key [2]string
	for i := range key {
		text, err := cell.AppendText(nil, row[at[i]])
		if err != nil {
			return err
		}
		if !row[at[i]].IsNull() {
			key[i] = "=" + string(text)
		}
	}
	r, known := x.index[0][key[0]]
	if !known {
		r = len(x.rows)
		x.index[0][key[0]], x.rows = r, append(x.rows, slices.Clone(row[at[0]]))
	}
	c, known := x.index[1][key[1]]
	if !known {
		head := crosstabHead{text: strings.TrimPrefix(key[1], "="), n: len(x.heads)}
		if at[3] >= 0 {
			var err error
			if head.order, err = cell.AppendText(nil, row[at[3]]); err != nil {
				return err
			}
		}
		c = head.n
		x.index[1][key[1]], x.heads = c, append(x.heads, head)
	}
	switch _, twice := x.cells[[2]int{r, c}]; {
	case twice:
		return exitcode.Usagef(`\crosstabview: several values for row %q, column %q`, strings.TrimPrefix(key[0], "="),
			x.heads[c].text).WithHint("group by both in the statement")
	case len(x.heads) > crosstabColumns || len(x.rows)*len(x.heads) > crosstabCells:
		return exitcode.Usagef(`\crosstabview: more than %d columns or %d cells`, crosstabColumns, crosstabCells)
	}
	x.cells[[2]int{r, c}] = slices.Clone(row[at[2]])
	return nil
}

func (x *crosstab) table(cols []cell.Column, at [4]int) *rowset.Memory {
	if !slices.ContainsFunc(x.heads, func(h crosstabHead) bool {
		return len(h.order) > 0 && !cell.ValidNumber(h.order)
	}) {
		for i, h := range x.heads {
			if len(h.order) > 0 {
				x.heads[i].order = cell.AppendNumberKey(nil, h.order)
			}
		}
	}
	slices.SortStableFunc(x.heads, func(a, b crosstabHead) int { return bytes.Compare(a.order, b.order) })
	m := &rowset.Memory{Cols: []api.ResultColumn{{Name: cols[at[0]].Name, DataType: cols[at[0]].Type}}}
	for _, h := range x.heads {
		m.Cols = append(m.Cols, api.ResultColumn{Name: h.text, DataType: cols[at[2]].Type})
	}
	for r, first := range x.rows {
		row := []api.Cell{first}
		for _, h := range x.heads {
			c, ok := x.cells[[2]int{r, h.n}]
			if !ok {
				c = api.Cell("null")
			}
			row = append(row, c)
		}
		m.Cells = append(m.Cells, row)
	}
	return m
}
