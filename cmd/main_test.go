package cmd

import (
	"io"
	"os"
	"runtime/debug"
	"testing"

	"github.com/dig-cli/dig/cmd/gateway"
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/rogpeppe/go-internal/testscript"
)

// local is how the tests reach zone local.
func local() cli.Zone { return gateway.Zone() }

func TestMain(m *testing.M) {
	main := func() {
		if os.Getenv("DIG_TEST_LIFELINE") != "" { // the process that started this one holds the other end of stdin
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin)
				os.Exit(3)
			}()
		}
		os.Exit(Main(local()))
	}
	testscript.Main(sweeps{m}, map[string]func(){"dig": main, "digctl": main})
}

// sweeps are tests that build the command tree thousands of times: collecting its garbage less often saves a quarter of
// their time.
type sweeps struct{ *testing.M }

func (s sweeps) Run() int {
	debug.SetGCPercent(400)
	return s.M.Run()
}
