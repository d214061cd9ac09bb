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
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// catalogFlags are the fields of a catalog as flags.
type catalogFlags struct {
	connection, body string
	extra            parameterFlags
	anything         bool
}

func (f *catalogFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.connection, "connection", "", "connection, by id or name")
	c.Flags().StringArrayVar(&f.extra.fields, "parameter", nil, "one parameter that the type requires: FIELD=@FILE, "+
		"FIELD=- for stdin, or FIELD=VALUE if it is not a secret; may be repeated")
	c.Flags().StringVar(&f.extra.file, "extra", "",
		"extraParameters that some types require, as a JSON object in @FILE or - for stdin")
	c.Flags().BoolVar(&f.anything, "cache-anything", false,
		"allow caches of its tables although it is a database (zone local)")
	cli.BodyFlag(c, &f.body)
}

// request builds the body from --body and the flags, all checked before anything is sent. ConnectionID is a name or an
// id.
func (f *catalogFlags) request(e *cli.Env, c *cobra.Command, args []string) (api.CatalogRequest, error) {
	var req api.CatalogRequest
	if err := e.Body(f.body, &req); err != nil {
		return req, err
	}
	if err := f.extra.check(); err != nil {
		return req, err
	}
	if err := f.extra.into(e, &req); err != nil {
		return req, err
	}
	if c.Flags().Changed("cache-anything") {
		if err := e.OnlyLocal("--cache-anything"); err != nil {
			return req, err
		}
		if req.ExtraParameters == nil {
			req.ExtraParameters = map[string]any{}
		}
		req.ExtraParameters[api.CacheAnything] = f.anything
	}
	if len(args) == 1 {
		req.Name = args[0]
	}
	if f.connection != "" {
		req.ConnectionID = f.connection
	}
	switch {
	case req.Name == "":
		return req, exitcode.Usagef("a name is required")
	case req.ConnectionID == "":
		return req, exitcode.Usagef("--connection is required").WithHint("`dig connection list` lists them")
	}
	return req, nil
}

// createCatalog creates a catalog. On a terminal it prompts for the parameters that the gateway reports as missing.
func createCatalog(ctx context.Context, e *cli.Env, cl *api.Client, p string,
	req api.CatalogRequest) (api.Catalog, error) {
	create := func() (api.Catalog, error) {
		return resolve.OrAlternative(
			func() (api.Catalog, error) { return cl.Catalogs.Create(ctx, p, req) },
			func() (api.Catalog, error) { return cl.Catalogs.CreateAlt(ctx, p, req) })
	}
	v, err := create()
	if err != nil && len(missingParameters(err)) > 0 {
		if err = askParameters(e, &req, err); err == nil {
			v, err = create()
		}
	}
	return v, explainCreate(ctx, cl, p, req.Name, err)
}

func newCatalogCreateCmd(e *cli.Env) *cobra.Command {
	var f catalogFlags
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a catalog over a connection", Args: cobra.MaximumNArgs(1),
		Long: `Create a catalog over a connection. Its schemas and tables are then named NAME.SCHEMA.TABLE in SQL.

The name in SQL is the lower-case form of NAME with underscores for characters that SQL does not allow; the reply
shows it. Several catalogs may use one connection.

Some types require parameters of their own, google_ads the secrets of its connection again. Those that the gateway
reports as missing are prompted for on a terminal; elsewhere give them by --parameter or --extra.

Tables of databases cannot be cached on the hosted zones, nor by default on zone local; --cache-anything allows
it there for the tables of this catalog.`,
		Example: "  " + e.Name + " catalog create shop --connection shopdb"}
	f.register(c)
	return cli.Annotate(cli.Leaf[api.Catalog](e, spec.CreateCatalog, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			req, err := f.request(e, c, args)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				if req.ConnectionID, err = resolve.ConnectionID(ctx, cl, p, req.ConnectionID); err != nil {
					return cli.View{}, err
				}
				v, err := createCatalog(ctx, e, cl, p, req)
				return cli.Object(v), err
			}, nil
		})), spec.CreateCatalogAlt, spec.ListConnections)
}

