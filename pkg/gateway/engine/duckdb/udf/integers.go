//go:build cgo

package udf

/*
void dig_integers_run(void *, void *, void *);
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/callback"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// integerFunction computes an integer from one or two of the same type, for all rows of a chunk.
type integerFunction struct {
	args int
	run  func(x, y batch.Vec, n int, out unsafe.Pointer) error
}

// registerIntegers adds the functions that divide and negate integers. DuckDB's own operators return NULL for a
// division by zero, and their errors for an overflow do not name the type.
func registerIntegers(c bindings.Connection) error {
	return errors.Join(
		registerInteger[int8](c, bindings.TypeTinyInt, "tinyint"),
		registerInteger[int16](c, bindings.TypeSmallInt, "smallint"),
		registerInteger[int32](c, bindings.TypeInteger, "integer"),
		registerInteger[int64](c, bindings.TypeBigInt, "bigint"),
	)
}

func registerInteger[T int8 | int16 | int32 | int64](c bindings.Connection, typ bindings.Type, name string) error {
	binary := func(f func(a, b T) (T, error)) integerFunction {
		return integerFunction{2, func(x, y batch.Vec, n int, out unsafe.Pointer) error {
			a, b, to := unsafe.Slice((*T)(x.Data), n), unsafe.Slice((*T)(y.Data), n), unsafe.Slice((*T)(out), n)
			for i := range n {
				if x.Null(i) || y.Null(i) {
					continue
				}
				var err error
				if to[i], err = f(a[i], b[i]); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	least := func(a T) bool { return a < 0 && -a == a }
	zero := fmt.Errorf("%s", "Division by zero")
	return errors.Join(
		registerIntegerFunction(c, typ, "~quotient_"+name, binary(func(a, b T) (T, error) {
			switch {
			case b == 0:
				return 0, zero
			case b == -1 && least(a):
				return 0, fmt.Errorf("%s division overflow: %d / -1", name, a)
			}
			return a / b, nil
		})),
		registerIntegerFunction(c, typ, "~remainder_"+name, binary(func(a, b T) (T, error) {
			if b == 0 {
				return 0, zero
			}
			return a % b, nil
		})),
		registerIntegerFunction(c, typ, "~negative_"+name, integerFunction{1, func(x, _ batch.Vec, n int,
			out unsafe.Pointer) error {
			a, to := unsafe.Slice((*T)(x.Data), n), unsafe.Slice((*T)(out), n)
			for i := range n {
				if x.Null(i) {
					continue
				}
				if to[i] = -a[i]; least(a[i]) {
					return fmt.Errorf("%s negation overflow: %d", name, a[i])
				}
			}
			return nil
		}}),
	)
}

func registerIntegerFunction(c bindings.Connection, typ bindings.Type, name string, u integerFunction) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	lt := bindings.CreateLogicalType(typ)
	defer bindings.DestroyLogicalType(&lt)
	bindings.ScalarFunctionSetName(f, name)
	for range u.args {
		bindings.ScalarFunctionAddParameter(f, lt)
	}
	bindings.ScalarFunctionSetReturnType(f, lt)
	bindings.ScalarFunctionSetExtraInfo(f, callback.Hold(&u), callback.FreeHeld())
	bindings.ScalarFunctionSetFunction(f, unsafe.Pointer(C.dig_integers_run))
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the engine rejected the function %s", name)
	}
	return nil
}

//export dig_integers_run
func dig_integers_run(p, in, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.ScalarFunctionSetError(info, m) }, func() error {
		u := callback.Held(bindings.ScalarFunctionGetExtraInfo(info)).(*integerFunction)
		chunk := bindings.DataChunk{Ptr: in}
		n := int(bindings.DataChunkGetSize(chunk))
		var args [2]batch.Vec
		for i := range u.args {
			v := bindings.DataChunkGetVector(chunk, bindings.IdxT(i))
			args[i] = batch.Vec{Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
		}
		to := bindings.Vector{Ptr: out}
		if err := u.run(args[0], args[1], n, bindings.VectorGetData(to)); err != nil {
			return err
		}
		if args[0].Valid == nil && args[1].Valid == nil {
			return nil
		}
		bindings.VectorEnsureValidityWritable(to)
		mask := bindings.VectorGetValidity(to)
		for i := range n {
			if args[0].Null(i) || args[1].Null(i) {
				bindings.ValiditySetRowInvalid(mask, bindings.IdxT(i))
			}
		}
		return nil
	})
}
