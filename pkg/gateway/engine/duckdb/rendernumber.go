//go:build cgo

package duckdb

import (
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/vectors"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/wiretext"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

func (v *vec) enum(i int) int {
	switch v.t.inner {
	case bindings.TypeUTinyInt:
		return int(vectors.At[uint8](v.data, i))
	case bindings.TypeUSmallInt:
		return int(vectors.At[uint16](v.data, i))
	}
	return int(vectors.At[uint32](v.data, i))
}

func (v *vec) unscaled(i int) wiretext.Huge {
	var n int64
	switch v.t.inner {
	case bindings.TypeSmallInt:
		n = int64(vectors.At[int16](v.data, i))
	case bindings.TypeInteger:
		n = int64(vectors.At[int32](v.data, i))
	case bindings.TypeBigInt:
		n = vectors.At[int64](v.data, i)
	default:
		return vectors.At[wiretext.Huge](v.data, i)
	}
	return wiretext.Huge{Lo: uint64(n), Hi: n >> 63}
}
