package metadata

import (
	"context"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// columnPath is CATALOG.SCHEMA.TABLE.COLUMN with the catalog's id in place of its name.
type columnPath struct{ catalog, schema, table, column string }

func parseColumnPath(ctx context.Context, e *cli.Env, cl *api.Client, project, flag, s string) (columnPath, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return columnPath{}, exitcode.Usagef("%s: %q is not of the form CATALOG.SCHEMA.TABLE.COLUMN", flag, s)
	}
	id, err := resolve.TableCatalogID(ctx, cl, project, parts[0], parts[1])
	return columnPath{id, parts[1], parts[2], parts[3]}, err
}

func newCategoricalCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "categorical", Short: "The values of columns with few distinct values"}
	var limit int64
	var frequency, body string
	ex := "  " + e.Name + " metadata categorical "
	gen := &cobra.Command{Use: "generate CATALOG.SCHEMA.TABLE.COLUMN",
		Short: "Read the values of a column, the most frequent first", Example: ex +
			"generate sample.shop.orders.status --limit 20 --frequency P1D", Args: cobra.ExactArgs(1)}
	gen.Flags().Int64Var(&limit, "limit", 0, "maximum number of values")
	gen.Flags().StringVar(&frequency, "frequency", "",
		"read them again after this time, such as daily or the ISO 8601 duration P1D")
	cli.BodyFlag(gen, &body)
	c.AddCommand(
		cli.Leaf[cli.Answer](e, spec.GenerateCategoricalValues, gen, e.WithProject(func(ctx context.Context,
			cl *api.Client, p string,
			args []string) (cli.View, error) {
			var req api.CategoricalColumnRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if gen.Flags().Changed("limit") && limit < 1 {
				return cli.View{}, exitcode.Usagef("--limit: %d is less than 1", limit)
			}
			cli.SetIf(gen, "limit", &req.Limit, limit)
			if frequency != "" {
				req.Frequency = frequency
			}
			k, err := parseColumnPath(ctx, e, cl, p, "COLUMN", args[0])
			if err != nil {
				return cli.View{}, err
			}
			return cli.Note("the values of %s are stored", args[0]), cl.Metadata.GenerateCategorical(ctx, p, k.catalog,
				k.schema, k.table, k.column, req)
		})),
		cli.Leaf[cli.Answer](e, spec.DeleteCategoricalValues, &cobra.Command{Use: "delete CATALOG.SCHEMA.TABLE.COLUMN",
			Aliases: []string{"rm"}, Short: "Remove the values of a column and their schedule", Example: ex +
				"delete sample.shop.orders.status --yes", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				k, err := parseColumnPath(ctx, e, cl, p, "COLUMN", args[0])
				if err != nil {
					return cli.View{}, err
				}
				if err := e.Ask().Confirm("remove the categorical values of %s?", args[0]); err != nil {
					return cli.View{}, err
				}
				return cli.Note("removed the values of %s", args[0]), cl.Metadata.DeleteCategorical(ctx, p, k.catalog,
					k.schema, k.table, k.column)
			})),
	)
	return c
}

// relationLine is a relation on one line.
type relationLine struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

func newRelationCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "relation", Aliases: []string{"relations"}, Short: "Relations between columns"}
	ex := "  " + e.Name + " metadata relation "
	var to, kind, body, newKind string
	add := &cobra.Command{Use: "add CATALOG.SCHEMA.TABLE.COLUMN", Short: "Add a relation from a column to another",
		Example: ex + "add sample.shop.orders.customer_id --to sample.shop.customers.id", Args: cobra.ExactArgs(1)}
	add.Flags().StringVar(&to, "to", "", "the referenced column: CATALOG.SCHEMA.TABLE.COLUMN")
	add.Flags().StringVar(&kind, "type", "", "MANY_TO_ONE (default), ONE_TO_MANY or ONE_TO_ONE")
	complete.Values(add, "type", relationTypes...)
	complete.Names(add, "to", "catalog.schema.table.column")
	cli.BodyFlag(add, &body)
	update := &cobra.Command{Use: "update CATALOG RELATION", Short: "Change the type of a relation", Example: ex +
		"update sample 1210890979914023812 --type ONE_TO_ONE", Args: cobra.ExactArgs(2)}
	update.Flags().StringVar(&newKind, "type", "", "MANY_TO_ONE, ONE_TO_MANY or ONE_TO_ONE")
	_ = update.MarkFlagRequired("type")
	complete.Values(update, "type", relationTypes...)
	c.AddCommand(
		cli.Leaf[cli.Shown[[]api.Relation, relationLine]](e, spec.ListRelations, &cobra.Command{
			Use: "list CATALOG", Aliases: []string{"ls"}, Example: ex + "list sample",
			Short: "List the relations of the tables of a catalog", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				id, err := resolve.CatalogID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				v, err := cl.Metadata.Relations(ctx, p, id)
				if err != nil || !e.ForReaders() {
					return cli.List(v), err
				}
				lines := make([]relationLine, len(v))
				for i, r := range v {
					lines[i] = relationLine{r.ID, strings.Join([]string{r.SourceCatalogName, r.SourceSchemaName,
						r.SourceTableName, r.SourceColumnName}, "."),
						strings.Join([]string{r.TargetCatalogName, r.TargetSchemaName, r.TargetTableName,
							r.TargetColumnName}, "."), r.Type}
				}
				return cli.List(lines, "id", "from", "to", "type").PrintValue(), nil
			})),
		cli.Leaf[api.Relation](e, spec.AddRelation, add, e.WithProject(func(ctx context.Context, cl *api.Client,
			p string,
			args []string) (cli.View, error) {
			req := api.RelationRequest{}
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if kind != "" {
				req.Type = kind
			}
			if req.Type == "" {
				req.Type = "MANY_TO_ONE"
			}
			var err error
			if req.Type, err = cli.Word("--type", req.Type, relationTypes); err != nil {
				return cli.View{}, err
			}
			k, err := parseColumnPath(ctx, e, cl, p, "COLUMN", args[0])
			if err != nil {
				return cli.View{}, err
			}
			if to != "" {
				t, err := parseColumnPath(ctx, e, cl, p, "--to", to)
				if err != nil {
					return cli.View{}, err
				}
				req.TargetCatalogID, req.TargetSchemaName, req.TargetTableName, req.TargetColumnName = t.catalog,
					t.schema, t.table, t.column
			}
			if req.TargetColumnName == "" {
				return cli.View{}, exitcode.Usagef("--to is required")
			}
			v, err := cl.Metadata.AddRelation(ctx, p, k.catalog, k.schema, k.table, k.column, req)
			return cli.Object(v), err
		})),
		cli.Leaf[api.Relation](e, spec.UpdateRelation, update, e.WithProject(func(ctx context.Context, cl *api.Client,
			p string,
			args []string) (cli.View, error) {
			kind, err := cli.Word("--type", newKind, relationTypes)
			if err != nil {
				return cli.View{}, err
			}
			r, err := resolve.RelationByID(ctx, cl, p, args[0], args[1])
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Metadata.UpdateRelation(ctx, p, r.SourceCatalogID, r.SourceSchemaName, r.SourceTableName, r.ID,
				api.RelationUpdateRequest{Type: kind})
			return cli.Object(v), err
		})),
		cli.Leaf[cli.Answer](e, spec.DeleteRelation, &cobra.Command{Use: "delete CATALOG RELATION",
			Aliases: []string{"rm"},
			Short:   "Delete a relation", Example: ex + "delete sample 1210890979914023812 --yes",
			Args: cobra.ExactArgs(2)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				r, err := resolve.RelationByID(ctx, cl, p, args[0], args[1])
				if err != nil {
					return cli.View{}, err
				}
				ends := strings.Join([]string{r.SourceSchemaName, r.SourceTableName, r.SourceColumnName}, ".") +
					" to " + strings.Join([]string{r.TargetSchemaName, r.TargetTableName, r.TargetColumnName}, ".")
				if err := e.Ask().Confirm("delete relation %s from %s?", args[1], ends); err != nil {
					return cli.View{}, err
				}
				return cli.Note("deleted relation %s", args[1]), cl.Metadata.DeleteRelation(ctx, p, r.SourceCatalogID,
					r.SourceSchemaName, r.SourceTableName, r.ID)
			})),
	)
	return c
}

