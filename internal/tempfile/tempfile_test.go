package tempfile

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

const childDir = "DIG_TEST_TEMPFILE_DIR"

// TestHolder is the process that TestSweep kills.
func TestHolder(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	f, err := Create(filepath.Join(dir, "out.csv"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	temp, done, err := MkdirTemp("dig-tempfile-test-")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(f.Name())
	fmt.Println(temp)
	for { // a file that nothing refers to is closed by the garbage collector, and its lock with it
		time.Sleep(time.Second)
		runtime.KeepAlive(f)
		runtime.KeepAlive(done)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	child := exec.Command(os.Args[0], "-test.run=^TestHolder$")
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var theirs []string
	for len(theirs) < 2 && lines.Scan() {
		theirs = append(theirs, lines.Text())
	}
	if len(theirs) != 2 {
		t.Fatal("the child said nothing")
	}
	ours, err := Create(filepath.Join(dir, "out.csv"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	strangers := []string{".out.csv.partial", "out.csv.ABCDEFGHIJ.partial", ".out.csv.abcdefghij.partial",
		".out.csv.ABCDEFGHIJ.partly"}
	for _, name := range strangers {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	sweep := func() {
		Sweep(dir)
		_, done, err := MkdirTemp("dig-tempfile-test-")
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	sweep()
	for _, path := range append(theirs, ours.Name()) {
		if !there(path) {
			t.Errorf("%s is in use and was removed", path)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	sweep()
	for _, path := range theirs {
		if there(path) {
			t.Errorf("%s is left by a process that died, and stays", path)
		}
	}
	for _, name := range append(strangers, filepath.Base(ours.Name())) {
		if !there(filepath.Join(dir, name)) {
			t.Errorf("%s is not left behind and was removed", name)
		}
	}
}

// TestNewDirectoryIsSwept: another process that looks at a new directory before it is locked removes it, which
// MkdirTemp notices.
func TestNewDirectoryIsSwept(t *testing.T) {
	defer func() { beforeOwned = nil }()
	first := ""
	beforeOwned = func(dir string) {
		if first == "" {
			first = dir
			SweepDir(dir)
		}
	}
	dir, done, err := MkdirTempIn(t.TempDir(), "x-")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := os.Stat(dir); err != nil || first == "" || dir == first {
		t.Errorf("%s, %s: %v", first, dir, err)
	}
	SweepDir(dir)
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// TestOwnerlessDirectories: of the directories without an owner, whose process may be about to create it, an empty one
// is kept for a minute.
func TestOwnerlessDirectories(t *testing.T) {
	parent := t.TempDir()
	for name, age := range map[string]time.Duration{"x-new": 0, "x-old": 2 * time.Minute, "x-full": 2 * time.Minute,
		"x-older": 2 * time.Hour} {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "x-full" || name == "x-older" {
			if err := os.WriteFile(filepath.Join(dir, "rows"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	_, done, err := MkdirTempIn(parent, "x-")
	if err != nil {
		t.Fatal(err)
	}
	done()
	left, err := filepath.Glob(filepath.Join(parent, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != "x-full" || filepath.Base(left[1]) != "x-new" {
		t.Errorf("%v: %q are left", err, left)
	}
}
