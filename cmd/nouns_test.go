package cmd

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNouns: the part of the tree that is built for a command is as in the whole tree, with its flags, annotations and
// results.
func TestNouns(t *testing.T) {
	tree := func(line []string) (map[string]string, *cobra.Command) {
		e := &cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}
		root := rootFor(e, line)
		all := map[string]string{}
		for _, c := range root.Commands() {
			all[c.Name()] = c.GroupID
			var walk func(c *cobra.Command)
			walk = func(c *cobra.Command) {
				text, err := json.Marshal([]any{describe(e, c), c.Annotations, c.Long, c.Example})
				if err != nil {
					t.Fatal(err)
				}
				all[c.CommandPath()] = string(text)
				c.Flags().VisitAll(func(f *pflag.Flag) { all[c.CommandPath()+" --"+f.Name] = f.Usage })
				for _, sub := range c.Commands() {
					walk(sub)
				}
			}
			walk(c)
		}
		return all, root
	}
	whole, root := tree(nil)
	names := map[string]bool{}
	for _, n := range nouns(&cli.Env{Zone: local()}) {
		if n.name == "" {
			continue
		}
		names[n.name] = true
		alone, part := tree([]string{"--zone", "local", n.name, "list", "cache"})
		if _, _, err := part.Find([]string{n.name}); err != nil || len(alone) == 0 {
			t.Errorf("%s is not built for its name: %v", n.name, err)
		}
		for name, text := range alone {
			if whole[name] != text {
				t.Errorf("%s: built alone %s\nwith all %s", name, text, whole[name])
			}
		}
		if _, whole := alone["schema"]; whole {
			t.Errorf("all commands are built for %s", n.name)
		}
	}
	for _, c := range root.Commands() {
		if c.Runnable() && c.Name() != "schema" && c.Name() != "help" && !names[c.Name()] {
			t.Errorf("%s is not among the nouns: %v", c.Name(), slices.Sorted(maps.Keys(names)))
		}
	}
	for _, line := range [][]string{{}, {"tables"}, {"help", "table"}, {"schema", "table"}, {"nothing", "table"},
		{"--nothing", "table"}, {"__complete", "table"}, {"__complete", ""}, {"--version"}} {
		if all, _ := tree(line); len(all) != len(whole) {
			t.Errorf("%q: %d of %d commands are built", line, len(all), len(whole))
		}
	}
}
