package parquet

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/rowfile/parquetio"
)

// int96Of decodes a timestamp of older writers: nanoseconds of the day, then the Julian day.
func int96Of(v parquet.Value) (any, error) {
	n := v.Int96()
	nanos := int64(uint64(n[0]) | uint64(n[1])<<32)
	return held(time.Unix((int64(n[2])-2440588)*86400, nanos).UTC())
}

func fineInt96(v parquet.Value) bool {
	return (uint64(v.Int96()[0])|uint64(v.Int96()[1])<<32)%1000 != 0
}

// nanosType is the type of a column whose values may have more than six decimal places of a second, if any has:
// timestamp(9), which holds the years 1678 to 2261, also of instants, in UTC, and varchar for a time. It is "" for
// other columns. fine reports whether a value has them.
func nanosType(c *parquet.Column) (typ string, fine func(parquet.Value) bool) {
	if c.Type().Kind() == parquet.Int96 {
		return "timestamp(9)", fineInt96
	}
	fine = func(v parquet.Value) bool { return v.Int64()%1000 != 0 }
	switch l := logicalOf(c).(type) {
	case *format.TimestampType:
		if l.IsAdjustedToUTC && unitOf(l.Unit) > 1e6 {
			return "timestamp(9)", fine
		}
	case *format.TimeType:
		if unitOf(l.Unit) > 1e6 {
			return "varchar", fine
		}
	}
	return "", nil
}

// anyFine reports whether a value of a column is fine. Neither its type nor its statistics tell, so it is read.
func anyFine(ctx context.Context, p *parquetio.File, leaf int, fine func(parquet.Value) bool) (bool, error) {
	buf := make([]parquet.Value, batchRows)
	for group := range p.RowGroups() {
		r, err := p.Values(group, leaf)
		if err != nil {
			return false, err
		}
		any, err := anyFineOf(ctx, r, buf, fine)
		if err = errors.Join(err, r.Close()); any || err != nil {
			return any, err
		}
	}
	return false, nil
}

func anyFineOf(ctx context.Context, r parquet.ColumnChunkValueReader, buf []parquet.Value,
	fine func(parquet.Value) bool) (bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := r.ReadValues(buf)
		for _, v := range buf[:n] {
			if !v.IsNull() && fine(v) {
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
