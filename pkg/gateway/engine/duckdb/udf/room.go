//go:build cgo

package udf

/*
void dig_room_run(void *, void *, void *);
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/callback"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// roomFunction is a function that fails if the sum of its arguments over a chunk is more bytes than one function may
// create at once. It returns true otherwise, and NULL for NULL.
const roomFunction = "~room"

func registerRoom(c bindings.Connection, room func(bytes int64) error) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	bindings.ScalarFunctionSetName(f, roomFunction)
	number, truth := bindings.CreateLogicalType(bindings.TypeDouble), bindings.CreateLogicalType(bindings.TypeBoolean)
	defer bindings.DestroyLogicalType(&number)
	defer bindings.DestroyLogicalType(&truth)
	bindings.ScalarFunctionAddParameter(f, number)
	bindings.ScalarFunctionSetReturnType(f, truth)
	bindings.ScalarFunctionSetVolatile(f) // a constant within a lambda must be evaluated for each element, not once
	bindings.ScalarFunctionSetExtraInfo(f, callback.Hold(room), callback.FreeHeld())
	bindings.ScalarFunctionSetFunction(f, unsafe.Pointer(C.dig_room_run))
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the engine rejected the function %s", roomFunction)
	}
	return nil
}

//export dig_room_run
func dig_room_run(p, in, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.ScalarFunctionSetError(info, m) }, func() error {
		room := callback.Held(bindings.ScalarFunctionGetExtraInfo(info)).(func(int64) error)
		chunk := bindings.DataChunk{Ptr: in}
		n := int(bindings.DataChunkGetSize(chunk))
		v := bindings.DataChunkGetVector(chunk, 0)
		x := batch.Vec{Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
		result := bindings.Vector{Ptr: out}
		data := unsafe.Slice((*byte)(bindings.VectorGetData(result)), n)
		sum := 0.0
		for i := range n {
			data[i] = 1
			if x.Null(i) {
				bindings.VectorEnsureValidityWritable(result)
				bindings.ValiditySetRowInvalid(bindings.VectorGetValidity(result), bindings.IdxT(i))
			} else if b := batch.At[float64](x.Data, i); b > 0 {
				sum += b
			}
		}
		return room(int64(min(sum, 1e18)))
	})
}
