package functions

import (
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func TestTable(t *testing.T) {
	if n := len(All()); n < 800 {
		t.Fatalf("%d signatures", n)
	}
	keys := map[string]bool{}
	for _, f := range All() {
		if keys[string(f.Kind)+f.Key] {
			t.Errorf("%s twice", f.Key)
		}
		keys[string(f.Kind)+f.Key] = true
		for _, v := range f.LongVars {
			known := map[string]int64{}
			for _, a := range f.Args {
				for _, name := range a.longVars {
					known[name] = 2
				}
			}
			if _, ok := evaluate(v.Expr, known); !ok {
				t.Errorf("%s: %s cannot be computed", f.Key, v.Expr)
			}
		}
	}
	for _, name := range []string{"abs", "pow", "power", "stddev", "row_number"} {
		if len(Named(name)) == 0 {
			t.Errorf("%s is not there", name)
		}
	}
	if Named("$ADD") != nil || IsKind("abs", Aggregate) || !IsKind("max", Aggregate) || !IsKind("lag", Window) {
		t.Error("the kinds of names are wrong")
	}
}

func args(t *testing.T, text string) []*types.Type {
	if text == "" {
		return nil
	}
	row, err := types.Parse("row(" + text + ")")
	if err != nil {
		t.Fatal(err)
	}
	return row.Args
}

// TestResolve tests calls without lambdas; the corpus of statements has each function.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"abs", "integer", "(integer):integer"},
		{"ABS", "decimal(5,2)", "(decimal(5,2)):decimal(5,2)"},
		{"sqrt", "integer", "(double):double"},
		{"concat", "varchar(2), varchar(3), varchar", "(varchar,varchar,varchar):varchar"},
		{"concat", "char(2), char(3)", "(char(2),char(3)):char(5)"},
		{"replace", "varchar(2), varchar(1), varchar(3)", "(varchar(2),varchar(1),varchar(3)):varchar(11)"},
		{"replace", "varchar, varchar, varchar", "(varchar,varchar,varchar):varchar"},
		{"regexp_replace", "varchar, varchar, varchar", "(varchar,JoniRegExp,varchar):varchar"},
		{"greatest", "integer, bigint, double", "(double,double,double):double"},
		{"element_at", "map(varchar(1),row(x bigint)), varchar(3)",
			`(map(varchar(3),row("x" bigint)),varchar(3)):row("x" bigint)`},
		{"round", "decimal(4,3)", "(decimal(4,3)):decimal(2,0)"},
		{"zip", "array(bigint), array(varchar)", "(array(bigint),array(varchar)):array(row(bigint,varchar))"},
		{"map_from_entries", "array(row(a varchar, b bigint))", "(array(row(varchar,bigint))):map(varchar,bigint)"},
		{"count", "", "():bigint"},
		{"foo", "", "Function 'foo' not registered"},
		{"ST_Point", "integer, integer", "(double,double):Geometry"},
		{"classify", "map(integer,double), classifier(bigint)", "(map(bigint,double),Classifier(bigint)):bigint"},
		{"bing_tile_coordinates", "bingtile", `(BingTile):row("x" integer,"y" integer)`},
		{"to_date", "varchar(3), varchar(4)", "(varchar,varchar):date"},
		{"distance", "", "Function 'distance' not registered"},
		{"abs", "varchar(1), date", "Unexpected parameters (varchar(1), date) for function abs. Expected: " +
			"abs(bigint), abs(decimal(p,s)), abs(double), abs(integer), abs(real), abs(smallint), abs(tinyint)"},
		{"array_sort", "array(json)", "Unexpected parameters (array(json)) for function array_sort. Expected: " +
			"array_sort(array(e)) E:orderable, array_sort(array(t), function(t,t,integer)) T"},
	} {
		var list []Arg
		for _, a := range args(t, c.args) {
			list = append(list, Arg{Type: a})
		}
		got := ""
		if b, err := Resolve(c.name, list); err != nil {
			got = err.Error()
		} else {
			got = b.String()
		}
		if got != c.want {
			t.Errorf("%s(%s)\n\tis  %s\n\tnot %s", c.name, c.args, got, c.want)
		}
	}
}

func TestOperators(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"ADD", "decimal(5,2), decimal(7,4)", "(decimal(5,2),decimal(7,4)):decimal(8,4)"},
		{"DIVIDE", "decimal(10,2), integer", "(decimal(10,2),decimal(10,0)):decimal(10,2)"},
		{"ADD", "date, interval year to month", "(date,interval year to month):date"},
		{"SUBSCRIPT", "array(date), integer", "(array(date),bigint):date"},
		{"EQUAL", "integer, double", "(double,double):boolean"},
		{"EQUAL", "integer, varchar", "Cannot apply operator: integer = varchar"},
		{"LESS_THAN", "json, json", "Cannot apply operator: json < json"},
		{"NEGATION", "varchar", "Cannot negate varchar"},
		{"SUBSCRIPT", "map(bigint,date), varchar", "Cannot use varchar for subscript of map(bigint, date)"},
	} {
		got := ""
		if b, err := ResolveOperator(c.name, args(t, c.args)...); err != nil {
			got = err.Error()
		} else {
			got = b.String()
		}
		if got != c.want {
			t.Errorf("%s(%s)\n\tis  %s\n\tnot %s", c.name, c.args, got, c.want)
		}
	}
}

func TestCasts(t *testing.T) {
	for _, c := range []string{"varchar to bigint", "bigint to varchar(3)", "json to array(map(varchar,bigint))",
		"row(a bigint) to json", "timestamp(3) to date", "array(varchar) to array(bigint)", "unknown to json",
		"varbinary to uuid"} {
		if from, to, _ := strings.Cut(c, " to "); !CanCast(args(t, from)[0], args(t, to)[0]) {
			t.Errorf("%s is not cast to %s", from, to)
		}
	}
	for _, c := range []string{"date to bigint", "boolean to date", "bigint to varbinary", "json to date",
		"map(bigint,bigint) to array(bigint)", "row(bigint) to row(bigint,bigint)", "time(3) to date"} {
		if from, to, _ := strings.Cut(c, " to "); CanCast(args(t, from)[0], args(t, to)[0]) {
			t.Errorf("%s is cast to %s", from, to)
		}
	}
}

// TestShown compares the table with what SHOW FUNCTIONS lists, which has the functions without those of the plugins.
func TestShown(t *testing.T) {
	data, err := os.ReadFile("testdata/show_functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line[0] != '#' && line[0] != 'T' { // of a table function
			shown[strings.TrimSuffix(line, "\n")] = true
		}
	}
	for _, f := range All() {
		if f.Kind == Operator || f.Hidden || f.Plugin != "" {
			continue
		}
		args := make([]string, len(f.Args))
		for i, a := range f.Args {
			args[i] = a.String()
		}
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			line := string(f.Kind) + " " + name + "(" + strings.Join(args, ", ") + ") " + f.Result.String()
			if !shown[line] {
				t.Errorf("Trino does not list %s", line)
			}
			delete(shown, line)
		}
	}
	for line := range shown {
		t.Errorf("the table lacks %s", line)
	}
}
