package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newCatalogCreateCmd(e *Env) *cobra.Command {
	var connection, body string
	var extra parameterFlags
	var anything bool
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a catalog over a connection", Args: cobra.MaximumNArgs(1),
		Long: `Create a catalog over a connection. Its schemas and tables are then named NAME.SCHEMA.TABLE in SQL.

The name in SQL is the lower-case form of NAME with underscores for signs that SQL does not take; the reply
shows it. Several catalogs may stand over one connection.

Some types want parameters of their own, google_ads the secrets of its connection once more. Those that the gateway
says it misses are asked for on a terminal, else give them by --parameter or --extra.

Tables of databases cannot be cached on the hosted zones, nor by default on zone local; --cache-anything allows
it there for the tables of this catalog.`,
		Example: "  " + e.Name + " catalog create shop --connection shopdb"}
	c.Flags().StringVar(&connection, "connection", "", "connection, by id or name")
	c.Flags().StringArrayVar(&extra.fields, "parameter", nil, "one parameter that the type asks for: FIELD=@FILE, FIELD=- for stdin, or FIELD=VALUE if it is no secret; may be repeated")
	c.Flags().StringVar(&extra.file, "extra", "", "extraParameters that some types ask for, as a JSON object in @FILE or - for stdin")
	c.Flags().BoolVar(&anything, "cache-anything", false, "allow caches of its tables although it is a database (zone local)")
	bodyFlag(c, &body)
	return annotate(e.leaf(spec.CreateCatalog, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.CatalogRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if err := extra.check(); err != nil {
			return view{}, err
		}
		if err := extra.into(e, &req); err != nil {
			return view{}, err
		}
		if c.Flags().Changed("cache-anything") {
			if err := e.onlyLocal("--cache-anything"); err != nil {
				return view{}, err
			}
			if req.ExtraParameters == nil {
				req.ExtraParameters = map[string]any{}
			}
			req.ExtraParameters["cacheAnything"] = anything
		}
		if len(args) == 1 {
			req.Name = args[0]
		}
		if connection == "" {
			connection = req.ConnectionID
		}
		switch {
		case req.Name == "":
			return view{}, usagef("a name is required")
		case connection == "":
			return view{}, usagef("--connection is required").withHint("`dig connection list` lists them")
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		if req.ConnectionID, err = connectionID(ctx, cl, p, connection); err != nil {
			return view{}, err
		}
		create := func() (api.Catalog, error) {
			return orAlternative(
				func() (api.Catalog, error) { return cl.Catalogs.Create(ctx, p, req) },
				func() (api.Catalog, error) { return cl.Catalogs.CreateAlt(ctx, p, req) })
		}
		v, err := create()
		if err != nil && len(missingParameters(err)) > 0 {
			if err = e.askParameters(&req, err); err == nil {
				v, err = create()
			}
		}
		return object(v), explainCreate(ctx, cl, p, req.Name, err)
	}), spec.CreateCatalogAlt, spec.ListConnections)
}

// explainCreate tells a project in which catalogs cannot be created from a gateway that is broken: some hosted projects answer
// 500 to every create while reading works [L].
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
			copied.Hint = "a catalog of that name is there, with the id " + c.ID + "; `dig catalog get " + shell.Quote(c.ID) + "` shows it"
		}
	}
	return &copied
}

func newCatalogDeleteCmd(e *Env) *cobra.Command {
	return annotate(e.leaf(spec.DeleteCatalog, &cobra.Command{Use: "delete CATALOG", Aliases: []string{"rm"}, Short: "Delete a catalog", Args: cobra.ExactArgs(1),
		Long:    "Delete a catalog. The connection and the source stay as they are; caches and parametric tables of the catalog\nand what was shared from it go. The question names them.",
		Example: "  " + e.Name + " catalog delete shop --yes"},
		e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			id, err := catalogID(ctx, cl, p, args[0])
			if err != nil {
				return view{}, err
			}
			who := e.called(args[0], id, func() ([]named, error) {
				all, err := cl.Catalogs.List(ctx, p)
				return mapNamed(all, func(k api.Catalog) named { return named{id: k.ID, name: k.Name} }), err
			})
			with := ""
			if e.asked() {
				if with = catalogHoldings(ctx, cl, p, id); with != "" {
					with = " with its " + with
				}
			}
			if err := e.confirm("delete catalog %s%s?", who, with); err != nil {
				return view{}, err
			}
			return note("deleted catalog %s", args[0]), cl.Catalogs.Delete(ctx, p, id)
		})), spec.ListCatalogs, spec.ListCatalogCacheStatuses, spec.ListParametricTables, spec.ListSchemas, spec.ListTables)
}