func newCatalogEnsureCmd(e *cli.Env) *cobra.Command {
	var f catalogFlags
	c := &cobra.Command{Use: "ensure [NAME]", Short: "Create a catalog over a connection unless it exists",
		Args: cobra.MaximumNArgs(1),
		Long: `Create a catalog over a connection unless one of that name exists. Catalogs cannot be changed: one over
another connection is an error. The parameters of an existing catalog cannot be read, so they are not
compared.`,
		Example: "  " + e.Name + " catalog ensure shop --connection shopdb"}
	f.register(c)
	return cli.Annotate(cli.Leaf[api.Catalog](e, spec.CreateCatalog, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			req, err := f.request(e, c, args)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				given := req.ConnectionID
				if req.ConnectionID, err = resolve.ConnectionID(ctx, cl, p, given); err != nil {
					return cli.View{}, err
				}
				find := func() (api.Catalog, bool, error) {
					all, err := cl.Catalogs.List(ctx, p)
					for _, k := range all {
						if strings.EqualFold(k.Name, req.Name) || strings.EqualFold(k.DisplayName, req.Name) {
							return k, true, err
						}
					}
					return api.Catalog{}, false, err
				}
				v, made, err := cli.Ensured(e, find, func() (api.Catalog, error) {
					return createCatalog(ctx,
						e, cl, p, req)
				})
				what := "catalog " + v.Name
				if err == nil && (v.ConnectionID == nil || !strings.EqualFold(*v.ConnectionID, req.ConnectionID)) {
					return cli.View{}, cli.Differs(what, "not over connection "+given, "`dig catalog get "+
						shell.Quote(v.Name)+"` shows it; a catalog cannot be changed, only deleted and created again")
				}
				return cli.EnsuredView(v, what, made, ""), err
			}, nil
		})), spec.CreateCatalogAlt, spec.ListConnections, spec.ListCatalogs)
}

// explainCreate distinguishes a project in which catalogs cannot be created from a gateway that is broken: some hosted
// projects answer 500 to every create while reading works [L].
func explainCreate(ctx context.Context, cl *api.Client, project, name string, err error) error {
	var ae *api.Error
	if !errors.As(err, &ae) || ae.Status != 500 {
		return err
	}
	all, lerr := cl.Catalogs.List(ctx, project)
	if lerr != nil {
		return err
	}
	copied := *ae
	copied.Hint = "the gateway works otherwise: this key may not be allowed to create catalogs in this project"
	for _, c := range all {
		if strings.EqualFold(c.DisplayName, name) || strings.EqualFold(c.Name, name) {
			copied.Hint = "a catalog of that name exists, with the id " + c.ID + "; `dig catalog get " +
				shell.Quote(c.ID) + "` shows it"
		}
	}
	return &copied
}

func newCatalogDeleteCmd(e *cli.Env) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "delete CATALOG", Aliases: []string{"rm"}, Short: "Delete a catalog",
		Args: cobra.ExactArgs(1),
		Long: `Delete a catalog. The connection and the source are not changed; caches and parametric tables of the
catalog and its shares are deleted, and saved queries that read it break. The prompt names them. If
there are any, the name of the catalog is asked for, or --yes needs --confirm NAME.`,
		Example: "  " + e.Name + " catalog delete shop --yes"}
	named.Register(c, "catalog")
	return cli.Annotate(cli.Leaf[cli.Acknowledged](e, spec.DeleteCatalog, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			args []string) (cli.View, error) {
			k, err := catalogOf(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			if k.Name == "" {
				return cli.View{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
					Msg: "there is no catalog with id " + k.ID}
			}
			with, broken, err := catalogHoldings(ctx, e, cl, p, k)
			if err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().ConfirmNamed(named, prompt.NamesOf(k.ID, k.Name, k.DisplayName), broken,
				"delete catalog %s%s?", phrase.NameAndID(k.Name, k.ID), with); err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().RecheckText("catalog "+k.Name, with, func() (string, error) {
				now, _, err := catalogHoldings(ctx, e, cl, p, k)
				return now, err
			}); err != nil {
				return cli.View{}, err
			}
			return cli.Note("deleted catalog %s", args[0]), cl.Catalogs.Delete(ctx, p, k.ID)
		})), uses.Operations()...)
}

func newCatalogShareCmd(e *cli.Env) *cobra.Command {
	var to, body string
	c := &cobra.Command{Use: "share CATALOG", Short: "Let another project read a catalog", Args: cobra.ExactArgs(1),
		Long:    "Let another project read a catalog, also a semantic one.",
		Example: "  " + e.Name + " catalog share shop --to reporting"}
	c.Flags().StringVar(&to, "to", "", "project to share with, by id or name")
	cli.BodyFlag(c, &body)
	return cli.Annotate(cli.Leaf[cli.Either[api.SharedCatalogResponse, cli.Acknowledged]](e, spec.ShareCatalog, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			var req api.CatalogShareRequest
			if err := e.Body(body, &req); err != nil {
				return nil, err
			}
			if to != "" {
				req.TargetProjectID = to
			}
			if req.TargetProjectID == "" {
				return nil, exitcode.Usagef("--to is required: the project to share with")
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				k, err := catalogOf(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				if req.TargetProjectID, err = e.Target().ProjectByName(ctx, cl, req.TargetProjectID); err != nil {
					return cli.View{}, err
				}
				if resolve.IsSemantic(k) { // the service has a separate operation for these, with another field
					return cli.Note("shared semantic catalog %s with project %s", k.Name, req.TargetProjectID),
						cl.SemanticCatalogs.Share(ctx, p, k.ID,
							api.SemanticCatalogShareRequest{Target: req.TargetProjectID})
				}
				v, err := cl.Catalogs.Share(ctx, p, k.ID, req)
				return cli.Object(v), err
			}, nil
		})), spec.ListCatalogs, spec.ShareSemanticCatalog)
}

