package cmd

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dig-cli/dig/cmd/internal/cli"
)

// TestExclusiveFlags gives every command the flags of which it takes one: that is an error of usage which names them.
func TestExclusiveFlags(t *testing.T) {
	seen := 0
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		groups := map[string]bool{}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, g := range f.Annotations["cobra_annotation_mutually_exclusive"] {
				groups[g] = true
			}
		})
		for g := range groups {
			seen++
			names := strings.Fields(g)
			args := append([]string{}, path...)
			for _, n := range names[:2] {
				if args = append(args, "--"+n); c.Flags().Lookup(n).NoOptDefVal == "" {
					args = append(args, "x")
				}
			}
			var out bytes.Buffer
			e := &cli.Env{Name: "dig", Args: append(args, "a", "b"), In: strings.NewReader(""), Out: &out, Err: &out, Dir: t.TempDir(), Now: time.Now, Getenv: func(string) string { return "" }}
			code := Run(context.Background(), e)
			if text := out.String(); code != cli.ExitUsage || strings.Contains(text, "group") {
				t.Errorf("%q: exit %d, %s", args, code, text)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub, append(path[:len(path):len(path)], sub.Name()))
		}
	}
	walk(newRootCmd(&cli.Env{Name: "dig", Getenv: func(string) string { return "" }}), nil)
	if seen < 4 {
		t.Errorf("%d groups of flags", seen)
	}
}
