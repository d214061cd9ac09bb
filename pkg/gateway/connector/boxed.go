package connector

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// NextOf implements Batches.Next with Filler.Fill, for a source that implements both interfaces.
func NextOf[C Described](ctx context.Context, f engine.Filler, types []C) ([][]any, error) {
	return Rows(ctx, f, types, nextRows)
}

// Rows returns at most n of the next rows.
func Rows[C Described](ctx context.Context, f engine.Filler, types []C, n int) ([][]any, error) {
	boxes := make([]boxed, len(types))
	cols := make([]engine.Vector, len(types))
	for i, t := range types {
		boxes[i] = boxed{typ: t.Info().Type, vals: make([]any, n)}
		cols[i] = &boxes[i]
	}
	n, err := f.Fill(ctx, cols, n)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, n)
	for r := range rows {
		rows[r] = make([]any, len(types))
		for i := range boxes {
			rows[r][i] = boxes[i].vals[r]
		}
	}
	return rows, nil
}

const nextRows = 2048

// boxed is an engine.Vector that stores Go values.
type boxed struct {
	typ  string
	vals []any
}

func (b *boxed) Null(row int) { b.vals[row] = nil }

func (b *boxed) Float(row int, v float64) error {
	b.vals[row] = v
	return nil
}

func (b *boxed) Bytes(row int, v []byte) error {
	switch {
	case b.typ == "varbinary":
		b.vals[row] = append([]byte{}, v...)
	case b.typ == "uuid" && len(v) == 16:
		b.vals[row] = fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	default:
		b.vals[row] = string(v)
	}
	return nil
}

func (b *boxed) Int(row int, v int64) error {
	switch BaseType(b.typ) {
	case "boolean":
		b.vals[row] = v != 0
	case "date":
		b.vals[row] = time.Unix(v*86_400, 0).UTC()
	case "time":
		s := v / 1_000_000
		b.vals[row] = fmt.Sprintf("%02d:%02d:%02d.%06d", s/3600, s/60%60, s%60, v%1_000_000)
	case "timestamp", "timestamp with time zone":
		b.vals[row] = time.UnixMicro(v).UTC()
	default:
		b.vals[row] = v
		if _, args, ok := strings.Cut(b.typ, "decimal("); ok {
			_, scale, _ := strings.Cut(strings.TrimSuffix(args, ")"), ",")
			n, _ := strconv.Atoi(scale)
			b.vals[row] = point(v, n)
		}
	}
	return nil
}

// point writes an integer with a decimal point before its last digits.
func point(v int64, scale int) string {
	s := strconv.FormatInt(v, 10)
	if scale == 0 {
		return s
	}
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if len(s) <= scale {
		s = strings.Repeat("0", scale+1-len(s)) + s
	}
	return sign + s[:len(s)-scale] + "." + s[len(s)-scale:]
}
