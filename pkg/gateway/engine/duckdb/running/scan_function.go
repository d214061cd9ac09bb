//go:build cgo

package running

/*
void dig_scan_bind(void *);
void dig_scan_init(void *);
void dig_scan_thread(void *);
void dig_scan_fill(void *, void *);
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/callback"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// scanOwner is the connection whose statement has scans.
type scanOwner struct {
	in   *instance.Instance
	conn uint64
}

// scanFinder finds the scans of a statement for the table function of an instance.
type scanFinder func(conn uint64) (*scanSet, bool)

// Register creates the table function "~scan" of an instance.
func (all *Common) Register(c bindings.Connection, in *instance.Instance) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, scanFunction)
	text := bindings.CreateLogicalType(bindings.TypeVarchar)
	defer bindings.DestroyLogicalType(&text)
	bindings.TableFunctionAddParameter(f, text)
	bindings.TableFunctionSetExtraInfo(f, callback.Hold(scanFinder(func(id uint64) (*scanSet, bool) {
		set, ok := all.scans.Load(scanOwner{in, id})
		if !ok {
			return nil, false
		}
		return set.(*scanSet), true
	})), callback.FreeHeld())
	bindings.TableFunctionSetBind(f, unsafe.Pointer(C.dig_scan_bind))
	bindings.TableFunctionSetInit(f, unsafe.Pointer(C.dig_scan_init))
	bindings.TableFunctionSetLocalInit(f, unsafe.Pointer(C.dig_scan_thread))
	bindings.TableFunctionSetFunction(f, unsafe.Pointer(C.dig_scan_fill))
	bindings.TableFunctionSupportsProjectionPushdown(f, true)
	if bindings.RegisterTableFunction(c, f) == bindings.StateError {
		return errors.New("the engine rejected the scan function")
	}
	return nil
}

// boundScan is the state of a bound call of the function.
type boundScan struct {
	set   *scanSet
	table *scanTable
}

//export dig_scan_bind
func dig_scan_bind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.BindSetError(info, m) }, func() error {
		find := callback.Held(bindings.BindGetExtraInfo(info)).(scanFinder)
		var cc bindings.ClientContext
		bindings.TableFunctionGetClientContext(info, &cc)
		id := uint64(bindings.ClientContextGetConnectionId(cc))
		bindings.DestroyClientContext(&cc)
		v := bindings.BindGetParameter(info, 0)
		name := bindings.GetVarchar(v)
		bindings.DestroyValue(&v)
		set, ok := find(id)
		if !ok {
			return fmt.Errorf("table %s is not open in this statement", name)
		}
		t := set.tables[name]
		if t == nil {
			return fmt.Errorf("table %s is not open in this statement", name)
		}
		for i, c := range t.cols {
			lt, release := t.logical(i)
			bindings.BindAddResultColumn(info, set.columnName(t, c.Name), lt)
			release()
		}
		bindings.BindSetBindData(info, callback.Hold(&boundScan{set, t}), callback.FreeHeld())
		return nil
	})
}

//export dig_scan_init
func dig_scan_init(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.InitSetError(info, m) }, func() error {
		b := callback.Held(bindings.InitGetBindData(info)).(*boundScan)
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
		bindings.InitSetMaxThreads(info, bindings.IdxT(r.threads()))
		bindings.InitSetInitData(info, callback.Hold(r), callback.FreeHeld())
		return nil
	})
}

// threadScan is what a thread reads of a scan, nil before it has read something.
type threadScan struct{ part *scanPart }

//export dig_scan_thread
func dig_scan_thread(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.InitSetError(info, m) }, func() error {
		bindings.InitSetInitData(info, callback.Hold(&threadScan{}), callback.FreeHeld())
		return nil
	})
}

//export dig_scan_fill
func dig_scan_fill(p, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.FunctionSetError(info, m) }, func() error {
		t := callback.Held(bindings.FunctionGetLocalInitData(info)).(*threadScan)
		if t.part == nil {
			t.part = callback.Held(bindings.FunctionGetInitData(info)).(*scanRun).part()
		}
		return t.part.fill(bindings.DataChunk{Ptr: out})
	})
}
