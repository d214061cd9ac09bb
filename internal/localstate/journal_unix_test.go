//go:build unix

package localstate

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestJournalIsNoPipe: neither reading nor writing waits for the other end of a named pipe.
func TestJournalIsNoPipe(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal", "changes.jsonl")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes: %v", err)
	}
	j := NewJournal(dir, 1<<20)
	for what, err := range map[string]error{"append": j.Append([]byte("{}")), "read": j.Read(func([]byte) {})} {
		if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
