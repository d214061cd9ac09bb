//go:build cgo

package cmd

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/xuri/excelize/v2"
	"go.yaml.in/yaml/v3"
)

// fetch reads texts; NULL is nil.
func fetch(t *testing.T, db *sql.DB, query string) [][]*string {
	t.Helper()
	res, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer res.Close()
	names, err := res.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for res.Next() {
		row, at := make([]*string, len(names)), make([]any, len(names))
		for i := range row {
			at[i] = &row[i]
		}
		if err := res.Scan(at...); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := res.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}

func readCSV(t *testing.T, path string) [][]*string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for _, record := range all[1:] {
		row := make([]*string, len(record))
		for i := range record {
			if record[i] != "nil!" {
				row[i] = &record[i]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func readTSV(t *testing.T, path string) [][]*string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for _, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")[1:] {
		var row []*string
		for _, f := range strings.Split(line, "\t") {
			if f == `\N` {
				row = append(row, nil)
				continue
			}
			row = append(row, new(strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(f)))
		}
		rows = append(rows, row)
	}
	return rows
}

// jsonText is a value of JSON as text.
func jsonText(v any) *string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return &v
	}
	return new(fmt.Sprint(v))
}

func readNDJSON(t *testing.T, path string) [][]*string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for line := range bytes.Lines(raw) {
		var object map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, inOrder(object))
	}
	return rows
}

func inOrder(object map[string]any) []*string {
	var row []*string
	for _, name := range readbackColumns {
		row = append(row, jsonText(object[name]))
	}
	return row
}

// readDocument reads the gateway's own document in each of its shapes.
func readDocument(t *testing.T, path string) [][]*string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Data []any }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for _, r := range doc.Data {
		if object, ok := r.(map[string]any); ok {
			rows = append(rows, inOrder(object))
			continue
		}
		var row []*string
		for _, v := range r.([]any) {
			if cell, ok := v.(map[string]any); ok {
				v = cell["value"]
			}
			row = append(row, jsonText(v))
		}
		rows = append(rows, row)
	}
	return rows
}

func readYAML(t *testing.T, path string) [][]*string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc []map[string]yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for _, object := range doc {
		var row []*string
		for i, name := range readbackColumns {
			n := object[name]
			if n.Tag == "!!null" {
				row = append(row, nil)
				continue
			}
			if want := []string{"!!int", "!!str", "!!int", "!!float", "!!float", "!!bool", "!!str", "!!str",
				"!!str"}[i]; n.Tag != want && (n.Tag != "!!int" || want != "!!float") {
				t.Errorf("yaml: %s %q is %s", name, n.Value, n.Tag)
			}
			row = append(row, &n.Value)
		}
		rows = append(rows, row)
	}
	return rows
}

func readXLSX(t *testing.T, path string) [][]*string {
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := f.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]*string
	for n := range lines[1:] {
		var row []*string
		for c := range readbackColumns {
			at, err := excelize.CoordinatesToCellName(c+1, n+2)
			if err != nil {
				t.Fatal(err)
			}
			// Raw, since the reader would show a double with 15 digits as a spreadsheet does; dates only have a meaning
			// when shown.
			v, err := f.GetCellValue("Sheet1", at, excelize.Options{RawCellValue: readbackColumns[c] == "dbl"})
			if err != nil {
				t.Fatal(err)
			}
			kind, err := f.GetCellType("Sheet1", at)
			if err != nil {
				t.Fatal(err)
			}
			if v == "" && kind == excelize.CellTypeUnset {
				row = append(row, nil)
				continue
			}
			if readbackColumns[c] == "ok" {
				v = strings.ToLower(v)
			}
			row = append(row, &v)
		}
		rows = append(rows, row)
	}
	return rows
}
