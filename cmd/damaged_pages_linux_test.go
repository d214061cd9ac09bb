package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestDamagedPages: damage in a page of a Parquet file that is found while the rows are stored leaves none of them, and
// no table, in the process of the command and in that of a gateway.
func TestDamagedPages(t *testing.T) {
	needLocal(t)
	type row struct {
		ID   int64  `parquet:"id"`
		Text string `parquet:"text"`
	}
	rows := make([]row, 40_000)
	for i := range rows {
		rows[i] = row{int64(i), fmt.Sprintf("text %d", i)}
	}
	written := func() []byte {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(10_000)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := written()
	page := bytes.Clone(whole)
	page[bytes.Index(page, []byte(rows[39_000].Text))]++
	rows[39_000].Text = "\xff"
	text := written()
	data, dir := t.TempDir(), t.TempDir()
	for name, raw := range map[string][]byte{"text": text, "page": page, "whole": whole} {
		if err := os.WriteFile(filepath.Join(dir, name+".parquet"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(where string) {
		t.Helper()
		for name, want := range map[string]string{"text": `text.parquet: row 39001, column "text": invalid UTF-8`,
			"page": `page.parquet: after row 30000: column "text": page 1`} {
			for table, flag := range map[string]string{"fresh": "--create", "kept": ""} {
				file := filepath.Join(dir, name+".parquet")
				c := process(t, data, strings.Fields("table import "+table+" "+file+" "+flag)...)
				out, err := c.CombinedOutput()
				if c.ProcessState == nil || c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), want) {
					t.Errorf("%s: %s into %s: %v, %s", where, name, table, err, out)
				}
			}
		}
		if tables := mustRun(t, data, "table", "list", "-o", "json"); strings.Contains(tables, "fresh") {
			t.Errorf("%s: a table remains: %s", where, tables)
		}
		if n := count(t, data, "kept"); n != len(rows) {
			t.Errorf("%s: %d rows, want %d", where, n, len(rows))
		}
	}
	mustRun(t, data, "table", "import", "kept", filepath.Join(dir, "whole.parquet"), "--create")
	check("in the process")
	serve(t, data)
	check("by a gateway")
}
