//go:build cgo

package duckdb

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/native"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// vtype is a DuckDB type as the encoder needs it.
type vtype struct {
	id    bindings.Type
	inner bindings.Type // how decimals and enums are stored
	name  string        // the lower-case Trino name
	scale int
	// fractional digits, where Trino's type has a precision: nonzero only with exact
	digits int
	exact  bool
	zone   *time.Location // in which instants are shown, nil for UTC
	months bool           // an interval of years and months
	pad    int            // the length of char(n)
	json   bool           // varchar that holds JSON
	size   int            // elements of an ARRAY
	dict   []string
	kids   []*vtype
	names  []string // of the fields of a struct or the members of a union
}

// newType reads a logical type. It fails for types that have no text on the wire.
func newType(lt bindings.LogicalType, dialect string) (*vtype, error) {
	t := &vtype{id: bindings.GetTypeId(lt)}
	kid := func(child bindings.LogicalType) error {
		defer bindings.DestroyLogicalType(&child)
		k, err := newType(child, dialect)
		t.kids = append(t.kids, k)
		return err
	}
	switch t.id {
	case bindings.TypeVarchar:
		t.json = strings.EqualFold(bindings.LogicalTypeGetAlias(lt), "json")
	case bindings.TypeDecimal:
		t.scale = int(bindings.DecimalScale(lt))
		t.inner = bindings.DecimalInternalType(lt)
		t.name = fmt.Sprintf("decimal(%d,%d)", bindings.DecimalWidth(lt), t.scale)
	case bindings.TypeEnum:
		t.inner = bindings.EnumInternalType(lt)
		for i := range bindings.EnumDictionarySize(lt) {
			t.dict = append(t.dict, bindings.EnumDictionaryValue(lt, bindings.IdxT(i)))
		}
	case bindings.TypeList:
		if err := kid(bindings.ListTypeChildType(lt)); err != nil {
			return nil, err
		}
		t.name = "array(" + t.kids[0].name + ")"
	case bindings.TypeArray:
		if err := kid(bindings.ArrayTypeChildType(lt)); err != nil {
			return nil, err
		}
		t.size = int(bindings.ArrayTypeArraySize(lt))
		t.name = "array(" + t.kids[0].name + ")"
	case bindings.TypeMap:
		if err := kid(bindings.MapTypeKeyType(lt)); err != nil {
			return nil, err
		}
		if err := kid(bindings.MapTypeValueType(lt)); err != nil {
			return nil, err
		}
		t.name = "map(" + t.kids[0].name + ", " + t.kids[1].name + ")"
	case bindings.TypeStruct:
		var fields []string
		for i := range bindings.StructTypeChildCount(lt) {
			if err := kid(bindings.StructTypeChildType(lt, i)); err != nil {
				return nil, err
			}
			name := bindings.StructTypeChildName(lt, i)
			t.names = append(t.names, name)
			fields = append(fields, fieldName(name)+t.kids[i].name)
		}
		t.name = "row(" + strings.Join(fields, ", ") + ")"
	case bindings.TypeHugeInt:
		t.name = "decimal(38,0)"
		if dialect != dialectDuck {
			// In Trino only sums of integers and similar values reach this case: they are bigint, or an overflow.
			t.name = "bigint"
		}
	}
	if t.name == "" {
		if t.name = plainTypes[t.id]; t.json {
			t.name = "json"
		}
	}
	if t.name == "" {
		return nil, fmt.Errorf("type number %d has no text form; cast it to varchar", t.id)
	}
	return t, nil
}

// fieldName is the text of a field in the name of a row type: quoted unless it is a plain identifier.
func fieldName(s string) string {
	if s == "" {
		return ""
	}
	for i := range len(s) {
		if !(native.IsNameStart(s[i]) || i > 0 && native.IsDigit(s[i])) {
			return sqltext.Quote(s) + " "
		}
	}
	return s + " "
}

// plainTypes are the lower-case Trino names of DuckDB's simple types. An unsigned type has the name of the next larger signed one.
// TIMESTAMP and TIME have microseconds; the service calls them plain "timestamp" and "time".
var plainTypes = map[bindings.Type]string{
	bindings.TypeBoolean:     "boolean",
	bindings.TypeTinyInt:     "tinyint",
	bindings.TypeSmallInt:    "smallint",
	bindings.TypeInteger:     "integer",
	bindings.TypeBigInt:      "bigint",
	bindings.TypeUTinyInt:    "smallint",
	bindings.TypeUSmallInt:   "integer",
	bindings.TypeUInteger:    "bigint",
	bindings.TypeUBigInt:     "decimal(20,0)",
	bindings.TypeUHugeInt:    "decimal(38,0)",
	bindings.TypeBigNum:      "varchar",
	bindings.TypeFloat:       "real",
	bindings.TypeDouble:      "double",
	bindings.TypeVarchar:     "varchar",
	bindings.TypeEnum:        "varchar",
	bindings.TypeBit:         "varchar",
	bindings.TypeBlob:        "varbinary",
	bindings.TypeUUID:        "uuid",
	bindings.TypeDate:        "date",
	bindings.TypeTime:        "time",
	bindings.TypeTimeNS:      "time(9)",
	bindings.TypeTimeTZ:      "time with time zone",
	bindings.TypeTimestamp:   "timestamp",
	bindings.TypeTimestampS:  "timestamp(0)",
	bindings.TypeTimestampMS: "timestamp(3)",
	bindings.TypeTimestampNS: "timestamp(9)",
	bindings.TypeTimestampTZ: "timestamp with time zone",
	bindings.TypeInterval:    "interval",
	bindings.TypeSQLNull:     "unknown",
}

// duckType is the DuckDB type for a lower-case Trino type name, and text if there is none. Precisions of times are dropped:
// DuckDB has microseconds.
func duckType(trino string) string {
	t := strings.ToLower(strings.TrimSpace(trino))
	base, args, _ := strings.Cut(t, "(")
	base = strings.TrimSpace(base)
	tail := ""
	if i := strings.LastIndexByte(args, ')'); i >= 0 {
		args, tail = args[:i], strings.TrimSpace(args[i+1:])
	}
	if tail != "" {
		base += " " + tail
	}
	switch base {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "double", "real", "date", "uuid", "time", "timestamp", "json":
		return strings.ToUpper(base)
	case "int":
		return "INTEGER"
	case "varbinary":
		return "BLOB"
	case "timestamp with time zone":
		return "TIMESTAMPTZ"
	case "decimal":
		p, s, _ := strings.Cut(args, ",")
		pn, err1 := strconv.Atoi(strings.TrimSpace(p))
		sn, err2 := strconv.Atoi(strings.TrimSpace(s))
		if args == "" {
			pn, sn, err1, err2 = 38, 0, nil, nil
		} else if s == "" {
			sn, err2 = 0, nil
		}
		if err1 == nil && err2 == nil && pn >= 1 && pn <= 38 && sn >= 0 && sn <= pn {
			return fmt.Sprintf("DECIMAL(%d,%d)", pn, sn)
		}
	}
	return "VARCHAR"
}
