//go:build cgo

package cmd

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile/smalldisk"
)

// killedAfter runs dig, kills it after a while, and reports whether it had ended before.
func killedAfter(t *testing.T, wait time.Duration, data string, args ...string) (ended bool) {
	t.Helper()
	c := process(t, data, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(wait, func() { _ = c.Process.Kill() })
	defer kill.Stop()
	return c.Wait() == nil
}

// TestBackupsAndRestoresAreKilled: a killed backup leaves no archive, unless it is complete, and the next command
// removes what it has left. A killed restore leaves the data as they were, or those of the backup.
func TestBackupsAndRestoresAreKilled(t *testing.T) {
	needLocal(t)
	data, word := backedUpZone(t)
	home := t.TempDir()
	const sum = "SELECT count(*), sum(n) FROM numbers"
	read := func(data string) string {
		return strings.TrimSpace(mustRun(t, data, "sql", "-o", "csv", "--no-header", sum))
	}
	want := read(data)
	began := time.Now()
	good := filepath.Join(home, "good.tar")
	mustRun(t, data, "gateway", "backup", good, "--passphrase-file", word)
	took := time.Since(began)
	r := rand.New(rand.NewPCG(1, 0))
	done := 0
	for i := range 12 {
		to := filepath.Join(home, "b"+string(rune('a'+i)))
		if i%2 == 0 {
			to += ".tar"
		}
		ended := killedAfter(t, time.Duration(r.Int64N(int64(took))), data, "gateway", "backup", to)
		_, err := os.Stat(to)
		if _, sums := os.Stat(filepath.Join(to, "SHA256SUMS")); err == nil && (i%2 == 0 || sums == nil) {
			done++
			mustRun(t, data, "gateway", "verify", to)
		} else if ended {
			t.Errorf("%s ended without a backup", to)
		}
	}
	if got := read(data); got != want {
		t.Errorf("the data have %s, had %s", got, want)
	}
	if left, _ := filepath.Glob(filepath.Join(data, ".backup-*")); len(left) > 0 {
		t.Errorf("killed backups have left %v", left)
	}
	t.Logf("%d of 12 backups were complete", done)

	other := filepath.Join(home, "other")
	mustRun(t, other, "table", "import", "numbers", writeNumbers(t, 10), "--create")
	was := read(other)
	began = time.Now()
	mustRun(t, filepath.Join(home, "first"), "gateway", "restore", good, "--passphrase-file", word)
	took = time.Since(began)
	done = 0
	for i := range 12 {
		into := filepath.Join(home, "r"+string(rune('a'+i)))
		if err := os.CopyFS(into, os.DirFS(other)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(into, 0o700); err != nil {
			t.Fatal(err)
		}
		// most of the time is spent before files move
		wait := took - time.Duration(r.Int64N(int64(took/2)))
		ended := killedAfter(t, wait, into, "gateway", "restore", good, "--replace", "--yes", "--passphrase-file",
			word)
		switch got := read(into); {
		case got == want:
			done++
		case got != was || ended:
			t.Errorf("the data have %s", got)
		}
		mustRun(t, into, "gateway", "verify")
		left, err := os.ReadDir(into)
		for _, e := range left {
			if strings.HasPrefix(e.Name(), ".") || err != nil {
				t.Errorf("a killed restore has left %s %v", e.Name(), err)
			}
		}
	}
	t.Logf("%d of 12 restores were complete", done)
}

// TestBackupOnAFullDisk: without room for it a backup or a restore says so and leaves nothing.
func TestBackupOnAFullDisk(t *testing.T) {
	needLocal(t)
	if !smalldisk.Inside(t) {
		return
	}
	data, word := backedUpZone(t)
	good := filepath.Join(t.TempDir(), "good.tar")
	mustRun(t, data, "gateway", "backup", good, "--passphrase-file", word)
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	smalldisk.Mount(t, disk, "500k")
	for _, args := range [][]string{{"backup", filepath.Join(disk, "b.tar")}, {"backup", filepath.Join(disk, "b")},
		{"restore", good, "--passphrase-file", word}} {
		in := data
		if args[0] == "restore" {
			in = filepath.Join(disk, "data")
		}
		c := process(t, in, append([]string{"gateway"}, args...)...)
		out, _ := c.CombinedOutput()
		code := c.ProcessState.ExitCode()
		if code != exitcode.Failed || !strings.Contains(string(out), "no space left") ||
			!strings.Contains(string(out), "free some space") {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
		left, _ := filepath.Glob(filepath.Join(disk, "*", "*"))
		more, _ := filepath.Glob(filepath.Join(disk, "*.tar"))
		for _, path := range append(left, more...) {
			if filepath.Base(path) != "gateway.lock" {
				t.Errorf("%v has left %s", args, path)
			}
		}
	}
}
