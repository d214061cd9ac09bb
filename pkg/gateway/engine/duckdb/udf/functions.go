//go:build cgo

package udf

/*
#include <stdlib.h>
void dig_udf_run(void *, void *, void *);
void dig_udf_bind(void *);
void *dig_udf_bound(void *);
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

// function is a scalar function whose arguments have one type.
type function struct {
	name       string
	args       int
	of, result bindings.Type
	volatile   bool // evaluated for each row, also with constant arguments
	noted      bool // call.conn is needed
	run        func(c *call) error
}

// call is a call of a function for the rows of a chunk.
type call struct {
	args  []batch.Vec
	rows  int
	out   bindings.Vector
	valid []uint64 // of out, nil until the first NULL
	info  bindings.FunctionInfo
}

// conn is the number of the connection that calls a function.
func (c *call) conn() uint64 { return *(*uint64)(bindings.ScalarFunctionGetBindData(c.info)) }

// null sets a row of the result to NULL.
func (c *call) null(row int) {
	if c.valid == nil {
		bindings.VectorEnsureValidityWritable(c.out)
		c.valid = unsafe.Slice((*uint64)(bindings.VectorGetValidity(c.out)), (int(bindings.VectorSize())+63)/64)
	}
	c.valid[row/64] &^= 1 << (row % 64)
}

// Register adds the functions that statements are rewritten to; their names begin with ~. room fails if a function may
// not create a number of bytes at once.
func Register(c bindings.Connection, refusals *Refusals, room func(bytes int64) error) error {
	all := append(integers(), function{name: "~error", args: 1, of: bindings.TypeVarchar, result: bindings.TypeSQLNull,
		run: raise}, function{name: "~room", args: 1, of: bindings.TypeDouble, result: bindings.TypeBoolean,
		volatile: true, run: func(c *call) error { return checkRoom(c, room) }})
	for _, u := range javafn.Functions() {
		all = append(all, function{name: "~" + u.Name, args: u.Args, of: bindings.TypeVarchar,
			result: bindings.TypeVarchar, noted: true, run: func(c *call) error { return runJava(c, u, refusals) }})
	}
	for _, f := range all {
		if err := f.register(c); err != nil {
			return err
		}
	}
	return nil
}

func (u *function) register(c bindings.Connection) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	of, result := bindings.CreateLogicalType(u.of), bindings.CreateLogicalType(u.result)
	defer bindings.DestroyLogicalType(&of)
	defer bindings.DestroyLogicalType(&result)
	bindings.ScalarFunctionSetName(f, u.name)
	for range u.args {
		bindings.ScalarFunctionAddParameter(f, of)
	}
	bindings.ScalarFunctionSetReturnType(f, result)
	if u.volatile {
		bindings.ScalarFunctionSetVolatile(f)
	}
	if u.noted {
		bindings.ScalarFunctionSetBind(f, unsafe.Pointer(C.dig_udf_bind))
	}
	bindings.ScalarFunctionSetExtraInfo(f, callback.Hold(u), callback.FreeHeld())
	bindings.ScalarFunctionSetFunction(f, unsafe.Pointer(C.dig_udf_run))
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the engine rejected the function %s", u.name)
	}
	return nil
}

//export dig_udf_run
func dig_udf_run(p, in, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.ScalarFunctionSetError(info, m) }, func() error {
		u := callback.Held(bindings.ScalarFunctionGetExtraInfo(info)).(*function)
		chunk := bindings.DataChunk{Ptr: in}
		c := &call{args: make([]batch.Vec, u.args), rows: int(bindings.DataChunkGetSize(chunk)),
			out: bindings.Vector{Ptr: out}, info: info}
		for i := range c.args {
			v := bindings.DataChunkGetVector(chunk, bindings.IdxT(i))
			c.args[i] = batch.Vec{Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
		}
		return u.run(c)
	})
}

// raise raises its argument as an error. Unlike DuckDB's own function it is allowed inside TRY.
func raise(c *call) error {
	for i := range c.rows {
		if !c.args[0].Null(i) {
			return fmt.Errorf("%s", batch.TextAt(c.args[0].Data, i))
		}
	}
	return nil
}

// checkRoom fails if the sum of its arguments over a chunk is more bytes than one function may create at once. The
// result is true otherwise, and NULL for NULL. It is volatile: a constant within a lambda is evaluated for each
// element.
func checkRoom(c *call, room func(bytes int64) error) error {
	data := unsafe.Slice((*byte)(bindings.VectorGetData(c.out)), c.rows)
	sum := 0.0
	for i := range c.rows {
		data[i] = 1
		if c.args[0].Null(i) {
			c.null(i)
		} else if b := batch.At[float64](c.args[0].Data, i); b > 0 {
			sum += b
		}
	}
	return room(int64(min(sum, 1e18)))
}

// runJava calls a function of package javafn for each row; the result is NULL if an argument is.
func runJava(c *call, u javafn.Function, refusals *Refusals) error {
	w := values.NewWriter("VARCHAR")
	w.Begin(c.out)
	a := make([]string, u.Args)
	for row := range c.rows {
		missing := false
		for i := range c.args {
			if missing = missing || c.args[i].Null(row); !missing {
				a[i] = string(batch.TextAt(c.args[i].Data, row))
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
				refusals.add(c.conn(), refusal)
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
}

// Refusals holds the errors of functions for calls that are not supported, by the number of the connection. Without it
// such an error would be lost in TRY, and the result would be NULL.
type Refusals struct {
	mu   sync.Mutex
	some map[uint64]javafn.Refusal // nil while there are none
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
