//go:build cgo

package duckdb

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func TestColumnsChangeWithTheirRows(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "varchar"}, engine.ColumnDef{Name: "b",
		Type: "varchar"},
		engine.ColumnDef{Name: "u", Type: "bigint", Unique: ptr(true)})
	mustImport(t, p, "t", "a,b,u\n 12 ,x,1\n-7,,2\n,\"\",3\n")
	update := func(col string, def engine.ColumnDef) (string, error) {
		cols, err := p.UpdateColumn(ctx, engine.SchemaTable, "T", col, def)
		if err != nil {
			return "", err
		}
		return cols[0].ID + " " + cols[0].Name + " " + cols[0].Type + " " + strconv.FormatBool(cols[0].NotNull) +
			strconv.FormatBool(cols[0].Unique), nil
	}
	refused := func(col string, def engine.ColumnDef, kind engine.Kind, text string) {
		t.Helper()
		before := rowsOf(t, p, `SELECT * FROM "~data"."table".t`)
		was, _ := p.Columns(ctx, engine.SchemaTable, "t")
		if _, err := update(col, def); kindOf(err) != kind || !strings.Contains(err.Error(), text) {
			t.Errorf("%s %+v: %v", col, def, err)
		}
		now, _ := p.Columns(ctx, engine.SchemaTable, "t")
		if after := rowsOf(t, p, `SELECT * FROM "~data"."table".t`); !reflect.DeepEqual(before, after) ||
			!reflect.DeepEqual(was, now) {
			t.Errorf("a refused change left %q, %+v", after, now)
		}
	}
	misfit := one(t, p, `SELECT CAST(min(_id) AS VARCHAR) FROM "~data"."table".t WHERE b = 'x'`)
	refused("b", engine.ColumnDef{Type: "BIGINT"}, engine.KindValue,
		`2 of 3 rows do not fit; the first in the row with _id `+misfit+`: invalid input syntax for type bigint: "x"`)
	refused("a", engine.ColumnDef{NotNull: ptr(true)}, engine.KindConstraint, "1 rows hold NULL")
	refused("a", engine.ColumnDef{Name: "B"}, engine.KindExists, "already exists")
	refused("a", engine.ColumnDef{Name: "_a"}, engine.KindValue, "reserved")
	refused("nope", engine.ColumnDef{Name: "c"}, engine.KindUnknownColumn, "nope")
	refused("text", engine.ColumnDef{Name: "c"}, engine.KindNotAllowed, "system")
	refused("a", engine.ColumnDef{DefaultValue: ptr("q"), Type: "bigint"}, engine.KindValue, "default value")
	for _, step := range []struct {
		col  string
		def  engine.ColumnDef
		want string
	}{
		{"a", engine.ColumnDef{Type: "bigint"}, "c1 a bigint falsefalse"},
		{"a", engine.ColumnDef{Name: "A2", DisplayName: ptr("shown"), DefaultValue: ptr("5")},
			"c1 A2 bigint falsefalse"},
		{"a2", engine.ColumnDef{Unique: ptr(true)}, "c1 A2 bigint falsetrue"},
		{"A2", engine.ColumnDef{Type: "decimal"}, "c1 A2 decimal falsetrue"},
		{"u", engine.ColumnDef{NotNull: ptr(true)}, "c3 u bigint truetrue"},
		{"u", engine.ColumnDef{Name: "v", Unique: ptr(false), Type: "VARCHAR"}, "c3 v varchar truefalse"},
		{"A2", engine.ColumnDef{Name: "a", Type: "BIGINT", Unique: ptr(false), NotNull: ptr(false)},
			"c1 a bigint falsefalse"},
	} {
		if got, err := update(step.col, step.def); err != nil || got != step.want {
			t.Errorf("%s %+v: %q, %v", step.col, step.def, got, err)
		}
	}
	cols, _ := p.Columns(ctx, engine.SchemaTable, "t")
	if cols[8].DisplayName != "shown" || *cols[8].DefaultValue != "5" {
		t.Errorf("nil did not keep: %+v", cols[8])
	}
	want := []string{"12|x|1", "-7|∅|2", "∅||3"}
	if got := rowsOf(t, p, `SELECT a, b, v FROM "~data"."table".t ORDER BY _id`); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	mustImport(t, p, "t", "b,v\nx,1\n")
	refused("b", engine.ColumnDef{Unique: ptr(true)}, engine.KindConstraint, `2 rows hold "x"`)
	refused("v", engine.ColumnDef{Type: "boolean", Unique: ptr(true)}, engine.KindValue, `of 4 rows`)
	refused("v", engine.ColumnDef{Type: "bigint", Unique: ptr(true)}, engine.KindConstraint, `duplicate key "1"`)
	if err := p.DropColumn(ctx, engine.SchemaTable, "t", "A"); err != nil {
		t.Fatal(err)
	}
	if err := p.DropColumn(ctx, engine.SchemaTable, "t", "_id"); kindOf(err) != engine.KindNotAllowed {
		t.Errorf("dropping _id: %v", err)
	}
	added, err := p.AddColumns(ctx, engine.SchemaTable, "t", []engine.ColumnDef{{Name: "a", Type: "uuid",
		Unique: ptr(true)}})
	if err != nil || added[0].ID != "c4" {
		t.Errorf("an id came back: %+v, %v", added, err)
	}
	if err := p.DropColumn(ctx, engine.SchemaTable, "t", "b"); err != nil {
		t.Errorf("dropping before an indexed column: %v", err)
	}
	want = []string{"1|∅", "2|∅", "3|∅", "1|∅"}
	if got := rowsOf(t, p, `SELECT v, a FROM "~data"."table".t ORDER BY _id`); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestRetypingKeepsExactValues(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t")
	tests := []struct{ from, value, to, want string }{
		{"decimal", "12.50", "varchar", "12.5000000000"},
		{"decimal", "12", "bigint", "12"},
		{"decimal", "100", "bigint", "100"},
		{"decimal", "0", "bigint", "0"},
		{"decimal", "12.5", "bigint", `refused: invalid input syntax for type bigint: "12.5"`},
		{"timestamp", "2024-02-29 00:00", "date", "2024-02-29"},
		{"timestamp", "2024-02-29 00:00:00.000001", "date",
			`refused: invalid input syntax for type date: "2024-02-29 00:00:00.000001"`},
		{"date", "1969-12-31", "timestamp", "1969-12-31 00:00:00"},
		{"varchar", "1.499", "decimal", "1.4990000000"},
		{"varchar", "1e2", "bigint", `refused: invalid input syntax for type bigint: "1e2"`},
		{"varchar", "OFF", "boolean", "false"},
		{"boolean", "t", "varchar", "true"},
		{"bigint", "1", "boolean", "true"},
		{"bigint", "2", "boolean", `refused: invalid input syntax for type boolean: "2"`},
		{"bigint", "-9223372036854775808", "decimal", "-9223372036854775808.0000000000"},
		{"varchar", "10:00", "time", "10:00:00"},
		{"time", "23:59:59.123", "varchar", "23:59:59.123"},
		{"uuid", "00000000-0000-0000-0000-000000000001", "varchar", "00000000-0000-0000-0000-000000000001"},
	}
	for i, tt := range tests {
		name := fmt.Sprintf("c%d", i)
		if _, err := p.AddColumns(t.Context(), engine.SchemaTable, "t",
			[]engine.ColumnDef{{Name: name, Type: tt.from}}); err != nil {
			t.Fatal(err)
		}
		mustImport(t, p, "t", name+"\n"+tt.value+"\n")
		_, err := p.UpdateColumn(t.Context(), engine.SchemaTable, "t", name, engine.ColumnDef{Type: tt.to})
		var got string
		if err != nil {
			_, reason, _ := strings.Cut(err.Error(), "the first in the row with _id ")
			_, reason, _ = strings.Cut(reason, ": ")
			got = "refused: " + reason
		} else {
			got = one(t, p, `SELECT CAST(`+name+` AS VARCHAR) FROM "~data"."table".t WHERE `+name+` IS NOT NULL`)
		}
		if got != tt.want {
			t.Errorf("%s %q to %s: %q, want %q", tt.from, tt.value, tt.to, got, tt.want)
		}
	}
}
