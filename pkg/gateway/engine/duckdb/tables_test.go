//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
)

// tableProject is a project in a fresh directory, with a source of column ids.
func tableProject(t *testing.T, dir string) *project {
	t.Helper()
	return testProject(t, testEngine(t, dir, withIDs), "prjA")
}

// withIDs sets a source of column ids.
func withIDs(o *engine.Options) {
	var n atomic.Int64
	o.NewID = func() string { return fmt.Sprintf("c%d", n.Add(1)) }
}

func ptr[T any](v T) *T { return &v }

func makeTable(t *testing.T, p *project, kind, name string, defs ...engine.ColumnDef) {
	t.Helper()
	if _, err := p.CreateTable(t.Context(), kind, name); err != nil {
		t.Fatal(err)
	}
	if len(defs) > 0 {
		if _, err := p.AddColumns(t.Context(), kind, name, defs); err != nil {
			t.Fatal(err)
		}
	}
}

// importText imports a document with a header, each field into the column of its name.
func importText(t *testing.T, p *project, kind, table, text string) (int64, error) {
	t.Helper()
	head, _, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	var m engine.Import
	m.Header = true
	for _, name := range strings.Split(strings.TrimSuffix(head, "\r"), ",") {
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: name, CSVColumnName: name})
	}
	done, err := p.ImportCSV(t.Context(), kind, table, strings.NewReader(text), m)
	return done.Rows, err
}

func mustImport(t *testing.T, p *project, table, text string) {
	t.Helper()
	if _, err := importText(t, p, engine.SchemaTable, table, text); err != nil {
		t.Fatal(err)
	}
}

