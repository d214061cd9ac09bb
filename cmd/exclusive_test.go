package cmd

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
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
			text, told := "", false
			for n := range 3 { // as many arguments as the command takes
				var out bytes.Buffer
				e := &cli.Env{Zone: local(), Name: "dig", Args: append(slices.Clone(args), []string{"a", "b"}[:n]...),
					In: strings.NewReader(""), Out: &out, Err: &out, Dir: t.TempDir(), Now: time.Now,
					Getenv: func(string) string { return "" }}
				code := Run(context.Background(), e)
				text += out.String()
				told = told || code == exitcode.Usage && strings.Contains(out.String(), "--"+names[0]) &&
					strings.Contains(out.String(), "--"+names[1]) && strings.Contains(out.String(),
					"are mutually exclusive")
			}
			if !told {
				t.Errorf("%q: %s", args, text)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub, append(path[:len(path):len(path)], sub.Name()))
		}
	}
	walk(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: func(string) string { return "" }}), nil)
	if seen < 4 {
		t.Errorf("%d groups of flags", seen)
	}
}
