package files

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/pkg/gateway/connector/files/parquetio"
)

// int96Of decodes a timestamp of older writers: nanoseconds of the day, then the Julian day.
func int96Of(v parquet.Value) (any, error) {
	n := v.Int96()
	nanos := int64(uint64(n[0]) | uint64(n[1])<<32)
	return time.Unix((int64(n[2])-2440588)*86400, nanos).UTC(), nil
}

// int96Type is the type of a column of such timestamps: timestamp(9), which holds the years 1678 to 2261, if a value has more than six
// decimal places. Neither the type nor statistics tell, so the column is read.
func int96Type(ctx context.Context, p *parquetio.File, leaf int) (string, error) {
	buf := make([]parquet.Value, batchRows)
	for group := range p.RowGroups() {
		r, err := p.Values(group, leaf)
		if err != nil {
			return "", err
		}
		fine, err := fineInt96(ctx, r, buf)
		if err = errors.Join(err, r.Close()); err != nil {
			return "", err
		}
		if fine {
			return "timestamp(9)", nil
		}
	}
	return "timestamp", nil
}

func fineInt96(ctx context.Context, r parquet.ColumnChunkValueReader, buf []parquet.Value) (bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := r.ReadValues(buf)
		for _, v := range buf[:n] {
			if !v.IsNull() && (uint64(v.Int96()[0])|uint64(v.Int96()[1])<<32)%1000 != 0 {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) || err == nil && n == 0 {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
