//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

const (
	arenaBlock = 1 << 20  // bytes
	arenaFull  = 16 << 20 // a batch with this many bytes of text is passed on before it is full
	flushBytes = 32 << 20 // of text, after which the appender flushes its rows to the table
	flushRows  = 20480    // or this many rows; ten times as many are not faster and take 40 MB more
	trimRows   = 102400   // rows after which blocks already written are released
	trimmed    = 64 << 20 // bytes that may remain
)

// batch is up to one vector of rows in DuckDB's own layout, written by Go without a call per value.
type importBatch struct {
	chunk bindings.DataChunk
	cols  []batchColumn
	n     int
	cap   int
	arena arena
}

// batchColumn writes the values of one column of a batch.
type batchColumn struct {
	typ   string
	vec   bindings.Vector
	data  unsafe.Pointer
	valid unsafe.Pointer // nil while no value is NULL
}

// arena holds texts that are too long to be inlined in a vector, until the rows are appended, which copies them. Its
// blocks are pinned because DuckDB sees their addresses.
type arena struct {
	pin    runtime.Pinner
	blocks [][]byte
	cur    int // the block being filled
	used   int // bytes of it
	size   int // bytes allocated since the last reset
}

func (a *arena) keep(b []byte) unsafe.Pointer {
	a.size += len(b)
	for a.cur < len(a.blocks) && a.used+len(b) > len(a.blocks[a.cur]) {
		a.cur, a.used = a.cur+1, 0
	}
	if a.cur == len(a.blocks) {
		a.blocks = append(a.blocks, make([]byte, max(arenaBlock, len(b))))
		a.pin.Pin(&a.blocks[a.cur][0])
	}
	p := a.blocks[a.cur][a.used : a.used+len(b)]
	copy(p, b)
	a.used += len(b)
	return unsafe.Pointer(&p[0])
}

func (a *arena) reset() {
	if a.size > 2*arenaFull { // an oversized text: release its block
		a.free()
	}
	a.cur, a.used, a.size = 0, 0, 0
}

func (a *arena) free() {
	a.pin.Unpin()
	a.blocks = nil
}

// openBatch creates an empty batch for the columns of a table.
func openBatch(t *table) *importBatch {
	types := make([]string, len(t.cols))
	for i, col := range t.cols {
		types[i] = col.Type
	}
	return newBatch(types)
}

func newBatch(types []string) *importBatch {
	lts := make([]bindings.LogicalType, len(types))
	b := &importBatch{cols: make([]batchColumn, len(types)), cap: int(bindings.VectorSize())}
	for i, t := range types {
		lts[i] = logicalType(t)
		b.cols[i].typ = t
	}
	b.chunk = bindings.CreateDataChunk(lts)
	for i := range lts {
		bindings.DestroyLogicalType(&lts[i])
	}
	b.fetch()
	return b
}

func logicalType(t string) bindings.LogicalType {
	switch t {
	case "bigint":
		return bindings.CreateLogicalType(bindings.TypeBigInt)
	case "boolean":
		return bindings.CreateLogicalType(bindings.TypeBoolean)
	case "decimal":
		return bindings.CreateDecimalType(38, cells.DecimalScale)
	case "timestamp":
		return bindings.CreateLogicalType(bindings.TypeTimestamp)
	case typeInstant:
		return bindings.CreateLogicalType(bindings.TypeTimestampTZ)
	case "time":
		return bindings.CreateLogicalType(bindings.TypeTime)
	case "date":
		return bindings.CreateLogicalType(bindings.TypeDate)
	case "uuid":
		return bindings.CreateLogicalType(bindings.TypeUUID)
	}
	return bindings.CreateLogicalType(bindings.TypeVarchar)
}

func (b *importBatch) fetch() {
	for i := range b.cols {
		b.cols[i].vec = bindings.DataChunkGetVector(b.chunk, bindings.IdxT(i))
		b.cols[i].data = bindings.VectorGetData(b.cols[i].vec)
		b.cols[i].valid = nil
	}
	b.n = 0
}

func (b *importBatch) reset() {
	bindings.DataChunkReset(b.chunk)
	b.arena.reset()
	b.fetch()
}

func (b *importBatch) full() bool { return b.n == b.cap || b.arena.size >= arenaFull }

