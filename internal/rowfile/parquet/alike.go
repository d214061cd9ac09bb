package parquet

import (
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/parquetio"
)

// alike returns a value that decides the type of a column as all of its values do; that of NULL if this is not known
// without reading them, or there may be none.
func alike(p *parquetio.File, c *parquet.Column, typ string) infer.Value {
	some := func(text string, kind infer.Kind) infer.Value { return infer.Value{Text: []byte(text), Kind: kind} }
	if !holds(p, c) {
		return infer.Value{}
	}
	base, _, _ := strings.Cut(typ, "(")
	if base == "timestamp" { // not timestamp(9), whose values are TIMESTAMP or VARCHAR
		base = typ
	}
	switch base {
	case "varchar", "varbinary", "json":
		return some("a", infer.Opaque)
	case "boolean":
		return some("true", infer.Field)
	case "integer", "bigint":
		return some("1", infer.Field)
	case "decimal":
		l, ok := logicalOf(c).(*format.DecimalType)
		if !ok || l.Scale <= infer.DecimalPlaces && l.Precision-l.Scale <= infer.DecimalWhole {
			return some("1", infer.Number)
		}
	case "uuid":
		return some("00000000-0000-0000-0000-000000000000", infer.Field)
	case "time":
		return some("00:00:00", infer.Clock)
	case "date":
		if inYears(p, c, 1, 9999, 24*time.Hour) {
			return some("2000-01-01", infer.Field)
		}
	case "timestamp", "timestamp with time zone":
		l, ok := logicalOf(c).(*format.TimestampType)
		if ok && inYears(p, c, 1, 9999, time.Second/time.Duration(unitOf(l.Unit))) {
			return some("2000-01-01 00:00:00"+map[bool]string{true: "Z"}[l.IsAdjustedToUTC], infer.Field)
		}
	}
	return infer.Value{}
}

// holds reports whether the metadata say that there is a value in a column that is not NULL.
func holds(p *parquetio.File, c *parquet.Column) bool {
	if c.Leaf() {
		return p.Facts(c.Index()).Some || flat(c) && c.Required() && p.Rows > 0
	}
	return slices.ContainsFunc(c.Columns(), func(c *parquet.Column) bool { return holds(p, c) })
}
