package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/tempfile/smalldisk"
)

// TestFullDisk: a full disk and directories that cannot be created are failures. The disk is one of a process with its
// own mounts.
func TestFullDisk(t *testing.T) {
	if !smalldisk.Inside(t) {
		return
	}
	dir := t.TempDir()
	smalldisk.Mount(t, dir, "1m")
	file := filepath.Join(dir, "file")
	room := func(dir, status, says string) {
		t.Helper()
		d := &doctor{e: &cli.Env{Name: "dig"}, unfit: map[string]bool{}}
		bad := d.room(dir, lowSpace)
		if !bad || len(d.found) != 1 || d.found[0].Status != status || !strings.Contains(d.found[0].Detail, says) ||
			d.unfit[dir] != (status == statusFailed) {
			t.Errorf("%s: %v, want %s %q", dir, d.found, status, says)
		}
	}
	room(dir, statusWarning, "are free")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("something remains: %v, %v", entries, err)
	}
	if err := os.WriteFile(file, bytes.Repeat([]byte("x"), 2<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	room(dir, statusFailed, "is full")
	room(filepath.Join(dir, "new", "data"), statusFailed, "is full")
	room(file, statusFailed, "is not a directory")
	room(filepath.Join(file, "data"), statusFailed, "not a directory")
	room("/proc/none/data", statusFailed, "cannot be written")
}
