package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBundled: every library of the module of DuckDB is DuckDB's own or has a licence in the table.
func TestBundled(t *testing.T) {
	own := []string{"static", "generated_extension_loader", "autocomplete", "core_functions", "json"}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/duckdb/duckdb-go-bindings/lib/linux-amd64").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skip("the library of DuckDB for linux/amd64 is not in the module cache")
	}
	files, err := filepath.Glob(filepath.Join(dir, "lib*.a"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no libraries in %s: %v", dir, err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "lib"), ".a")
		name = strings.TrimSuffix(strings.TrimPrefix(name, "duckdb_"), "_extension")
		if !slices.Contains(own, name) && !slices.ContainsFunc(bundled,
			func(b struct{ archive, name, spdx string }) bool { return b.archive == name }) {
			t.Errorf("%s is in DuckDB's library and has no licence in the table", name)
		}
	}
	text, err := write()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bundled {
		if !strings.Contains(string(text), b.name) || b.spdx == "" {
			t.Errorf("%s is not told of", b.name)
		}
	}
}
