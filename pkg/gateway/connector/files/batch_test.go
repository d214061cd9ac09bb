package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestLargeRows: a few rows that are large make a batch, however many there are.
func TestLargeRows(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 1<<20)
	for name, row := range map[string]string{"a.csv": long + "\n", "b.json": `{"v":"` + long + "\"}\n"} {
		head := ""
		if name == "a.csv" {
			head = "v\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(head+strings.Repeat(row, 40)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Type().Open(connector.Credential{"path": dir}, connector.Reach{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{"a", "b"} {
		s, err := f.Table(t.Context(), rootSchema, name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Scan(t.Context(), engine.ScanRequest{Columns: []string{"v"}, Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		for left := 40; left > 0; {
			rows, err := b.Next(t.Context())
			if err != nil || len(rows) == 0 || len(rows) > 20 {
				t.Fatalf("%s: a batch of %d MiB, %v", name, len(rows), err)
			}
			left -= len(rows)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
