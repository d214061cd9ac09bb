//go:build cgo && linux

package duckdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// ownDocument is a document of this process, which calls look each time it is opened.
type ownDocument struct {
	csv.Stored
	look func()
}

func (d ownDocument) Records(ctx context.Context) (csv.Records, error) {
	d.look()
	return d.Stored.Records(ctx)
}

// TestDocumentOfThisProcess: its records go into the table without a copy of the document, and without a stage unless
// another process has the project open. Values that do not fit are listed, and a column is widened, as in a document
// that arrives.
func TestDocumentOfThisProcess(t *testing.T) {
	dir := t.TempDir()
	p := window(t, dir)
	makeTable(t, p, engine.SchemaTable, "x", engine.ColumnDef{Name: "n", Type: "bigint", Unique: ptr(true)},
		engine.ColumnDef{Name: "label", Type: "varchar"},
		engine.ColumnDef{Name: "d", Type: "decimal(3,1)", Widens: ptr(true)})
	m := engine.Import{ID: "first", Header: true}
	for _, n := range []string{"n", "label", "d"} {
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: n, CSVColumnName: n})
	}
	opened, staged := 0, 0
	add := func(text string) (engine.Imported, error) {
		opened, staged = 0, 0
		m.Document = ownDocument{csv.Stored{In: strings.NewReader(text), Bytes: int64(len(text))}, func() {
			opened++
			stages, err1 := filepath.Glob(filepath.Join(dir, "prjA", "spill-*", "data.duckdb"))
			copies, err2 := filepath.Glob(filepath.Join(dir, "prjA", "incoming", "*"))
			if staged += len(stages); err1 != nil || err2 != nil || len(copies) > 0 {
				t.Errorf("a copy of the document: %s, %v %v", copies, err1, err2)
			}
		}}
		return p.ImportCSV(t.Context(), engine.SchemaTable, "x", nil, m)
	}
	large := func(from int) string {
		var b strings.Builder
		b.WriteString("n,label,d\n")
		for i := range 20_000 {
			fmt.Fprintf(&b, "%d,a label that is not stored in the row itself %d,%d.5\n", from+i, i, i%90)
		}
		return b.String()
	}
	for range 2 { // the second time it is the same import
		if n, err := add(large(0)); n.Rows != 20_000 || err != nil || staged > 0 {
			t.Fatal(n, err, staged)
		}
	}
	if n, err := p.RowCount(t.Context(), engine.SchemaTable, "x"); n != 20_000 || err != nil {
		t.Error(n, err)
	}
	m.ID = "second"
	if n, err := add("n,label,d\n-1,\"\",1234.25\n"); n.Rows != 1 || err != nil || opened != 2 {
		t.Error(n, err, opened)
	}
	if got := one(t, p, `SELECT d || ' ' || typeof(d) || label FROM "~data"."table".x WHERE n = -1`); got !=
		"1234.25 DECIMAL(6,2)" {
		t.Error(got)
	}
	m.ID = "third"
	var ie *engine.ImportError
	if _, err := add("n,label,d\n-2,x,1\nx,y,2\n-3,z\n"); !errors.As(err, &ie) || ie.Total != 2 ||
		ie.Cells[0].Line != 3 || ie.Cells[1].Line != 4 {
		t.Errorf("%v", err)
	}
	if _, err := add("n,label,d\n-2,x,1\n7,y,2\n"); !errors.As(err, &ie) || ie.Total != 1 || ie.Cells[0].Line != 3 {
		t.Errorf("%v", err)
	}

	child := exec.Command(os.Args[0], "-test.run=^TestReadingWindow$")
	child.Env = append(os.Environ(), readingDir+"="+dir)
	in, err1 := child.StdinPipe()
	out, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "reads\n" {
		t.Fatal(line, err)
	}
	if n, err := add(large(100_000)); n.Rows != 20_000 || err != nil || staged != 1 {
		t.Error(n, err, staged)
	}
	if err := errors.Join(in.Close(), child.Wait()); err != nil {
		t.Error(err)
	}
	if n, err := p.RowCount(t.Context(), engine.SchemaTable, "x"); n != 40_001 || err != nil {
		t.Error(n, err)
	}
}