func newCatalogShareCmd(e *Env) *cobra.Command {
	var to, body string
	c := &cobra.Command{Use: "share CATALOG", Short: "Let another project read a catalog", Args: cobra.ExactArgs(1),
		Long:    "Let another project read a catalog, also a semantic one.",
		Example: "  " + e.Name + " catalog share shop --to reporting"}
	c.Flags().StringVar(&to, "to", "", "project to share with, by id or name")
	bodyFlag(c, &body)
	return annotate(e.leaf(spec.ShareCatalog, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.CatalogShareRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if to != "" {
			req.TargetProjectID = to
		}
		if req.TargetProjectID == "" {
			return view{}, usagef("--to is required: the project to share with")
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		id, err := catalogID(ctx, cl, p, args[0])
		if err != nil {
			return view{}, err
		}
		if req.TargetProjectID, err = e.projectByName(ctx, cl, req.TargetProjectID); err != nil {
			return view{}, err
		}
		all, err := cl.Catalogs.List(ctx, p)
		if err != nil {
			return view{}, err
		}
		for _, k := range all { // the service has an operation of its own for these, with another field
			if k.ID == id && (strings.EqualFold(k.CatalogType, "SEMANTIC") || k.Type != nil && strings.EqualFold(*k.Type, "SEMANTIC")) {
				return note("shared semantic catalog %s with project %s", k.Name, req.TargetProjectID),
					cl.SemanticCatalogs.Share(ctx, p, id, api.SemanticCatalogShareRequest{Target: req.TargetProjectID})
			}
		}
		v, err := cl.Catalogs.Share(ctx, p, id, req)
		return object(v), err
	}), spec.ListCatalogs, spec.ShareSemanticCatalog)
}

func newCatalogStatisticsCmd(e *Env) *cobra.Command {
	return e.leaf(spec.GetTableStatistics, &cobra.Command{Use: "statistics CATALOG SCHEMA TABLE", Aliases: []string{"stats"}, Args: cobra.ExactArgs(3),
		Short: "Estimate how many different values each column of a table has",
		Long: `Estimate how many different values each column of a table has. A positive number is a count; a negative one is
a fraction of the rows, so -1 is a column without repeated values. PostgreSQL sources keep such numbers; zone local
also estimates them for its own tables. No other catalog has any.`,
		Example: "  " + e.Name + " catalog statistics shop public orders"},
		e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			id, err := tableCatalogID(ctx, cl, p, args[0], args[1])
			if err != nil {
				return view{}, err
			}
			v, err := cl.Catalogs.Statistics(ctx, p, id, args[1], args[2])
			if err != nil || !e.forReaders() || e.run.flags.columns != nil {
				return object(v), err
			}
			return list(v.ColumnStatistics, "columnName", "distinctFraction").mine(), nil
		}))
}

func newCatalogSearchCmd(e *Env) *cobra.Command {
	var catalog, schema, body string
	var limit, offset int64
	c := &cobra.Command{Use: "search [TEXT]", Short: "Find catalogs, schemas and tables by a part of their names", Args: cobra.MaximumNArgs(1),
		Long: `Find catalogs, schemas and tables by a part of their names, in any case. The index of the hosted zones may still
list catalogs that were deleted; those are left out here, and all groups are lists even when empty.

With -o json the hits lie in an object, as the gateway sends them: matchedCatalogs, matchedSchemas, matchedTables and meta.`,
		Example: "  " + e.Name + " catalog search order --catalog shop\n  " + e.Name + " catalog search order --jq '.matchedTables[] | .catalog + \".\" + .schema + \".\" + .table'"}
	c.Flags().StringVar(&catalog, "catalog", "", "only in this catalog, by its name in SQL")
	c.Flags().StringVar(&schema, "schema", "", "only in this schema")
	c.Flags().Int64Var(&limit, "limit", 100, "hits to return")
	c.Flags().Int64Var(&offset, "offset", 0, "hits to skip first")
	bodyFlag(c, &body)
	return annotate(e.leaf(spec.Search, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.SearchRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
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
		setIf(c, "limit", &req.Limit, limit)
		setIf(c, "offset", &req.Offset, offset)
		if req.Query == "" {
			return view{}, usagef("a text to search for is required")
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		v, err := cl.Catalogs.Search(ctx, p, req)
		if err != nil {
			return view{}, err
		}
		there, err := cl.Catalogs.List(ctx, p)
		if err != nil {
			return view{}, err
		}
		names := map[string]bool{}
		for _, k := range there {
			names[k.Name], names[k.DisplayName] = true, true
		}
		ghosts := 0
		for _, group := range []*[]api.CatalogSchemaTable{&v.MatchedCatalogs, &v.MatchedSchemas, &v.MatchedTables} {
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
		out := object(v).mine()
		var notes []string
		if e.forReaders() && e.run.flags.columns == nil {
			out = list(foundLines(v), "kind", "name").mine()
		}
		if next := v.Meta.Page.NextOffset; next != nil {
			notes = append(notes, fmt.Sprintf("there is more: --offset %d", *next))
		}
		if ghosts > 0 {
			notes = append(notes, fmt.Sprintf("left out %d hits in catalogs that no longer exist", ghosts))
		}
		if notes != nil {
			out = out.withNote("%s", strings.Join(notes, "\n"))
		}
		return out, nil
	}), spec.ListCatalogs)
}

// foundLine is a hit of a search as people read it.
type foundLine struct {
	Kind string `json:"kind"`
	Name string `json:"name"` // as SQL writes it, but for quotes
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
