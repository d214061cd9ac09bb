package cmd

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Deprecated operations stay reachable, hidden from help, and name their successor.

// legacy groups hidden commands.
func legacy(short string) *cobra.Command {
	return &cobra.Command{Use: "legacy", Short: short, Hidden: true}
}

// old makes a command of a deprecated operation: it says on stderr what to use instead.
func (e *Env) old(op spec.Op, c *cobra.Command, instead string, f runFunc) *cobra.Command {
	c.Short += " (deprecated: use `" + e.Name + " " + instead + "`)"
	c.Hidden = true
	return e.leaf(op, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		fmt.Fprintf(e.Err, "note: %s is deprecated; use `%s %s`\n", op.ID, e.Name, instead)
		return f(ctx, cl, args)
	})
}

func newProjectLegacyCmd(e *Env) *cobra.Command {
	c := legacy("Projects by the deprecated addresses, which name no workspace")
	ex := "  " + e.Name + " project legacy "
	fields := func(c *cobra.Command) func() (api.ProjectRequest, error) {
		var name, description, body string
		c.Flags().StringVar(&name, "name", "", "name")
		c.Flags().StringVar(&description, "description", "", "what it is for")
		bodyFlag(c, &body)
		return func() (req api.ProjectRequest, err error) {
			err = e.body(body, &req)
			setIf(c, "name", &req.Name, name)
			setIf(c, "description", &req.Description, description)
			return req, err
		}
	}
	create := &cobra.Command{Use: "create [NAME]", Short: "Create a project", Example: ex + "create sales", Args: cobra.MaximumNArgs(1)}
	created := fields(create)
	update := &cobra.Command{Use: "update PROJECT", Short: "Change a project", Example: ex + "update Ab12Cd34 --name revenue", Args: cobra.ExactArgs(1)}
	updated := fields(update)
	c.AddCommand(
		e.old(spec.ListProjectsLegacy, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the projects", Example: ex + "list", Args: cobra.NoArgs}, "project list",
			func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
				v, err := cl.Projects.ListLegacy(ctx)
				return list(v, "id", "name", "domain", "description"), err
			}),
		e.old(spec.CreateProjectLegacy, create, "project create", func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			req, err := created()
			if err != nil {
				return view{}, err
			}
			if len(args) == 1 {
				req.Name = &args[0]
			}
			if req.Name == nil {
				return view{}, usagef("a name is required")
			}
			v, err := cl.Projects.CreateLegacy(ctx, req)
			return object(v), err
		}),
		e.old(spec.GetProjectLegacy, &cobra.Command{Use: "get PROJECT", Aliases: []string{"show"}, Short: "Show a project", Example: ex + "get Ab12Cd34", Args: cobra.ExactArgs(1)}, "project get",
			func(ctx context.Context, cl *api.Client, args []string) (view, error) {
				v, err := cl.Projects.GetLegacy(ctx, args[0])
				return object(v), err
			}),
		e.old(spec.UpdateProjectLegacy, update, "project update", func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			req, err := updated()
			if err != nil {
				return view{}, err
			}
			if req == (api.ProjectRequest{}) {
				return view{}, usagef("nothing to change: give --name or --description")
			}
			v, err := cl.Projects.UpdateLegacy(ctx, args[0], req)
			return object(v), err
		}),
		e.old(spec.DeleteProjectLegacy, &cobra.Command{Use: "delete PROJECT", Aliases: []string{"rm"}, Short: "Delete a project", Example: ex + "delete Ab12Cd34 --yes", Args: cobra.ExactArgs(1)}, "project delete",
			func(ctx context.Context, cl *api.Client, args []string) (view, error) {
				if err := e.confirm("delete project %s and everything in it?", args[0]); err != nil {
					return view{}, err
				}
				return note("deleted project %s", args[0]), cl.Projects.DeleteLegacy(ctx, args[0])
			}),
	)
	return c
}

func newAgentLegacyCmd(e *Env) *cobra.Command {
	c := legacy("The agent by its deprecated addresses")
	ex := "  " + e.Name + " agent legacy "
	var thread, body string
	ask := &cobra.Command{Use: "ask [MESSAGE]", Short: "Ask a question", Example: ex + "ask \"how many orders?\"", Args: cobra.MaximumNArgs(1)}
	ask.Flags().StringVar(&thread, "thread", "", "go on with this thread")
	bodyFlag(ask, &body)
	c.AddCommand(
		e.old(spec.AskLegacyAgent, ask, "agent chat", e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			var req api.LegacyAgentRequest
			if err := e.body(body, &req); err != nil {
				return view{}, err
			}
			if err := e.message(args, &req.Message); err != nil {
				return view{}, err
			}
			setIf(ask, "thread", &req.ThreadID, thread)
			v, err := cl.Agent.AskLegacy(ctx, p, req)
			if err != nil || !e.forPeople() {
				return object(v), err
			}
			return e.legacyAnswer(v)
		})),
		e.old(spec.GetLegacyChatHistory, &cobra.Command{Use: "history", Short: "List the conversations", Example: ex + "history", Args: cobra.NoArgs}, "agent thread list",
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				v, err := cl.Agent.HistoryLegacy(ctx, p)
				return object(v), err
			})),
		e.old(spec.RenameLegacyChat, &cobra.Command{Use: "rename THREAD NAME", Short: "Rename a conversation", Example: ex + "rename THREAD \"sales review\"", Args: cobra.ExactArgs(2)}, "agent thread rename",
			e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
				v, err := cl.Agent.RenameLegacy(ctx, p, args[0], api.LegacyChatRename{Name: args[1]})
				return object(v), err
			})),
		e.old(spec.DeleteLegacyChat, &cobra.Command{Use: "delete THREAD", Aliases: []string{"rm"}, Short: "Delete a conversation", Example: ex + "delete THREAD --yes", Args: cobra.ExactArgs(1)}, "agent thread delete",
			e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
				if err := e.confirm("delete thread %s?", args[0]); err != nil {
					return view{}, err
				}
				v, err := cl.Agent.DeleteLegacy(ctx, p, args[0])
				return object(v), err
			})),
	)
	return c
}

func newEmbedLegacyCmd(e *Env) *cobra.Command {
	c := legacy("Embedded sessions by the deprecated address")
	var theme string
	var override bool
	var seconds int64
	init := &cobra.Command{Use: "init", Short: "Begin an embedded session", Example: "  " + e.Name + " embed legacy init --theme dark", Args: cobra.NoArgs}
	init.Flags().StringVar(&theme, "theme", "", "theme of the studio")
	init.Flags().BoolVar(&override, "theme-override", false, "let the theme win over the user's")
	init.Flags().Int64Var(&seconds, "timeout-seconds", 0, "how long the session lasts")
	c.AddCommand(e.old(spec.InitEmbeddedSessionLegacy, init, "embed init", e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
		q := url.Values{"projectId": {p}}
		if theme != "" {
			q.Set("theme", theme)
		}
		if init.Flags().Changed("theme-override") {
			q.Set("themeOverride", strconv.FormatBool(override))
		}
		if init.Flags().Changed("timeout-seconds") {
			q.Set("timeoutInSeconds", strconv.FormatInt(seconds, 10))
		}
		v, err := cl.Embedded.InitLegacy(ctx, q)
		return object(v), err
	})))
	return c
}
