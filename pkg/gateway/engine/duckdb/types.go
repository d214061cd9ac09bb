//go:build cgo

package duckdb

import (
	"fmt"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"strings"
	"time"

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
func newType(lt bindings.LogicalType) (*vtype, error) {
	t := &vtype{id: bindings.GetTypeId(lt)}
	kid := func(child bindings.LogicalType) error {
		defer bindings.DestroyLogicalType(&child)
		k, err := newType(child)
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
			fields = append(fields, wire.FieldName(name)+t.kids[i].name)
		}
		t.name = "row(" + strings.Join(fields, ", ") + ")"
	case bindings.TypeHugeInt:
		t.name = "bigint" // a sum of integers or a similar value, or an overflow
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
