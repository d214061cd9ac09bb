package connection

import (
	"cmp"
	"context"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// tested is what `connection test` prints.
type tested struct {
	Connection string `json:"connection"`
	Catalog    string `json:"catalog"`
	Schemas    int    `json:"schemas"`
}

func newConnectionTestCmd(e *cli.Env, in onConnection) *cobra.Command {
	c := &cobra.Command{Use: "test CONNECTION", Short: "Test whether the source of a connection answers",
		Args: cobra.ExactArgs(1),
		Long: `Test whether the source of a connection answers: its schemas and the tables of one are listed through a
catalog over it, and for a REST API the columns of one table. Nothing is stored. The exit code is 5 if the
source cannot be reached, 3 if its file or folder does not exist, 1 if a database is not there or it refuses the
credential.

A connection that no catalog uses cannot be tested; it was when its credential was stored.`,
		Example: "  " + e.Name + " connection test shopdb"}
	return cli.Annotate(cli.Leaf[tested](e, spec.ListSchemas, c,
		in(func(ctx context.Context, cl *api.Client, p, id, name string) (cli.View, error) {
			all, err := cl.Catalogs.List(ctx, p)
			if err != nil {
				return cli.View{}, err
			}
			for _, k := range all {
				if k.ConnectionID == nil || *k.ConnectionID != id {
					continue
				}
				schemas, err := cl.Catalogs.Schemas(ctx, p, k.ID)
				if err == nil && len(schemas) > 0 {
					err = testTables(ctx, cl, p, k, schemas[0].SchemaName)
				}
				if err != nil {
					return cli.View{}, err
				}
				v := cli.Object(tested{name, k.Name, len(schemas)}).PrintValue()
				return v.WithNote("connection %s works: %s", name, cmp.Or(phrase.Plural(len(schemas),
					"its source has 1 schema", "its source has %d schemas"),
					"its source has no schemas")), nil
			}
			return cli.View{}, &exitcode.Failure{Exit: exitcode.Conflict, Code: "no-catalog",
				Msg:  "no catalog is over connection " + name + ", and a gateway reads a source through one only",
				Hint: "`" + e.Name + " catalog create NAME --connection " + shell.Quote(name) + "` creates one"}
		})), spec.ListCatalogs, spec.ListConnections, spec.ListTables, spec.ListColumns)
}

// testTables lists the tables of a schema: a gateway knows the schemas of some sources without reading these, and the
// tables of a REST API too, which are in the credential.
func testTables(ctx context.Context, cl *api.Client, project string, k api.Catalog, schema string) error {
	tables, err := cl.Catalogs.Tables(ctx, project, k.ID, schema)
	if err != nil || k.CatalogType != "rest" {
		return err
	}
	at := slices.IndexFunc(tables, func(t api.Table) bool { return !t.IsDynamicTable })
	if at < 0 {
		return &exitcode.Failure{Exit: exitcode.Conflict, Code: "no-table",
			Msg: "every table of catalog " + k.Name + " needs a value for a parameter, so none was read"}
	}
	_, err = cl.Catalogs.Columns(ctx, project, k.ID, schema, tables[at].TableName)
	return err
}
