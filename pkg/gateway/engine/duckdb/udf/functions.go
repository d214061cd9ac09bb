//go:build cgo

package udf

/*
#include <stdint.h>
#include <stdlib.h>
void dig_udf_run(void *, void *, void *);
void dig_udf_bind(void *);
void *dig_udf_bound(void *);
void dig_error_run(void *, void *, void *);
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/callback"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/engine/javafn"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Register adds the functions that statements are rewritten to; their names begin with ~.
func Register(c bindings.Connection, refusals *Refusals, room func(bytes int64) error) error {
	text := bindings.CreateLogicalType(bindings.TypeVarchar)
	defer bindings.DestroyLogicalType(&text)
	for _, u := range javafn.Functions() {
		f := bindings.CreateScalarFunction()
		bindings.ScalarFunctionSetName(f, "~"+u.Name)
		for range u.Args {
			bindings.ScalarFunctionAddParameter(f, text)
		}
		bindings.ScalarFunctionSetReturnType(f, text)
		bindings.ScalarFunctionSetExtraInfo(f, callback.Hold(&boundFunction{u, refusals}), callback.FreeHeld())
		bindings.ScalarFunctionSetBind(f, unsafe.Pointer(C.dig_udf_bind))
		bindings.ScalarFunctionSetFunction(f, unsafe.Pointer(C.dig_udf_run))
		state := bindings.RegisterScalarFunction(c, f)
		bindings.DestroyScalarFunction(&f)
		if state == bindings.StateError {
			return fmt.Errorf("the engine rejected the function %s", u.Name)
		}
	}
	return errors.Join(registerError(c), registerIntegers(c), registerRoom(c, room))
}

// errorFunction raises its argument as an error. Unlike DuckDB's own it is allowed inside TRY.
const errorFunction = "~error"

func registerError(c bindings.Connection) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	bindings.ScalarFunctionSetName(f, errorFunction)
	text, null := bindings.CreateLogicalType(bindings.TypeVarchar), bindings.CreateLogicalType(bindings.TypeSQLNull)
	defer bindings.DestroyLogicalType(&text)
	defer bindings.DestroyLogicalType(&null)
	bindings.ScalarFunctionAddParameter(f, text)
	bindings.ScalarFunctionSetReturnType(f, null)
	bindings.ScalarFunctionSetFunction(f, unsafe.Pointer(C.dig_error_run))
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the engine rejected the function %s", errorFunction)
	}
	return nil
}

//export dig_error_run
func dig_error_run(p, in, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.ScalarFunctionSetError(info, m) }, func() error {
		chunk := bindings.DataChunk{Ptr: in}
		v := bindings.DataChunkGetVector(chunk, 0)
		x := batch.Vec{Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
		for i := range int(bindings.DataChunkGetSize(chunk)) {
			if !x.Null(i) {
				return fmt.Errorf("%s", batch.TextAt(x.Data, i))
			}
		}
		return nil
	})
}

// Refusals holds the errors of functions for calls that are not supported, by the number of the connection. Without it
// such an error would be lost in TRY, and the result would be NULL.
type Refusals struct {
	mu   sync.Mutex
	some map[uint64]javafn.Refusal // nil while there are none
}

type boundFunction struct {
	javafn.Function
	refusals *Refusals
}

func (r *Refusals) add(conn uint64, refusal javafn.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.some == nil {
		r.some = map[uint64]javafn.Refusal{}
	}
	r.some[conn] = refusal
}

// Of returns the error of a function that rejected a call of a connection. id determines its number.
func (r *Refusals) Of(id func() uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.some == nil {
		return nil
	}
	refusal, ok := r.some[id()]
	if !ok {
		return nil
	}
	return faults.Parse("Invalid Input Error: "+string(refusal), false)
}

// Forget removes the rejected calls of a connection.
func (r *Refusals) Forget(id func() uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.some != nil {
		delete(r.some, id())
	}
}

// dig_udf_bind keeps the number of the connection that calls a function.
//
//export dig_udf_bind
func dig_udf_bind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	var cc bindings.ClientContext
	bindings.ScalarFunctionGetClientContext(info, &cc)
	id := uint64(bindings.ClientContextGetConnectionId(cc))
	bindings.DestroyClientContext(&cc)
	bindings.ScalarFunctionSetBindData(info, boundTo(id), unsafe.Pointer(C.free))
	bindings.ScalarFunctionSetBindDataCopy(info, unsafe.Pointer(C.dig_udf_bound))
}

func boundTo(conn uint64) unsafe.Pointer {
	p := C.malloc(C.size_t(unsafe.Sizeof(conn)))
	*(*uint64)(p) = conn
	return p
}

//export dig_udf_bound
func dig_udf_bound(p unsafe.Pointer) unsafe.Pointer { return boundTo(*(*uint64)(p)) }

//export dig_udf_run
func dig_udf_run(p, in, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.ScalarFunctionSetError(info, m) }, func() error {
		u := callback.Held(bindings.ScalarFunctionGetExtraInfo(info)).(*boundFunction)
		chunk := bindings.DataChunk{Ptr: in}
		n := int(bindings.DataChunkGetSize(chunk))
		vecs := make([]batch.Vec, u.Args)
		for i := range vecs {
			v := bindings.DataChunkGetVector(chunk, bindings.IdxT(i))
			vecs[i] = batch.Vec{Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
		}
		w := values.NewWriter("VARCHAR")
		w.Begin(bindings.Vector{Ptr: out})
		a := make([]string, u.Args)
		for row := range n {
			missing := false
			for i := range vecs {
				if missing = missing || vecs[i].Null(row); !missing {
					a[i] = string(batch.TextAt(vecs[i].Data, row))
				}
			}
			if missing {
				w.Null(row)
				continue
			}
			s, ok, err := u.Call(a)
			switch {
			case err != nil:
				var refusal javafn.Refusal
				if errors.As(err, &refusal) {
					u.refusals.add(*(*uint64)(bindings.ScalarFunctionGetBindData(info)), refusal)
				}
				return err
			case !ok:
				w.Null(row)
			default:
				if err := w.Bytes(row, []byte(s)); err != nil {
					return err
				}
			}
		}
		w.Flush()
		return nil
	})
}
