//go:build unix

package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNamedPipes: reading one would not end.
func TestNamedPipes(t *testing.T) {
	for _, file := range []string{"dig.yaml", "queries/q.sql", "queries/r.yaml", "queries/f/.folder.yaml",
		"tables/t.yaml", "golden-sql/g.yaml"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"dig.yaml": "version: 1\n", "queries/r.sql": "SELECT 1",
			"golden-sql/g.sql": "SELECT 1"} {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if name != file {
				if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		full := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(full, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), file+": it is not a regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
