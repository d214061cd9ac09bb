//go:build cgo

package duckdb

/*
#include <stdint.h>
#include <stdlib.h>
void dig_scan_bind(void *);
void dig_scan_init(void *);
void dig_scan_fill(void *, void *);
void dig_scan_free(void *);
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// hold returns a pointer that DuckDB can keep for a Go value until dig_scan_free is called with it.
func hold(v any) unsafe.Pointer {
	p := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(p) = cgo.NewHandle(v)
	return p
}

func held(p unsafe.Pointer) any { return (*(*cgo.Handle)(p)).Value() }

//export dig_scan_free
func dig_scan_free(p unsafe.Pointer) {
	(*(*cgo.Handle)(p)).Delete()
	C.free(p)
}

// registerScan creates the table function "~scan" of an instance.
func registerScan(c bindings.Connection, in *instance) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, scanFunction)
	text := bindings.CreateLogicalType(bindings.TypeVarchar)
	defer bindings.DestroyLogicalType(&text)
	bindings.TableFunctionAddParameter(f, text)
	bindings.TableFunctionSetExtraInfo(f, hold(in), unsafe.Pointer(C.dig_scan_free))
	bindings.TableFunctionSetBind(f, unsafe.Pointer(C.dig_scan_bind))
	bindings.TableFunctionSetInit(f, unsafe.Pointer(C.dig_scan_init))
	bindings.TableFunctionSetFunction(f, unsafe.Pointer(C.dig_scan_fill))
	bindings.TableFunctionSupportsProjectionPushdown(f, true)
	if bindings.RegisterTableFunction(c, f) == bindings.StateError {
		return errors.New("the engine rejected the scan function")
	}
	return nil
}

// guarded runs a callback; a panic in one would end the process.
func guarded(fail func(string), f func() error) {
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("a source failed: %v", r))
		}
	}()
	if err := f(); err != nil {
		fail(err.Error())
	}
}

// boundScan is the state of a bound call of the function.
type boundScan struct {
	set   *scanSet
	table *scanTable
}

//export dig_scan_bind
func dig_scan_bind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	guarded(func(m string) { bindings.BindSetError(info, m) }, func() error {
		in := held(bindings.BindGetExtraInfo(info)).(*instance)
		var cc bindings.ClientContext
		bindings.TableFunctionGetClientContext(info, &cc)
		id := uint64(bindings.ClientContextGetConnectionId(cc))
		bindings.DestroyClientContext(&cc)
		v := bindings.BindGetParameter(info, 0)
		name := bindings.GetVarchar(v)
		bindings.DestroyValue(&v)
		set, ok := in.scans.Load(id)
		if !ok {
			return fmt.Errorf("table %s is not open in this statement", name)
		}
		t := set.(*scanSet).tables[name]
		if t == nil {
			return fmt.Errorf("table %s is not open in this statement", name)
		}
		for i, c := range t.cols {
			lt, release := t.logical(i)
			bindings.BindAddResultColumn(info, set.(*scanSet).columnName(t, c.Name), lt)
			release()
		}
		bindings.BindSetBindData(info, hold(&boundScan{set.(*scanSet), t}), unsafe.Pointer(C.dig_scan_free))
		return nil
	})
}

//export dig_scan_init
func dig_scan_init(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	guarded(func(m string) { bindings.InitSetError(info, m) }, func() error {
		b := held(bindings.InitGetBindData(info)).(*boundScan)
		cols := make([]int, bindings.InitGetColumnCount(info))
		for i := range cols {
			if c := bindings.InitGetColumnIndex(info, bindings.IdxT(i)); c < bindings.IdxT(len(b.table.cols)) {
				cols[i] = int(c)
			} else {
				cols[i] = -1
			}
		}
		r, err := b.set.open(b.table, cols)
		if err != nil {
			return err
		}
		bindings.InitSetMaxThreads(info, 1)
		bindings.InitSetInitData(info, hold(r), unsafe.Pointer(C.dig_scan_free))
		return nil
	})
}

//export dig_scan_fill
func dig_scan_fill(p, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	guarded(func(m string) { bindings.FunctionSetError(info, m) }, func() error {
		return held(bindings.FunctionGetInitData(info)).(*scanRun).fill(bindings.DataChunk{Ptr: out})
	})
}
