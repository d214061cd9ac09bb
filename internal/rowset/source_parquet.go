package rowset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// parquetRows reads a Parquet file. Values are formatted as on the wire; lists, maps and groups are JSON texts.
type parquetRows struct {
	file  *os.File
	in    engine.Batches
	cols  []api.ResultColumn
	batch [][]any
	row   []api.Cell
	arena []byte
	err   error
}

func openParquetRows(f *os.File) (api.RowReader, error) {
	cols, in, err := files.Parquet(context.Background(), f)
	if err != nil {
		return nil, err
	}
	r := &parquetRows{file: f, in: in, row: make([]api.Cell, len(cols))}
	for _, c := range cols {
		r.cols = append(r.cols, api.ResultColumn{Name: c.Name, DataType: c.Type})
	}
	return r, nil
}

func (r *parquetRows) Columns() ([]api.ResultColumn, error) { return r.cols, nil }
func (r *parquetRows) Row() []api.Cell                      { return r.row }
func (r *parquetRows) Err() error                           { return r.err }
func (r *parquetRows) Close() error                         { return errors.Join(r.in.Close(), r.file.Close()) }

func (r *parquetRows) Next() bool {
	for len(r.batch) == 0 {
		if r.err != nil {
			return false
		}
		var err error
		if r.batch, err = r.in.Next(context.Background()); err != nil {
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			return false
		}
	}
	values := r.batch[0]
	r.batch, r.arena = r.batch[1:], r.arena[:0]
	for i, v := range values {
		if r.row[i] = nil; v != nil {
			from := len(r.arena) // earlier cells keep their part of a reallocated arena
			r.arena = appendWire(r.arena, r.cols[i].DataType, v)
			r.row[i] = api.Cell(r.arena[from:len(r.arena):len(r.arena)])
		}
	}
	return true
}

// appendWire appends a value of engine.Batches as the gateway sends it: a time has six decimal places, or nine if it
// needs them.
func appendWire(dst []byte, typ string, v any) []byte {
	switch v := v.(type) {
	case bool:
		return append(dst, cell.Bool(v)...)
	case int64:
		return append(dst, cell.Int(v)...)
	case float64:
		bits := 64
		if typ == "real" {
			bits = 32
		}
		return append(doubletext.Append(append(dst, '"'), v, bits), '"')
	case time.Time:
		layout := "2006-01-02 15:04:05.000000"
		switch {
		case typ == "date":
			layout = time.DateOnly
		case typ == "timestamp(9)" || v.Nanosecond()%1000 != 0:
			layout += "000"
		}
		if typ == "timestamp with time zone" {
			layout += " UTC"
		}
		return append(v.AppendFormat(append(dst, '"'), layout), '"')
	case []byte:
		return fmt.Appendf(dst, `"% x"`, v)
	case string:
		if typ == "time" {
			clock, fraction, _ := strings.Cut(v, ".")
			v = clock + "." + fraction + strings.Repeat("0", max(6-len(fraction), 0))
		}
		return append(dst, cell.Text(v)...)
	}
	return append(dst, cell.Text(fmt.Sprint(v))...)
}
