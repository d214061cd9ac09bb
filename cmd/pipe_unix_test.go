//go:build unix

package cmd

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestReaderGoesAway: a process whose reader ends, as with head, says nothing, exits as if SIGPIPE had ended it, and
// leaves its files as a run that did not come to its end does.
func TestReaderGoesAway(t *testing.T) {
	if !local().Available {
		t.Skip("needs the local zone")
	}
	data := t.TempDir()
	dig := func(args ...string) *exec.Cmd {
		c := process(t, data, args...)
		c.Env = append(c.Env, "DIG_CACHE_DIR="+filepath.Join(data, "cache"))
		return c
	}
	if text, err := dig("query", "execute", "SELECT 'older' AS x").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, text)
	}
	c := dig("query", "execute", "-o", "csv",
		"SELECT a.x, b.y FROM UNNEST(sequence(1, 1000)) a(x), UNNEST(sequence(1, 1000)) b(y)")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != exitcode.Pipe || errs.Len() > 0 {
		t.Errorf("%v, %s", err, errs.String())
	}
	err = filepath.Walk(data, func(path string, _ os.FileInfo, err error) error {
		if strings.HasSuffix(path, ".partial") {
			t.Errorf("%s was left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	last := dig("query", "last")
	text, err := last.CombinedOutput()
	if err == nil || strings.Contains(string(text), "older") || !strings.Contains(string(text), "not read completely") {
		t.Errorf("query last: %v, %s", err, text)
	}
}
