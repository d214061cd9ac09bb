//go:build cgo

package cmd

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestImportWithoutTempSpace: what has no space for temporary files names their directory and TMPDIR, not the data
// directory, and says that nothing was sent. The disk is one of a process with its own mounts.
func TestImportWithoutTempSpace(t *testing.T) {
	needLocal(t)
	const child = "DIG_TEST_FULL_TEMP"
	if os.Getenv(child) == "" {
		c := exec.Command(os.Args[0], "-test.run", "^TestImportWithoutTempSpace$", "-test.v")
		c.Env = append(os.Environ(), child+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
		out, err := c.CombinedOutput()
		if c.ProcessState == nil || c.ProcessState.ExitCode() == 77 {
			t.Skipf("no disk can be made here: %v %s", err, out)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	data, files, temp := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 200_000 {
		fmt.Fprintf(&text, "%d,text%d\n", i, i*7919)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text.String())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"r.csv": []byte(text.String()), "r.csv.gz": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(files, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, data, "table", "create", "t", "--column", "a:bigint", "--column", "b:varchar")
	if err := syscall.Mount("tmpfs", temp, "tmpfs", 0, "size=1m"); err != nil {
		t.Log(err)
		os.Exit(77)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(temp, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(temp, "fill"), make([]byte, 2<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	for _, args := range [][]string{
		{"r.csv", "--check"}, {"r.csv.gz", "--check"}, {"-", "--check"}, {"-"},
	} {
		c := process(t, data, append([]string{"table", "import", "t"}, args...)...)
		c.Dir = files
		c.Env = append(c.Env, "TMPDIR="+temp)
		c.Stdin = strings.NewReader(text.String()) // a pipe
		var errs bytes.Buffer
		c.Stderr = &errs
		out, _ := c.Output()
		code, said := c.ProcessState.ExitCode(), errs.String()
		if code != exitcode.Failed || len(out) > 0 || strings.Contains(said, data) ||
			!strings.Contains(said, "no space is left for temporary files in "+temp) ||
			!strings.Contains(said, "set TMPDIR to another directory; nothing was sent") {
			t.Errorf("%v: exit %d: %s%s", args, code, out, said)
		}
	}
	if got := count(t, data, "t"); got != 0 {
		t.Errorf("%d rows are stored", got)
	}
}
