package repl

import (
	"context"
	"fmt"
	"os"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/browse"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// Limits of what the browser holds.
const (
	browseRows  = 1_000_000
	browseBytes = 512 << 20
)

// browse shows the last result on the whole screen.
func (s *shell) browse(ctx context.Context, _ []string) error {
	if s.editor == nil {
		return exitcode.Usagef(`\b needs a terminal`)
	}
	t, err := s.browsed()
	if err != nil {
		return err
	}
	return browse.Run(ctx, t, browse.Options{In: cli.TerminalOf(s.e.In), Out: cli.FileOf(s.e.Out), Env: os.Environ(),
		Color: s.e.Colors(true)})
}

// browsed reads the last result into memory.
func (s *shell) browsed() (*browse.Table, error) {
	res, err := s.last.open()
	if err != nil {
		return nil, err
	}
	defer res.Close()
	rows, err := rowset.SystemLast(res.Rows())
	if err != nil {
		return nil, err
	}
	cols, err := cell.ColumnsOf(rows, nil, nil)
	if err != nil {
		return nil, err
	}
	t := &browse.Table{}
	for _, c := range cols {
		t.Columns = append(t.Columns, browse.Column{Name: c.Name, Type: c.Type, Number: c.Class.Number()})
	}
	size := 0
	for rows.Next() {
		if len(t.Rows) == browseRows || size > browseBytes {
			t.Note = fmt.Sprintf("(only the first %d rows)", len(t.Rows))
			return t, nil
		}
		row, err := values(rows.Row(), cols, int64(len(t.Rows)+1))
		if err != nil {
			return nil, err
		}
		for _, v := range row {
			size += len(v.Text) + 24
		}
		t.Rows = append(t.Rows, row)
	}
	return t, rows.Err()
}

func values(cells []api.Cell, cols []cell.Column, n int64) ([]browse.Value, error) {
	if err := cell.CheckRow(n, cells, cols); err != nil {
		return nil, err
	}
	row := make([]browse.Value, len(cols))
	for i := range cols {
		c := cells[cols[i].Index]
		if row[i].Null = string(c) == "null"; row[i].Null {
			continue
		}
		text, err := output.Readable(nil, c, &cols[i])
		if err != nil {
			return nil, cell.RowError(n, &cols[i], err)
		}
		row[i].Text = string(text)
	}
	return row, nil
}
