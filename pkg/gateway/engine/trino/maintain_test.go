package trino_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
)

// TestCompact: the files of imports are joined, the imports are found afterwards, and what an import has left that was
// interrupted is removed a day later.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	stage := trinotest.Options(t, dir).Stage
	p := projectOf(t, dir)
	if _, err := p.CreateTable(t.Context(), engine.SchemaTable, "t", engine.ColumnDef{Name: "n",
		Type: "bigint"}); err != nil {
		t.Fatal(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}}
	for i := range 3 {
		m.ID = "import" + strconv.Itoa(i)
		if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader("n\n"+strconv.Itoa(i)+"\n"),
			m); err != nil {
			t.Fatal(err)
		}
	}
	imports := filepath.Join(stage, filepath.Base(only(t, stage)))
	left, fresh := filepath.Join(imports, "left"), filepath.Join(imports, "fresh")
	for _, d := range []string{left, fresh} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.WriteFile(filepath.Join(left, "rows.parquet"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{left, filepath.Join(imports, "import0"), filepath.Join(imports, "import0.json")} {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	// The gateway died before it noted that these rows are stored.
	noted := filepath.Join(imports, "import1.json")
	b, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(noted, []byte(strings.Replace(string(b), `"stored":true`, `"stored":false`, 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	e := open(t, dir)
	defer e.Close()
	c, err := e.(engine.Compacter).Compact(t.Context(), "prj1")
	if err != nil || c.After <= 0 || c.After >= c.Before {
		t.Errorf("%+v, %v", c, err)
	}
	if got := ask(t, p, "SELECT n FROM t ORDER BY n"); got != "0\n1\n2" {
		t.Errorf("rows %q", got)
	}
	for i := range 3 {
		if n, stored, err := p.FindImport(t.Context(), "import"+strconv.Itoa(i)); n != 1 || !stored || err != nil {
			t.Errorf("import%d: %d rows, %v, %v", i, n, stored, err)
		}
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder of an interrupted import: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the folder of a new import: %v", err)
	}
	if _, err := os.Stat(filepath.Join(imports, "import0", "rows.parquet")); err != nil {
		t.Errorf("the file of a table: %v", err)
	}
}

// only returns the one folder in a folder.
func only(t *testing.T, dir string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0].Name()
}
