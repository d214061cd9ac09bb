package cmd

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestInterruptedWaits: who stops waiting for work of a served gateway learns what goes on, how to wait for it and how
// to end it.
func TestInterruptedWaits(t *testing.T) {
	needLocal(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	data := t.TempDir()
	serve(t, data, "--fault", "stall=job")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"export", "table", "sample", "shop", "orders", "--wait"}, []string{"while waiting for export ",
			"which continues", "export wait ", "export cancel "}},
		{[]string{"cache", "create", "sample", "shop", "orders", "--wait"}, []string{"while waiting for cache ",
			"cache wait ", "cache cancel "}},
		{[]string{"query", "create", "m", "--sql", "SELECT 1 AS n", "--type", "MATERIALIZED", "--wait"},
			[]string{"while waiting for the run of m", "materialized wait ", "materialized cancel "}},
		{[]string{"metadata", "refresh", "sample", "--wait"}, []string{"while waiting for the refresh of catalog ",
			"metadata status "}},
	} {
		p := process(t, data, append(c.args, "--debug")...)
		errs, err := p.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		begin(t, p)
		late := time.AfterFunc(atMost, func() { _ = p.Process.Kill() })
		var said strings.Builder
		lines := bufio.NewScanner(errs)
		// the wait has begun when the same thing is asked for again and again
		for gets := 0; gets < 3 && lines.Scan(); {
			said.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "GET ") {
				gets++
			}
		}
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			said.WriteString(lines.Text() + "\n")
		}
		rest, _ := io.ReadAll(errs)
		said.Write(rest)
		_ = p.Wait()
		late.Stop()
		if code := p.ProcessState.ExitCode(); code != exitcode.Interrupted {
			t.Errorf("%v: exit code %d\n%s", c.args, code, said.String())
		}
		for _, w := range c.want {
			if !strings.Contains(said.String(), w) {
				t.Errorf("%v: %q is not in\n%s", c.args, w, said.String())
			}
		}
	}
}
