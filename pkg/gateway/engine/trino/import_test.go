package trino_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

func projectOf(t *testing.T, dir string) engine.Project {
	t.Helper()
	e := open(t, dir)
	t.Cleanup(func() {
		if err := e.DropProject(context.Background(), "prj1"); err != nil {
			t.Log(err)
		}
		_ = e.Close()
	})
	p, err := e.Project(t.Context(), "prj1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, p engine.Project, text string) string {
	t.Helper()
	got, err := enginetest.Query(t.Context(), p, sql.Query{SQL: text})
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return got
}

// TestImportedValues imports values of every type and compares them, and what is found by a condition on either side of
// each: a file whose bounds are wrong has rows that no condition finds.
func TestImportedValues(t *testing.T) {
	p := projectOf(t, t.TempDir())
	columns := []struct{ typ, low, middle, high, literal string }{
		{"bigint", "-9223372036854775808", "0", "9223372036854775807", "BIGINT '%s'"},
		{"decimal(5,2)", "-999.99", "-0.01", "999.99", "DECIMAL '%s'"},
		{"decimal(18,4)", "-12345678901234.5678", "0.0001", "99999999999999.9999", "DECIMAL '%s'"},
		{"decimal(38,10)", "-9999999999999999999999999999.9999999999", "-1.5000000000",
			"9999999999999999999999999999.9999999999",
			"DECIMAL '%s'"},
		{"boolean", "false", "false", "true", "%s"},
		{"date", "0001-01-01", "1969-12-31", "9999-12-31", "DATE '%s'"},
		{"timestamp", "0001-01-01 00:00:00.000000", "1969-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999",
			"TIMESTAMP '%s'"},
		{"time", "00:00:00.000000", "12:30:00.500000", "23:59:59.999999", "TIME '%s'"},
		{"uuid", "00000000-0000-0000-0000-000000000001", "7fffffff-ffff-ffff-ffff-ffffffffffff",
			"ffffffff-ffff-ffff-ffff-ffffffffffff",
			"UUID '%s'"},
		{"varchar", "", "Łódź", "🎁", "'%s'"},
	}
	var defs []engine.ColumnDef
	m := engine.Import{ID: "a b/c", Header: true}
	var lines [4][]string
	for i, c := range columns {
		name := fmt.Sprintf("C%d", i)
		defs = append(defs, engine.ColumnDef{Name: name, Type: c.typ})
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: name, CSVColumnName: name})
		for k, v := range []string{name, `"` + c.low + `"`, `"` + c.middle + `"`, `"` + c.high + `"`} {
			lines[k] = append(lines[k], v)
		}
	}
	if _, err := p.CreateTable(t.Context(), engine.SchemaTable, `Every "type"`, defs...); err != nil {
		t.Fatal(err)
	}
	doc := ""
	for _, l := range lines {
		doc += strings.Join(l, ",") + "\n"
	}
	doc += strings.Repeat(",", len(columns)-1) + "\n" // NULLs
	if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, `every "TYPE"`, strings.NewReader(doc), m); err != nil {
		t.Fatal(err)
	}
	const table = ` FROM "every ""type"""`
	for i, c := range columns {
		name := fmt.Sprintf("c%d", i)
		if got, want := ask(t, p, "SELECT "+name+table+" ORDER BY _id"),
			c.low+"\n"+c.middle+"\n"+c.high+"\nnull"; got != want {
			t.Errorf("%s:\n got %q\nwant %q", c.typ, got, want)
		}
		low, high := fmt.Sprintf(c.literal, c.low), fmt.Sprintf(c.literal, c.high)
		for where, want := range map[string]string{" = " + low: c.low, " = " + high: c.high, " < " + high: c.low,
			" > " + low: c.high} {
			got := strings.Split(ask(t, p, "SELECT "+name+table+" WHERE "+name+where), "\n")
			found := false
			for _, g := range got {
				found = found || g == want
			}
			if !found {
				t.Errorf("%s %s: %q lacks %q", c.typ, where, got, want)
			}
		}
	}
	if rows, stored, err := p.FindImport(t.Context(), m.ID); rows != 4 || !stored || err != nil {
		t.Errorf("the import: %d, %v, %v", rows, stored, err)
	}
}

