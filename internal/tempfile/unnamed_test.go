package tempfile

import (
	"io"
	"os"
	"testing"
)

// TestUnnamed checks that the file can be written and read again, and that nothing remains of it.
func TestUnnamed(t *testing.T) {
	dir := t.TempDir()
	u, err := CreateUnnamed(dir, "x-*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if raw, err := io.ReadAll(u); err != nil || string(raw) != "text" {
		t.Errorf("read %q, %v", raw, err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v remains, %v", left, err)
	}
}
