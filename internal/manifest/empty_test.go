package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readFiles reads a project with the given files.
func readFiles(t *testing.T, files map[string]string) (*Project, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Read(dir)
}

// TestEmptyFiles: a file that was cut off does not say that everything is gone; an explicit empty list does.
func TestEmptyFiles(t *testing.T) {
	files := map[string]string{"tables/t.yaml": "[]", "bitables/t.yaml": "[]", "metadata/peaka.yaml": "{}",
		"caches/peaka.yaml": "{}", "relations/peaka.yaml": "[]", "parametric-tables/c.yaml": "{}",
		"semantic-catalogs/c.yaml": "{}", "queries/q.yaml": "{}", "queries/f/.folder.yaml": "{}",
		"connections/c.yaml": "", "catalogs/c.yaml": "", "golden-sql/g.yaml": ""}
	for file, none := range files {
		all := map[string]string{"dig.yaml": "version: 1\n", "queries/q.sql": "SELECT 1",
			"golden-sql/g.sql": "SELECT 1"}
		if file != "golden-sql/g.yaml" {
			all["golden-sql/g.yaml"] = "prompt: p\n"
		}
		for _, text := range []string{"", "\n", "# nothing\n", "~", "null\n", "---\n", "\xef\xbb\xbf"} {
			all[file] = text
			if _, err := readFiles(t, all); err == nil || !strings.Contains(err.Error(), file+":1: it is empty") {
				t.Errorf("%s with %q: %v", file, text, err)
			}
		}
		if all[file] = none; none == "" {
			continue
		}
		if strings.Contains(file, "tables/t.yaml") {
			all[file] = "columns: []\n"
		}
		if _, err := readFiles(t, all); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for text, want := range map[string]string{
		"columns:\n":                    "t.yaml:1: columns has no value; write [] if there are none",
		"{}":                            "t.yaml:1: columns is missing",
		"name: t\n":                     "t.yaml:1: columns is missing",
		"columns:\n  - \n":              "t.yaml:2: an element of columns has no value",
		"a: &x ~\n":                     "unknown member",
		"name: t\ncolumns: # not yet\n": "t.yaml:2: columns has no value",
		"columns: &x\n  - name: a\n    type: bigint\n    default: null\n": "",
	} {
		_, err := readFiles(t, map[string]string{"dig.yaml": "version: 1\n", "tables/t.yaml": text})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for file, text := range map[string]string{"metadata/peaka.yaml": "table.t:\n",
		"caches/peaka.yaml": "table.t:\n  key:\n", "semantic-catalogs/c.yaml": "tables:\n",
		"queries/q.yaml":           "materialized: true\nschedule:\n",
		"parametric-tables/c.yaml": "a.b:\n  from: c.d\n  values:\n"} {
		if _, err := readFiles(t, map[string]string{"dig.yaml": "version: 1\n", "queries/q.sql": "SELECT 1",
			file: text}); err == nil || !strings.Contains(err.Error(), "has no value") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
