//go:build cgo && linux

package duckdbfile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// TestSwappedParent opens a file while the folder above it is exchanged over and over for a link to the gateway's own. Whatever an
// opening finds, it is never a table of the gateway.
func TestSwappedParent(t *testing.T) {
	base := t.TempDir()
	for dir, table := range map[string]string{"own": "secret", "mine": "harmless"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		fixture(t, filepath.Join(base, dir, "data.db"), "CREATE TABLE "+table+"(n INT)")
	}
	at := filepath.Join(base, "at")
	if err := os.Symlink("mine", at); err != nil {
		t.Fatal(err)
	}
	c := connector.Credential{"path": filepath.Join(at, "data.db")}
	conn, err := Type().Open(c, connector.Reach{Own: connector.NewOwn([]string{filepath.Join(base, "own")}, nil, 0)})
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			to := []string{"own", "mine"}[i%2]
			_ = os.Symlink(to, at+".new")
			_ = os.Rename(at+".new", at)
		}
	})
	good, refused := 0, 0
	for range 300 {
		tables, err := conn.Tables(t.Context(), "main")
		switch {
		case err != nil:
			refused++
		case len(tables) == 1 && tables[0].Name == "harmless":
			good++
		default:
			t.Fatalf("read %v", tables)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Fatal(err)
		}
	}
	close(stop)
	swapping.Wait()
	t.Logf("%d read, %d refused", good, refused)
}
