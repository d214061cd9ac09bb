package build

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// TestSQL: every part of a query is written, in an order that Trino reads.
func TestSQL(t *testing.T) {
	one, err := ValueOf("it's")
	if err != nil {
		t.Fatal(err)
	}
	n := int64(5)
	q := Query{Columns: [][]string{{"*"}, {`"q"`}, {`x"y`}, {"t", "a"}}, From: []Table{{"c", "s", "a"},
		{"c", "s", "b"}}, OrderBy: []Order{{"a", Descending, NullsLast}, {Column: "b"}}, Offset: &n, Limit: &n,
		Where: Group{All: []Condition{Test{[]string{"t", "a"}, In, []Value{one, one}}, Group{}},
			Any: []Condition{Test{[]string{"b"}, Between, []Value{one, one}}, Test{[]string{"c"}, IsNull, nil}}}}
	want := `SELECT *, "q", "x""y", "t"."a" FROM "c"."s"."a", "c"."s"."b" WHERE ("t"."a" IN ('it''s', 'it''s')) AND ` +
		`("b" BETWEEN 'it''s' AND 'it''s' OR "c" IS NULL)` +
		` ORDER BY "a" DESC NULLS LAST, "b" OFFSET 5 LIMIT 5`
	if got := q.SQL(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if _, err := trinosql.Parse(q.SQL()); err != nil {
		t.Error(err)
	}
	if _, err := ValueOf(nil); err == nil {
		t.Error("a comparison with NULL")
	}
}
