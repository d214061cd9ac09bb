//go:build cgo

package duckdb

import (
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestStatementsFollowTheTables changes a table between statements: what a statement sees is the table as it is now.
func TestStatementsFollowTheTables(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	see := func(text, want string) {
		t.Helper()
		got, err := rows(t, p, sql.Query{SQL: text})
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	makeTable(t, p, engine.SchemaTable, "Şube", engine.ColumnDef{Name: "a", Type: "varchar"})
	mustImport(t, p, "Şube", "a\n1\n")
	see(`SELECT a FROM peaka."table"."Şube"`, "1")
	see(`SELECT a FROM "şube"`, "1")
	_, err := p.AddColumns(ctx, engine.SchemaTable, "şube", []engine.ColumnDef{{Name: "Şehir", Type: "varchar",
		DefaultValue: ptr("x")}})
	must(err)
	see(`SELECT a, "Şehir" FROM "şube"`, "1|null")
	mustImport(t, p, "Şube", "a\n2\n")
	see(`SELECT a, "Şehir" FROM "şube" ORDER BY _id`, "1|null\n2|x")
	_, err = p.UpdateColumn(ctx, engine.SchemaTable, "Şube", "a", engine.ColumnDef{Name: "n", Type: "BIGINT"})
	must(err)
	see(`SELECT n + 1 FROM "Şube" ORDER BY n`, "2\n3")
	must(p.DropColumn(ctx, engine.SchemaTable, "Şube", "şehir"))
	see(`SELECT count(n) FROM "Şube"`, "2")
	must(p.DropTable(ctx, engine.SchemaTable, "Şube"))
	see(`SELECT 1 FROM "şube"`, `error: Table 'peaka.table."şube"' does not exist`)
	makeTable(t, p, engine.SchemaTable, "şube")
	see(`SELECT count(*) FROM "Şube"`, "0")
	see(`SELECT * FROM "Şube"`, "")
}
