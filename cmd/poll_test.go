package cmd

import (
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// TestWaits: all commands that wait have one limit, one text for it and --wait beside it.
func TestWaits(t *testing.T) {
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		limit := c.Flags().Lookup("wait-timeout")
		if limit == nil {
			if c.Flags().Lookup("wait") != nil {
				t.Errorf("%s: --wait without --wait-timeout", c.CommandPath())
			}
			return
		}
		n++
		var w cli.WaitFlags
		same := &cobra.Command{}
		w.Limits(same)
		if want := same.Flags().Lookup("wait-timeout"); limit.DefValue != want.DefValue || limit.Usage != want.Usage {
			t.Errorf("%s: --wait-timeout is %s, %q", c.CommandPath(), limit.DefValue, limit.Usage)
		}
		if c.Flags().Lookup("wait") == nil && c.Name() != "wait" {
			t.Errorf("%s: --wait-timeout without --wait", c.CommandPath())
		}
	}
	visit(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Run: cli.Session{}}))
	if n < 10 {
		t.Errorf("%d commands wait", n)
	}
}
