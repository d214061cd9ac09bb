package rowset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/api"
)

// sheetRows reads the first visible sheet of a workbook, whose first row has the names. A column with a number in the
// first row of values is a decimal; the others have no type, as those of csv.
type sheetRows struct {
	file  *os.File
	in    *rowfile.SheetRows
	cols  []api.ResultColumn
	row   []api.Cell
	cells cells
	err   error
	first bool // the first row was read for the types, and is next
}

func openSheetRows(f *os.File) (api.RowReader, error) {
	in, err := openSheet(f)
	if err != nil {
		return nil, err
	}
	r := &sheetRows{file: f, in: in}
	for _, name := range in.Header {
		r.cols = append(r.cols, api.ResultColumn{Name: name})
	}
	r.row = make([]api.Cell, len(r.cols))
	if r.first = r.Next(); r.first {
		for i, c := range r.row {
			if c.Kind() == api.CellNumber {
				r.cols[i].DataType = "decimal"
			}
		}
	}
	return r, nil
}

func openSheet(f *os.File) (*rowfile.SheetRows, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	book, err := rowfile.OpenWorkbook(context.Background(), f, st.Size(), "")
	if err != nil {
		return nil, err
	}
	return book.Rows(context.Background(), true)
}

func (r *sheetRows) Columns() ([]api.ResultColumn, error) { return r.cols, nil }
func (r *sheetRows) Row() []api.Cell                      { return r.row }
func (r *sheetRows) Err() error                           { return r.err }
func (r *sheetRows) Close() error                         { return errors.Join(r.in.Close(), r.file.Close()) }

func (r *sheetRows) Next() bool {
	if r.first {
		r.first = false
		return true
	}
	values, err := r.in.Next(context.Background())
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
		return false
	}
	if len(values) > len(r.cols) {
		r.err = fmt.Errorf("row %d: %d values, the header has %d", r.in.At, len(values), len(r.cols))
		return false
	}
	r.cells.reset()
	for _, v := range values {
		switch {
		case v.Kind == rowfile.Null:
			r.cells.null()
		case v.Kind == rowfile.Double || v.Kind == rowfile.Field && json.Valid(v.Text) && v.Text[0] <= '9': // a number
			r.cells.raw(v.Text)
		default:
			r.cells.text(v.Text)
		}
	}
	for range len(r.cols) - len(values) {
		r.cells.null()
	}
	from := 0
	for i, end := range r.cells.ends {
		r.row[i] = api.Cell(r.cells.arena[from:end:end])
		from = end
	}
	return true
}
