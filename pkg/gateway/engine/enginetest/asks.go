package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/merge"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

func asks(t *testing.T, open Open) {
	p := project(t, open)
	n := engine.TableName{Catalog: "pg", Schema: "public", Table: `odd"name`}
	rows := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}, {Name: `the "kind"`, Type: "varchar"}},
		Data: [][]any{{int64(1), "b"}, {int64(2), "a"}, {int64(3), "it's"}, {int64(4), nil}, {int64(5), "b"}}}
	catalogs := Names{n: {Scan: rows}, lookup("pg", "public", "of"): {Ask: sql.Rows{Table: n,
		Filters: []engine.Filter{{Column: "id", Op: ">", Values: []any{"3"}}}}}}
	kind := `the "kind"`
	for _, c := range []struct {
		ask  sql.Ask
		want string
	}{
		{sql.Rows{Table: n, Limit: 2}, "1|b\n2|a"},
		{sql.Rows{Table: n, Limit: sql.NoRows}, ""},
		{sql.Rows{Table: n, Columns: []string{kind}, Limit: 1}, "b"},
		{sql.Rows{Table: n, Columns: []string{kind, "id"}, Filters: []engine.Filter{{Column: "id", Op: ">=",
			Values: []any{json.Number("2")}}, {Column: "id", Op: "<", Values: []any{"4"}}}}, "a|2\nit's|3"},
		{sql.Rows{Table: n, Columns: []string{"id"}, Filters: []engine.Filter{{Column: kind, Op: "in",
			Values: []any{"a", "it's"}}}}, "2\n3"},
		{sql.Rows{Table: n, Columns: []string{"id"}, Filters: []engine.Filter{{Column: kind, Op: "not in",
			Values: []any{"a", "b"}}}}, "3"},
		{sql.Rows{Table: n, Columns: []string{"id"}, Filters: []engine.Filter{{Column: kind, Op: "<>",
			Values: []any{"b"}}}}, "2\n3"},
		{sql.Rows{Table: n, Columns: []string{"id"}, Filters: []engine.Filter{{Column: kind, Op: "like",
			Values: []any{"i%"}}}}, "3"},
		{sql.Rows{Table: n, Columns: []string{"id"}, Filters: []engine.Filter{{Column: kind, Op: "is null"}}}, "4"},
		{sql.Rows{Table: n, Columns: []string{"id"}, Filters: []engine.Filter{{Column: kind, Op: "is not null"},
			{Column: "id", Op: "<=", Values: []any{json.Number("1")}}}}, "1"},
		{sql.Rows{Table: lookup("pg", "public", "of")}, "4|null\n5|b"},
		{sql.Counts{Table: n}, "5"},
		{sql.Counts{Table: n, Columns: []string{kind, "id"}}, "5|3|5"},
		{sql.Frequent{Table: n, Column: kind, Limit: 2}, "b|2\na|1"},
		{sql.Cast{Value: json.Number("12"), Type: "bigint"}, "12"},
		{sql.Cast{Value: "2020-02-29", Type: "date"}, "2020-02-29"},
	} {
		got, err := Query(t.Context(), p, sql.Query{Ask: c.ask, Catalogs: catalogs})
		if err != nil || got != c.want {
			t.Errorf("%T%+v:\n got %q, %v\nwant %q", c.ask, c.ask, got, err, c.want)
		}
	}
	for _, columns := range [][]string{{}, {"id"}} { // rows without columns are rows too
		if got, err := Replace(t.Context(), p, "mtquery", "m", sql.Query{Ask: sql.Rows{Table: n, Columns: columns},
			Catalogs: catalogs}); err != nil || got != 5 {
			t.Errorf("%d rows of columns %q, %v", got, columns, err)
		}
	}
	if got, err := Query(t.Context(), p, sql.Query{Ask: sql.Counts{Table: n, Columns: []string{"id"}, Estimated: true},
		Catalogs: catalogs}); err != nil || got[:2] != "5|" {
		t.Errorf("estimated %q, %v", got, err)
	}
	if _, err := Query(t.Context(), p, sql.Query{Ask: sql.Cast{Value: "x", Type: "bigint"}}); Kind(
		err) != engine.KindValue {
		t.Errorf("a text as a number: %v", err)
	}
	for _, f := range []engine.Filter{{Column: "id", Op: "~", Values: []any{"x"}}, {Column: "id", Op: "in"},
		{Column: "id", Op: "=", Values: []any{[]any{}}}} {
		if _, err := Query(t.Context(), p, sql.Query{Ask: sql.Rows{Table: n, Filters: []engine.Filter{f}},
			Catalogs: catalogs}); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}

