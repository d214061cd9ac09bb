package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/spf13/cobra"
)

// newHelpCmd is `help`: of a command, or on a topic. Other words are an error.
func newHelpCmd(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND | TOPIC]", Short: "Help about a command or topic",
		Long:    "Show the help of a command, or on a topic that concerns many of them.",
		Example: "  " + e.Name + " help query execute\n  " + e.Name + " help environment",
		Args:    cobra.ArbitraryArgs,
		GroupID: groupTools,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			under, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, sub := range under.Commands() {
				if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			if under == c.Root() {
				for _, t := range namedLikeCommands(e) {
					names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, t.Name()+"\t") })
					names = append(names, cobra.CompletionWithDesc(t.Name(), t.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			topics := topicsOf(e, c.Root())
			name := strings.ReplaceAll(strings.Join(args, "-"), " ", "-")
			if at := slices.IndexFunc(topics, func(t *cobra.Command) bool { return t.Name() == name }); at >= 0 {
				topics[at].SetOut(c.OutOrStdout())
				return topics[at].Help()
			}
			if err != nil || len(rest) > 0 {
				f := exitcode.Usagef("unknown help topic %q", strings.Join(args, " "))
				var names []string
				for _, sub := range found.Commands() {
					names = append(names, sub.Name())
				}
				var all []string
				for _, t := range topics {
					all = append(all, t.Name())
				}
				if found == c.Root() {
					names = append(names, all...)
				}
				near := nearest.Of(rest[0], names)
				for _, topic := range all {
					// a word of the topic's name
					if found == c.Root() && slices.Contains(strings.Split(topic, "-"), strings.ToLower(rest[0])) {
						near = topic
					}
				}
				if near != "" {
					return f.WithHint("did you mean `%s help %s`?", e.Name, strings.TrimPrefix(found.CommandPath()+" "+
						near, c.Root().Name()+" "))
				}
				return f.WithHint("the topics are %s; `%s help` lists the commands", strings.Join(all, ", "), e.Name)
			}
			return found.Help()
		},
	}
}

