package narrow

import (
	"fmt"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func columns(t *testing.T, names ...string) Columns {
	t.Helper()
	var cols Columns
	for i, name := range names {
		typ, err := types.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		cols.Infos = append(cols.Infos, engine.ColumnInfo{Name: string(rune('A' + i)), Type: name})
		cols.Types = append(cols.Types, typ)
	}
	return cols
}

// TestFit: only values that have exactly the type of their column travel, and the limit only with all of them.
func TestFit(t *testing.T) {
	cols := columns(t, "bigint", "varchar", "date", "timestamp(6) with time zone", "double", "decimal(10,2)", "boolean")
	for _, c := range []struct {
		column, op string
		value      Constant
		want       string
	}{
		{"a", "=", Constant{Int, "7"}, "[{A = [7]}] 5"},
		{"a", "=", Constant{Decimal, "7.0"}, "[] -1"},
		{"a", "=", Constant{Int, "9223372036854775808"}, "[] -1"},
		{"a", "=", Constant{Param, "7"}, "[{A = [7]}] 5"},
		{"b", "like", Constant{Text, "x%"}, "[{B like [x%]}] 5"},
		{"b", "=", Constant{Int, "7"}, "[] -1"},
		{"c", ">", Constant{Text, "2024-02-29"}, "[{C > [2024-02-29 00:00:00 +0000 UTC]}] 5"},
		{"c", ">", Constant{Text, "2024-02-30"}, "[] -1"},
		{"d", ">", Constant{Timestamp, "2024-02-29 12:00:00+02"}, "[{D > [2024-02-29 10:00:00 +0000 UTC]}] 5"},
		{"e", "<", Constant{Decimal, "0.1234567890123456"}, "[] -1"},
		{"e", "<", Constant{Decimal, "0.5"}, "[{E < [0.5]}] 5"},
		{"f", "<", Constant{Int, "5"}, "[{F < [5]}] 5"},
		{"g", "=", Constant{Bool, "true"}, "[{G = [true]}] 5"},
		{"nosuch", "=", Constant{Int, "7"}, "[] -1"},
	} {
		filters, limit := cols.Fit(Narrowing{Conds: []Condition{{c.column, c.op, []Constant{c.value}}}, Limit: 5})
		if got := fmt.Sprint(filters, limit); got != c.want {
			t.Errorf("%s %s %+v: %s, want %s", c.column, c.op, c.value, got, c.want)
		}
	}
	if got, _ := (Columns{append(cols.Infos, engine.ColumnInfo{Name: "a"}), append(cols.Types, cols.Types[0])}).
		Fit(Narrowing{Conds: []Condition{{"a", "=", []Constant{{Int, "7"}}}}}); got != nil {
		t.Errorf("of two columns that differ by case: %v", got)
	}
}

func TestEither(t *testing.T) {
	one := []engine.Filter{{Column: "a", Op: "=", Values: []any{int64(1)}}, {Column: "b", Op: ">", Values: []any{"x"}},
		{Column: "c", Op: "<", Values: []any{"y"}}}
	other := []engine.Filter{{Column: "a", Op: "in", Values: []any{int64(2), int64(1)}}, {Column: "b", Op: ">",
		Values: []any{"x"}}, {Column: "c", Op: "<", Values: []any{"z"}}}
	if got := fmt.Sprint(Either(one, other)); got != "[{a in [1 2]} {b > [x]}]" {
		t.Error(got)
	}
	if got := Either(one, nil); got != nil {
		t.Error(got)
	}
}