func merges(t *testing.T, open Open) {
	p := project(t, open)
	ctx := t.Context()
	from := lookup("pg", "public", "items")
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	src := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}, {Name: "name", Type: "varchar"},
		{Name: "at", Type: "timestamp(6)"}}}
	catalogs := Names{from: {Scan: src}}
	full := func(table string) {
		t.Helper()
		if _, err := sql.Store(ctx, p, "cache", table, sql.Query{Ask: sql.Rows{Table: from},
			Catalogs: catalogs}); err != nil {
			t.Fatal(err)
		}
	}
	content := func(table string) string {
		t.Helper()
		stored := lookup("peaka", "mtquery", "x")
		got, err := Query(ctx, p, sql.Query{SQL: `SELECT id, name FROM peaka.mtquery.x ORDER BY 1, 2`,
			Catalogs: Names{stored: {Base: &engine.TableName{Schema: "cache", Table: table}}}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	merged := func(old, into, updated string) (string, error) {
		got, done, err := merge.Merge(ctx, p, merge.Job{Schema: "cache", Into: into, Old: old, Key: []string{"id"},
			Updated: updated, From: from, Catalogs: catalogs})
		if err := merge.DropScratch(ctx, p, "cache", into); err != nil {
			t.Error(err)
		}
		return fmt.Sprintf("%v %d +%d ~%d -%d", done, got.Rows, got.Inserted, got.Updated, got.Deleted), err
	}
	src.Data = [][]any{{int64(1), "a", at(1)}, {int64(2), "b", at(2)}, {int64(3), "c", at(3)}, {int64(4), "d", nil}}
	full("one")

	src.Data = [][]any{{int64(1), "a", at(1)}, {int64(2), "B", at(9)}, {int64(4), "D", nil}, {int64(5), "late", at(0)},
		{int64(6), "f", at(8)}}
	if got, err := merged("one", "two", "at"); got != "true 5 +2 ~2 -1" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got := content("two"); got != "1|a\n2|B\n4|D\n5|late\n6|f" {
		t.Errorf("merged:\n%s", got)
	}
	if got, err := merge.Compare(ctx, p, merge.Comparison{Schema: "cache", Old: "one", New: "two",
		Keys: []string{"uuid", "ID"}}); err != nil || got != (merge.Changes{Inserted: 2, Updated: 2, Deleted: 1}) {
		t.Errorf("compared: %+v, %v", got, err)
	}
	if got, err := merge.Compare(ctx, p, merge.Comparison{Schema: "cache", Old: "one", New: "two"}); err != nil ||
		got != (merge.Changes{Inserted: 4, Deleted: 3}) {
		t.Errorf("compared without a key: %+v, %v", got, err)
	}

	// Rows that never change: only larger keys, and those that were deleted, are read.
	src.Data = append(src.Data[1:], []any{int64(7), "g", at(7)})
	if got, err := merged("two", "three", ""); got != "true 5 +1 ~0 -1" || err != nil {
		t.Errorf("%s, %v", got, err)
	}

	// There is nothing to build on.
	src.Cols[1].Type = "varbinary"
	src.Data = nil
	if got, err := merged("three", "four", "at"); got != "false 0 +0 ~0 -0" || err != nil {
		t.Errorf("other columns: %s, %v", got, err)
	}
	src.Cols[1].Type = "varchar"
	full("empty")
	if got, err := merged("empty", "four", "at"); got != "false 0 +0 ~0 -0" || err != nil {
		t.Errorf("no rows: %s, %v", got, err)
	}

	var k *merge.KeyError
	src.Data = [][]any{{int64(1), "a", at(1)}, {int64(1), "b", at(2)}}
	if got, err := merged("three", "four", "at"); !errors.As(err, &k) || k.Twice != 1 || !slices.Equal(k.Example,
		[]string{"1"}) {
		t.Errorf("a key twice: %s, %v", got, err)
	}
	full("five")
	if got, err := merged("five", "six", "at"); got != "false 0 +0 ~0 -0" || err != nil {
		t.Errorf("old rows with a key twice: %s, %v", got, err)
	}
	for _, c := range []struct {
		key  []string
		want merge.KeyError
	}{{[]string{"id"}, merge.KeyError{Twice: 1, Example: []string{"1"}}}, {[]string{"id", "name"}, merge.KeyError{}}} {
		err := merge.CheckKey(ctx, p, "cache", "five", c.key)
		if k = nil; errors.As(err, &k) != (c.want.Twice > 0) || k != nil && fmt.Sprint(*k) != fmt.Sprint(c.want) {
			t.Errorf("key %q: %v", c.key, err)
		}
	}
	src.Data = [][]any{{nil, "a", at(1)}}
	full("seven")
	if err := merge.CheckKey(ctx, p, "cache", "seven", []string{"id"}); !errors.As(err, &k) || k.Missing != 1 {
		t.Errorf("a key without a value: %v", err)
	}
}
