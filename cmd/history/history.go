// Package history holds the commands that read the journal of changes.
package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/spf13/cobra"
)

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "history", Short: "What was changed from this machine",
		Long: `What was changed from this machine: each request that changes something is recorded in the journal of
changes before it is sent, and then what became of it. The journal holds no secrets and is bounded; the
setting journal (DIG_JOURNAL) is its size, or off.`}
	c.AddCommand(newList(e), newShow(e))
	e.Displays(&changeShape, journal.Change{})
	return c
}

func newList(e *cli.Env) *cobra.Command {
	var limit int
	var since time.Duration
	var here, failed bool
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List changes, newest first", Args: cobra.NoArgs,
		Example: strings.ReplaceAll("  dig history list --here --since 24h\n  dig history list --failed -o json",
			"dig ", e.Name+" ")}
	c.Flags().IntVar(&limit, "limit", 50, "most changes to list; 0 for all")
	cli.DurationVar(c.Flags(), &since, "since", 0, "only changes of this period, such as 24h or 7d")
	c.Flags().BoolVar(&here, "here", false, "only changes in the current zone, address and project")
	c.Flags().BoolVar(&failed, "failed", false, "only changes that are not known to be done")
	return cli.Plain[[]journal.Change](e, c, func(context.Context, []string) (cli.View, error) {
		if limit < 0 {
			return cli.View{}, exitcode.Usagef("--limit: %d is negative", limit)
		}
		all, note, err := e.Changes()
		if err != nil {
			return cli.View{}, err
		}
		slices.Reverse(all)
		listed := []*journal.Change{}
		for _, x := range all {
			if limit > 0 && len(listed) == limit {
				break
			}
			if since > 0 && e.Now().Sub(x.At) > since || here && !changedHere(e, x) || failed && x.Outcome == "done" {
				continue
			}
			listed = append(listed, x)
		}
		v := cli.List(listed, "id", "at", "zone", "command", "path", "outcome")
		v.Note = note
		return v, nil
	})
}

// record is a change as a whole; the shape of a change has what a line of the list has.
type record struct{ journal.Change }

func newShow(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "show ID", Aliases: []string{"get"},
		Short: "Show one change: the request, what became of it, and the object before", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " history show 3f9a1c2e07"}
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var ids []cobra.Completion
		if _, err := e.Settings(); err == nil {
			all, _, _ := e.Changes()
			for _, x := range all {
				ids = append(ids, cobra.CompletionWithDesc(x.ID, x.At.Format(time.DateTime)+" "+x.Command))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.Plain[record](e, c, func(_ context.Context, args []string) (cli.View, error) {
		all, note, err := e.Changes()
		if err != nil {
			return cli.View{}, err
		}
		var found []*journal.Change
		for _, x := range all {
			if args[0] != "" && strings.HasPrefix(x.ID, args[0]) {
				found = append(found, x)
			}
		}
		switch len(found) {
		case 0:
			return cli.View{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
				Msg:  fmt.Sprintf("the journal has no change %q", args[0]),
				Hint: "`dig history list` lists them; the oldest are dropped"}
		case 1:
			v := cli.Object(record{*found[0]})
			v.Note = note
			return v, nil
		}
		return cli.View{}, exitcode.Usagef("%d changes have ids that begin with %q", len(found),
			args[0]).WithHint("give more of the id")
	})
}

// changedHere reports whether a change was made at the target of this run.
func changedHere(e *cli.Env, c *journal.Change) bool {
	s := e.Run.Settings
	scope, err := e.Scope()
	return err == nil && c.Zone == s.Zone.Value && c.Address == s.BaseURL.Value && c.Data == scope.Data &&
		(s.Project.Value == "" || s.Project.Value == c.Project || s.Project.Value == c.Chosen)
}
