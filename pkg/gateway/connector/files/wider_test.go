package files

import "testing"

func TestWider(t *testing.T) {
	for _, tt := range [][3]string{
		{"integer", "bigint", "bigint"}, {"tinyint", "smallint", "smallint"}, {"varchar", "varchar", "varchar"},
		{"bigint", "decimal(4,2)", "decimal(21,2)"}, {"decimal(10,0)", "decimal(5,4)", "decimal(14,4)"},
		{"decimal(38,0)", "decimal(4,2)", ""},
		{"real", "real", "real"}, {"real", "smallint", "double"}, {"decimal(4,2)", "double", "double"},
		{"double", "bigint", "double"},
		{"bigint", "varchar", ""}, {"date", "timestamp", ""}, {"boolean", "bigint", ""},
	} {
		if got := wider(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s and %s: %q, want %q", tt[0], tt[1], got, tt[2])
		}
		if got := wider(tt[1], tt[0]); got != tt[2] {
			t.Errorf("%s and %s: %q, want %q", tt[1], tt[0], got, tt[2])
		}
	}
}
