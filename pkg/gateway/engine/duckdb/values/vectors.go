//go:build cgo

package values

import (
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// VecOf reads the addresses of a vector and its children.
func VecOf(t *batch.Type, v bindings.Vector) batch.Vec {
	out := batch.Vec{Type: t, Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
	switch t.Layout {
	case batch.List:
		out.Kids = []batch.Vec{VecOf(t.Kids[0], bindings.ListVectorGetChild(v))}
	case batch.Array:
		out.Kids = []batch.Vec{VecOf(t.Kids[0], bindings.ArrayVectorGetChild(v))}
	case batch.Map: // stored as a list of rows of key and value
		entry := bindings.ListVectorGetChild(v)
		out.Kids = []batch.Vec{
			VecOf(t.Kids[0], bindings.StructVectorGetChild(entry, 0)),
			VecOf(t.Kids[1], bindings.StructVectorGetChild(entry, 1)),
		}
	case batch.Struct:
		for i, k := range t.Kids {
			out.Kids = append(out.Kids, VecOf(k, bindings.StructVectorGetChild(v, bindings.IdxT(i))))
		}
	}
	return out
}
