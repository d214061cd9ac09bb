package parquet

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/rowfile/parquetio"
)

// The years that the types of engines for instants hold, without those that are not whole.
const firstYear, lastYear = -290_300, 294_246

// Sound reports whether the data of columns may be left to another reader: those that cannot are read by this package,
// for its error if nothing else.
func (f *File) Sound(columns []int) bool {
	all := f.file.Root().Columns()
	return !slices.ContainsFunc(columns, func(at int) bool { return at >= len(all) || !f.file.Simple(all[at].Index()) })
}

// plain reports whether another reader of Parquet, if it takes a flat column to be of the same type, gives the same
// values as this package: they are within the type, as the statistics say, no condition on them leaves out rows that
// it should not, and, after Sound, damage is an error.
func plain(p *parquetio.File, c *parquet.Column, typ string) bool {
	facts, kind := p.Facts(c.Index()), c.Type().Kind()
	isBytes := kind == parquet.ByteArray || kind == parquet.FixedLenByteArray
	if !facts.Complete || facts.Old && isBytes {
		return false
	}
	within := func(low, high *big.Int) bool { return p.Within(c.Index(), low, high) }
	switch l := logicalOf(c).(type) {
	case *format.IntType:
		high := new(big.Int).Lsh(big.NewInt(1), uint(l.BitWidth)&127)
		low := new(big.Int)
		if l.IsSigned {
			high.Rsh(high, 1)
			low.Neg(high)
		}
		// of 32 and 64 bits there is no other value
		return !facts.Old && l.BitWidth >= 32 || within(low, high.Sub(high, big.NewInt(1)))
	case *format.DecimalType:
		most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(l.Precision)), nil)
		most.Sub(most, big.NewInt(1))
		return within(new(big.Int).Neg(most), most)
	case *format.TimeType:
		return typ == "time" && within(new(big.Int), big.NewInt(86400*unitOf(l.Unit)-1))
	case *format.TimestampType:
		from, to := firstYear, lastYear
		if unitOf(l.Unit) > 1e6 {
			from, to = 1678, 2261
		}
		return inYears(p, c, from, to, time.Second/time.Duration(unitOf(l.Unit)))
	}
	switch base, _, _ := strings.Cut(typ, "("); base {
	case "varchar", "varbinary":
		return kind == parquet.ByteArray
	case "real", "double":
		return !isBytes
	case "boolean", "integer", "bigint", "date", "uuid":
		return true
	}
	return false
}

// inYears reports whether the metadata say that the dates or instants of a column, in units since 1970, are in years.
func inYears(p *parquetio.File, c *parquet.Column, from, to int, unit time.Duration) bool {
	in := func(year int) *big.Int {
		n := big.NewInt(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
		return n.Mul(n, big.NewInt(int64(time.Second))).Div(n, big.NewInt(int64(unit)))
	}
	high := in(to + 1)
	return p.Within(c.Index(), in(from), high.Sub(high, big.NewInt(1)))
}
