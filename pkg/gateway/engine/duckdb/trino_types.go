//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Inside of a statement each Trino type has one type of DuckDB. What stands outside, stored tables and views, may have others: inward is
// how a column comes in, outward how one goes out.

// stored is a table of the project's own file.
func (c *trinoCatalog) stored(n engine.TableName, schema, table string) (*used, error) {
	var d bindings.TableDescription
	defer bindings.TableDescriptionDestroy(&d)
	if bindings.TableDescriptionCreateExt(c.s.c.c, naming.Store, schema, table, &d) != bindings.StateSuccess {
		return nil, unknownTable(n)
	}
	var names []string
	var logical []bindings.LogicalType
	for i := range bindings.TableDescriptionGetColumnCount(d) {
		names = append(names, bindings.TableDescriptionGetColumnName(d, i))
		logical = append(logical, bindings.TableDescriptionGetColumnType(d, i))
	}
	var notes map[string]string
	if schema != engine.SchemaTable && schema != engine.SchemaBI {
		var err error
		if notes, err = c.s.c.typeNotes(c.ctx, schema, table); err != nil {
			return nil, err
		}
	}
	u, err := fromOutside(naming.StoredTable(schema, table), names, logical, notes)
	if err == nil {
		u.kept = &engine.TableName{Catalog: naming.Store, Schema: schema, Table: table}
	}
	return u, err
}

// typeNotes are the comments on the columns of a stored result: what its statement knew of their types and DuckDB's types do not tell.
func (c *conn) typeNotes(ctx context.Context, schema, table string) (map[string]string, error) {
	notes := map[string]string{}
	err := c.query(ctx, `SELECT column_name, comment FROM duckdb_columns() WHERE database_name = ? AND schema_name = ? AND table_name = ? AND comment IS NOT NULL`,
		[]any{naming.Store, schema, table}, func(v []*string) error {
			notes[*v[0]] = *v[1]
			return nil
		})
	return notes, err
}

// noteTypes writes the comments that typeNotes reads.
func (c *conn) noteTypes(ctx context.Context, name string, columns []analyze.Column) error {
	for _, col := range columns {
		if !needsNote(col.Type) {
			continue
		}
		if _, err := c.exec(ctx, `COMMENT ON COLUMN `+name+`.`+sqltext.Quote(col.Name)+` IS `+sqltext.Literal(col.Type.String())); err != nil {
			return err
		}
	}
	return nil
}

// needsNote reports whether a type is not the one that its stored form comes in as.
func needsNote(t *types.Type) bool {
	switch t.Kind {
	case types.Varchar:
		return t.N != types.Unbounded
	case types.Time, types.Timestamp, types.TimestampTZ:
		return t.N != 6 && t.N != 9
	case types.Char, types.Unknown, types.IntervalYM:
		return true
	case types.Row:
		if t.Names == nil || slices.Contains(t.Names, "") {
			return true
		}
	}
	return slices.ContainsFunc(t.Args, needsNote)
}

// noted is a column's type by its comment, where that is one of the same values.
func noted(t *types.Type, convert func(string) string, note string) (*types.Type, func(string) string) {
	n, err := types.Parse(note)
	if err != nil || note == "" {
		return t, convert
	}
	if n.Kind == types.Unknown {
		return n, func(x string) string { return "CAST(" + x + " AS INTEGER)" }
	}
	have, ok1 := translate.DuckType(t)
	want, ok2 := translate.DuckType(n)
	if !ok1 || !ok2 || have != want {
		return t, convert
	}
	if n.Kind == types.Char {
		return n, func(x string) string { return "rtrim(" + applied(convert, x) + ", ' ')" }
	}
	return n, convert
}

// sample is a table of the built-in catalog.
func (c *trinoCatalog) sampled(n engine.TableName, body string) (*used, error) {
	if u, ok := c.s.p.samples.Load(n.Table); ok {
		known := u.(*used)
		return &used{table: &analyze.Table{Columns: known.table.Columns}, text: known.text}, nil
	}
	u, err := c.s.planned(c.ctx, body)
	if err != nil {
		return nil, err
	}
	c.s.p.samples.Store(n.Table, u)
	return &used{table: &analyze.Table{Columns: u.table.Columns}, text: u.text}, nil
}

// planned is a query of ours as a table.
func (s *statement) planned(ctx context.Context, body string) (*used, error) {
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(s.c.c, body, &ps) == bindings.StateError {
		return nil, s.c.fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(ps))
	}
	var names []string
	var logical []bindings.LogicalType
	for i := range bindings.PreparedStatementColumnCount(ps) {
		names = append(names, bindings.PreparedStatementColumnName(ps, i))
		logical = append(logical, bindings.PreparedStatementColumnLogicalType(ps, i))
	}
	return fromOutside("("+body+")", names, logical, nil)
}

// fromOutside is a table of columns of any of DuckDB's types, which it destroys.
func fromOutside(text string, names []string, logical []bindings.LogicalType, notes map[string]string) (*used, error) {
	u := &used{table: &analyze.Table{}, text: text}
	items := make([]string, len(names))
	same := true
	for i, name := range names {
		t, convert := inward(logical[i], 0)
		bindings.DestroyLogicalType(&logical[i])
		t, convert = noted(t, convert, notes[name])
		u.table.Columns = append(u.table.Columns, analyze.TableColumn{Name: name, Type: t})
		items[i] = sqltext.Quote(name)
		if convert != nil {
			items[i], same = convert(items[i]), false
		}
	}
	if !same {
		u.text = "(SELECT " + strings.Join(items, ", ") + " FROM " + text + ")"
	}
	return u, nil
}

