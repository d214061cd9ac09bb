package output

import (
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
)

// jsonFormat writes one object per row, one row per line: as ndjson, or as the elements of one array. A second column
// of the same name gets the key name_2, so nothing is lost.
type jsonFormat struct {
	cols  []cell.Column
	typed bool
	array bool
}

func (f *jsonFormat) head(dst []byte) []byte {
	if f.array {
		dst = append(dst, '[')
	}
	return dst
}

func (f *jsonFormat) row(dst []byte, n int64, cells []api.Cell) ([]byte, error) {
	if f.array {
		if n > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
	}
	dst, err := appendObject(dst, n, f.cols, cells, f.typed)
	if !f.array {
		dst = append(dst, '\n')
	}
	return dst, err
}

func (f *jsonFormat) tail(dst []byte, rows int64) []byte {
	if !f.array {
		return dst
	}
	if rows > 0 {
		dst = append(dst, '\n')
	}
	return append(dst, "]\n"...)
}

func appendObject(dst []byte, n int64, cols []cell.Column, cells []api.Cell, typed bool) ([]byte, error) {
	dst = append(dst, '{')
	var err error
	for i := range cols {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, cols[i].KeyJSON...)
		if dst, err = cell.AppendJSON(dst, cells[cols[i].Index], cols[i].Class, typed); err != nil {
			return dst, cell.RowError(n, &cols[i], err)
		}
	}
	return append(dst, '}'), nil
}
