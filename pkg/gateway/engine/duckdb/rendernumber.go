//go:build cgo

package duckdb

import (
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/wiretext"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

func (v *vec) enum(i int) int {
	switch v.t.inner {
	case bindings.TypeUTinyInt:
		return int(at[uint8](v.data, i))
	case bindings.TypeUSmallInt:
		return int(at[uint16](v.data, i))
	}
	return int(at[uint32](v.data, i))
}

func (v *vec) unscaled(i int) wiretext.Huge {
	var n int64
	switch v.t.inner {
	case bindings.TypeSmallInt:
		n = int64(at[int16](v.data, i))
	case bindings.TypeInteger:
		n = int64(at[int32](v.data, i))
	case bindings.TypeBigInt:
		n = at[int64](v.data, i)
	default:
		return at[wiretext.Huge](v.data, i)
	}
	return wiretext.Huge{Lo: uint64(n), Hi: n >> 63}
}
