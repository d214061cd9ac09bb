//go:build cgo

package values

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
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

// ScanType creates the DuckDB type for one of the names of translate.DuckType that a Scanner has values of. The caller
// destroys it.
func ScanType(name string) bindings.LogicalType {
	if p, ok := strings.CutPrefix(name, "DECIMAL("); ok {
		var w, s int
		_, _ = fmt.Sscanf(p, "%d,%d)", &w, &s)
		return bindings.CreateDecimalType(uint8(w), uint8(s))
	}
	if name == "JSON" {
		t := bindings.CreateLogicalType(bindings.TypeVarchar)
		bindings.LogicalTypeSetAlias(t, "JSON")
		return t
	}
	return bindings.CreateLogicalType(scanTypes[name])
}

var scanTypes = map[string]bindings.Type{
	"BOOLEAN": bindings.TypeBoolean, "TINYINT": bindings.TypeTinyInt, "SMALLINT": bindings.TypeSmallInt,
	"INTEGER": bindings.TypeInteger,
	"BIGINT":  bindings.TypeBigInt, "DOUBLE": bindings.TypeDouble, "FLOAT": bindings.TypeFloat,
	"DATE": bindings.TypeDate,
	"UUID": bindings.TypeUUID, "TIME": bindings.TypeTime, "TIMESTAMP": bindings.TypeTimestamp,
	"TIMESTAMPTZ":  bindings.TypeTimestampTZ,
	"TIMESTAMP_NS": bindings.TypeTimestampNS, "BLOB": bindings.TypeBlob, "VARCHAR": bindings.TypeVarchar,
}

// VecOf reads the addresses of a vector and its children.
func VecOf(t *batch.Type, v bindings.Vector) batch.Vec {
	out := batch.Vec{Type: t, Data: bindings.VectorGetData(v), Valid: bindings.VectorGetValidity(v)}
	switch t.Layout {
	case batch.List:
		out.Kids = []batch.Vec{VecOf(t.Kids[0], bindings.ListVectorGetChild(v))}
	case batch.Array:
		out.Kids = []batch.Vec{VecOf(t.Kids[0], bindings.ArrayVectorGetChild(v))}
	case batch.Map: // stored as a list of rows of key and value
		entry := bindings.ListVectorGetChild(v)
		out.Kids = []batch.Vec{
			VecOf(t.Kids[0], bindings.StructVectorGetChild(entry, 0)),
			VecOf(t.Kids[1], bindings.StructVectorGetChild(entry, 1)),
		}
	case batch.Struct:
		for i, k := range t.Kids {
			out.Kids = append(out.Kids, VecOf(k, bindings.StructVectorGetChild(v, bindings.IdxT(i))))
		}
	}
	return out
}

// Literal writes the value of a parameter.
func Literal(p engine.Param) string {
	switch p.Type.Kind {
	case types.Boolean:
		return p.Text
	case types.Varchar:
		return sqltext.DuckDBLiteral(p.Text)
	}
	name, _ := translate.DuckType(p.Type)
	return "CAST(" + sqltext.DuckDBLiteral(p.Text) + " AS " + name + ")"
}
