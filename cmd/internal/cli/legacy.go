package cli

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Deprecated operations stay available, hidden from help, and name their replacement.

// Legacy groups hidden commands.
func Legacy(short string) *cobra.Command {
	return &cobra.Command{Use: "legacy", Short: short, Hidden: true}
}

// Old wraps the command of a deprecated operation: it names the replacement on stderr.
func (e *Env) Old(op spec.Op, c *cobra.Command, instead string, f RunFunc) *cobra.Command {
	c.Short += " (deprecated: use `" + e.Name + " " + instead + "`)"
	c.Hidden = true
	return e.Leaf(op, c, func(ctx context.Context, cl *api.Client, args []string) (View, error) {
		fmt.Fprintf(e.Err, "note: %s is deprecated; use `%s %s`\n", op.ID, e.Name, instead)
		return f(ctx, cl, args)
	})
}