// TestConstraints: what an import must not store it does not, and leaves no file behind.
func TestConstraints(t *testing.T) {
	dir := t.TempDir()
	p := projectOf(t, dir)
	yes := true
	zero := "7"
	if _, err := p.CreateTable(t.Context(), engine.SchemaTable, "t", engine.ColumnDef{Name: "k", Type: "decimal(20,2)",
		Unique: &yes},
		engine.ColumnDef{Name: "n", Type: "bigint", NotNull: &yes, DefaultValue: &zero}); err != nil {
		t.Fatal(err)
	}
	load := func(id, doc string) error {
		m := engine.Import{ID: id, Header: true, Mappings: []api.ImportMapping{{Name: "k", CSVColumnName: "k"}}}
		if strings.HasPrefix(doc, "k,n") {
			m.Mappings = append(m.Mappings, api.ImportMapping{Name: "n", CSVColumnName: "n"})
		}
		_, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader(doc), m)
		return err
	}
	if err := load("one", "k\n1\n-2.5\n\\N\n\\N\n"); err != nil {
		t.Fatal(err)
	}
	for id, doc := range map[string]string{"twice": "k\n3\n3.00\n", "stored": "k\n4\n1.0\n", "null": "k,n\n5,\n"} {
		var bad *engine.ImportError
		if err := load(id, doc); !errors.As(err, &bad) || len(bad.Cells) != 1 {
			t.Errorf("%s: %v", id, err)
		}
		if _, stored, err := p.FindImport(t.Context(), id); stored || err != nil {
			t.Errorf("%s is stored: %v", id, err)
		}
	}
	if got := ask(t, p, "SELECT k, n FROM t ORDER BY _id"); got != "1.00|7\n-2.50|7\nnull|7\nnull|7" {
		t.Errorf("%q", got)
	}
	files, err := filepath.Glob(filepath.Join(trinotest.Options(t, dir).Stage, "*", "*", "*.parquet"))
	if err != nil || len(files) != 1 {
		t.Errorf("%d files: %v", len(files), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "projects")); err != nil {
		t.Error(err)
	}
}

// TestColumns changes the columns of a table with rows.
func TestColumns(t *testing.T) {
	p := projectOf(t, t.TempDir())
	ctx, yes := t.Context(), true
	zero, yesterday := "-0.5", "2020-02-29"
	if _, err := p.CreateTable(ctx, engine.SchemaTable, "T", engine.ColumnDef{Name: "A b",
		Type: "varchar"}); err != nil {
		t.Fatal(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "A b", CSVColumnName: "x"}}}
	if _, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("x\none\n\\N\n"), m); err != nil {
		t.Fatal(err)
	}
	if _, err := p.AddColumns(ctx, engine.SchemaTable, "t", []engine.ColumnDef{
		{Name: "D", Type: "decimal(20,2)", NotNull: &yes, DefaultValue: &zero},
		{Name: "day", Type: "date", DefaultValue: &yesterday}}); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, p, `SELECT "a B", d, day FROM t ORDER BY _id`); got != "one|-0.50|null\nnull|-0.50|null" {
		t.Errorf("%q", got)
	}
	if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", "a b", engine.ColumnDef{NotNull: &yes}); enginetest.Kind(
		err) != engine.KindConstraint {
		t.Errorf("not null over a NULL: %v", err)
	}
	if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", "d", engine.ColumnDef{Unique: &yes}); enginetest.Kind(
		err) != engine.KindConstraint {
		t.Errorf("unique over equal values: %v", err)
	}
	if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", "d", engine.ColumnDef{Type: "varchar"}); enginetest.Kind(
		err) != engine.KindUnsupported {
		t.Errorf("another type: %v", err)
	}
	if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", "a b", engine.ColumnDef{Name: "New"}); err != nil {
		t.Error(err)
	}
	if err := p.DropColumn(ctx, engine.SchemaTable, "t", "day"); err != nil {
		t.Error(err)
	}
	cols, err := p.Columns(ctx, engine.SchemaTable, "t")
	if err != nil || len(cols) != 10 || cols[8].Name != "New" || !cols[9].NotNull || *cols[9].DefaultValue != zero {
		t.Errorf("%+v, %v", cols, err)
	}
	if got := ask(t, p, `SELECT new, d FROM t ORDER BY _id`); got != "one|-0.50\nnull|-0.50" {
		t.Errorf("%q", got)
	}
}
