// Package connection holds the commands for connections to sources, and for the connection strings of drivers.
package connection

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&connectionShape, api.Connection{})
	e.Displays(&typeShape, api.ConnectionConfiguration{})
	e.Displays(&credentialShape, api.ConnectionConfigurationItem{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "connection", Aliases: []string{"connections", "conn"},
		Short: "Connections: stored access to external sources"}
	ex := "  " + e.Name + " connection "
	// in runs f with the ids of the project and of the connection named by the first argument.
	in := func(f func(ctx context.Context, cl *api.Client, project, connection, name string) (cli.View,
		error)) cli.RunFunc {
		return e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			id, err := resolve.ConnectionID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			return f(ctx, cl, p, id, args[0])
		})
	}
	c.AddCommand(
		newConnectionTypeCmd(e),
		cli.Leaf[[]api.Connection](e, spec.ListConnections, &cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short: "List the connections of the project", Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Connections.List(ctx, p)
				return cli.List(v, "id", "name", "type"), err
			})),
		cli.Leaf[api.Connection](e, spec.GetConnection, &cobra.Command{Use: "get CONNECTION", Aliases: []string{"show"},
			Short: "Show one connection, by id or name", Example: ex + "get shopdb", Args: cobra.ExactArgs(1)},
			in(func(ctx context.Context, cl *api.Client, p, id, _ string) (cli.View, error) {
				v, err := cl.Connections.Get(ctx, p, id)
				return cli.Object(v), err
			})),
		cli.Leaf[api.ConnectionDetail](e, spec.GetConnectionDetail, &cobra.Command{Use: "detail CONNECTION",
			Short: "Show the non-secret fields of a connection's credential", Example: ex + "detail shopdb",
			Args: cobra.ExactArgs(1)},
			in(func(ctx context.Context, cl *api.Client, p, id, _ string) (cli.View, error) {
				v, err := cl.Connections.Detail(ctx, p, id)
				if err != nil {
					return cli.View{}, err
				}
				out := map[string]any{} // the gateway does not mask keys inside addresses and documents
				for name, raw := range v {
					if out[name], _, err = secret.Open(name, raw); err != nil {
						return cli.View{}, err
					}
				}
				return cli.Object(out).PrintValue(), nil
			})),
		newConnectionCreateCmd(e), newConnectionEnsureCmd(e), newConnectionUpdateCmd(e),
		newConnectionTestCmd(e, in),
		newConnectionDeleteCmd(e, ex, in),
		newConnectionOAuthCmd(e),
	)
	return c
}

// onConnection completes a command on one connection: f gets the ids of the project and the connection, and its name as
// given.
type onConnection func(f func(ctx context.Context, cl *api.Client, p, id, name string) (cli.View, error)) cli.RunFunc

func newConnectionDeleteCmd(e *cli.Env, ex string, in onConnection) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "delete CONNECTION", Aliases: []string{"rm"}, Short: "Delete a connection",
		Args: cobra.ExactArgs(1),
		Long: "Delete a connection.\n\nCatalogs over it stay in the list, but stop resolving immediately; the " +
			"prompt names them with their caches and the\nqueries that read them. If there are any, the name of the " +
			"connection is asked for, or --yes needs --confirm NAME.",
		Example: ex + "delete shopdb --yes"}
	named.Register(c, "connection")
	return cli.Annotate(cli.Leaf[cli.Acknowledged](e, spec.DeleteConnection, c,
		in(func(ctx context.Context, cl *api.Client, p, id,
			name string) (cli.View, error) {
			called := name
			if name == id {
				if now, err := cl.Connections.Get(ctx, p, id); err == nil {
					called = now.Name
				}
			}
			look := func() (string, error) {
				g, err := uses.Read(ctx, cl, p)
				if err != nil {
					return "", err
				}
				return g.Users(nil, g.Connection(id)).Breaks(), nil
			}
			used, err := look()
			if err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().ConfirmNamed(named, prompt.NamesOf(id, called), used, "delete connection %s%s?",
				phrase.NameAndID(called, id), used); err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().RecheckText("connection "+called, used, look); err != nil {
				return cli.View{}, err
			}
			return cli.Note("deleted connection %s%s", name, used), cl.Connections.Delete(ctx, p, id)
		})), append(uses.Operations(), spec.GetConnection)...)
}

func newConnectionTypeCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "type", Aliases: []string{"types"}, Short: "Connection types and their credentials"}
	ex := "  " + e.Name + " connection type "
	c.AddCommand(
		cli.Leaf[[]api.ConnectionConfiguration](e, spec.ListConnectionConfigs,
			&cobra.Command{Use: "list", Aliases: []string{"ls"},
				Short: "List the connection types", Example: ex + "list", Args: cobra.NoArgs},
			func(ctx context.Context, cl *api.Client, _ []string) (cli.View, error) {
				v, err := cl.Connections.ListConfigs(ctx)
				return cli.List(v, "connectionType", "connectionTypeLabel", "category", "authorizationType"), err
			}),
		cli.Leaf[api.ConnectionConfiguration](e, spec.GetConnectionConfig, &cobra.Command{Use: "get TYPE",
			Aliases: []string{"show"},
			Short:   "Show the credential fields of a type", Args: cobra.ExactArgs(1),
			Long: "Show the credential fields of a type. The case of the type is ignored.", Example: ex +
				"get postgres"},
			func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
				key := args[0]
				all, err := cl.Connections.ListConfigs(ctx)
				if err == nil {
					key = spelling(all, key)
				}
				v, err := cl.Connections.GetConfig(ctx, key)
				if err != nil || !e.ForReaders() || e.Run.Flags.Columns != nil {
					return cli.Object(v), err
				}
				about := v.ConnectionType + ": " + v.ConnectionTypeLabel
				if v.RedirectRequired {
					about += ", authorized in a browser"
				}
				if v.DocumentationURL != "" {
					about += ", " + v.DocumentationURL
				}
				return cli.List(v.Configuration, "fieldName", "fieldType", "required", "description").PrintValue().
					WithNote("%s", about), nil
			}),
	)
	return c
}

// spelling returns a connection type in the gateway's spelling: there stripe is lower case and POSTGRES upper case [L].
func spelling(all []api.ConnectionConfiguration, key string) string {
	if t, ok := typeNamed(all, key); ok {
		return t.ConnectionType
	}
	return key
}

// typeAliases are names that other programs have for types.
func typeAliases() map[string]string {
	return map[string]string{"postgresql": "postgres", "pg": "postgres", "mariadb": "mysql", "sqlite3": "sqlite",
		"file": "files"}
}

// typeNamed finds a type by its exact name, without its case, or by another name of it that no type of the gateway has.
func typeNamed(all []api.ConnectionConfiguration, key string) (api.ConnectionConfiguration, bool) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, t := range all {
			if same(t.ConnectionType, key) {
				return t, true
			}
		}
	}
	if other := typeAliases()[strings.ToLower(key)]; other != "" {
		return typeNamed(all, other)
	}
	return api.ConnectionConfiguration{}, false
}

func newConnectionOAuthCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "oauth", Short: "Connections that are authorized by a third party"}
	c.AddCommand(cli.Leaf[api.Connection](e, spec.CompleteOauthConnection, &cobra.Command{Use: "complete QUERY",
		Args:  cobra.ExactArgs(1),
		Short: "Complete an OAuth connection with the reply of the provider",
		Long: `Complete an OAuth connection with the reply of the provider: the query string of the address it
redirected to, everything after the question mark. @FILE reads it from a file and - from standard input.`,
		Example: "  " + e.Name + " connection oauth complete - < callback.txt"},
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			raw, err := e.Value("QUERY", args[0])
			if err != nil {
				return nil, err
			}
			q := strings.TrimSpace(string(raw))
			if _, after, ok := strings.Cut(q, "?"); ok {
				q = after
			}
			if !strings.Contains(q, "=") {
				return nil, exitcode.Usagef("QUERY: %d bytes without name=value are not a query string", len(q))
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				v, err := cl.Connections.CompleteOAuth(ctx, p, api.OAuthCallbackRequest{QueryParameters: q})
				out := cli.Object(v)
				if why := refusedByProvider(q); why != "" {
					out.Fail = &exitcode.Failure{Exit: exitcode.Failed, Code: "refused",
						Msg:  "the provider did not authorize the connection: " + why,
						Hint: "open the address in the url field of the connection again"}
				}
				return out, err
			}, nil
		})))
	return c
}

// refusedByProvider returns the error of a provider for a consent that was not given, "" if it was.
func refusedByProvider(query string) string {
	q, err := url.ParseQuery(query)
	switch {
	case err != nil:
		return err.Error()
	case q.Get("error") != "":
		return strings.TrimSuffix(q.Get("error")+": "+q.Get("error_description"), ": ")
	case strings.HasPrefix(strings.ToLower(q.Get("status")), "fail"):
		return "status=" + q.Get("status")
	}
	return ""
}

func describeField(f api.ConnectionConfigurationItem) string {
	s := fmt.Sprintf("%s (%s", f.FieldName, f.FieldType)
	if f.Required {
		s += ", required"
	}
	return s + ")"
}