// rowsOf reads rows as texts in the order of _id, NULL as "∅".
func rowsOf(t *testing.T, p *project, sql string) []string {
	t.Helper()
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	out := []string{}
	err = c.Query(t.Context(), `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (`+sql+`)`, nil, func(v []*string) error {
		cells := make([]string, len(v))
		for i, s := range v {
			cells[i] = "∅"
			if s != nil {
				cells[i] = *s
			}
		}
		out = append(out, strings.Join(cells, "|"))
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func columnNames(cols []engine.Column) string {
	var s []string
	for _, c := range cols {
		s = append(s, c.Name)
	}
	return strings.Join(s, " ")
}

const systemNames = "_id _version _created_time _created_by _last_modified_time _last_modified_by _session text"

func TestTablesAreMadeListedAndDropped(t *testing.T) {
	dir := t.TempDir()
	p := tableProject(t, dir)
	ctx := t.Context()
	if names, err := p.ListTables(ctx, engine.SchemaTable); err != nil || len(names) != 0 {
		t.Fatalf("a fresh project lists %v, %v", names, err)
	}
	odd := []string{`sales`, `Zähler "2".x`, `a'b`, `select`, `日本語`, strings.Repeat("n", 63), ` sp ace `, `_under`,
		`100%`, `a;b--`}
	for _, n := range odd {
		stored, err := p.CreateTable(ctx, engine.SchemaTable, n)
		if err != nil || stored != n {
			t.Fatalf("%q: %q, %v", n, stored, err)
		}
		if _, err := p.AddColumns(ctx, engine.SchemaTable, n, []engine.ColumnDef{{Name: `q"'. ñ`, Type: "varchar",
			Unique: ptr(true)}}); err != nil {
			t.Fatalf("%q: %v", n, err)
		}
		if _, err := importText(t, p, engine.SchemaTable, n, "text\nhello\n"); err != nil {
			t.Fatalf("%q: %v", n, err)
		}
		if n, err := p.RowCount(ctx, engine.SchemaTable, n); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	for n, kind := range map[string]engine.Kind{
		"": engine.KindValue, strings.Repeat("n", 64): engine.KindValue, "a\x00b": engine.KindValue,
		"a\nb": engine.KindValue,
		"\xff": engine.KindValue, "SALES": engine.KindExists, "sales": engine.KindExists,
	} {
		if _, err := p.CreateTable(ctx, engine.SchemaTable, n); kindOf(err) != kind {
			t.Errorf("creating %q: %v", n, err)
		}
	}
	names, err := p.ListTables(ctx, engine.SchemaTable)
	if err != nil || len(names) != len(odd) {
		t.Errorf("listed %q, %v", names, err)
	}
	if names, err := p.ListTables(ctx, engine.SchemaBI); err != nil || len(names) != 0 {
		t.Errorf("the other schema lists %q, %v", names, err)
	}
	for _, n := range odd {
		if err := p.DropTable(ctx, engine.SchemaTable, n); err != nil {
			t.Errorf("dropping %q: %v", n, err)
		}
	}
	err = p.DropTable(ctx, engine.SchemaTable, "Sales")
	if kindOf(err) != engine.KindUnknownTable || err.Error() != "Table 'peaka.table.sales' does not exist" {
		t.Errorf("dropping twice: %v", err)
	}
	if _, err := p.ListTables(ctx, "mtquery"); kindOf(err) != engine.KindUnknownSchema {
		t.Errorf("another schema: %v", err)
	}
}

func TestBINamesLoseUnderscores(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	for _, n := range []string{"my_table", "mytable", "MY__TABLE"} {
		if stored, err := p.CreateTable(ctx, engine.SchemaBI, n); err != nil || stored != "mytable" {
			t.Errorf("%s: %q, %v", n, stored, err)
		}
	}
	if _, err := p.CreateTable(ctx, engine.SchemaTable, "mytable"); err != nil {
		t.Errorf("the schemas are not apart: %v", err)
	}
	if _, err := p.CreateTable(ctx, engine.SchemaBI, "__"); kindOf(err) != engine.KindValue {
		t.Errorf("an empty name: %v", err)
	}
	cols, err := p.AddColumns(ctx, engine.SchemaBI, "my_table", []engine.ColumnDef{{Name: "unit_price", Type: "DECIMAL",
		DisplayName: ptr("Price")}})
	if err != nil || cols[0].Name != "unitprice" || cols[0].DisplayName != "unitprice" {
		t.Fatalf("%+v, %v", cols, err)
	}
	if _, err := p.AddColumns(ctx, engine.SchemaBI, "mytable",
		[]engine.ColumnDef{{Name: "UNITPRICE", Type: "DECIMAL"}}); kindOf(err) != engine.KindExists {
		t.Errorf("a second column: %v", err)
	}
	if _, err := p.AddColumns(ctx, engine.SchemaBI, "mytable",
		[]engine.ColumnDef{{Name: "te_xt", Type: "VARCHAR"}}); kindOf(err) != engine.KindValue {
		t.Errorf("a reserved name: %v", err)
	}
	all, err := p.Columns(ctx, engine.SchemaBI, "my_table")
	want := strings.Replace(systemNames, " text", " _operation text", 1) + " unitprice"
	if got := columnNames(all); err != nil || got != want {
		t.Errorf("columns %q, want %q, %v", got, want, err)
	}
	cols, err = p.UpdateColumn(ctx, engine.SchemaBI, "mytable", "unit_price", engine.ColumnDef{Name: "net_price"})
	if err != nil || cols[0].Name != "netprice" || cols[0].DisplayName != "netprice" {
		t.Errorf("%+v, %v", cols, err)
	}
	if _, err := importText(t, p, engine.SchemaBI, "mytable", "netprice\n1.5\n"); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, p,
		`SELECT _version, _operation, text, netprice FROM "~data".bitable.mytable`); got[0] != "1|INSERT|∅|1.5000000000" {
		t.Errorf("got %q", got)
	}
	if err := p.DropTable(ctx, engine.SchemaBI, "my_table"); err != nil {
		t.Error(err)
	}
	if names, _ := p.ListTables(ctx, engine.SchemaTable); !reflect.DeepEqual(names, []string{"mytable"}) {
		t.Errorf("the drop crossed over: %q", names)
	}
}

func TestColumnsAreKeptAcrossOpenings(t *testing.T) {
	dir := t.TempDir()
	p := tableProject(t, dir)
	ctx := t.Context()
	makeTable(t, p, engine.SchemaTable, "T",
		engine.ColumnDef{Name: "a", Type: "bigint", DisplayName: ptr("Α β"), DefaultValue: ptr(" 7 "),
			Desc: ptr("it's")},
		engine.ColumnDef{Name: "B", Type: "Varchar", DefaultValue: ptr(""), NotNull: ptr(true), Unique: ptr(true)})
	before, err := p.Columns(ctx, engine.SchemaTable, "t")
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Column{
		{ID: "c1", Name: "a", DisplayName: "Α β", Type: "bigint", DefaultValue: ptr(" 7 "), Desc: ptr("it's")},
		{ID: "c2", Name: "B", DisplayName: "B", Type: "varchar", DefaultValue: ptr(""), NotNull: true, Unique: true},
	}
	if !reflect.DeepEqual(before[8:], want) {
		t.Errorf("got %+v", before[8:])
	}
	if got := columnNames(before[:8]); got != systemNames {
		t.Errorf("system columns %q", got)
	}
	for _, c := range before[:8] {
		if !c.System {
			t.Errorf("%s is not marked", c.Name)
		}
	}
	if err := p.files.Close(); err != nil {
		t.Fatal(err)
	}
	p = tableProject(t, dir)
	after, err := p.Columns(ctx, engine.SchemaTable, "t")
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("after opening again %+v, %v", after, err)
	}
}

func TestDeclarationsAreChecked(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "BIGINT"})
	mustImport(t, p, "t", "a\n1\n2\n3\n")
	const columnTypes = "VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE, UUID"
	tests := []struct {
		def  engine.ColumnDef
		kind engine.Kind
		text string
	}{
		{engine.ColumnDef{Name: "b", Type: "JSON"}, engine.KindValue, columnTypes},
		{engine.ColumnDef{Name: "b", Type: "int"}, engine.KindValue, columnTypes},
		{engine.ColumnDef{Name: "b"}, engine.KindValue, columnTypes},
		{engine.ColumnDef{Name: "A", Type: "BIGINT"}, engine.KindExists, `"a" already exists`},
		{engine.ColumnDef{Name: "_x", Type: "BIGINT"}, engine.KindValue, "reserved"},
		{engine.ColumnDef{Name: "TEXT", Type: "BIGINT"}, engine.KindValue, "reserved"},
		{engine.ColumnDef{Name: "", Type: "BIGINT"}, engine.KindValue, "empty"},
		{engine.ColumnDef{Name: strings.Repeat("é", 32), Type: "BIGINT"}, engine.KindValue, "64 bytes"},
		{engine.ColumnDef{Name: "b", Type: "BIGINT", DefaultValue: ptr("1.0")}, engine.KindValue,
			`invalid input syntax for type bigint: "1.0"`},
		{engine.ColumnDef{Name: "b", Type: "DATE", DefaultValue: ptr("2023-02-29")}, engine.KindValue,
			`date/time field value out of range: "2023-02-29"`},
		{engine.ColumnDef{Name: "b", Type: "BIGINT", NotNull: ptr(true)}, engine.KindConstraint, "3 rows"},
		{engine.ColumnDef{Name: "b", Type: "BIGINT", NotNull: ptr(true), Unique: ptr(true), DefaultValue: ptr("5")},
			engine.KindConstraint, "3 rows"},
	}
	for _, tt := range tests {
		_, err := p.AddColumns(ctx, engine.SchemaTable, "t", []engine.ColumnDef{{Name: "ok", Type: "date"}, tt.def})
		if kindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%+v: %v", tt.def, err)
		}
	}
	cols, _ := p.Columns(ctx, engine.SchemaTable, "t")
	if got := columnNames(cols); got != systemNames+" a" {
		t.Errorf("a refused declaration left %q", got)
	}
	_, err := p.AddColumns(ctx, engine.SchemaTable, "t", []engine.ColumnDef{
		{Name: "d", Type: "DECIMAL", DefaultValue: ptr("-.5e1")},
		{Name: "n", Type: "timestamp", DefaultValue: ptr("2024-02-29T12:00Z"), NotNull: ptr(true)},
		{Name: "u", Type: "UUID", Unique: ptr(true), DefaultValue: ptr("{A0EEBC99-9C0B4EF8-BB6D6BB9BD380A11}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	mustImport(t, p, "t", "a\n4\n")
	got := rowsOf(t, p, `SELECT a, d, n, u FROM "~data"."table".t ORDER BY _id`)
	want := []string{"1|∅|2024-02-29 12:00:00|∅", "2|∅|2024-02-29 12:00:00|∅", "3|∅|2024-02-29 12:00:00|∅",
		"4|-5.0000000000|2024-02-29 12:00:00|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	var ie *engine.ImportError
	if _, err := importText(t, p, engine.SchemaTable, "t", "a\n5\n"); !errors.As(err, &ie) ||
		!strings.Contains(err.Error(), `column "u" is unique and not mapped`) {
		t.Errorf("a repeated default: %v", err)
	}
}

// TestFullDisk tells the failures of a disk without room by what DuckDB says of them; the texts are its own.
func TestFullDisk(t *testing.T) {
	for _, text := range []string{
		`Could not write file "/d/data.duckdb": No space left on device`,
		`Failed to commit: Could not write file "/d/data.duckdb.wal": No space left on device`,
	} {
		for _, typ := range []string{"IO", "TransactionContext"} {
			if err := faults.OfTables(&faults.Error{Type: typ, Message: text}); kindOf(err) != engine.KindFull ||
				strings.Contains(err.Error(), "/d/") {
				t.Errorf("%s, %s: %v", typ, text, err)
			}
		}
		if err := faults.Translated(&faults.Error{Type: "IO", Message: text}); kindOf(err) != engine.KindFull {
			t.Errorf("%s: %v", text, err)
		}
	}
}
