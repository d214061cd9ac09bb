//go:build unix

package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMain is also the process of another user, which says whether it may write to a directory.
func TestMain(m *testing.M) {
	if dir := os.Getenv("DIG_TEST_WRITABLE"); dir != "" {
		if writable(dir) {
			os.Exit(0)
		}
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// TestWritable: a directory counts as writable if the user may create files in it, or in the one in which it would be
// created. Root may write everywhere, so that nobody looks.
func TestWritable(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "writable") // accessible to others, which t.TempDir is not
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(base, "program")
	if err := os.Link(self, program); err != nil { // its own directory may be closed to others
		raw, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, raw, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"open": 0o777, "read": 0o555, "shut": 0o000} {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for path, m := range map[string]os.FileMode{dir: mode, base: 0o755} { // past the umask
			if err := os.Chmod(path, m); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{dir, filepath.Join(dir, "new", "state")} {
			c := exec.Command(program)
			c.Env = []string{"DIG_TEST_WRITABLE=" + path}
			if os.Getuid() == 0 {
				c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			err := c.Run()
			code := c.ProcessState.ExitCode()
			if code != 0 && code != 3 {
				t.Fatalf("%s: %v", path, err)
			}
			// which cannot be looked at
			if got, want := code == 0, name == "open"; got != want && !(name == "shut" && path != dir) {
				t.Errorf("%s (%v): writable %v", path, mode, got)
			}
		}
	}
}
