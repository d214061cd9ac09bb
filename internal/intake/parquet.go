package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// parquetRows reads the rows of a Parquet file. Columns of lists, maps or groups become JSON text, binary ones
// hexadecimal digits.
type parquetRows struct {
	ctx   context.Context
	cols  []engine.ColumnInfo
	in    engine.Batches
	batch [][]any
	n     int64
	row   []rowfile.Value
}

func (d *Document) parquetRows(ctx context.Context) (rowSource, error) {
	cols, in, err := files.Parquet(ctx, d.file)
	if err != nil {
		return nil, err
	}
	return &parquetRows{ctx: ctx, cols: cols, in: in, row: make([]rowfile.Value, len(cols))}, nil
}

func (r *parquetRows) at() int64 { return r.n }

func (r *parquetRows) Close() error { return r.in.Close() }

func (r *parquetRows) names() []string {
	out := make([]string, len(r.cols))
	for i, c := range r.cols {
		out[i] = c.Name
	}
	return out
}

func (r *parquetRows) types() []engine.ColumnInfo { return r.cols }

func (r *parquetRows) next() ([]rowfile.Value, error) {
	for len(r.batch) == 0 {
		var err error
		if r.batch, err = r.in.Next(r.ctx); err != nil {
			if err != io.EOF { // the caller prefixes the path of the file
				if file := (*files.FileError)(nil); errors.As(err, &file) {
					err = file.Err
				}
				if r.n > 0 {
					err = fmt.Errorf("after row %d: %w", r.n, err)
				}
			}
			return nil, err
		}
	}
	row := r.batch[0]
	r.batch = r.batch[1:]
	r.n++
	for i, v := range row {
		r.row[i] = parquetValue(r.cols[i].Type, v)
	}
	return r.row, nil
}

// parquetValue formats a value such that the type of the column can be inferred from it.
func parquetValue(typ string, v any) rowfile.Value {
	switch v := v.(type) {
	case nil:
		return rowfile.Value{}
	case bool:
		return rowfile.Value{Text: strconv.AppendBool(nil, v), Kind: rowfile.Field}
	case int64:
		return rowfile.Value{Text: strconv.AppendInt(nil, v, 10), Kind: rowfile.Field}
	case float64:
		bits := 64
		if typ == "real" {
			bits = 32
		}
		// with a point, so that a column of doubles is not inferred to be of integers
		return rowfile.Value{Text: doubletext.Append(nil, v, bits), Kind: rowfile.Field}
	case time.Time:
		layout := "2006-01-02 15:04:05.999999999"
		switch typ {
		case "date":
			layout = time.DateOnly
		case "timestamp with time zone":
			layout += "Z"
		}
		return rowfile.Value{Text: v.AppendFormat(nil, layout), Kind: rowfile.Field}
	case []byte:
		return rowfile.Value{Text: fmt.Appendf(nil, "% x", v), Kind: rowfile.Opaque}
	case string:
		switch {
		case strings.HasPrefix(typ, "decimal("):
			return rowfile.Value{Text: []byte(v), Kind: rowfile.Number}
		case typ == "time":
			return rowfile.Value{Text: []byte(v), Kind: rowfile.Clock}
		case typ == "uuid":
			return rowfile.Value{Text: []byte(v), Kind: rowfile.Field}
		}
		return rowfile.Value{Text: []byte(v), Kind: rowfile.Opaque}
	}
	return rowfile.Value{Text: fmt.Append(nil, v), Kind: rowfile.Opaque}
}
