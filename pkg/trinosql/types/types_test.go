package types

import "testing"

// TestPrint parses types and prints them as Trino does in results and in errors about functions.
func TestPrint(t *testing.T) {
	for text, want := range map[string][2]string{
		"VARCHAR":                      {"varchar", "varchar"},
		"varchar(3)":                   {"varchar(3)", "varchar(3)"},
		"char":                         {"char(1)", "char(1)"},
		"decimal":                      {"decimal(38,0)", "decimal(38,0)"},
		"decimal(5)":                   {"decimal(5,0)", "decimal(5,0)"},
		"DECIMAL(10, 2)":               {"decimal(10,2)", "decimal(10,2)"},
		"int":                          {"integer", "integer"},
		"double precision":             {"double", "double"},
		"time":                         {"time(3)", "time(3)"},
		"timestamp(6) with time zone":  {"timestamp(6) with time zone", "timestamp(6) with time zone"},
		"time(0) with time zone":       {"time(0) with time zone", "time(0) with time zone"},
		"interval day to second":       {"interval day to second", "interval day to second"},
		"bigint array":                 {"array(bigint)", "array(bigint)"},
		"map(varchar, array(date))":    {"map(varchar, array(date))", "map(varchar,array(date))"},
		"row(A bigint, \"B c\" json)":  {"row(a bigint, B c json)", `row("a" bigint,"B c" json)`},
		"row(bigint, row(x double))":   {"row(bigint, row(x double))", `row(bigint,row("x" double))`},
		"function(bigint,array(real))": {"function(bigint,array(real))", "function(bigint,array(real))"},
		"hyperloglog":                  {"HyperLogLog", "HyperLogLog"},
		"qdigest(bigint)":              {"qdigest(bigint)", "qdigest(bigint)"},
	} {
		typ, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := [2]string{typ.String(), typ.Signature()}; got != want {
			t.Errorf("%s is printed as %q, not %q", text, got, want)
		}
		if again, err := Parse(typ.Signature()); err != nil || !Equal(again, typ) {
			t.Errorf("%s is not read back: %v %v", typ.Signature(), again, err)
		}
	}
	for text, want := range map[string]string{
		"foo": "Unknown type: foo", "varchar(x)": "Unknown type: varchar(x)", "array(foo)": "Unknown type: array(foo)",
		"decimal(39)":   "DECIMAL precision must be in range [1, 38]: 39",
		"decimal(3, 4)": "DECIMAL scale must be in range [0, precision (3)]: 4", "time(13)": "Unknown type: time(13)",
		"interval day": "INTERVAL DAY TO DAY type not supported", "bigint(2)": "Unknown type: bigint(2)",
	} {
		if typ, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v, not %s", text, typ, err, want)
		}
	}
}

// TestCommon has pairs of types, their common supertype, and whether the first one is coerced to the second. The values
// are those of Trino's rules; the corpus of statements has each pair.
func TestCommon(t *testing.T) {
	for _, c := range []struct {
		a, b, common string
		coerced      bool
	}{
		{"integer", "bigint", "bigint", true},
		{"bigint", "integer", "bigint", false},
		{"bigint", "decimal(3,1)", "decimal(20,1)", false},
		{"decimal(38,0)", "decimal(38,38)", "decimal(38,38)", true},
		{"decimal(5,2)", "real", "real", true},
		{"real", "double", "double", true},
		{"varchar(3)", "varchar(5)", "varchar(5)", true},
		{"varchar", "varchar(5)", "varchar", false},
		{"varchar(3)", "char(2)", "char(3)", false},
		{"date", "timestamp(3)", "timestamp(3)", true},
		{"date", "timestamp(0) with time zone", "timestamp(0) with time zone", true},
		{"timestamp(6)", "timestamp(3) with time zone", "timestamp(6) with time zone", false},
		{"time(3)", "time(6)", "time(6)", true},
		{"unknown", "array(bigint)", "array(bigint)", true},
		{"array(unknown)", "array(date)", "array(date)", true},
		{"row(a integer, b varchar(1))", "row(a bigint, c varchar)", "row(a bigint, varchar)", true},
		{"map(integer, varchar(1))", "map(bigint, varchar)", "map(bigint, varchar)", true},
		{"integer", "varchar", "", false},
		{"boolean", "integer", "", false},
		{"date", "time(3)", "", false},
		{"array(integer)", "array(varchar)", "", false},
		{"row(integer)", "row(integer, integer)", "", false},
		{"json", "varchar", "", false},
	} {
		a, err := Parse(c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse(c.b)
		if err != nil {
			t.Fatal(err)
		}
		common := ""
		if k := Common(a, b); k != nil {
			common = k.String()
		}
		if common != c.common || CanCoerce(a, b) != c.coerced {
			t.Errorf("%s and %s: %q, %v", c.a, c.b, common, CanCoerce(a, b))
		}
	}
}
