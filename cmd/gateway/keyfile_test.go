package gateway

import (
	"os"
	"path/filepath"
	"testing"
)

// A key is never written into a file that was there before: whoever made it, or has it open, would read the key.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	before, err := theirs.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSecret(path, "the key"); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) || after.Mode().Perm() != 0o600 {
		t.Errorf("the same file %v, mode %v", os.SameFile(before, after), after.Mode())
	}
	if raw, _ := os.ReadFile(path); string(raw) != "the key\n" {
		t.Errorf("%q", raw)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
