//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestEveryBadCellIsCounted(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "bigint"},
		engine.ColumnDef{Name: "b", Type: "date", NotNull: ptr(true)})
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range 5000 {
		switch {
		case i%50 == 7: // 100 times, two faults each
			b.WriteString("x,\n")
		default:
			fmt.Fprintf(&b, "%d,2024-01-01\n", i)
		}
	}
	_, err := importText(t, p, engine.SchemaTable, "t", b.String())
	var ie *engine.ImportError
	if !errors.As(err, &ie) || ie.Total != 200 || len(ie.Cells) != 100 {
		t.Fatalf("got %v", err)
	}
	for i, c := range ie.Cells {
		want := engine.BadCell{Line: int64(i/2*50 + 7 + 2), Column: "a", Value: "x",
			Reason: `invalid input syntax for type bigint: "x"`}
		if i%2 == 1 {
			want.Column, want.Value, want.Reason = "b", "", `null value in column "b" violates not-null constraint`
		}
		if c != want {
			t.Fatalf("cell %d: %+v, want %+v", i, c, want)
		}
	}
	if n, _ := p.RowCount(t.Context(), engine.SchemaTable, "t"); n != 0 {
		t.Errorf("%d rows came in", n)
	}
}

func TestDuplicatesNameTheirLines(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "n", Type: "bigint", Unique: ptr(true)},
		engine.ColumnDef{Name: "s", Type: "varchar", Unique: ptr(true)})
	mustImport(t, p, "t", "n,s\n1,one\n2,\n3,\n")
	_, err := importText(t, p, engine.SchemaTable, "t",
		"n,s\n4,x\n05,\"a\nlonger text than twelve\"\n5,y\n01,\n6,\"a\nlonger text than twelve\"\n5,\n")
	var ie *engine.ImportError
	if !errors.As(err, &ie) {
		t.Fatalf("got %v", err)
	}
	const why = "duplicate key value violates unique constraint: "
	want := []engine.BadCell{
		{Line: 5, Column: "n", Value: "5", Reason: why + "line 3 holds it", First: 3},
		{Line: 6, Column: "n", Value: "1", Reason: why + "a stored row holds it"},
		{Line: 9, Column: "n", Value: "5", Reason: why + "line 3 holds it", First: 3},
		{Line: 7, Column: "s", Value: "a\nlonger text than twelve", Reason: why + "line 3 holds it", First: 3},
	}
	if !reflect.DeepEqual(ie.Cells, want) || ie.Total != 4 {
		t.Errorf("got %+v", ie)
	}
	if n, _ := p.RowCount(t.Context(), engine.SchemaTable, "t"); n != 3 {
		t.Errorf("%d rows", n)
	}
	mustImport(t, p, "t", "n,s\n4,two\n")
}
