package analyze

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// tables is a catalog for tests: tables by full name, with columns written as in a row type.
type tables map[string]string

func (t tables) Table(n Name) (*Table, bool) {
	columns, ok := t[n.String()]
	if !ok {
		return nil, false
	}
	row, err := types.Parse("row(" + columns + ")")
	if err != nil {
		panic(err)
	}
	table := &Table{Name: n}
	for i, c := range row.Args {
		table.Columns = append(table.Columns, TableColumn{Name: row.FieldName(i), Type: c})
	}
	return table, true
}

func (t tables) HasCatalog(c string) bool {
	for name := range t {
		if strings.HasPrefix(name, c+".") {
			return true
		}
	}
	return false
}

func (t tables) HasSchema(c, s string) bool { return t.HasCatalog(c + "." + s) }

var tpch = tables{
	"tpch.tiny.nation": "nationkey bigint, name varchar(25), regionkey bigint, comment varchar(152)",
	"tpch.tiny.region": "regionkey bigint, name varchar(25), comment varchar(152)",
	"tpch.tiny.orders": "orderkey bigint, custkey bigint, orderstatus varchar(1), totalprice double, orderdate " +
		"date, orderpriority varchar(15), clerk varchar(15), shippriority integer, comment varchar(79)",
	"tpch.tiny.customer": "custkey bigint, name varchar(25), address varchar(40), nationkey bigint, phone " +
		"varchar(15), acctbal double, mktsegment varchar(10), comment varchar(117)",
	"tpch.tiny.lineitem": "orderkey bigint, partkey bigint, suppkey bigint, linenumber integer, quantity double, " +
		"extendedprice double, discount double, tax double, returnflag varchar(1), linestatus varchar(1), " +
		"shipdate date, commitdate date, receiptdate date, shipinstruct varchar(25), shipmode varchar(10), comment " +
		"varchar(44)",
	"tpch.tiny.part": "partkey bigint, name varchar(55), mfgr varchar(25), brand varchar(10), type varchar(25), " +
		"size integer, container varchar(10), retailprice double, comment varchar(23)",
	"tpch.tiny.supplier": "suppkey bigint, name varchar(25), address varchar(40), nationkey bigint, phone " +
		"varchar(15), acctbal double, comment varchar(101)",
	"tpch.tiny.partsupp": "partkey bigint, suppkey bigint, availqty integer, supplycost double, comment varchar(199)",
}

var session = Options{Catalog: tpch, DefaultCatalog: "tpch", DefaultSchema: "tiny", Describe: true}

func analyze(text string) (*Analysis, error) {
	s, err := trinosql.Parse(text)
	if err != nil {
		return nil, err
	}
	return Analyze(s, session)
}

func TestOutput(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1":                          "_col0 integer",
		"SELECT *, name || '!' FROM nation": "nationkey bigint, name varchar(25), regionkey bigint, comment varchar(152), _col4 varchar",
		"SELECT n.name, count(*) c FROM nation n JOIN region r USING (regionkey) GROUP BY 1 ORDER BY c":    "name varchar(25), c bigint",
		"WITH a(x) AS (SELECT 1) SELECT x + 1.5, transform(ARRAY[1], y -> y * 2e0) FROM a":                 "_col0 decimal(12,1), _col1 array(double)",
		"WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a WHERE x < 5) SELECT sum(x) FROM a": "_col0 bigint",
	} {
		a, err := analyze(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, c := range a.Output {
			got = append(got, c.Name+" "+c.Type.String())
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s\n\tgives %s\n\tnot   %s", text, s, want)
		}
	}
}

