//go:build cgo

package projects

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
)

const compactFull = "DIG_TEST_COMPACT_FULL"

// TestCompactOnAFullDisk compacts where there is no room for the copy: on a small disk of its own, which needs a user
// namespace, and in a process that may write no file so large.
func TestCompactOnAFullDisk(t *testing.T) {
	how := os.Getenv(compactFull)
	if how == "" {
		for _, how := range []string{"disk", "limit"} {
			t.Run(how, func(t *testing.T) {
				child := exec.Command(os.Args[0], "-test.run", "^TestCompactOnAFullDisk$", "-test.v")
				child.Env = append(os.Environ(), compactFull+"="+how)
				if how == "disk" {
					child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
						UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
						GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
				}
				out, err := child.CombinedOutput()
				if child.ProcessState == nil || child.ProcessState.ExitCode() == 77 {
					t.Skipf("no disk can be made here: %v %s", err, out)
				}
				if t.Logf("%s", out); err != nil {
					t.Error(err)
				}
			})
		}
		return
	}
	dir := t.TempDir()
	if how == "disk" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=10m"); err != nil {
			t.Log(err)
			os.Exit(77)
		}
	}
	p := testProject(t, dir)
	mustExec(t, p, `CREATE TABLE "~data"."table".keep AS SELECT hash(i) AS h FROM range(800000) r(i)`,
		`CHECKPOINT "~data"`)
	want := one(t, p, `SELECT sum(h)::VARCHAR FROM "~data"."table".keep`)
	before, err := dataSize(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var lift func()
	if how == "limit" {
		signal.Ignore(syscall.SIGXFSZ)
		var was syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 3 << 20, Max: was.Max}); err != nil {
			t.Fatal(err)
		}
		lift = func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) }
	}
	c, err := p.Compact(context.Background())
	if err == nil {
		t.Fatalf("it worked: %v, of %d bytes", c, before)
	}
	t.Log(err)
	if how == "disk" && kindOf(err) != engine.KindFull {
		t.Errorf("kind %q", kindOf(err))
	}
	if lift != nil {
		lift()
	}
	if now, err := dataSize(p.Dir); now != before || err != nil || found(filepath.Join(p.Dir, instance.PackDir)) {
		t.Errorf("%d bytes became %d, %v, or the copy is still there", before, now, err)
	}
	if got := one(t, p, `SELECT sum(h)::VARCHAR FROM "~data"."table".keep`); got != want {
		t.Errorf("the rows are others: %s, not %s", got, want)
	}
	if how == "disk" {
		if err := p.roomy(); kindOf(err) != engine.KindFull {
			t.Errorf("it would be tried unasked: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}
}
