package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestHintOfSeveralStatements names --each-row only where the command has it.
func TestHintOfSeveralStatements(t *testing.T) {
	for _, has := range []bool{true, false} {
		var f batchFlags
		c := &cobra.Command{}
		if f.register(c); has {
			f.registerRows(c)
		}
		if err := c.Flags().Set("jobs", "2"); err != nil {
			t.Fatal(err)
		}
		var failure *exitcode.Failure
		if err := f.check(&cli.Env{}, c, false, false); !errors.As(err, &failure) || strings.Contains(failure.Hint,
			"--each-row") != has {
			t.Errorf("with --each-row %v: %v", has, failure)
		}
	}
}
