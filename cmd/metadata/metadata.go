// Package metadata holds the commands for descriptions of tables, relations and lineage.
package metadata

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&tableShape, tableLine{})
	e.Displays(&relationShape, api.Relation{}, relationLine{})
	e.Displays(&goldenShape, api.GoldenSQLEntry{}, goldenLine{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "metadata", Aliases: []string{"meta"},
		Short: "Metadata of tables: descriptions, relations, values, verified SQL"}
	c.AddCommand(
		newMetadataListCmd(e), newMetadataFindCmd(e), newMetadataLineageCmd(e), newMetadataSetCmd(e),
		newMetadataAICmd(e), newMetadataQuestionsCmd(e), newMetadataSemanticsCmd(e),
		newCategoricalCmd(e), newRelationCmd(e), newGoldenCmd(e), newMetadataRefreshCmd(e), newMetadataStatusCmd(e),
		newCallbackCmd(e),
	)
	return c
}

// tableLine is a described table on one line.
type tableLine struct {
	Table       string  `json:"table"`
	Description *string `json:"description"`
	UseWithAI   bool    `json:"useWithAI"`
	Columns     int     `json:"columns"`
	Relations   int     `json:"relations"`
}

func tableLines(ms []api.TableMetadata) cli.View {
	lines := make([]tableLine, len(ms))
	for i, m := range ms {
		lines[i] = tableLine{Table: m.CatalogQueryName + "." + m.SchemaName + "." + m.TableName, UseWithAI: m.UseWithAI,
			Columns: len(m.Columns), Relations: len(m.Relations), Description: m.TableDescription}
	}
	return cli.List(lines, "table", "description", "useWithAI", "columns", "relations").PrintValue()
}

func newMetadataListCmd(e *cli.Env) *cobra.Command {
	var catalog, schema string
	c := &cobra.Command{Use: "list", Aliases: []string{"ls", "get"},
		Short: "Describe the tables of the project, a catalog or a schema", Args: cobra.NoArgs,
		Long: "Describe the tables of the project, a catalog or a schema.",
		Example: "  " + e.Name + " metadata list --catalog sample -o yaml\n  " + e.Name +
			" metadata list --jq '.[].metadata | .schemaName + \".\" + .tableName'"}
	c.Flags().StringVar(&catalog, "catalog", "", "only this catalog, by id or name")
	c.Flags().StringVar(&schema, "schema", "", "only this schema")
	return cli.Leaf[cli.Shown[[]api.MetadataEntry, tableLine]](e, spec.GetProjectMetadata, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
			e.CollectLess()
			id := ""
			if catalog != "" {
				var err error
				if id, err = resolve.TableCatalogID(ctx, cl, p, catalog, schema); err != nil {
					return cli.View{}, err
				}
			}
			v, err := cl.Metadata.Project(ctx, p, id, schema)
			if err != nil || !e.ForReaders() {
				return cli.List(v.Metadata).Within("metadata"), err
			}
			ms := make([]api.TableMetadata, len(v.Metadata))
			for i, m := range v.Metadata {
				ms[i] = m.Metadata
			}
			return tableLines(ms), nil
		}))
}

func newMetadataFindCmd(e *cli.Env) *cobra.Command {
	var top int
	c := &cobra.Command{Use: "find TEXT", Short: "Find the tables that match a text best", Example: "  " + e.Name +
		" metadata find \"orders of customers\" --top 3", Args: cobra.ExactArgs(1)}
	c.Flags().IntVar(&top, "top", 0, "maximum number; the gateway's default if not given")
	return cli.Leaf[cli.Shown[[]api.TableMetadata, tableLine]](e, spec.QueryMetadata, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			k := ""
			if c.Flags().Changed("top") {
				k = strconv.Itoa(top)
			}
			v, err := cl.Metadata.Query(ctx, p, args[0], k)
			if err != nil || !e.ForReaders() {
				return cli.List(v), err
			}
			return tableLines(v), nil
		}))
}

