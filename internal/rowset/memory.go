package rowset

import "github.com/dig-cli/dig/pkg/api"

// Memory is a small result in memory, an api.RowReader.
type Memory struct {
	Cols  []api.ResultColumn
	Cells [][]api.Cell
	at    int
}

func (m *Memory) Columns() ([]api.ResultColumn, error) { return m.Cols, nil }
func (m *Memory) Next() bool                           { m.at++; return m.at <= len(m.Cells) }
func (m *Memory) Row() []api.Cell                      { return m.Cells[m.at-1] }
func (m *Memory) Err() error                           { return nil }
func (m *Memory) Close() error                         { return nil }
