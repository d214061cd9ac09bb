package rowset

import "github.com/dig-cli/dig/pkg/api"

// memory is a small result in memory.
type memory struct {
	cols []api.ResultColumn
	rows [][]api.Cell
	at   int
}

func (m *memory) Columns() ([]api.ResultColumn, error) { return m.cols, nil }
func (m *memory) Next() bool                           { m.at++; return m.at <= len(m.rows) }
func (m *memory) Row() []api.Cell                      { return m.rows[m.at-1] }
func (m *memory) Err() error                           { return nil }
func (m *memory) Close() error                         { return nil }
