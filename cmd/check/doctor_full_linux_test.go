package check

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
)

// TestFullDisk: a full disk and directories that cannot be created are failures. The disk is one of a process with its own mounts.
func TestFullDisk(t *testing.T) {
	const child = "DIG_TEST_FULL_DISK"
	if os.Getenv(child) == "" {
		c := exec.Command(os.Args[0], "-test.run", "^TestFullDisk$", "-test.v")
		c.Env = append(os.Environ(), child+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
		out, err := c.CombinedOutput()
		if c.ProcessState == nil || c.ProcessState.ExitCode() == 77 {
			t.Skipf("no disk can be made here: %v %s", err, out)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Log(err)
		os.Exit(77)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(dir, "file")
	room := func(dir, status, says string) {
		t.Helper()
		d := &doctor{e: &cli.Env{Name: "dig"}, unfit: map[string]bool{}}
		bad := d.room(dir, lowSpace)
		if !bad || len(d.found) != 1 || d.found[0].Status != status || !strings.Contains(d.found[0].Detail, says) || d.unfit[dir] != (status == statusFailed) {
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
