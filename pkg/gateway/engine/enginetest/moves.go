package enginetest

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// Moves tests the changes of internal tables with rows: new names, copies, deleted rows, and columns of another type.
func Moves(t *testing.T, open Open) {
	p := project(t, open)
	ctx, kind := t.Context(), engine.SchemaTable
	yes := true
	if _, err := p.CreateTable(ctx, kind, "First", engine.ColumnDef{Name: "Id", Type: "bigint", Unique: &yes},
		engine.ColumnDef{Name: "text1", Type: "varchar"},
		engine.ColumnDef{Name: "d", Type: "decimal(10,2)"}); err != nil {
		t.Fatal(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "id", CSVColumnName: "i"},
		{Name: "text1", CSVColumnName: "t"}, {Name: "d", CSVColumnName: "d"}}}
	doc := "i,t,d\n1,10,7.00\n2,20,8.00\n3,,\n"
	if _, err := p.ImportCSV(ctx, kind, "first", strings.NewReader(doc), m); err != nil {
		t.Fatal(err)
	}
	if stored, err := p.RenameTable(ctx, kind, "FIRST", "Odd name"); stored != "Odd name" || err != nil {
		t.Fatalf("renamed to %q, %v", stored, err)
	}
	wantKind(t, p, sql.Query{SQL: `SELECT id FROM first`}, engine.KindUnknownTable, "first")
	want(t, p, sql.Query{SQL: `SELECT id, text1 FROM "odd name" ORDER BY id`}, "1|10\n2|20\n3|null")
	if stored, err := p.RenameTable(ctx, kind, "odd name", "ODD name"); stored != "ODD name" || err != nil {
		t.Errorf("renamed to %q, %v", stored, err)
	}
	if stored, n, err := p.CopyTable(ctx, kind, "odd name", "Copy"); stored != "Copy" || n != 3 || err != nil {
		t.Fatalf("copied to %q: %d rows, %v", stored, n, err)
	}
	for _, taken := range []func() error{
		func() error { _, err := p.RenameTable(ctx, kind, "odd name", "COPY"); return err },
		func() error { _, _, err := p.CopyTable(ctx, kind, "odd name", "copy"); return err },
	} {
		if err := taken(); Kind(err) != engine.KindExists {
			t.Errorf("a name that is taken: %v", err)
		}
	}
	if names, err := p.ListTables(ctx, kind); err != nil || strings.Join(names, "|") != "Copy|ODD name" {
		t.Errorf("%q, %v", names, err)
	}
	// The rows of a copy are others.
	want(t, p, sql.Query{SQL: `SELECT count(*) FROM copy a JOIN "odd name" b ON a._id = b._id`}, "0")
	want(t, p, sql.Query{SQL: `SELECT count(DISTINCT _id), sum(id), min(_version) FROM copy`}, "3|6|1")
	if n, err := p.RowCount(ctx, kind, "ODD name"); n != 3 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	deleteRows(t, p)
	againNamed(t, p)
	retyped(t, p)
}

