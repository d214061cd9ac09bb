package importer

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func reader(t *testing.T, doc string, m engine.Import) (*Reader, error) {
	t.Helper()
	cols := []engine.Column{{Name: "_id", Type: "bigint", System: true}, {Name: "a", Type: "bigint"},
		{Name: "B", Type: "varchar"}}
	targets, err := Map("t", cols, m)
	if err != nil {
		return nil, err
	}
	r := &Reader{Columns: cols, Targets: targets, Header: m.Header}
	return r, r.Open(t.Context(), csv.Stored{In: strings.NewReader(doc), Bytes: int64(len(doc))})
}

func TestMap(t *testing.T) {
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		header   bool
		mappings []api.ImportMapping
		want     string
	}{
		{true, nil, "the import maps no column"},
		{true, []api.ImportMapping{{Name: "aa", CSVColumnName: "x"}},
			`table "t" has no column "aa"; did you mean "a"?`},
		{true, []api.ImportMapping{{Name: "_id", CSVColumnName: "x"}},
			`column "_id" is filled by the system and cannot be imported`},
		{true, []api.ImportMapping{{Name: "A", CSVColumnName: "x"}, {Name: "a", CSVColumnName: "y"}},
			`column "a" is mapped twice`},
		{true, []api.ImportMapping{{Name: "a"}},
			`the mapping of column "a" gives neither csvColumnName nor csvColumnIndex`},
		{false, []api.ImportMapping{{Name: "a", CSVColumnName: "x"}}, `the mapping of column "a" names the ` +
			`document's column "x", but containsHeader is false; use csvColumnIndex`},
		{true, []api.ImportMapping{{Name: "a", CSVColumnName: "other"}},
			`the document has no column "other"; it has "x", "y"`},
		{false, []api.ImportMapping{{Name: "a", CSVColumnIndex: at(2)}},
			`csvColumnIndex 2 is out of range: the document has 2 columns, numbered from 0`},
	} {
		if _, err := reader(t, "x,y\n1,2\n", engine.Import{Header: c.header, Mappings: c.mappings}); fmt.Sprint(
			err) != c.want {
			t.Errorf("%+v: %v, want %s", c.mappings, err, c.want)
		}
	}
}

func TestReader(t *testing.T) {
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "b", CSVColumnName: "y"},
		{Name: "a", CSVColumnName: "x"}}}
	r, err := reader(t, "\ufeff\nx,y\n1,one\n\n2\n3,\n4,\"\"\n5,\xff\n", m)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for err = r.Next(); err == nil; err = r.Next() {
		for _, tg := range r.Targets {
			f := r.Field(tg.Field)
			got = append(got, fmt.Sprintf("%d %s %q %v", r.Line(), r.Columns[tg.Col].Name, f.Text, r.Null(f)))
		}
	}
	if want := `3 B "one" false|3 a "1" false|6 B "" true|6 a "3" false|7 B "" false|7 a "4" false`; err != io.EOF ||
		strings.Join(got, "|") != want {
		t.Errorf("%v\n got %s\nwant %s", err, strings.Join(got, "|"), want)
	}
	var faults *engine.ImportError
	if !errors.As(r.Fault(), &faults) || faults.Total != 2 || faults.Cells[0].Line != 5 || faults.Cells[1].Line != 8 ||
		faults.Cells[1].Column != "B" {
		t.Errorf("%+v", r.Fault())
	}
	if r, err = reader(t, "x,y\n1,\"open", m); err != nil {
		t.Fatal(err)
	}
	if err := r.FormFault(r.Next()); !errors.As(err, &faults) || faults.Cells[0].Line != 2 {
		t.Errorf("%v", err)
	}
}

func TestRowIDsInOneMillisecond(t *testing.T) {
	ids := RowIDs{ms: 5, seq: 1022}
	if a, b := ids.Next(), ids.Next(); a != 5<<23|1<<10|1023 || b != 6<<23|1<<10 {
		t.Errorf("%d, %d", a, b)
	}
}

// TestIDsAfter: ids go on after the last one, whatever the clock says.
func TestIDsAfter(t *testing.T) {
	at := time.UnixMilli(rowIDEpoch + 7)
	for last, want := range map[int64]int64{
		0:                   7<<23 | 1<<10,
		6<<23 | 1<<10 | 5:   7<<23 | 1<<10,
		7<<23 | 1<<10 | 5:   7<<23 | 1<<10 | 6,
		99<<23 | 1<<10 | 12: 99<<23 | 1<<10 | 13,
	} {
		if ids := IDsAfter(last, at); ids.Next() != want {
			t.Errorf("after %d: %d", last, ids.Last())
		}
	}
}
