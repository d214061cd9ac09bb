//go:build cgo

package values

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/ducktype"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Kept is a table in FROM whose columns may have any of DuckDB's types.
type Kept struct {
	Columns []analyze.TableColumn
	Text    string
}

// FromOutside converts the columns of a table to the types of a statement. It destroys the logical types.
func FromOutside(text string, names []string, logical []bindings.LogicalType, notes map[string]string) *Kept {
	k := &Kept{Text: text}
	items := make([]string, len(names))
	same := true
	for i, name := range names {
		t, convert := inward(logical[i], 0)
		bindings.DestroyLogicalType(&logical[i])
		t, convert = ducktype.Noted(t, convert, notes[name])
		k.Columns = append(k.Columns, analyze.TableColumn{Name: name, Type: t})
		items[i] = sqltext.Quote(name)
		if convert != nil {
			items[i], same = convert(items[i]), false
		}
	}
	if !same {
		k.Text = "(SELECT " + strings.Join(items, ", ") + " FROM " + text + ")"
	}
	return k
}

// inward returns the Trino type of a column, and the conversion of its values to DuckDB's type for it; nil if they have
// that type.
func inward(lt bindings.LogicalType, depth int) (*types.Type, func(string) string) {
	as := func(t *types.Type) (*types.Type, func(string) string) {
		name, _ := translate.DuckType(t)
		return t, func(x string) string { return "CAST(" + x + " AS " + name + ")" }
	}
	kid := func(child bindings.LogicalType) (*types.Type, func(string) string) {
		defer bindings.DestroyLogicalType(&child)
		return inward(child, depth+1)
	}
	switch bindings.GetTypeId(lt) {
	case bindings.TypeBoolean:
		return types.Of(types.Boolean), nil
	case bindings.TypeTinyInt:
		return types.Of(types.Tinyint), nil
	case bindings.TypeSmallInt:
		return types.Of(types.Smallint), nil
	case bindings.TypeInteger:
		return types.Of(types.Integer), nil
	case bindings.TypeBigInt:
		return types.Of(types.Bigint), nil
	case bindings.TypeUTinyInt:
		return as(types.Of(types.Smallint))
	case bindings.TypeUSmallInt:
		return as(types.Of(types.Integer))
	case bindings.TypeUInteger, bindings.TypeHugeInt:
		return as(types.Of(types.Bigint))
	case bindings.TypeUBigInt:
		return as(types.NewDecimal(20, 0))
	case bindings.TypeUHugeInt:
		return as(types.NewDecimal(38, 0))
	case bindings.TypeFloat:
		return types.Of(types.Real), nil
	case bindings.TypeDouble:
		return types.Of(types.Double), nil
	case bindings.TypeDecimal:
		return types.NewDecimal(int(bindings.DecimalWidth(lt)), int(bindings.DecimalScale(lt))), nil
	case bindings.TypeVarchar:
		if strings.EqualFold(bindings.LogicalTypeGetAlias(lt), "json") {
			return types.Of(types.JSON), nil
		}
		return types.Of(types.Varchar), nil
	case bindings.TypeBlob:
		return types.Of(types.Varbinary), nil
	case bindings.TypeUUID:
		return types.Of(types.UUID), nil
	case bindings.TypeDate:
		return types.Of(types.Date), nil
	case bindings.TypeTime:
		return types.NewTime(types.Time, 6), nil
	case bindings.TypeTimestamp:
		return types.NewTime(types.Timestamp, 6), nil
	case bindings.TypeTimestampS:
		return as(types.NewTime(types.Timestamp, 0))
	case bindings.TypeTimestampMS:
		return as(types.NewTime(types.Timestamp, 3))
	case bindings.TypeTimestampNS:
		return types.NewTime(types.Timestamp, 9), nil
	case bindings.TypeTimestampTZ:
		return types.NewTime(types.TimestampTZ, 6), nil
	case bindings.TypeInterval:
		return types.Of(types.IntervalDS), nil
	case bindings.TypeSQLNull:
		return as(types.Of(types.Unknown))
	case bindings.TypeList:
		t, convert := kid(bindings.ListTypeChildType(lt))
		return types.NewArray(t), ducktype.EachElement(convert, depth)
	case bindings.TypeArray:
		t, convert := kid(bindings.ArrayTypeChildType(lt))
		name, _ := translate.DuckType(types.NewArray(t))
		if convert == nil {
			return types.NewArray(t), func(x string) string { return "CAST(" + x + " AS " + name + ")" }
		}
		return types.NewArray(t), ducktype.EachElement(convert, depth)
	case bindings.TypeMap:
		k, convertKey := kid(bindings.MapTypeKeyType(lt))
		v, convertValue := kid(bindings.MapTypeValueType(lt))
		if convertKey == nil && convertValue == nil {
			return types.NewMap(k, v), nil
		}
		return types.NewMap(k, v), func(x string) string {
			return "map(" + ducktype.Applied(ducktype.EachElement(convertKey, depth), "map_keys("+x+")") + ", " +
				ducktype.Applied(ducktype.EachElement(convertValue, depth), "map_values("+x+")") + ")"
		}
	case bindings.TypeStruct:
		return inwardRow(lt, kid)
	}
	return as(types.Of(types.Varchar))
}

func inwardRow(lt bindings.LogicalType, kid func(bindings.LogicalType) (*types.Type,
	func(string) string)) (*types.Type, func(string) string) {
	n := int(bindings.StructTypeChildCount(lt))
	names, fields, converts := make([]string, n), make([]*types.Type, n), make([]func(string) string, n)
	for i := range n {
		names[i] = bindings.StructTypeChildName(lt, bindings.IdxT(i))
		fields[i], converts[i] = kid(bindings.StructTypeChildType(lt, bindings.IdxT(i)))
	}
	return types.NewRow(names, fields), func(x string) string {
		return ducktype.Repacked(x, n, func(i int) string { return fmt.Sprintf("f%d", i+1) },
			func(i int) func(string) string { return converts[i] })
	}
}
