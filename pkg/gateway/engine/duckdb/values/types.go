//go:build cgo

package values

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// TypeOf reads a logical type. It fails for types that have no text on the wire.
func TypeOf(lt bindings.LogicalType) (*batch.Type, error) {
	id := bindings.GetTypeId(lt)
	layout, known := layouts[id]
	t := &batch.Type{Layout: layout}
	kid := func(child bindings.LogicalType) error {
		defer bindings.DestroyLogicalType(&child)
		k, err := TypeOf(child)
		t.Kids = append(t.Kids, k)
		return err
	}
	switch id {
	case bindings.TypeVarchar:
		t.JSON = strings.EqualFold(bindings.LogicalTypeGetAlias(lt), "json")
	case bindings.TypeDecimal:
		t.Scale = int(bindings.DecimalScale(lt))
		t.Inner = layouts[bindings.DecimalInternalType(lt)]
	case bindings.TypeEnum:
		t.Inner = layouts[bindings.EnumInternalType(lt)]
		for i := range bindings.EnumDictionarySize(lt) {
			t.Dict = append(t.Dict, bindings.EnumDictionaryValue(lt, bindings.IdxT(i)))
		}
	case bindings.TypeList:
		if err := kid(bindings.ListTypeChildType(lt)); err != nil {
			return nil, err
		}
	case bindings.TypeArray:
		if err := kid(bindings.ArrayTypeChildType(lt)); err != nil {
			return nil, err
		}
		t.Size = int(bindings.ArrayTypeArraySize(lt))
	case bindings.TypeMap:
		if err := kid(bindings.MapTypeKeyType(lt)); err != nil {
			return nil, err
		}
		if err := kid(bindings.MapTypeValueType(lt)); err != nil {
			return nil, err
		}
	case bindings.TypeStruct:
		for i := range bindings.StructTypeChildCount(lt) {
			if err := kid(bindings.StructTypeChildType(lt, i)); err != nil {
				return nil, err
			}
			t.Names = append(t.Names, bindings.StructTypeChildName(lt, i))
		}
	}
	if !known {
		return nil, fmt.Errorf("type number %d has no text form; cast it to varchar", id)
	}
	return t, nil
}

// layouts are the layouts of DuckDB's types in its vectors.
var layouts = map[bindings.Type]batch.Layout{
	bindings.TypeBoolean:     batch.Bool,
	bindings.TypeTinyInt:     batch.Int8,
	bindings.TypeSmallInt:    batch.Int16,
	bindings.TypeInteger:     batch.Int32,
	bindings.TypeBigInt:      batch.Int64,
	bindings.TypeUTinyInt:    batch.Uint8,
	bindings.TypeUSmallInt:   batch.Uint16,
	bindings.TypeUInteger:    batch.Uint32,
	bindings.TypeUBigInt:     batch.Uint64,
	bindings.TypeUHugeInt:    batch.Uint128,
	bindings.TypeBigNum:      batch.BigNum,
	bindings.TypeFloat:       batch.Float32,
	bindings.TypeDouble:      batch.Float64,
	bindings.TypeVarchar:     batch.Text,
	bindings.TypeEnum:        batch.Enum,
	bindings.TypeBit:         batch.Bits,
	bindings.TypeBlob:        batch.Bytes,
	bindings.TypeUUID:        batch.UUID,
	bindings.TypeDate:        batch.Date,
	bindings.TypeTime:        batch.Time,
	bindings.TypeTimeNS:      batch.TimeNS,
	bindings.TypeTimeTZ:      batch.TimeTZ,
	bindings.TypeTimestamp:   batch.Timestamp,
	bindings.TypeTimestampS:  batch.TimestampS,
	bindings.TypeTimestampMS: batch.TimestampMS,
	bindings.TypeTimestampNS: batch.TimestampNS,
	bindings.TypeTimestampTZ: batch.TimestampTZ,
	bindings.TypeInterval:    batch.Interval,
	bindings.TypeSQLNull:     batch.Null,
	bindings.TypeDecimal:     batch.Decimal,
	bindings.TypeHugeInt:     batch.Int128,
	bindings.TypeList:        batch.List,
	bindings.TypeArray:       batch.Array,
	bindings.TypeMap:         batch.Map,
	bindings.TypeStruct:      batch.Struct,
}
