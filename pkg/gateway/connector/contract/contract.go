// Package contract holds the tests that every connector must pass, against a real source.
package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Rows is the number of rows of the table "items" of a fixture: id 1 to Rows, name "name <id>" but NULL if id is a
// multiple of 10, and amount id/4 as a decimal with two places.
const Rows = 5000

// Fixture is a source with the table items in a schema, opened with a valid credential, and the same with an invalid
// one.
type Fixture struct {
	Good, Bad connector.Connector
	Schema    string
	Pushes    bool // whether comparisons are pushed down to the source
}

// Run tests a connector.
func Run(t *testing.T, f Fixture) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	t.Run("test", func(t *testing.T) {
		if err := f.Good.Test(ctx); err != nil {
			t.Errorf("the good credential is refused: %v", err)
		}
		if err := f.Bad.Test(ctx); !errors.Is(err, engine.ErrUnusable) && !errors.Is(err, engine.ErrContent) {
			t.Errorf("the bad credential: %v, after which a retry might help", err)
		}
	})
	t.Run("names", func(t *testing.T) {
		schemas, err := f.Good.Schemas(ctx)
		if err != nil || !contains(schemas, f.Schema) {
			t.Fatalf("schemas %v, %v lack %s", schemas, err, f.Schema)
		}
		tables, err := f.Good.Tables(ctx, f.Schema)
		if err != nil || !reflect.DeepEqual(tables, []connector.Table{{Name: "items"}}) {
			t.Errorf("tables: %v, %v", tables, err)
		}
		if _, err := f.Good.Tables(ctx, "nowhere"); !errors.Is(err, connector.ErrNoSchema) {
			t.Errorf("unknown schema: %v", err)
		}
		if _, err := f.Good.Table(ctx, f.Schema, "nothing"); !errors.Is(err, connector.ErrNoTable) {
			t.Errorf("unknown table: %v", err)
		}
		if _, err := f.Good.Table(ctx, "nowhere", "items"); !errors.Is(err, connector.ErrNoSchema) {
			t.Errorf("table of an unknown schema: %v", err)
		}
		if _, err := f.Good.Table(ctx, strings.ToUpper(f.Schema), "ITEMS"); err != nil {
			t.Errorf("names in another case: %v", err)
		}
	})
	table, err := f.Good.Table(ctx, f.Schema, "items")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("columns", func(t *testing.T) {
		cols, err := table.Columns(ctx)
		if err != nil || len(cols) != 3 {
			t.Fatalf("%v, %v", cols, err)
		}
		for i, want := range []string{"id", "name", "amount"} {
			if cols[i].Name != want {
				t.Errorf("column %d is %s, want %s", i, cols[i].Name, want)
			}
		}
		if !strings.HasPrefix(cols[1].Type, "varchar") || !strings.HasPrefix(cols[2].Type, "decimal(") {
			t.Errorf("types: %v", cols)
		}
	})
	t.Run("scan", func(t *testing.T) {
		seen := map[int64]bool{}
		for _, r := range all(t, ctx, table, engine.ScanRequest{Columns: []string{"amount", "id", "name"}, Limit: -1}) {
			id, ok := r[1].(int64)
			if !ok || seen[id] || id < 1 || id > Rows {
				t.Fatalf("id %v (%T) twice, or out of range", r[1], r[1])
			}
			seen[id] = true
			want := any(fmt.Sprintf("name %d", id))
			if id%10 == 0 {
				want = nil
			}
			if r[2] != want {
				t.Fatalf("row %d: name %v, want %v", id, r[2], want)
			}
			if want := fmt.Sprintf("%d.%02d", id/4, id%4*25); r[0] != want {
				t.Fatalf("row %d: amount %v, want %v", id, r[0], want)
			}
		}
		if len(seen) != Rows {
			t.Errorf("%d rows, want %d", len(seen), Rows)
		}
	})
	t.Run("projection", func(t *testing.T) {
		for _, r := range all(t, ctx, table, engine.ScanRequest{Columns: []string{"id"}, Limit: -1})[:10] {
			if len(r) != 1 {
				t.Fatalf("row %v has more than was asked for", r)
			}
		}
		if n := len(all(t, ctx, table, engine.ScanRequest{Limit: -1})); n != Rows {
			t.Errorf("rows without columns: %d, want %d", n, Rows)
		}
		if _, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"nope"}, Limit: -1}); err == nil {
			t.Error("an unknown column is accepted")
		}
	})
	t.Run("filters", func(t *testing.T) {
		for _, c := range []struct {
			f    []engine.Filter
			pass func(id int64) bool
		}{
			{[]engine.Filter{{Column: "id", Op: "=", Values: []any{int64(77)}}},
				func(id int64) bool { return id == 77 }},
			{[]engine.Filter{{Column: "id", Op: "<=", Values: []any{int64(9)}}, {Column: "name", Op: "is not null"}},
				func(id int64) bool { return id <= 9 }},
			{[]engine.Filter{{Column: "name", Op: "is null"}}, func(id int64) bool { return id%10 == 0 }},
			{[]engine.Filter{{Column: "name", Op: "=", Values: []any{"name 5"}}},
				func(id int64) bool { return id == 5 }},
			{[]engine.Filter{{Column: "name", Op: "=", Values: []any{"NAME 5"}}}, func(int64) bool { return false }},
			{[]engine.Filter{{Column: "name", Op: "like", Values: []any{"name 499_"}}},
				func(id int64) bool { return id > 4989 && id < 5000 && id%10 != 0 }},
			{[]engine.Filter{{Column: "id", Op: "in", Values: []any{int64(3), int64(4)}}},
				func(id int64) bool { return id == 3 || id == 4 }},
			{[]engine.Filter{{Column: "id", Op: "not in", Values: []any{int64(3)}}},
				func(id int64) bool { return id != 3 }},
			{[]engine.Filter{{Column: "amount", Op: ">", Values: []any{"1249.5"}}},
				func(id int64) bool { return id > 4998 }},
		} {
			got := map[int64]bool{}
			for _, r := range all(t, ctx, table, engine.ScanRequest{Columns: []string{"id"}, Filters: c.f, Limit: -1}) {
				got[r[0].(int64)] = true
			}
			for id := int64(1); id <= Rows; id++ {
				if c.pass(id) && !got[id] {
					t.Fatalf("%v: row %d passes and is missing", c.f, id)
				}
			}
			if f.Pushes && c.f[0].Column == "id" && len(got) == Rows {
				t.Errorf("%v: every row came, so the filter did not reach the source", c.f)
			}
		}
	})
	t.Run("limit", func(t *testing.T) {
		if n := len(all(t, ctx, table, engine.ScanRequest{Columns: []string{"id"}, Limit: 7})); n != 7 {
			t.Errorf("%d rows, want 7", n)
		}
		if n := len(all(t, ctx, table, engine.ScanRequest{Columns: []string{"id"}, Limit: 0})); n != 0 {
			t.Errorf("%d rows, want none", n)
		}
	})
	t.Run("early close", func(t *testing.T) {
		b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"id"}, Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := b.Next(ctx); err != nil || len(rows) == 0 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		_ = b.Close() // a source may report that it was interrupted
		if n := len(all(t, ctx, table, engine.ScanRequest{Columns: []string{"id"}, Limit: -1})); n != Rows {
			t.Errorf("after an early close: %d rows, want %d", n, Rows)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		short, stop := context.WithCancel(ctx)
		b, err := table.Scan(short, engine.ScanRequest{Columns: []string{"id"}, Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		stop()
		for err == nil {
			_, err = b.Next(short)
		}
		_ = b.Close()
	})
}

func all(t *testing.T, ctx context.Context, s engine.Scanner, req engine.ScanRequest) [][]any {
	t.Helper()
	b, err := s.Scan(ctx, req)
	if err != nil {
		t.Fatalf("%v: %v", req, err)
	}
	var out [][]any
	for {
		rows, err := b.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v: %v", req, err)
		}
		out = append(out, rows...)
	}
	if err := b.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	return out
}

func contains(all []string, s string) bool {
	for _, x := range all {
		if x == s {
			return true
		}
	}
	return false
}
