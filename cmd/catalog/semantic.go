package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func NewSemantic(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "semantic-catalog", Aliases: []string{"semantic-catalogs", "semantic"},
		Short: "Catalogs whose tables are saved queries, always live"}
	ex := "  " + e.Name + " semantic-catalog "
	share := &cobra.Command{Use: "share CATALOG", Short: "Let another project read a semantic catalog", Example: ex +
		"share kpi --to finance", Args: cobra.ExactArgs(1)}
	var to string
	share.Flags().StringVar(&to, "to", "", "project to share with, by id or name")
	_ = share.MarkFlagRequired("to")
	c.AddCommand(
		newSemanticCreateCmd(e),
		newSemanticTableCmd(e),
		cli.Leaf[cli.Acknowledged](e, spec.ShareSemanticCatalog, share, e.WithProject(func(ctx context.Context,
			cl *api.Client, p string,
			args []string) (cli.View, error) {
			id, err := resolve.CatalogID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			target, err := e.Target().ProjectByName(ctx, cl, to)
			if err != nil {
				return cli.View{}, err
			}
			return cli.Note("shared %s with project %s", args[0], to), cl.SemanticCatalogs.Share(ctx, p, id,
				api.SemanticCatalogShareRequest{Target: target})
		})),
	)
	return c
}

func newSemanticCreateCmd(e *cli.Env) *cobra.Command {
	var body string
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a semantic catalog", Example: "  " + e.Name +
		" semantic-catalog create kpi", Args: cobra.MaximumNArgs(1),
		Long: "Create a semantic catalog. It is listed, shown and deleted with the other catalogs: `" + e.Name +
			" catalog`."}
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.Catalog](e, spec.CreateSemanticCatalog, c, e.WithProject(func(ctx context.Context,
		cl *api.Client, p string,
		args []string) (cli.View, error) {
		var req api.SemanticCatalogRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if len(args) == 1 {
			req.Name = args[0]
		}
		if req.Name == "" {
			return cli.View{}, exitcode.Usagef("a name is required")
		}
		v, err := cl.SemanticCatalogs.Create(ctx, p, req)
		return cli.Object(v), err
	}))
}

func newSemanticTableCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "table", Aliases: []string{"tables"}, Short: "Tables of a semantic catalog"}
	ex := "  " + e.Name + " semantic-catalog table "
	var query, body string
	create := &cobra.Command{Use: "create CATALOG SCHEMA.TABLE", Short: "Bind a table to a saved query",
		Args: cobra.RangeArgs(1, 2), Example: ex + "create kpi sales.monthly --query monthly_revenue"}
	create.Flags().StringVar(&query, "query", "", "saved query, by id or name")
	cli.BodyFlag(create, &body)
	del := &cobra.Command{Use: "delete CATALOG TABLE", Aliases: []string{"rm"},
		Short: "Remove a table, by id or SCHEMA.TABLE; its query is kept", Args: cobra.ExactArgs(2), Example: ex +
			"delete kpi sales.monthly --yes",
		Long: "Remove a table from a semantic catalog; its query is kept.\n\nThe hosted zones show the id of a table " +
			"only when it is created; zone local also finds it by name. Saved queries that\nread it, also through " +
			"others, break; if there are any, they are listed, and its name is asked for, or --yes needs\n--confirm " +
			"SCHEMA.TABLE."}
	var named prompt.Naming
	named.Register(del, "table")
	cli.Annotate(del, uses.Operations()...)
	c.AddCommand(
		cli.Leaf[api.SemanticTable](e, spec.CreateSemanticTable, create, e.WithProject(func(ctx context.Context,
			cl *api.Client, p string,
			args []string) (cli.View, error) {
			var req api.SemanticTableRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if len(args) == 2 {
				var ok bool
				if req.SchemaName, req.TableName, ok = strings.Cut(args[1], "."); !ok || req.SchemaName == "" ||
					req.TableName == "" {
					return cli.View{}, exitcode.Usagef("%q is not of the form SCHEMA.TABLE", args[1])
				}
			}
			if query != "" {
				id, err := resolve.QueryID(ctx, cl, p, query)
				if err != nil {
					return cli.View{}, err
				}
				req.QueryID = id
			}
			switch {
			case req.SchemaName == "" || req.TableName == "":
				return cli.View{}, exitcode.Usagef("a name is required: SCHEMA.TABLE")
			case req.QueryID == "":
				return cli.View{}, exitcode.Usagef("--query is required")
			}
			id, err := resolve.CatalogID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.SemanticCatalogs.CreateTable(ctx, p, id, req)
			return cli.Object(v), err
		})),
		cli.Leaf[cli.Acknowledged](e, spec.DeleteSemanticTable, del, e.WithProject(func(ctx context.Context,
			cl *api.Client, p string,
			args []string) (cli.View, error) {
			k, err := catalogOf(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			table, err := resolve.SemanticTableID(ctx, cl, p, k.ID, args[1])
			if err != nil {
				return cli.View{}, err
			}
			who, schema, name, err := semanticTable(ctx, e, cl, p, k.ID, args[1], table)
			if err != nil {
				return cli.View{}, err
			}
			question := fmt.Sprintf("remove table %s from semantic catalog %s", phrase.NameAndID(who, table), args[0])
			if name == "" { // the hosted zones do not report ids of tables, so the readers of the table are unknown
				err = e.Ask().Confirm("%s?", question)
			} else {
				err = agreeTable(ctx, e, cl, p, named, prompt.NamesOf(table, schema+"."+name, args[1]), k, schema,
					name, question)
			}
			if err != nil {
				return cli.View{}, err
			}
			return cli.Note("removed table %s", args[1]), cl.SemanticCatalogs.DeleteTable(ctx, p, k.ID, table)
		})),
	)
	return c
}

// semanticTable returns the name of a table of a semantic catalog that was given by name or id. schema and table are ""
// if the gateway does not report the table.
func semanticTable(ctx context.Context, e *cli.Env, cl *api.Client, p, catalog, given,
	id string) (who, schema, table string, err error) {
	if given != id {
		schema, table, _ = strings.Cut(given, ".")
		return given, schema, table, nil
	}
	schemas, err := cl.Catalogs.Schemas(ctx, p, catalog)
	for _, s := range schemas {
		tables, terr := cl.Catalogs.Tables(ctx, p, catalog, s.SchemaName)
		err = errors.Join(err, terr)
		for _, t := range tables {
			if t.TableID == id {
				return t.SchemaName + "." + t.TableName, t.SchemaName, t.TableName, nil
			}
		}
	}
	return id, "", "", err
}