func deleteRows(t *testing.T, p engine.Project) {
	ctx, kind := t.Context(), engine.SchemaTable
	read, err := Query(ctx, p, sql.Query{SQL: `SELECT _id, _version FROM copy WHERE id >= 2`})
	if err != nil {
		t.Fatal(err)
	}
	var rows []engine.RowVersion
	for line := range strings.Lines(read) {
		id, version, _ := strings.Cut(strings.TrimSpace(line), "|")
		r := engine.RowVersion{}
		if r.ID, err = strconv.ParseInt(id, 10, 64); err != nil {
			t.Fatal(err)
		}
		if r.Version, err = strconv.ParseInt(version, 10, 64); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	other := append([]engine.RowVersion{{ID: 1, Version: 1}}, rows...)
	if _, err := p.DeleteRows(ctx, kind, "copy", other); Kind(err) != engine.KindOutdated {
		t.Errorf("a row that is not there: %v", err)
	}
	want(t, p, sql.Query{SQL: `SELECT count(*) FROM copy`}, "3")
	if n, err := p.DeleteRows(ctx, kind, "copy", rows); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	want(t, p, sql.Query{SQL: `SELECT id FROM copy`}, "1")
	if n, err := p.DeleteRows(ctx, kind, "copy", nil); n != 1 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	want(t, p, sql.Query{SQL: `SELECT id FROM copy`}, "")
}

func retyped(t *testing.T, p engine.Project) {
	ctx, kind := t.Context(), engine.SchemaTable
	is := func(column, typ string) {
		t.Helper()
		cols, err := p.Columns(ctx, kind, "odd name")
		for _, c := range cols {
			if strings.EqualFold(c.Name, column) && c.Type == typ {
				return
			}
		}
		t.Errorf("column %s is not %s: %+v, %v", column, typ, cols, err)
	}
	for _, step := range []struct{ column, typ, fault string }{
		{"text1", "bigint", ""}, {"d", "bigint", ""}, {"text1", "varchar", ""}, {"text1", "date", "20"},
		{"id", "varchar", ""},
	} {
		_, err := p.UpdateColumn(ctx, kind, "odd name", step.column, engine.ColumnDef{Type: step.typ})
		if step.fault == "" {
			if err != nil {
				t.Errorf("%s as %s: %v", step.column, step.typ, err)
			}
			is(step.column, step.typ)
		} else if Kind(err) != engine.KindValue || !strings.Contains(err.Error(), "2 of 3 rows do not fit") {
			t.Errorf("%s as %s: %v", step.column, step.typ, err)
		}
	}
	want(t, p, sql.Query{SQL: `SELECT id, text1, d FROM "odd name" ORDER BY id`}, "1|10|7\n2|20|8\n3|null|null")
	if names, err := p.ListTables(context.WithoutCancel(ctx), kind); err != nil || len(names) != 2 {
		t.Errorf("%q, %v", names, err)
	}
	cols, err := p.Columns(ctx, kind, "odd name")
	if err != nil || len(cols) < 3 || !cols[len(cols)-3].Unique || cols[len(cols)-3].ID == "" {
		t.Errorf("%+v, %v", cols, err)
	}
}

// againNamed tests that a column with the name of another one before has none of its values.
func againNamed(t *testing.T, p engine.Project) {
	ctx, kind := t.Context(), engine.SchemaTable
	def := func(name, typ string) engine.ColumnDef { return engine.ColumnDef{Name: name, Type: typ} }
	if _, err := p.CreateTable(ctx, kind, "named", def("a", "bigint"), def("b", "bigint")); err != nil {
		t.Fatal(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"},
		{Name: "b", CSVColumnName: "b"}}}
	for _, step := range []func() error{
		func() error {
			_, err := p.ImportCSV(ctx, kind, "named", strings.NewReader("a,b\n1,2\n"), m)
			return err
		},
		func() error { return p.DropColumn(ctx, kind, "named", "a") },
		func() error {
			_, err := p.AddColumns(ctx, kind, "named", []engine.ColumnDef{def("a", "bigint")})
			return err
		},
		func() error {
			_, err := p.UpdateColumn(ctx, kind, "named", "b", engine.ColumnDef{Name: "c"})
			return err
		},
		func() error {
			_, err := p.AddColumns(ctx, kind, "named", []engine.ColumnDef{def("b", "varchar")})
			return err
		},
		func() error {
			_, err := p.ImportCSV(ctx, kind, "named", strings.NewReader("a,b\n3,x\n"), m)
			return err
		},
	} {
		if err := step(); err != nil {
			t.Error(err)
		}
	}
	want(t, p, sql.Query{SQL: `SELECT a, b, c FROM named ORDER BY c`}, "null|null|2\n3|x|null")
	if err := p.DropTable(ctx, kind, "named"); err != nil {
		t.Error(err)
	}
}