// goldenLine is a question with its statement on one line.
type goldenLine struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	SQL    string `json:"sql"`
}

func newGoldenCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "golden-sql", Aliases: []string{"golden-sqls", "golden"},
		Short: "Questions with the SQL that is known to answer them"}
	ex := "  " + e.Name + " metadata golden-sql "
	var prompt, sql, body string
	create := &cobra.Command{Use: "create", Short: "Store a question and its SQL", Example: ex +
		"create --prompt \"open orders\" --sql @open.sql", Args: cobra.NoArgs}
	create.Flags().StringVar(&prompt, "prompt", "", "the question")
	create.Flags().StringVar(&sql, "sql", "", "the statement, @FILE or - for stdin")
	cli.BodyFlag(create, &body)
	c.AddCommand(
		cli.Leaf[cli.Shown[[]api.GoldenSQLEntry, goldenLine]](e, spec.ListGoldenSqls, &cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List them", Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Metadata.ListGoldenSQL(ctx, p)
				if err != nil || !e.ForReaders() {
					return cli.List(v), err
				}
				lines := each.Map(v, func(s api.GoldenSQLEntry) goldenLine {
					return goldenLine{s.ID, s.Metadata.Prompt, s.Metadata.SQL}
				})
				return cli.List(lines, "id", "prompt", "sql").PrintValue(), nil
			})),
		cli.Leaf[[]api.GoldenSQLMatchesResult](e, spec.QueryGoldenSqls, &cobra.Command{Use: "find QUESTION",
			Short:   "Find the most similar questions",
			Example: ex + "find \"orders still open\"", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				v, err := cl.Metadata.QueryGoldenSQL(ctx, p, args[0])
				return cli.List(v, "question", "sql"), err
			})),
		cli.Leaf[api.GoldenSQLEntry](e, spec.CreateGoldenSql, create, e.WithProject(func(ctx context.Context,
			cl *api.Client, p string,
			_ []string) (cli.View, error) {
			var req api.GoldenSQLRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if prompt != "" {
				req.Prompt = prompt
			}
			if sql != "" {
				raw, err := e.Value("--sql", sql)
				if err != nil {
					return cli.View{}, err
				}
				req.SQL = string(raw)
			}
			if req.Prompt == "" || req.SQL == "" {
				return cli.View{}, exitcode.Usagef("--prompt and --sql are required")
			}
			v, err := cl.Metadata.CreateGoldenSQL(ctx, p, req)
			if err == nil && v.ID == "" { // the hosted zones answer {} [O]
				return cli.Note("kept"), nil
			}
			return cli.Object(v), err
		})),
		cli.Leaf[cli.Answer](e, spec.DeleteGoldenSql, &cobra.Command{Use: "delete ID", Aliases: []string{"rm"},
			Short:   "Delete one",
			Example: ex + "delete 1210890979914023812 --yes", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				who := e.Called(args[0], args[0], func() ([]resolve.Named, error) {
					all, err := cl.Metadata.ListGoldenSQL(ctx, p)
					return each.Map(all, func(s api.GoldenSQLEntry) resolve.Named {
						return resolve.Named{ID: s.ID, Name: strconv.Quote(s.Metadata.Prompt)}
					}), err
				})
				if err := e.Ask().Confirm("delete golden SQL %s?", who); err != nil {
					return cli.View{}, err
				}
				return cli.Note("deleted golden SQL %s", args[0]), cl.Metadata.DeleteGoldenSQL(ctx, p, args[0])
			})),
	)
	return c
}

var (
	relationTypes = []string{"MANY_TO_ONE", "ONE_TO_MANY", "ONE_TO_ONE"}
)
