//go:build linux

package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// TestSwappedParent opens a file while the folder above it is exchanged over and over for a link to the gateway's own. Whatever an
// opening finds, it is never a table of the gateway.
func TestSwappedParent(t *testing.T) {
	base := t.TempDir()
	for dir, text := range map[string]string{"own": "CREATE TABLE secret(n INT); PRAGMA application_id = 77", "mine": "CREATE TABLE harmless(n INT)"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", filepath.Join(base, dir, "data.db"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
		db.Close()
	}
	at := filepath.Join(base, "at")
	if err := os.Symlink("mine", at); err != nil {
		t.Fatal(err)
	}
	conn, err := Type().Open(connector.Credential{"path": filepath.Join(at, "data.db")}, connector.Reach{Own: connector.NewOwn([]string{filepath.Join(base, "own")}, nil, 77)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
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
	}
	close(stop)
	swapping.Wait()
	t.Logf("%d read, %d refused", good, refused)
}
