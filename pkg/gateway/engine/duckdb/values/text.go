//go:build cgo

package values

import (
	"fmt"
	"strconv"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// TextRows passes on the rows of a chunk as text. It is for the engine's own statements, which select varchar, boolean
// and integer columns only; cast others in the statement.
func TextRows(chunk bindings.DataChunk, cols int, row func(v []*string) error) error {
	vecs := make([]bindings.Vector, cols)
	types := make([]bindings.Type, cols)
	for i := range vecs {
		vecs[i] = bindings.DataChunkGetVector(chunk, bindings.IdxT(i))
		lt := bindings.VectorGetColumnType(vecs[i])
		types[i] = bindings.GetTypeId(lt)
		bindings.DestroyLogicalType(&lt)
	}
	n := int(bindings.DataChunkGetSize(chunk))
	for r := range n {
		out := make([]*string, cols)
		for i, v := range vecs {
			if mask := bindings.VectorGetValidity(v); mask != nil && !bindings.ValidityRowIsValid(mask,
				bindings.IdxT(r)) {
				continue
			}
			s, err := PlainText(types[i], bindings.VectorGetData(v), r)
			if err != nil {
				return fmt.Errorf("column %d: %w", i+1, err)
			}
			out[i] = &s
		}
		if err := row(out); err != nil {
			return err
		}
	}
	return nil
}

func PlainText(t bindings.Type, data unsafe.Pointer, r int) (string, error) {
	switch t {
	case bindings.TypeVarchar:
		return bindings.StringTData((*bindings.StringT)(unsafe.Add(data, r*16))), nil
	case bindings.TypeBoolean:
		return strconv.FormatBool(*(*bool)(unsafe.Add(data, r))), nil
	case bindings.TypeInteger:
		return strconv.FormatInt(int64(*(*int32)(unsafe.Add(data, r*4))), 10), nil
	case bindings.TypeBigInt:
		return strconv.FormatInt(*(*int64)(unsafe.Add(data, r*8)), 10), nil
	case bindings.TypeUBigInt:
		return strconv.FormatUint(*(*uint64)(unsafe.Add(data, r*8)), 10), nil
	}
	return "", fmt.Errorf("type %d must be cast to varchar", t)
}