// topicsOf are all topics, by name.
func topicsOf(e *cli.Env, root *cobra.Command) []*cobra.Command {
	list := namedLikeCommands(e)
	for _, t := range list {
		t.SetHelpFunc(root.HelpFunc())
	}
	for _, sub := range root.Commands() {
		if sub.IsAdditionalHelpTopicCommand() {
			list = append(list, sub)
		}
	}
	slices.SortFunc(list, func(a, b *cobra.Command) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// newTopics are the help topics that are not commands.
func newTopics(e *cli.Env) []*cobra.Command {
	return []*cobra.Command{newExitCodesHelp(), newFlagsHelp(e),
		{Use: "environment", Short: "Environment variables",
			Long: `Environment variables, which a flag overrides and which override project files and profiles:

  DIG_API_KEY      the key; it is never a flag
  DIG_PROFILE      profile to use
  DIG_ZONE         us, eu or local
  DIG_BASE_URL     address of the gateway, up to /api/v1
  DIG_ORG, DIG_WORKSPACE, DIG_PROJECT
                   where to work, by id or name
  DIG_OUTPUT       output format, see ` + "`" + e.Name + ` help formats` + "`" + `
  DIG_TIMEOUT      time limit of a call, such as 90s
  DIG_CONNECT_TIMEOUT, DIG_REPLY_TIMEOUT
                   time limits of the connection and of the beginning of a reply
  DIG_CA_FILE      certificates (PEM) to trust besides those of the system
  DIG_CLIENT_CERT, DIG_CLIENT_KEY
                   certificate to show to the gateway, and its key (PEM)
  DIG_HISTORY      largest result that is stored for query last, or off
  DIG_COMPLETION_TIMEOUT
                   how long a completion may wait for zone local; 500ms if not set
  DIG_SPOOL        what a result of zone local may occupy on the disk while its reader does not read
  DIG_JOURNAL      size of the journal of changes, or off
  DIG_READ_ONLY    1: send nothing that changes something
  DIG_NO_FILES     1: statements may not name files of this machine
  DIG_PROTECT      read-only, or confirm: ask before each command that changes something
  DIG_PAGER, PAGER
                   pager for long tables; empty for none
  DIG_KEY_STORAGE  keyring or file
  DIG_CONFIG_DIR, DIG_DATA_DIR, DIG_STATE_DIR, DIG_CACHE_DIR
                   directories of settings, of zone local, of what is kept between runs, and of names for completion
  NO_COLOR         no colours, whatever its value; --color overrides it
  CI, GITHUB_ACTIONS, GITLAB_CI and those of other CI systems
  AI_AGENT, CLAUDECODE, CODEX_SANDBOX, CURSOR_AGENT, GEMINI_CLI and others of agents
                   no person is at the terminal: nothing is asked, no pager, no line of progress
  TERM             dumb: no colours, no pager, no line of progress
  TMPDIR           temporary files
  HTTPS_PROXY, NO_PROXY
                   proxies, as other programs use them

A variable set to the empty string counts as not set. ` + "`" + e.Name + ` config explain` + "`" +
				` shows where each setting comes from.`},
		{Use: "formats", Short: "Formats of results",
			Long: `Three words control a result: -o is its form, --out is the file it is written to, and --format is how
the gateway sends rows.

Forms, for -o:

  table      for reading: aligned, shortened to the terminal, NULL marked
  json       one JSON document; of query execute the gateway's own bytes, of sql an array of objects
  ndjson     one JSON object on each line
  csv        RFC 4180; NULL is an empty field, the empty text is ""
  tsv        as PostgreSQL's COPY: \N is NULL
  yaml, markdown, html
  xlsx, parquet
             files, with --out or into a pipe

ndjson is also called jsonl, markdown md, and yaml yml. --jq PROGRAM filters JSON; --columns a,b selects
columns, --no-header leaves out the header, --null TEXT writes NULL as TEXT.` + "`" + e.Name + ` sql` + "`" +
				` takes the form from the ending of --out when -o is not given.

Wire formats, for --format of query execute: CELL_TYPED has a type with each value, SIMPLE is an object for each row, COMPACT an array. By
default the cheapest that is sufficient is requested.`},
		{Use: "zones", Short: "Zones, profiles and keys",
			Long: `A profile is a named set of zone, address, organization, workspace, project, output, timeout and key.

  ` + e.Name + ` auth login work --zone eu      store one; the key is asked for
  ` + e.Name + ` auth whoami                    the owner of the key, and where it works
  ` + e.Name + ` profile use work               use it from now on
  ` + e.Name + ` --profile work project list    use it once
  ` + e.Name + ` config explain                 the origin of each setting

Zones: us and eu are hosted and need a key; local runs in this program, without an account and without a network.
Settings come from, the first wins: a flag, a variable, the project file (.dig.yaml here or above), the profile, the default.
A stored key is sent to the address of its profile only.`},
	}
}

// namedLikeCommands are topics that have the name or an alias of a command. `help NAME` shows the topic, and `NAME
// --help` the help of the command.
func namedLikeCommands(e *cli.Env) []*cobra.Command {
	text := strings.NewReplacer("dig ", e.Name+" ").Replace
	return []*cobra.Command{
		{Use: "sql", Short: "Statements: names, quotes, files, parameters",
			Long: text(`Statements are Trino's SQL on every zone: SELECT, WITH, VALUES, EXPLAIN, SHOW and DESCRIBE. Nothing that changes rows runs.

Names have three parts, CATALOG.SCHEMA.TABLE:

  peaka."table".NAME     an internal table, made by ` + "`dig table import`" + `
  peaka.query.NAME       a saved query, live; peaka.mtquery.NAME reads its stored rows
  peaka.bitable.NAME     a BI table
  CATALOG.SCHEMA.TABLE   a table of a connection

A name in double quotes is taken as it is ("order", "First name"); text is in single quotes ('it''s'). Dates and times are written
DATE '2026-01-31' and TIMESTAMP '2026-01-31 12:00:00'.

What there is:

  dig sql "SHOW CATALOGS"                     also SHOW SCHEMAS FROM catalog, SHOW TABLES FROM catalog.schema
  dig sql "DESCRIBE sample.shop.orders"       columns and types
  dig sql "SHOW FUNCTIONS LIKE 'date%'"       functions
  dig shell                                   completes all of them with Tab; \? lists its commands

Ways to give statements:

  dig sql "SELECT 1; SELECT 2"                texts, files, --sql and -f run in the order given
  dig sql report.sql                          a file; - or nothing is standard input
  dig sql daily_sales                         a saved query
  dig sql "... WHERE city = :city" --bind city=Kraków
                                              values for :NAME, or for each ? in order
  dig sql "SELECT * FROM 'sales/*.csv'"       files as tables, on zone local
  dig sql sales.csv                           all rows of a file

` + "`dig sql format`" + ` lays a statement out, and ` + "`dig sql transpile`" + ` writes it for another database.
` + "`dig sql --help`" + ` lists the flags; docs/queries.md lists what zone local rejects.`)},
		{Use: "profiles", Short: "Profiles: make, choose, change and protect them",
			Long: text(`A profile is a named set of settings: zone, address, key, organization, workspace, project, output and limits.

  dig auth login work --zone eu               make one; the key is asked for, or read from standard input or DIG_API_KEY
  dig profile list                            all of them; the current one is marked
  dig profile use work                        use it from now on
  dig --profile work project list             use it once; DIG_PROFILE does so for a session
  dig config set --profile work project=sales output=csv
  dig profile rename work acme                with its key
  dig profile remove acme                     with its key, from this machine

  dig profile add prod --zone eu --protect read-only
                                              nothing can be changed with it; --protect confirm asks before each change

Without a profile the zone is local, which needs no key. Settings come from, the first wins: a flag, a variable, the project file
(.dig.yaml here or above), the profile, the default. Of protections the strictest counts. A key is sent to the address of its
profile only. ` + "`dig config explain`" + ` shows where each setting comes from, ` + "`dig help zones`" +
				` explains zones, and
` + "`dig profile --help`" + ` lists the commands.`)},
	}
}

// newFlagsHelp is the help topic on the global flags.
func newFlagsHelp(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "flags", Short: "The flags of every command"}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		width := 0
		if e.OutTerm {
			width = max(e.Width, 40)
		}
		e.Run.Helped = e.WriteHelp(c.OutOrStdout(), "Flags of every command:\n\n"+
			c.Root().PersistentFlags().FlagUsagesWrapped(width))
	})
	return c
}

func newExitCodesHelp() *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit codes:\n\n")
	for _, x := range exitcode.All() {
		fmt.Fprintf(&b, "  %-4d %s\n", x.Code, x.Meaning)
	}
	b.WriteString(`
Of several statements run with --keep-going, the code less 20 failed: 21 is one, 99 is 79 or more.

query diff, diff and plan exit like diff: 0 when the two sides are the same, 1 when they differ, 2 when they cannot be compared.`)
	return &cobra.Command{Use: "exit-codes", Short: "Exit codes", Long: b.String()}
}
