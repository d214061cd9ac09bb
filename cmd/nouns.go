package cmd

import (
	"strings"

	"github.com/dig-cli/dig/cmd/admin"
	"github.com/dig-cli/dig/cmd/agent"
	"github.com/dig-cli/dig/cmd/api"
	"github.com/dig-cli/dig/cmd/cache"
	"github.com/dig-cli/dig/cmd/catalog"
	"github.com/dig-cli/dig/cmd/check"
	"github.com/dig-cli/dig/cmd/connection"
	"github.com/dig-cli/dig/cmd/export"
	"github.com/dig-cli/dig/cmd/history"
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/materialized"
	"github.com/dig-cli/dig/cmd/metadata"
	"github.com/dig-cli/dig/cmd/profile"
	"github.com/dig-cli/dig/cmd/query"
	"github.com/dig-cli/dig/cmd/runs"
	"github.com/dig-cli/dig/cmd/sync"
	"github.com/dig-cli/dig/cmd/table"
	"github.com/dig-cli/dig/cmd/uses"
	"github.com/spf13/cobra"
)

// noun is a command below the root.
type noun struct {
	group string
	name  string // as build has it; "" for a command that describes the others, for which all of them are built
	build func(*cli.Env) *cobra.Command
}

// nouns are the commands below the root, in the order of the help.
func nouns(e *cli.Env) []noun {
	return []noun{
		{groupData, "sql", query.NewSQL}, {groupData, "shell", query.NewShell}, {groupData, "query", query.New},
		{groupData, "table", table.New}, {groupData, "bitable", table.NewBI},
		{groupData, "materialized", materialized.New}, {groupData, "runs", runs.New},
		{groupData, "export", export.New}, {groupData, "cache", cache.New}, {groupData, "check", check.New},
		{groupData, "uses", uses.New},
		{groupSources, "connection", connection.New}, {groupSources, "catalog", catalog.New},
		{groupSources, "parametric-table", catalog.NewParametric},
		{groupSources, "pull", sync.NewPull}, {groupSources, "diff", sync.NewDiff},
		{groupSources, "plan", sync.NewPlan}, {groupSources, "apply", sync.NewApply},
		{groupMeta, "metadata", metadata.New}, {groupMeta, "semantic-catalog", catalog.NewSemantic},
		{groupMeta, "agent", agent.New}, {groupMeta, "driver", connection.NewDriver},
		{groupMeta, "embed", admin.NewEmbed},
		{groupAdmin, "org", admin.NewOrg}, {groupAdmin, "workspace", admin.NewWorkspace},
		{groupAdmin, "project", func(e *cli.Env) *cobra.Command {
			return admin.NewProject(e, profile.NewProjectUse(e), sync.NewExport(e), sync.NewImport(e))
		}},
		{groupAdmin, "api-key", admin.NewAPIKey}, {groupAdmin, "info", admin.NewInfo},
		{groupTools, "api", api.New}, {groupTools, "auth", profile.NewAuth}, {groupTools, "profile", profile.New},
		{groupTools, "config", profile.NewConfig}, {groupTools, "history", history.New},
		{groupTools, "doctor", check.NewDoctor}, {groupTools, "gateway", e.Zone.Commands},
		{groupTools, "completion", newCompletionCmd}, {groupTools, "", newSchemaCmd},
		{groupTools, "version", newVersionCmd},
	}
}

// displays sets how records are displayed. A command may print records of a noun that is not built.
func displays(e *cli.Env) {
	for _, set := range []func(*cli.Env){admin.Displays, agent.Displays, cache.Displays, catalog.Displays,
		connection.Displays, export.Displays, materialized.Displays, metadata.Displays, query.Displays,
		table.Displays} {
		set(e)
	}
}

// called is the noun of a command line, to which all commands belong that can run for it. It is false for a line that
// names none, such as one with an alias, and for the help.
func called(e *cli.Env, root *cobra.Command, line []string) (noun, bool) {
	if len(line) > 1 && strings.HasPrefix(line[0], cobra.ShellCompRequestCmd) {
		line = line[1 : len(line)-1] // the last word is not complete
	}
	of := map[*cobra.Command]noun{}
	defer root.ResetCommands()
	for _, n := range nouns(e) {
		if n.name != "" {
			stub := &cobra.Command{Use: n.name}
			of[stub] = n
			root.AddCommand(stub)
		}
	}
	found, _, _ := root.Find(line) // of an unknown command the error follows when it is run
	n, ok := of[found]
	return n, ok
}
