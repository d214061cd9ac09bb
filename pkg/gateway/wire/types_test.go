package wire

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func TestTypeName(t *testing.T) {
	for name, want := range map[string]string{
		"bigint": "bigint", "smallint": "smallint", "decimal(20,0)": "decimal(20,0)", "varchar": "varchar",
		"varchar(5)": "varchar",
		"char(3)":    "char(3)", "real": "real", "varbinary": "varbinary", "json": "json", "uuid": "uuid",
		"unknown": "unknown",
		"time(6)": "time", "time(9)": "time(9)", "timestamp(6)": "timestamp", "timestamp(0)": "timestamp(0)",
		"timestamp(6) with time zone": "timestamp with time zone",
		"timestamp(3) with time zone": "timestamp(3) with time zone",
		"array(varchar(2))":           "array(varchar)",
		"map(varchar(1), time(6))":    "map(varchar, time)",
		"row(integer, varchar(3))":    "row(integer, varchar)",
		`row(x integer, "two words" varchar(3), "1" array(timestamp(6)))`: `row(x integer, "two words" varchar, "1" array(timestamp))`,
	} {
		typ, err := types.Parse(name)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := TypeName(typ); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
