//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/ducktype"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sample"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Within a statement each Trino type has one type of DuckDB. Stored tables and views may have others: inward converts
// their columns for use in a statement, outward converts the columns of a result for storage.

// kept is a table in FROM whose columns may have any of DuckDB's types.
type kept struct {
	columns []analyze.TableColumn
	text    string
}

// BaseTable finds an internal table, a stored result, or a table of the built-in catalog.
func (p *project) BaseTable(ctx context.Context, n engine.TableName) (*engine.BaseTable, error) {
	if n.Catalog == engine.SampleCatalog {
		k, err := p.sample(ctx, n.Table)
		if err != nil {
			return nil, err
		}
		return &engine.BaseTable{Name: n, Columns: k.columns, Private: k}, nil
	}
	c, err := p.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.close()
	stored := engine.TableName{Schema: n.Schema, Table: n.Table}
	if n.Catalog != "" {
		if stored.Table, err = c.storedAs(ctx, n.Schema, n.Table); err != nil {
			return nil, err
		}
	}
	k, err := c.stored(ctx, n, stored)
	if err != nil {
		return nil, err
	}
	return &engine.BaseTable{Name: stored, Columns: k.columns, Private: k}, nil
}

// stored is a table of the project's file. n is its name in errors.
func (c *conn) stored(ctx context.Context, n, as engine.TableName) (*kept, error) {
	var names []string
	var logical []bindings.LogicalType
	has, err := c.describe(ctx, as.Schema, as.Table, func(d bindings.TableDescription) {
		for i := range bindings.TableDescriptionGetColumnCount(d) {
			names = append(names, bindings.TableDescriptionGetColumnName(d, i))
			logical = append(logical, bindings.TableDescriptionGetColumnType(d, i))
		}
	})
	if err != nil {
		return nil, err
	}
	if !has {
		return nil, engine.UnknownTable(n)
	}
	var notes map[string]string
	if as.Schema != engine.SchemaTable && as.Schema != engine.SchemaBI {
		if notes, err = c.typeNotes(ctx, as.Schema, as.Table); err != nil {
			return nil, err
		}
	}
	return fromOutside(naming.StoredTable(as.Schema, as.Table), names, logical, notes), nil
}

// typeNotes returns the comments on the columns of a stored result: the Trino types that cannot be derived from
// DuckDB's types.
func (c *conn) typeNotes(ctx context.Context, schema, table string) (map[string]string, error) {
	notes := map[string]string{}
	err := c.query(ctx, `SELECT column_name, comment FROM duckdb_columns() WHERE database_name = ? AND schema_name = `+
		`? AND table_name = ? AND comment IS NOT NULL`,
		[]any{naming.Store, schema, table}, func(v []*string) error {
			notes[*v[0]] = *v[1]
			return nil
		})
	return notes, err
}

// noteTypes writes the comments that typeNotes reads.
func (c *conn) noteTypes(ctx context.Context, name string, columns []analyze.Column) error {
	for _, col := range columns {
		if !ducktype.NeedsNote(col.Type) {
			continue
		}
		if _, err := c.exec(ctx, `COMMENT ON COLUMN `+name+`.`+sqltext.Quote(col.Name)+` IS `+
			sqltext.Literal(col.Type.Signature())); err != nil {
			return err
		}
	}
	return nil
}

// sample is a table of the built-in catalog. All projects share their descriptions.
func (p *project) sample(ctx context.Context, table string) (*kept, error) {
	if k, ok := p.samples.Load(table); ok {
		return k.(*kept), nil
	}
	body := sample.Tables()[table]
	c, err := p.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(c.c, body, &ps) == bindings.StateError {
		return nil, c.fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(ps))
	}
	var names []string
	var logical []bindings.LogicalType
	for i := range bindings.PreparedStatementColumnCount(ps) {
		names = append(names, bindings.PreparedStatementColumnName(ps, i))
		logical = append(logical, bindings.PreparedStatementColumnLogicalType(ps, i))
	}
	k := fromOutside("("+body+")", names, logical, nil)
	p.samples.Store(table, k)
	return k, nil
}

// fromOutside converts the columns of a table to the types of a statement. It destroys the logical types.
func fromOutside(text string, names []string, logical []bindings.LogicalType, notes map[string]string) *kept {
	k := &kept{text: text}
	items := make([]string, len(names))
	same := true
	for i, name := range names {
		t, convert := inward(logical[i], 0)
		bindings.DestroyLogicalType(&logical[i])
		t, convert = ducktype.Noted(t, convert, notes[name])
		k.columns = append(k.columns, analyze.TableColumn{Name: name, Type: t})
		items[i] = sqltext.Quote(name)
		if convert != nil {
			items[i], same = convert(items[i]), false
		}
	}
	if !same {
		k.text = "(SELECT " + strings.Join(items, ", ") + " FROM " + text + ")"
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
