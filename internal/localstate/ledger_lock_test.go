package localstate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// TestHeldLedger: a ledger that another process holds is an error that names its lock, after a while, and not a wait
// without an end.
func TestHeldLedger(t *testing.T) {
	dir := t.TempDir()
	l := NewImports(dir, Scope{Address: "a"})
	if err := os.MkdirAll(filepath.Dir(l.Path()), 0o700); err != nil {
		t.Fatal(err)
	}
	held := flock.New(l.Path() + ".lock")
	if err := held.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := l.Put("k", Import{}); err == nil || !strings.Contains(err.Error(), l.Path()+".lock") {
		t.Errorf("held: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	// and not that the lock was held for long
	if err := l.Begin(ended, "k", Import{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Put("k", Import{}); err != nil {
		t.Errorf("released: %v", err)
	}
}