// TestParameters checks the types of bound parameters.
func TestParameters(t *testing.T) {
	given := session
	given.Describe = false
	for _, c := range []struct {
		text, types, want string
	}{
		{"SELECT ? + 1, ?", "bigint, varchar(3)", "bigint, varchar(3)"},
		{"SELECT name FROM nation WHERE nationkey = ? LIMIT ?", "integer, bigint", "varchar(25)"},
		{"SELECT ?", "", "line 1:8: Query takes no parameters"},
		{"SELECT ?, ?", "bigint", "line 1:11: Invalid parameter index 1, max value is 0"},
		{"SELECT ? + DATE '2024-01-01'", "varchar", "line 1:10: Cannot apply operator: varchar + date"},
	} {
		given.Parameters = nil
		if c.types != "" {
			row, err := types.Parse("row(" + c.types + ")")
			if err != nil {
				t.Fatal(err)
			}
			given.Parameters = row.Args
		}
		tree, err := trinosql.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		a, err := Analyze(tree, given)
		if err != nil {
			got = []string{err.Error()}
		} else {
			for _, o := range a.Output {
				got = append(got, o.Type.String())
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, not %s", c.text, s, c.want)
		}
	}
}

// TestParts checks the analysis of the parts of a statement.
func TestParts(t *testing.T) {
	tree, err := trinosql.Parse("SELECT n.name, r.k, count(*) AS c FROM nation n JOIN (SELECT regionkey AS k, name " +
		"FROM region WHERE EXISTS (SELECT 1 FROM customer WHERE nationkey = regionkey)) r ON n.regionkey = k " +
		"GROUP BY CUBE (n.name, k) ORDER BY c, max(n.nationkey), 2")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Analyze(tree, session)
	if err != nil {
		t.Fatal(err)
	}
	q := tree.(*trinosql.Query)
	body := q.Body.(*trinosql.Select)
	sel := a.Selects[body]
	if len(sel.From) != 6 || len(sel.Keys) != 2 || len(sel.Sets) != 4 || len(sel.Aggregates) != 2 || !sel.Grouped {
		t.Errorf("%+v", sel)
	}
	if k := sel.OrderBy; len(k) != 3 || k[0].Output != -1 || k[2].Output != 1 || a.Columns[k[0].Item.Expr] == nil ||
		!a.Columns[k[0].Item.Expr].OfOutput || a.Columns[k[0].Item.Expr].Index != 2 {
		t.Errorf("%+v", k)
	}
	// the column k comes from region's regionkey, through an alias and a select list
	ref := a.Columns[body.Items[1].(*trinosql.SelectExpr).Expr]
	if f := ref.Field; f.Table.Table != "region" || f.Column.Name != "regionkey" || f.From[0].From[0].Alias == nil {
		t.Errorf("%+v", f)
	}
	correlated := 0
	for _, info := range a.Queries {
		if info.Correlated {
			correlated++
		}
	}
	for x, ref := range a.Columns {
		if (ref.Outer > 0) != (ref.Outer == 1 && ref.Field.Name == "regionkey" && ref.Field.Table.Table == "region" &&
			show(x) == "regionkey" && correlated == 1) {
			t.Errorf("%s is %d queries out, %d are correlated", show(x), ref.Outer, correlated)
		}
	}
}

// TestPlugins has the types that the documentation of the functions of plugins tells.
func TestPlugins(t *testing.T) {
	for _, c := range [][2]string{
		{"ST_Point(1, 2)", "Geometry"},
		{"ST_AsText(ST_Buffer(ST_Point(1, 2), 3))", "varchar"},
		{"ST_Distance(to_spherical_geography(ST_Point(1, 2)), to_spherical_geography(ST_Point(3, 4)))", "double"},
		{"geometry_union_agg(ST_Point(nationkey, 1))", "Geometry"},
		{"ST_Contains(ST_Polygon('POLYGON EMPTY'), ST_GeometryFromText(max(name)))", "boolean"},
		{"geometry_nearest_points(ST_Point(1, 2), NULL)", "row(Geometry, Geometry)"},
		{"bing_tile_at(10, 20, 3)", "BingTile"},
		{"bing_tile_coordinates(bing_tile('0')).x", "integer"},
		{"bing_tile('0') = bing_tile('1')", "boolean"},
		{"geometry_to_bing_tiles(ST_Point(1, 2), 3)", "array(BingTile)"},
		{"spatial_partitioning(ST_Point(nationkey, 1))", "varchar"},
		{"CAST('{}' AS KdbTree)", "KdbTree"},
		{"to_geojson_geometry(from_geojson_geometry('{}'))", "varchar"},
		{"learn_classifier(nationkey, features(regionkey, 2))", "Classifier(bigint)"},
		{"learn_classifier(name, features(1))", "Classifier(varchar)"},
		{"classify(features(1, 2), learn_classifier(name, features(1, 2)))", "varchar"},
		{"regress(features(1), learn_libsvm_regressor(1e0, features(1), '-'))", "double"},
		{"CAST(NULL AS Regressor)", "Regressor"},
		{"to_date('2020', 'yyyy')", "date"},
		{"char2hexint('a')", "varchar"},
		{"to_char(TIMESTAMP '2020-01-01 UTC', 'yyyy')", "varchar"},
		{"index('ab', 'b')", "bigint"},
		{"ST_Point(1, 2) = ST_Point(1, 2)", "Cannot apply operator: Geometry = Geometry"},
		{"max(bing_tile('0'))", "Unexpected parameters (BingTile) for function max. " +
			"Expected: max(e, bigint) E:orderable, max(t) T:orderable"},
		{"ST_Pont(1, 2)", "Function 'st_pont' not registered"},
		{"ST_Point('a', 2)",
			"Unexpected parameters (varchar(1), integer) for function st_point. Expected: st_point(double, double)"},
	} {
		got := ""
		a, err := analyze("SELECT " + c[0] + " FROM nation")
		var e *Error
		switch {
		case errors.As(err, &e):
			got = e.Msg
		case err != nil:
			got = err.Error()
		default:
			got = a.Output[0].Type.String()
		}
		if got != c[1] {
			t.Errorf("%s\n\tis  %s\n\tnot %s", c[0], got, c[1])
		}
	}
}

// TestPatternFaults: bounds are decimal whatever they begin with, and of several clauses the first is named.
func TestPatternFaults(t *testing.T) {
	const bounds = "MEASURES 1 AS x PATTERN (A{%s}) DEFINE A AS true"
	for rest, want := range map[string]string{
		fmt.Sprintf(bounds, "010,9"): "Pattern quantifier lower bound must not exceed upper bound",
		fmt.Sprintf(bounds, "08,09"): "",
		"MEASURES first(DISTINCT name) FILTER (WHERE true) AS x PATTERN (A) DEFINE A AS true": "" +
			"Cannot use FILTER with first pattern recognition function",
	} {
		for range 8 { // an order that is not fixed shows
			got := ""
			if _, err := analyze("SELECT x FROM nation MATCH_RECOGNIZE (" + rest + ")"); err != nil {
				got = err.Error()
				var e *Error
				if errors.As(err, &e) {
					got = e.Msg
				}
			}
			if got != want {
				t.Errorf("%s: %s, want %s", rest, got, want)
				break
			}
		}
	}
}
