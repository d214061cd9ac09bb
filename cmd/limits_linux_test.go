//go:build cgo

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/shell"
)

// TestProcessLimits: a process whose limits are too low for the engine ends with words and exit code 1, without a trace
// of C++ or Go.
func TestProcessLimits(t *testing.T) {
	needLocal(t)
	data := t.TempDir()
	for _, limit := range []string{"ulimit -n 6", "ulimit -n 12", "ulimit -n 19", "ulimit -v 300000",
		"ulimit -v 600000", "ulimit -v 1000000"} {
		t.Run(limit, func(t *testing.T) {
			c := process(t, data, "query", "execute", "SELECT count(*) FROM sample.shop.orders")
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			sh := exec.CommandContext(t.Context(), "/bin/bash", "-c", limit+" && exec -a dig "+shell.Quote(exe)+` "$@"`,
				"dig", "query", "execute", "SELECT count(*) FROM sample.shop.orders")
			sh.Env, sh.Dir = c.Env, c.Dir
			var out bytes.Buffer
			sh.Stdout, sh.Stderr = &out, &out
			_ = sh.Run()
			said := out.String()
			if code := sh.ProcessState.ExitCode(); code != exitcode.Failed || !strings.Contains(said, "hint: ") ||
				!strings.Contains(said, "ulimit") ||
				strings.Contains(said, "goroutine") || strings.Contains(said, "terminate called") ||
				strings.Contains(said, "again may help") {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
}
