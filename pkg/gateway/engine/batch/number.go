package batch

import (
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
)

func (v *Vec) enum(i int) int {
	switch v.Type.Inner {
	case Uint8:
		return int(At[uint8](v.Data, i))
	case Uint16:
		return int(At[uint16](v.Data, i))
	}
	return int(At[uint32](v.Data, i))
}

func (v *Vec) unscaled(i int) wiretext.Huge {
	var n int64
	switch v.Type.Inner {
	case Int16:
		n = int64(At[int16](v.Data, i))
	case Int32:
		n = int64(At[int32](v.Data, i))
	case Int64:
		n = At[int64](v.Data, i)
	default:
		return At[wiretext.Huge](v.Data, i)
	}
	return wiretext.Huge{Lo: uint64(n), Hi: n >> 63}
}
