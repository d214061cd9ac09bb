package api

import "testing"

// TestColumnType has each way to write a type, and what is none.
func TestColumnType(t *testing.T) {
	for in, want := range map[string]string{
		"VARCHAR": "varchar", " Uuid ": "uuid", "DECIMAL": "decimal", "decimal(38,10)": "decimal",
		"DECIMAL(15,2)": "decimal(15,2)", "decimal ( 15 , 2 )": "decimal(15,2)", "Decimal(5)": "decimal(5,0)",
		"decimal(38,38)": "decimal(38,38)", "decimal(1,1)": "decimal(1,1)",
		"": "", "json": "", "decimals": "", "decimal()": "", "decimal(0)": "", "decimal(39,2)": "", "decimal(5,6)": "",
		"decimal(5,-1)": "", "decimal(5,2": "", "decimal 5,2": "", "decimal(5,2,1)": "", "decimal(a,2)": "",
		"varchar(5)": "", "numeric(5,2)": "",
	} {
		if got, ok := ColumnType(in); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v", in, got, ok)
		}
	}
	if !SameColumnType("DECIMAL", "decimal(38, 10)") || SameColumnType("decimal", "decimal(15,2)") {
		t.Error("types compared")
	}
}

// TestWidenDecimal has numbers that a type has or not, in each notation.
func TestWidenDecimal(t *testing.T) {
	for _, c := range [][3]string{
		{"decimal(5,2)", "123.45", "decimal(5,2)"}, {"decimal(5,2)", "1234.5", "decimal(6,2)"},
		{"decimal(5,2)", "-1.005", "decimal(6,3)"}, {"decimal(5,2)", "+01.50000", "decimal(5,2)"},
		{"decimal(5,2)", " 1.5e4 ", "decimal(7,2)"}, {"decimal(5,2)", "15E-4", "decimal(7,4)"},
		{"decimal(5,2)", "0.000", "decimal(5,2)"}, {"decimal(5,2)", "0e99", "decimal(5,2)"},
		{"decimal(5,2)", ".5", "decimal(5,2)"}, {"decimal(5,2)", "5.", "decimal(5,2)"},
		{"decimal(1,1)", "1", "decimal(2,1)"}, {"decimal(5,0)", "0.01", "decimal(7,2)"},
		{"decimal(30,2)", "0.0000000001", "decimal"}, {"decimal", "0.00000000001", ""},
		{"decimal(38,0)", "1e37", "decimal(38,0)"}, {"decimal(38,0)", "1e38", ""}, {"decimal(5,2)", "1e999999999", ""},
		{"decimal(5,2)", "1e99999999999999999999", ""}, {"decimal(5,2)", "NaN", ""}, {"decimal(5,2)", "", ""},
		{"decimal(5,2)", "e5", ""}, {"decimal(5,2)", "1,5", ""}, {"decimal(5,2)", "\u00a05", ""},
		{"decimal(5,2)", "--1", ""}, {"bigint", "1", ""},
	} {
		if got, ok := WidenDecimal(c[0], c[1]); ok != (c[2] != "") || ok && got != c[2] {
			t.Errorf("%s with %q is %s, %v", c[0], c[1], got, ok)
		}
	}
}
