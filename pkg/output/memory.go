package output

import (
	"encoding/json"
	"strconv"

	"github.com/dig-cli/dig/pkg/api"
)

// memory is a small result created by this package.
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

// textCell returns a string as JSON.
func textCell(s string) api.Cell {
	b, err := json.Marshal(s)
	if err != nil {
		return nil // strings always marshal
	}
	return b
}

func intCell(n int64) api.Cell { return strconv.AppendInt(nil, n, 10) }

func boolCell(b bool) api.Cell { return strconv.AppendBool(nil, b) }
