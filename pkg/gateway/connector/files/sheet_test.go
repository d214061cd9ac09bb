package files

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/xuri/excelize/v2"
)

// TestSheets reads the first sheet of a workbook and says so; cells beyond the header are a column, as in an import.
func TestSheets(t *testing.T) {
	f := excelize.NewFile()
	if _, err := f.NewSheet("Feb"); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		at     string
		values []any
	}{{"A1", []any{"a", "b"}}, {"A2", []any{1, "x"}}, {"A3", []any{2, nil, 3.5}}, {"A4", []any{4}}} {
		if err := f.SetSheetRow("Sheet1", row.at, &row.values); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	path, single := filepath.Join(dir, "two.xlsx"), filepath.Join(dir, "one.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	if err := f.DeleteSheet("Feb"); err != nil {
		t.Fatal(err)
	}
	if err := f.SaveAs(single); err != nil {
		t.Fatal(err)
	}
	notes := connector.NewNotes(filepath.Join(dir, "notes"))
	of, third := `two.xlsx: read sheet "Sheet1" of "Sheet1", "Feb"; --sheet names another`,
		`.xlsx: column 3 has no name: it is called "column_3"`
	for _, c := range []struct{ paths, remarks []string }{
		{[]string{path}, []string{of, "two" + third}},
		{[]string{single}, []string{"one" + third}},
		{[]string{path, single}, []string{of, "two" + third, "one" + third}},
	} {
		for range 2 { // the second time from the notes, if it is large enough for them
			s, err := Named(t.Context(), connector.Reach{Notes: notes}, c.paths, rowfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.(interface{ Remarks() []string }).Remarks(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q",
				c.remarks) {
				t.Errorf("%q: %q", c.paths, got)
			}
		}
	}
	if got, want := namedText([]string{path}),
		"a bigint, b varchar, column_3 decimal(2,1): [1 x <nil>] [2 <nil> 3.5] [4 <nil> <nil>]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
