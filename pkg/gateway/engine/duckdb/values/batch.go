//go:build cgo

package values

import (
	"runtime"
	"unsafe"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

const (
	arenaBlock = 1 << 20  // bytes
	arenaFull  = 16 << 20 // a batch with this many bytes of text is passed on before it is full
)

// Chunk is up to one vector of rows in DuckDB's own layout, written by Go without a call per value.
type Chunk struct {
	chunk bindings.DataChunk
	Cols  []ChunkColumn
	N     int
	cap   int
	arena arena
}

// ChunkColumn writes the values of one column of a batch.
type ChunkColumn struct {
	typ   string
	wide  int // bytes of a value that is not a text
	vec   bindings.Vector
	data  unsafe.Pointer
	valid unsafe.Pointer // nil while no value is NULL
	arena *arena         // of the batch
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

func NewChunk(types []string) *Chunk {
	lts := make([]bindings.LogicalType, len(types))
	b := &Chunk{Cols: make([]ChunkColumn, len(types)), cap: int(bindings.VectorSize())}
	for i, t := range types {
		lts[i] = LogicalType(t)
		b.Cols[i].typ, b.Cols[i].wide, b.Cols[i].arena = t, width(t), &b.arena
	}
	b.chunk = bindings.CreateDataChunk(lts)
	for i := range lts {
		bindings.DestroyLogicalType(&lts[i])
	}
	b.fetch()
	return b
}

// LogicalType returns the type of the stored values of a column; destroy it.
func LogicalType(t string) bindings.LogicalType {
	switch t {
	case "bigint":
		return bindings.CreateLogicalType(bindings.TypeBigInt)
	case "boolean":
		return bindings.CreateLogicalType(bindings.TypeBoolean)
	case "timestamp":
		return bindings.CreateLogicalType(bindings.TypeTimestamp)
	case tabledef.Instant:
		return bindings.CreateLogicalType(bindings.TypeTimestampTZ)
	case "time":
		return bindings.CreateLogicalType(bindings.TypeTime)
	case "date":
		return bindings.CreateLogicalType(bindings.TypeDate)
	case "uuid":
		return bindings.CreateLogicalType(bindings.TypeUUID)
	}
	if precision, scale, ok := api.DecimalOf(t); ok {
		return bindings.CreateDecimalType(uint8(precision), uint8(scale))
	}
	return bindings.CreateLogicalType(bindings.TypeVarchar)
}

// width is the number of bytes of a value of a type other than varchar.
func width(t string) int {
	switch t {
	case "boolean":
		return 1
	case "date":
		return 4
	case "uuid":
		return 16
	}
	precision, _, decimal := api.DecimalOf(t)
	switch {
	case decimal && precision <= 4:
		return 2
	case decimal && precision <= 9:
		return 4
	case decimal && precision > 18:
		return 16
	}
	return 8
}

func (b *Chunk) fetch() {
	for i := range b.Cols {
		b.Cols[i].vec = bindings.DataChunkGetVector(b.chunk, bindings.IdxT(i))
		b.Cols[i].data = bindings.VectorGetData(b.Cols[i].vec)
		b.Cols[i].valid = nil
	}
	b.N = 0
}

func (b *Chunk) Reset() {
	bindings.DataChunkReset(b.chunk)
	b.arena.reset()
	b.fetch()
}

func (b *Chunk) Full() bool { return b.N == b.cap || b.arena.size >= arenaFull }

func (b *Chunk) Destroy() {
	bindings.DestroyDataChunk(&b.chunk)
	b.arena.free()
}

// Set writes a value in the stored form of the column's type.
func (c *ChunkColumn) Set(row int, v cells.Cell) {
	switch c.wide {
	case 1:
		*(*uint8)(unsafe.Add(c.data, row)) = uint8(v.Lo)
	case 2:
		*(*int16)(unsafe.Add(c.data, row*2)) = int16(v.Lo)
	case 4:
		*(*int32)(unsafe.Add(c.data, row*4)) = int32(v.Lo)
	case 16:
		*(*cells.Cell)(unsafe.Add(c.data, row*16)) = v
	default:
		*(*uint64)(unsafe.Add(c.data, row*8)) = v.Lo
	}
}

// SetText writes a string: a length and either the bytes themselves, up to 12, or their first four and their address.
func (c *ChunkColumn) SetText(row int, b []byte) {
	p := unsafe.Add(c.data, row*16)
	*(*[2]uint64)(p) = [2]uint64{}
	*(*uint32)(p) = uint32(len(b))
	if len(b) <= 12 {
		copy((*[12]byte)(unsafe.Add(p, 4))[:], b)
		return
	}
	copy((*[4]byte)(unsafe.Add(p, 4))[:], b)
	*(*uintptr)(unsafe.Add(p, 8)) = uintptr(c.arena.keep(b))
}

func (c *ChunkColumn) SetNull(row int) {
	if c.valid == nil {
		bindings.VectorEnsureValidityWritable(c.vec)
		c.valid = bindings.VectorGetValidity(c.vec)
	}
	*(*uint64)(unsafe.Add(c.valid, row/64*8)) &^= 1 << (row % 64)
}

// Reference makes the values of a vector those of the column.
func (c *ChunkColumn) Reference(v bindings.Vector) { bindings.VectorReferenceVector(c.vec, v) }

// AppendTo passes the rows to an appender.
func (b *Chunk) AppendTo(ap bindings.Appender) bool {
	bindings.DataChunkSetSize(b.chunk, bindings.IdxT(b.N))
	return bindings.AppendDataChunk(ap, b.chunk) == bindings.StateSuccess
}

// PassTo makes the rows those of a chunk of the engine, without a copy: they must stay until it is used no more.
func (b *Chunk) PassTo(out bindings.DataChunk) {
	for i := range b.Cols {
		bindings.VectorReferenceVector(bindings.DataChunkGetVector(out, bindings.IdxT(i)), b.Cols[i].vec)
	}
}

// Text is the number of bytes of the texts that are too long for a vector.
func (b *Chunk) Text() int { return b.arena.size }
