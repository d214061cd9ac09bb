//go:build cgo

package tables

/*
void dig_feed_bind(void *);
void dig_feed_init(void *);
void dig_feed_thread(void *);
void dig_feed_fill(void *, void *);
*/
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"strconv"
	"unsafe"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/callback"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

const feedFunction = "~feed"

// Register adds the table function of the rows that an import stores. An INSERT reads them in their order and without a
// copy; an appender of DuckDB collects them first, and then runs such an INSERT.
func Register(c bindings.Connection) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, feedFunction)
	number := bindings.CreateLogicalType(bindings.TypeBigInt)
	defer bindings.DestroyLogicalType(&number)
	bindings.TableFunctionAddParameter(f, number)
	bindings.TableFunctionSetBind(f, unsafe.Pointer(C.dig_feed_bind))
	bindings.TableFunctionSetInit(f, unsafe.Pointer(C.dig_feed_init))
	bindings.TableFunctionSetLocalInit(f, unsafe.Pointer(C.dig_feed_thread))
	bindings.TableFunctionSetFunction(f, unsafe.Pointer(C.dig_feed_fill))
	if bindings.RegisterTableFunction(c, f) == bindings.StateError {
		return errors.New("the engine rejected the function of imports")
	}
	return nil
}

// fed are rows that an INSERT reads by the function.
type fed interface {
	columns() []engine.Column
	threads() int   // that read them at once
	thread() filler // of one of these
}

// filler passes rows to a thread of the engine. It is callback.Freed if it has something to do when they are stored.
type filler interface {
	fill(out bindings.DataChunk) error // without rows it is the end
}

// reading is a query of rows.
func reading(h cgo.Handle) string {
	return `SELECT * FROM ` + sqltext.Quote(feedFunction) + `(` + strconv.FormatUint(uint64(h), 10) + `)`
}

// feed passes batches to INSERT statements, each of which takes a number of rows.
type feed struct {
	c     conn
	text  string // of the statement
	cols  []engine.Column
	ready <-chan *values.Chunk
	free  chan<- *values.Chunk

	handle cgo.Handle
	last   *values.Chunk // what the running statement has received last
	left   int           // rows that it may still receive
	ended  bool          // there are no more batches
}

// newFeed prepares to insert the batches of ready, which are returned to free, into a table with these columns. Close
// it.
func (c conn) newFeed(table string, cols []engine.Column, ready <-chan *values.Chunk, free chan<- *values.Chunk) *feed {
	f := &feed{c: c, cols: cols, ready: ready, free: free}
	f.handle = cgo.NewHandle(f)
	f.text = `INSERT INTO ` + table + ` ` + reading(f.handle)
	return f
}

func (f *feed) close()                   { f.handle.Delete() }
func (f *feed) columns() []engine.Column { return f.cols }
func (f *feed) threads() int             { return 1 }
func (f *feed) thread() filler           { return f }

// insert inserts rows within the transaction until there are no more.
func (f *feed) insert(ctx context.Context) error {
	for !f.ended {
		f.left = trimRows
		_, err := f.c.Work(ctx, f.text)
		f.recycle()
		if err != nil {
			return err
		}
		f.c.TrimCache(trimmed)
	}
	return nil
}

func (f *feed) recycle() {
	if f.last != nil {
		f.free <- f.last
		f.last = nil
	}
}

// fill implements filler by the next batch.
func (f *feed) fill(out bindings.DataChunk) error {
	f.recycle()
	rows := 0
	if f.left > 0 {
		if b, ok := <-f.ready; ok {
			f.last, rows = b, b.N
			b.PassTo(out)
		} else {
			f.ended = true
		}
	}
	f.left -= rows
	bindings.DataChunkSetSize(out, bindings.IdxT(rows))
	return nil
}

//export dig_feed_bind
func dig_feed_bind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.BindSetError(info, m) }, func() error {
		v := bindings.BindGetParameter(info, 0)
		handle := cgo.Handle(bindings.GetInt64(v))
		bindings.DestroyValue(&v)
		f := handle.Value().(fed)
		for _, col := range f.columns() {
			t := values.LogicalType(col.Type)
			bindings.BindAddResultColumn(info, col.Name, t)
			bindings.DestroyLogicalType(&t)
		}
		bindings.BindSetBindData(info, callback.Hold(f), callback.FreeHeld())
		return nil
	})
}

//export dig_feed_init
func dig_feed_init(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	bindings.InitSetMaxThreads(info, bindings.IdxT(callback.Held(bindings.InitGetBindData(info)).(fed).threads()))
}

//export dig_feed_thread
func dig_feed_thread(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	f := callback.Held(bindings.InitGetBindData(info)).(fed)
	bindings.InitSetInitData(info, callback.Hold(f.thread()), callback.FreeHeld())
}

//export dig_feed_fill
func dig_feed_fill(p, out unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	callback.Guarded(func(m string) { bindings.FunctionSetError(info, m) }, func() error {
		return callback.Held(bindings.FunctionGetLocalInitData(info)).(filler).fill(bindings.DataChunk{Ptr: out})
	})
}