// described reads the current metadata of one table. On the hosted zones an update replaces a table's metadata, so a
// change starts with this.
func described(ctx context.Context, cl *api.Client, project, catalog, schema, table string) (api.TableMetadata, error) {
	all, err := cl.Metadata.Project(ctx, project, catalog, schema)
	if err != nil {
		return api.TableMetadata{}, err
	}
	for _, m := range all.Metadata {
		if m.Metadata.CatalogID == catalog && m.Metadata.SchemaName == schema && m.Metadata.TableName == table {
			return m.Metadata, nil
		}
	}
	return api.TableMetadata{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
		Msg:  fmt.Sprintf("there is no metadata of table %s.%s in that catalog", schema, table),
		Hint: "`dig metadata refresh` reads new tables"}
}

func newMetadataSetCmd(e *cli.Env) *cobra.Command {
	var description, body string
	var ai bool
	var columns []string
	c := &cobra.Command{
		Use: "set CATALOG SCHEMA.TABLE", Short: "Describe a table and its columns", Args: cobra.ExactArgs(2),
		Long: "Describe a table and its columns. Fields that are not given stay as they are.",
		Example: "  " + e.Name +
			" metadata set peaka table.people --description \"who we know\" --column \"age=in years\"",
	}
	fs := c.Flags()
	fs.StringVar(&description, "description", "", "description of the table")
	fs.StringArrayVar(&columns, "column", nil, "NAME=DESCRIPTION of a column; repeat")
	fs.BoolVar(&ai, "use-with-ai", true, "whether the AI may use the table")
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.TableMetadata](e, spec.UpdateTableMetadata, c, e.WithProject(func(ctx context.Context,
		cl *api.Client, p string,
		args []string) (cli.View, error) {
		id, schema, table, err := resolve.TableOf(ctx, cl, p, args)
		if err != nil {
			return cli.View{}, err
		}
		var req api.TableMetadataUpdateRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if body == "" {
			if !fs.Changed("description") && !fs.Changed("use-with-ai") && len(columns) == 0 {
				return cli.View{}, exitcode.Usagef("nothing to change: give --description, --column or --use-with-ai")
			}
			now, err := described(ctx, cl, p, id, schema, table)
			if err != nil {
				return cli.View{}, err
			}
			cols, err := api.AsUpdate(now.Columns)
			if err != nil {
				return cli.View{}, err
			}
			req = api.TableMetadataUpdateRequest{TableDescription: now.TableDescription, Columns: cols,
				UseWithAI: &now.UseWithAI}
		}
		cli.SetIf(c, "description", &req.TableDescription, description)
		cli.SetIf(c, "use-with-ai", &req.UseWithAI, ai)
		for _, kv := range columns {
			name, text, ok := strings.Cut(kv, "=")
			if !ok {
				return cli.View{}, exitcode.Usagef("--column %q is not of the form NAME=DESCRIPTION", kv)
			}
			if err := describeColumn(&req, name, text); err != nil {
				return cli.View{}, err
			}
		}
		v, err := cl.Metadata.UpdateTable(ctx, p, id, schema, table, req)
		if err == nil && v.TableName == "" {
			return cli.Note("described %s", args[1]), nil
		}
		return cli.Object(v, "schemaName", "tableName", "tableDescription", "useWithAI"), err
	}))
}

func describeColumn(req *api.TableMetadataUpdateRequest, name, text string) error {
	for i := range req.Columns {
		if req.Columns[i].ColumnName == name {
			req.Columns[i].ColumnDescription = &text
			return nil
		}
	}
	return &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
		Msg: fmt.Sprintf("--column: the table has no column %q", name)}
}

