package parquetio

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// bounds are the statistics of the values of a column in a row group. They are believed, as by every reader that leaves
// out row groups.
type bounds struct {
	nulls    int64 // -1: not told
	min, max []byte
	old, new bool // in the fields of old writers, which compared bytes with a sign, and in those of others
	bloom    bool // there is a Bloom filter
}

var noBounds = bounds{nulls: -1}

// longestBound is the number of bytes of the longest bound that is kept: that of a number.
const longestBound = 32

// rule reads the fields of Statistics by their numbers in parquet.thrift.
func (b *bounds) rule() *rule {
	return &rule{
		integer: func(id int16, v int64) (int64, error) {
			if id == 3 {
				b.nulls = v
			}
			return v, nil
		},
		text: func(id int16, v []byte) error {
			if len(v) > longestBound {
				v = nil
			}
			switch id {
			case 1, 2:
				b.old = true
			case 5, 6:
				b.new = true
			}
			switch {
			case id == 5 || id == 1 && b.max == nil:
				b.max = slices.Clone(v)
			case id == 6 || id == 2 && b.min == nil:
				b.min = slices.Clone(v)
			}
			return nil
		},
	}
}

// Facts are what the metadata tell about the values of a leaf.
type Facts struct {
	Complete bool // each row has one, in every row group
	Some     bool // one of them is not NULL
	Old      bool // their bounds may be those of old writers only
	Bloom    bool // there are Bloom filters
}

// Facts collects what the metadata tell about the values of a leaf.
func (f *File) Facts(leaf int) Facts {
	out := Facts{Complete: f.NumRows() == f.Rows}
	for i, g := range f.RowGroups() {
		k := f.footer.chunks[i][leaf]
		out.Complete = out.Complete && k.values == g.NumRows()
		out.Some = out.Some || k.bounds.nulls >= 0 && k.bounds.nulls < k.values
		out.Old = out.Old || k.bounds.old && !k.bounds.new
		out.Bloom = out.Bloom || k.bounds.bloom
	}
	return out
}

// Within reports whether the metadata say that all values of a leaf of numbers are from low to high.
func (f *File) Within(leaf int, low, high *big.Int) bool {
	kind := f.leaves[leaf].Type().Kind()
	for _, g := range f.footer.chunks {
		k := g[leaf]
		if k.bounds.nulls == k.values {
			continue
		}
		least, most := numberOf(kind, k.bounds.min), numberOf(kind, k.bounds.max)
		if least == nil || most == nil || least.Cmp(low) < 0 || most.Cmp(high) > 0 {
			return false
		}
	}
	return true
}

// numberOf decodes an integer, or the unscaled number of a decimal; nil for anything else.
func numberOf(kind parquet.Kind, b []byte) *big.Int {
	switch {
	case kind == parquet.Int32 && len(b) == 4:
		return big.NewInt(int64(int32(binary.LittleEndian.Uint32(b))))
	case kind == parquet.Int64 && len(b) == 8:
		return big.NewInt(int64(binary.LittleEndian.Uint64(b)))
	case (kind == parquet.ByteArray || kind == parquet.FixedLenByteArray) && len(b) > 0:
		return Unscaled(b)
	}
	return nil
}

// Unscaled decodes the unscaled number of a decimal in bytes, which is big-endian two's complement.
func Unscaled(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
