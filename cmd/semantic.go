package cmd

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newSemanticCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "semantic-catalog", Aliases: []string{"semantic-catalogs", "semantic"}, Short: "Catalogs whose tables are saved queries, always live"}
	ex := "  " + e.Name + " semantic-catalog "
	share := &cobra.Command{Use: "share CATALOG", Short: "Let another project read a semantic catalog", Example: ex + "share kpi --to finance", Args: cobra.ExactArgs(1)}
	var to string
	share.Flags().StringVar(&to, "to", "", "project to share with, by id or name")
	_ = share.MarkFlagRequired("to")
	c.AddCommand(
		newSemanticCreateCmd(e),
		newSemanticTableCmd(e),
		e.leaf(spec.ShareSemanticCatalog, share, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			id, err := catalogID(ctx, cl, p, args[0])
			if err != nil {
				return view{}, err
			}
			target, err := e.projectByName(ctx, cl, to)
			if err != nil {
				return view{}, err
			}
			return note("shared %s with project %s", args[0], to), cl.SemanticCatalogs.Share(ctx, p, id, api.SemanticCatalogShareRequest{Target: target})
		})),
	)
	return c
}

func newSemanticCreateCmd(e *Env) *cobra.Command {
	var body string
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a semantic catalog", Example: "  " + e.Name + " semantic-catalog create kpi", Args: cobra.MaximumNArgs(1),
		Long: "Create a semantic catalog. It is listed, shown and deleted with the other catalogs: `" + e.Name + " catalog`."}
	bodyFlag(c, &body)
	return e.leaf(spec.CreateSemanticCatalog, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		var req api.SemanticCatalogRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if len(args) == 1 {
			req.Name = args[0]
		}
		if req.Name == "" {
			return view{}, usagef("a name is required")
		}
		v, err := cl.SemanticCatalogs.Create(ctx, p, req)
		return object(v), err
	}))
}

func newSemanticTableCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "table", Aliases: []string{"tables"}, Short: "Tables of a semantic catalog"}
	ex := "  " + e.Name + " semantic-catalog table "
	var query, body string
	create := &cobra.Command{Use: "create CATALOG SCHEMA.TABLE", Short: "Bind a table to a saved query", Args: cobra.RangeArgs(1, 2), Example: ex + "create kpi sales.monthly --query monthly_revenue"}
	create.Flags().StringVar(&query, "query", "", "saved query, by id or name")
	bodyFlag(create, &body)
	del := &cobra.Command{Use: "delete CATALOG TABLE", Aliases: []string{"rm"}, Short: "Remove a table, by id or SCHEMA.TABLE; its query stays", Args: cobra.ExactArgs(2), Example: ex + "delete kpi sales.monthly --yes",
		Long: "Remove a table from a semantic catalog; its query stays.\n\nThe hosted zones tell the id of a table only when it is created; zone local finds it by its name too."}
	c.AddCommand(
		e.leaf(spec.CreateSemanticTable, create, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			var req api.SemanticTableRequest
			if err := e.body(body, &req); err != nil {
				return view{}, err
			}
			if len(args) == 2 {
				var ok bool
				if req.SchemaName, req.TableName, ok = strings.Cut(args[1], "."); !ok || req.SchemaName == "" || req.TableName == "" {
					return view{}, usagef("%q is not of the form SCHEMA.TABLE", args[1])
				}
			}
			if query != "" {
				id, err := queryID(ctx, cl, p, query)
				if err != nil {
					return view{}, err
				}
				req.QueryID = id
			}
			switch {
			case req.SchemaName == "" || req.TableName == "":
				return view{}, usagef("a name is required: SCHEMA.TABLE")
			case req.QueryID == "":
				return view{}, usagef("--query is required")
			}
			id, err := catalogID(ctx, cl, p, args[0])
			if err != nil {
				return view{}, err
			}
			v, err := cl.SemanticCatalogs.CreateTable(ctx, p, id, req)
			return object(v), err
		})),
		e.leaf(spec.DeleteSemanticTable, del, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			id, err := catalogID(ctx, cl, p, args[0])
			if err != nil {
				return view{}, err
			}
			table, err := semanticTableID(ctx, cl, p, id, args[1])
			if err != nil {
				return view{}, err
			}
			who := e.called(args[1], table, func() ([]named, error) {
				var all []named
				schemas, err := cl.Catalogs.Schemas(ctx, p, id)
				for _, s := range schemas {
					tables, terr := cl.Catalogs.Tables(ctx, p, id, s.SchemaName)
					err = errors.Join(err, terr)
					all = append(all, mapNamed(tables, func(t api.Table) named { return named{id: t.TableID, name: t.SchemaName + "." + t.TableName} })...)
				}
				return all, err
			})
			if err := e.confirm("remove table %s from semantic catalog %s?", who, args[0]); err != nil {
				return view{}, err
			}
			return note("removed table %s", args[1]), cl.SemanticCatalogs.DeleteTable(ctx, p, id, table)
		})),
	)
	return c
}

func semanticTableID(ctx context.Context, cl *api.Client, project, catalog, set string) (string, error) {
	if bigIDLike().MatchString(set) {
		return set, nil
	}
	schema, table, ok := strings.Cut(set, ".")
	if !ok {
		return "", usagef("%q is neither the id of a table nor of the form SCHEMA.TABLE", set)
	}
	tables, err := cl.Catalogs.Tables(ctx, project, catalog, schema)
	if err != nil {
		return "", err
	}
	var all []named
	for _, t := range tables {
		if t.TableID == "" {
			return "", usagef("this gateway does not tell the ids of semantic tables").withHint("give the id that `semantic-catalog table create` printed")
		}
		all = append(all, named{id: t.TableID, name: t.TableName})
	}
	return pick("table", "", table, all)
}