func newMetadataAICmd(e *cli.Env) *cobra.Command {
	var allow, deny bool
	c := &cobra.Command{
		Use: "ai CATALOG[.SCHEMA[.TABLE]]", Short: "Allow or forbid the AI to use a catalog, schema or table",
		Args:    cobra.ExactArgs(1),
		Long:    "Allow or forbid the AI to use a catalog, a schema or a table, including its contents.",
		Example: "  " + e.Name + " metadata ai sample.shop --deny",
	}
	c.Flags().BoolVar(&allow, "allow", false, "let the AI use it")
	c.Flags().BoolVar(&deny, "deny", false, "forbid the AI to use it")
	cli.Annotate(c, spec.SetSchemaAiUsage, spec.UpdateTableMetadata)
	return cli.Leaf[cli.Answer](e, spec.SetCatalogAiUsage, c, e.WithProject(func(ctx context.Context, cl *api.Client,
		p string,
		args []string) (cli.View, error) {
		if allow == deny {
			return cli.View{}, exitcode.Usagef("give --allow or --deny")
		}
		parts := strings.Split(args[0], ".")
		if len(parts) > 3 {
			return cli.View{}, exitcode.Usagef("%q has more than three parts", args[0])
		}
		id, err := resolve.TableCatalogID(ctx, cl, p, parts[0], append(parts, "")[1])
		if err != nil {
			return cli.View{}, err
		}
		done := cli.Note("the AI may use %s", args[0])
		if deny {
			done = cli.Note("the AI may not use %s", args[0])
		}
		req := api.AIUsageRequest{UseWithAI: &allow}
		switch len(parts) {
		case 1:
			return done, cl.Metadata.SetCatalogAIUsage(ctx, p, id, req)
		case 2:
			return done, cl.Metadata.SetSchemaAIUsage(ctx, p, id, parts[1], req)
		}
		now, err := described(ctx, cl, p, id, parts[1], parts[2])
		if err != nil {
			return cli.View{}, err
		}
		cols, err := api.AsUpdate(now.Columns)
		if err != nil {
			return cli.View{}, err
		}
		_, err = cl.Metadata.UpdateTable(ctx, p, id, parts[1], parts[2],
			api.TableMetadataUpdateRequest{TableDescription: now.TableDescription, Columns: cols, UseWithAI: &allow})
		return done, err
	}))
}

func newMetadataQuestionsCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "questions TEXT",
		Short: "Let the AI propose questions that the data can answer (hosted zones)", Example: "  " + e.Name +
			" metadata questions \"customer churn\"", Args: cobra.ExactArgs(1)}
	return cli.Leaf[api.SampleQuestions](e, spec.GenerateSampleQuestions, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			args []string) (cli.View, error) {
			v, err := cl.Metadata.SampleQuestions(ctx, p, args[0])
			if err != nil || !e.ForReaders() {
				return cli.Object(v), err
			}
			return cli.List(v.Questions, "category", "question").PrintValue(), nil
		}))
}

func newMetadataSemanticsCmd(e *cli.Env) *cobra.Command {
	var thread, prompt, body string
	var limit int64
	c := &cobra.Command{Use: "semantics CATALOG SCHEMA.TABLE",
		Short: "Let the AI describe a table and its columns (hosted zones)", Example: "  " + e.Name +
			" metadata semantics crm public.leads --prompt \"sales pipeline\"", Args: cobra.ExactArgs(2)}
	c.Flags().StringVar(&thread, "thread", "", "continue this thread")
	c.Flags().StringVar(&prompt, "prompt", "", "context for the AI")
	c.Flags().Int64Var(&limit, "limit", 0, "how many rows it may read")
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.SemanticsResult](e, spec.GenerateSemantics, c, e.WithProject(func(ctx context.Context,
		cl *api.Client, p string,
		args []string) (cli.View, error) {
		var req api.GenerateSemanticsRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if thread != "" {
			req.ThreadID = thread
		}
		if prompt != "" {
			req.InitialPrompt = prompt
		}
		if c.Flags().Changed("limit") && limit < 1 {
			return cli.View{}, exitcode.Usagef("--limit: %d is less than 1", limit)
		}
		cli.SetIf(c, "limit", &req.Limit, limit)
		id, schema, table, err := resolve.TableOf(ctx, cl, p, args)
		if err != nil {
			return cli.View{}, err
		}
		v, err := cl.Metadata.GenerateSemantics(ctx, p, id, schema, table, req)
		return cli.Object(v), err
	}))
}