// inward is the Trino type of a column, and how its values become those of DuckDB's type for it; nil where they are already.
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
		return types.NewArray(t), eachElement(convert, depth)
	case bindings.TypeArray:
		t, convert := kid(bindings.ArrayTypeChildType(lt))
		name, _ := translate.DuckType(types.NewArray(t))
		if convert == nil {
			return types.NewArray(t), func(x string) string { return "CAST(" + x + " AS " + name + ")" }
		}
		return types.NewArray(t), eachElement(convert, depth)
	case bindings.TypeMap:
		k, convertKey := kid(bindings.MapTypeKeyType(lt))
		v, convertValue := kid(bindings.MapTypeValueType(lt))
		if convertKey == nil && convertValue == nil {
			return types.NewMap(k, v), nil
		}
		return types.NewMap(k, v), func(x string) string {
			return "map(" + applied(eachElement(convertKey, depth), "map_keys("+x+")") + ", " + applied(eachElement(convertValue, depth), "map_values("+x+")") + ")"
		}
	case bindings.TypeStruct:
		return inwardRow(lt, kid)
	}
	return as(types.Of(types.Varchar))
}

func inwardRow(lt bindings.LogicalType, kid func(bindings.LogicalType) (*types.Type, func(string) string)) (*types.Type, func(string) string) {
	n := int(bindings.StructTypeChildCount(lt))
	names, fields, converts := make([]string, n), make([]*types.Type, n), make([]func(string) string, n)
	for i := range n {
		names[i] = bindings.StructTypeChildName(lt, bindings.IdxT(i))
		fields[i], converts[i] = kid(bindings.StructTypeChildType(lt, bindings.IdxT(i)))
	}
	return types.NewRow(names, fields), func(x string) string {
		return repacked(x, n, func(i int) string { return fmt.Sprintf("f%d", i+1) }, func(i int) func(string) string { return converts[i] })
	}
}

// repacked is a struct made of another one.
func repacked(x string, n int, name func(int) string, convert func(int) func(string) string) string {
	items := make([]string, n)
	for i := range n {
		items[i] = sqltext.Quote(name(i)) + " := " + applied(convert(i), fmt.Sprintf("struct_extract_at(%s, %d)", x, i+1))
	}
	return "CASE WHEN " + x + " IS NOT NULL THEN struct_pack(" + strings.Join(items, ", ") + ") END"
}

func applied(convert func(string) string, x string) string {
	if convert == nil {
		return x
	}
	return convert(x)
}

// eachElement applies a conversion to the elements of a list.
func eachElement(convert func(string) string, depth int) func(string) string {
	if convert == nil {
		return nil
	}
	return func(x string) string {
		e := fmt.Sprintf(`"~e%d"`, depth)
		return "list_transform(" + x + ", lambda " + e + ": " + convert(e) + ")"
	}
}

// outward is a value as it stands in a stored table or a view: the fields of rows have their names.
func outward(x string, t *types.Type) string { return applied(outwardOf(t, 0), x) }

func outwardOf(t *types.Type, depth int) func(string) string {
	switch t.Kind {
	case types.Unknown:
		return func(x string) string { return "CAST(" + x + " AS VARCHAR)" }
	case types.Char:
		return func(x string) string { return fmt.Sprintf("system.main.rpad(%s, %d, ' ')", x, t.N) }
	case types.Array:
		return eachElement(outwardOf(t.Args[0], depth+1), depth)
	case types.Map:
		k, v := eachElement(outwardOf(t.Args[0], depth+1), depth), eachElement(outwardOf(t.Args[1], depth+1), depth)
		if k == nil && v == nil {
			return nil
		}
		return func(x string) string {
			return "map(" + applied(k, "map_keys("+x+")") + ", " + applied(v, "map_values("+x+")") + ")"
		}
	case types.Row:
		names := fieldNames(t)
		if names == nil {
			return nil
		}
		return func(x string) string {
			return repacked(x, len(t.Args), func(i int) string { return names[i] }, func(i int) func(string) string { return outwardOf(t.Args[i], depth+1) })
		}
	}
	return nil
}

// fieldNames are names for the fields of a row, each another one: its own where it has one.
func fieldNames(t *types.Type) []string {
	names := make([]string, len(t.Args))
	seen := map[string]bool{}
	for i := range names {
		names[i] = t.FieldName(i)
		for names[i] == "" || seen[strings.ToLower(names[i])] {
			names[i] = fmt.Sprintf("field%d", i)
			if seen[names[i]] {
				names[i] = fmt.Sprintf("field%d_%d", i, len(seen))
			}
		}
		seen[strings.ToLower(names[i])] = true
	}
	return names
}

// shownIn has the instants of a type shown in a time zone.
func (v *vtype) shownIn(zone *time.Location) {
	v.zone = zone
	for _, k := range v.kids {
		k.shownIn(zone)
	}
}

// overlay gives what was read from DuckDB's type of a column the names and precisions that it has in Trino.
func (v *vtype) overlay(t *types.Type) {
	v.name = wireType(t)
	switch t.Kind {
	case types.Char:
		v.pad = t.N
	case types.Time, types.Timestamp, types.TimestampTZ:
		v.digits, v.exact = t.N, true
	case types.IntervalYM:
		v.months = true
	case types.Array, types.Map, types.Row:
		for i, k := range v.kids {
			if i < len(t.Args) {
				k.overlay(t.Args[i])
			}
		}
	}
	if t.Kind == types.Row {
		v.names = make([]string, len(t.Args))
		for i := range v.names {
			v.names[i] = t.FieldName(i)
		}
	}
}