func (b *importBatch) destroy() {
	bindings.DestroyDataChunk(&b.chunk)
	b.arena.free()
}

// set writes a value in the stored form of the column's type.
func (c *batchColumn) set(row int, v cells.Cell) {
	switch c.typ {
	case "boolean":
		*(*uint8)(unsafe.Add(c.data, row)) = uint8(v.Lo)
	case "date":
		*(*int32)(unsafe.Add(c.data, row*4)) = int32(v.Lo)
	case "decimal", "uuid":
		*(*cells.Cell)(unsafe.Add(c.data, row*16)) = v
	default:
		*(*uint64)(unsafe.Add(c.data, row*8)) = v.Lo
	}
}

// setText writes a string: a length and either the bytes themselves, up to 12, or their first four and their address.
func (c *batchColumn) setText(row int, b []byte, a *arena) {
	p := unsafe.Add(c.data, row*16)
	*(*[2]uint64)(p) = [2]uint64{}
	*(*uint32)(p) = uint32(len(b))
	if len(b) <= 12 {
		copy((*[12]byte)(unsafe.Add(p, 4))[:], b)
		return
	}
	copy((*[4]byte)(unsafe.Add(p, 4))[:], b)
	*(*uintptr)(unsafe.Add(p, 8)) = uintptr(a.keep(b))
}

func (c *batchColumn) setNull(row int) {
	if c.valid == nil {
		bindings.VectorEnsureValidityWritable(c.vec)
		c.valid = bindings.VectorGetValidity(c.vec)
	}
	*(*uint64)(unsafe.Add(c.valid, row/64*8)) &^= 1 << (row % 64)
}

// appender adds batches to a table within the connection's transaction.
type appender struct {
	c    *conn
	ap   bindings.Appender
	text int // bytes since the last flush
	rows int // since the last flush
	kept int // rows since the last trim
}

func (c *conn) openAppender(schema, table string) (*appender, error) {
	return c.openAppenderIn(naming.Store, schema, table)
}

func (c *conn) openAppenderIn(catalog, schema, table string) (*appender, error) {
	a := &appender{c: c}
	if bindings.AppenderCreateExt(c.c, catalog, schema, table, &a.ap) == bindings.StateError {
		err := a.fail()
		a.destroy()
		return nil, err
	}
	return a, nil
}

func (a *appender) fail() error {
	return a.c.fault(context.Background(), bindings.ErrorTypeInvalid, bindings.AppenderError(a.ap))
}

func (a *appender) append(b *importBatch) error {
	bindings.DataChunkSetSize(b.chunk, bindings.IdxT(b.n))
	if bindings.AppendDataChunk(a.ap, b.chunk) == bindings.StateError {
		return a.fail()
	}
	a.text += b.arena.size
	a.rows += b.n
	if a.text < flushBytes && a.rows < flushRows {
		return nil
	}
	if bindings.AppenderFlush(a.ap) == bindings.StateError {
		return a.fail()
	}
	if a.kept += a.rows; a.kept >= trimRows {
		a.kept = 0
		a.c.trimCache(trimmed)
	}
	a.text, a.rows = 0, 0
	return nil
}

// trimCache releases table blocks beyond the given bytes that DuckDB keeps in memory after writing them, up to its
// memory limit. Lowering the limit for a moment is the only way; it is done while no other connection uses the instance
// or can begin to.
func (c *conn) trimCache(to int64) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if c.in.refs > 1 || c.p.opts.MemoryLimit <= to {
		return
	}
	c.in.limit(to)
	c.in.limit(c.p.opts.MemoryLimit)
}

// limit sets the limit of memory, unless more is in use. The connection is of its own: a refused SET would end a
// transaction.
func (in *instance) limit(n int64) {
	_ = in.with(func(k bindings.Connection) error {
		return rawExec(k, fmt.Sprintf(`SET GLOBAL memory_limit='%dB'`,
			n))
	})
}

// finish flushes the last rows and reports their errors.
func (a *appender) finish() error {
	if bindings.AppenderClose(a.ap) == bindings.StateError {
		return a.fail()
	}
	return nil
}

// destroy discards rows that are not flushed.
func (a *appender) destroy() {
	bindings.AppenderClear(a.ap)
	bindings.AppenderDestroy(&a.ap)
}
