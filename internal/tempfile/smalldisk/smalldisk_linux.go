package smalldisk

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const (
	child = "DIG_TEST_SMALL_DISK"
	none  = 77 // the exit code of a process that may not mount
)

// Inside reports whether this process has mounts of its own. If not, it runs the calling test again in one that has,
// and reports how that ends; where there can be none, the test is skipped.
func Inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(child) != "" {
		return true
	}
	c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), child+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, err := c.CombinedOutput()
	if c.ProcessState == nil || c.ProcessState.ExitCode() == none {
		t.Skipf("no disk can be made here: %v %s", err, out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Mount makes a directory a disk of a size, such as 1m, until the test ends.
func Mount(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Log(err)
		os.Exit(none)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