func newCatalogStatisticsCmd(e *cli.Env) *cobra.Command {
	return cli.Leaf[api.TableStatistics](e, spec.GetTableStatistics,
		&cobra.Command{Use: "statistics CATALOG SCHEMA TABLE",
			Aliases: []string{"stats"}, Args: cobra.ExactArgs(3),
			Short: "Estimate the number of distinct values of each column of a table",
			Long: `Estimate the number of distinct values of each column of a table. A positive number is a count; a
negative one is a fraction of the rows, so -1 is a column of unique values. PostgreSQL sources maintain
such statistics; zone local also estimates them for its own tables. No other catalog has them.`,
			Example: "  " + e.Name + " catalog statistics shop public orders"},
		e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			id, err := resolve.TableCatalogID(ctx, cl, p, args[0], args[1])
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Catalogs.Statistics(ctx, p, id, args[1], args[2])
			if err != nil || !e.ForReaders() || e.Run.Flags.Columns != nil {
				return cli.Object(v), err
			}
			return cli.List(v.ColumnStatistics, "columnName", "distinctFraction").PrintValue(), nil
		}))
}

func newCatalogSearchCmd(e *cli.Env) *cobra.Command {
	var catalog, schema, body string
	var limit, offset int64
	c := &cobra.Command{Use: "search [TEXT]", Short: "Find catalogs, schemas and tables by a part of their names",
		Args: cobra.MaximumNArgs(1),
		Long: `Find catalogs, schemas and tables by a part of their names, in any case. The index of the hosted zones
may still list deleted catalogs; those are removed here, and all groups are lists even when empty.

With -o json the hits are in an object, as the gateway sends them: matchedCatalogs, matchedSchemas,
matchedTables and meta.`,
		Example: "  " + e.Name + " catalog search order --catalog shop\n  " + e.Name +
			" catalog search order --jq '.matchedTables[] | .catalog + \".\" + .schema + \".\" + .table'"}
	c.Flags().StringVar(&catalog, "catalog", "", "only in this catalog, by its name in SQL")
	c.Flags().StringVar(&schema, "schema", "", "only in this schema")
	c.Flags().Int64Var(&limit, "limit", 100, "maximum number of hits")
	c.Flags().Int64Var(&offset, "offset", 0, "number of hits to skip")
	cli.BodyFlag(c, &body)
	return cli.Annotate(cli.Leaf[api.SearchResult](e, spec.Search, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			var req api.SearchRequest
			if err := e.Body(body, &req); err != nil {
				return nil, err
			}
			if len(args) == 1 {
				req.Query = args[0]
			}
			if catalog != "" {
				req.Catalog = catalog
			}
			if schema != "" {
				req.Schema = schema
			}
			cli.SetIf(c, "limit", &req.Limit, limit)
			cli.SetIf(c, "offset", &req.Offset, offset)
			if req.Query == "" {
				return nil, exitcode.Usagef("a search text is required")
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				v, err := cl.Catalogs.Search(ctx, p, req)
				if err != nil {
					return cli.View{}, err
				}
				there, err := cl.Catalogs.List(ctx, p)
				if err != nil {
					return cli.View{}, err
				}
				names := map[string]bool{}
				for _, k := range there {
					names[k.Name], names[k.DisplayName] = true, true
				}
				ghosts := 0
				for _, group := range []*[]api.CatalogSchemaTable{&v.MatchedCatalogs, &v.MatchedSchemas,
					&v.MatchedTables} {
					kept := []api.CatalogSchemaTable{}
					for _, hit := range *group {
						if names[hit.Catalog] {
							kept = append(kept, hit)
						} else {
							ghosts++
						}
					}
					*group = kept
				}
				out := cli.Object(v).PrintValue()
				var notes []string
				if e.ForReaders() && e.Run.Flags.Columns == nil {
					out = cli.List(foundLines(v), "kind", "name").PrintValue()
				}
				if next := v.Meta.Page.NextOffset; next != nil {
					notes = append(notes, fmt.Sprintf("there are more hits: --offset %d", *next))
				}
				if ghosts > 0 {
					notes = append(notes, fmt.Sprintf("removed %d hits in catalogs that no longer exist", ghosts))
				}
				if notes != nil {
					out = out.WithNote("%s", strings.Join(notes, "\n"))
				}
				return out, nil
			}, nil
		})), spec.ListCatalogs)
}

// foundLine is a search result for display.
type foundLine struct {
	Kind string `json:"kind"`
	Name string `json:"name"` // as in SQL, but without quotes
}

func foundLines(v api.SearchResult) []foundLine {
	out := []foundLine{}
	for _, h := range v.MatchedCatalogs {
		out = append(out, foundLine{"catalog", h.Catalog})
	}
	for _, h := range v.MatchedSchemas {
		out = append(out, foundLine{"schema", h.Catalog + "." + h.Schema})
	}
	for _, h := range v.MatchedTables {
		out = append(out, foundLine{"table", h.Catalog + "." + h.Schema + "." + h.Table})
	}
	return out
}
