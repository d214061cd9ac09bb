package connection

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

const credentialHelp = `
On a terminal, dig prompts for the fields of the credential. Otherwise give it by --credential-file (a JSON
object, - for standard input) or --credential FIELD=VALUE, where VALUE is @FILE, - for standard input or,
for fields that are not secret, the value itself. A password on the command line is rejected: other users can
see it there. The gateway tests the credential and stores it only if it works.`

const addressHelp = `

ADDRESS is that of a source: postgres://USER@HOST:PORT/DATABASE, mysql://USER@HOST:PORT/DATABASE, sqlite:PATH,
duckdb:PATH or files:FOLDER; ?sslmode=require encrypts. The password is not part of it: --password-env NAME reads
it from a variable, --credential password=- from standard input, password=@FILE from a file; on a terminal dig
prompts for it.
Relative paths are those of the working directory.`

// connectionFlags are the fields of a new connection as flags.
type connectionFlags struct {
	typ, callback, body string
	at                  address // the address that is given beside the name
	in                  credentialFlags
}

func (f *connectionFlags) register(e *cli.Env, c *cobra.Command) {
	c.Flags().StringVar(&f.typ, "type", "", "connection type, see `connection type list`; case is ignored")
	complete.Names(c, "type", "type")
	c.Flags().StringVar(&f.callback, "callback", "", "address to which an OAuth provider redirects the browser")
	f.in.register(c)
	cli.BodyFlag(c, &f.body)
}

// typed returns the request of a command with the configuration of its connection type.
func (f *connectionFlags) typed(ctx context.Context, e *cli.Env, cl *api.Client,
	args []string) (req api.ConnectionRequest, config api.ConnectionConfiguration, err error) {
	if req, err = f.request(e, args); err == nil {
		config, err = typeConfig(ctx, cl, &req.Type)
	}
	return req, config, err
}

// request builds the body from --body and the flags, without the credential of the flags.
func (f *connectionFlags) request(e *cli.Env, args []string) (api.ConnectionRequest, error) {
	var req api.ConnectionRequest
	if err := connectionBody(e, f.body, &req); err != nil {
		return req, err
	}
	if len(args) > 0 {
		req.Name = args[0]
	}
	if f.typ != "" {
		req.Type = f.typ
	}
	switch {
	case len(args) == 1 && strings.Contains(req.Name, "://"):
		return req, exitcode.Usagef("a name is required before the address")
	case len(args) == 2 && (req.Type != "" || req.Credential != nil):
		return req, exitcode.Usagef("an address cannot be combined with --type, or with a credential in --body")
	case len(args) == 2:
		var err error
		if f.at, err = parseAddress(args[1]); err != nil {
			return req, err
		}
		req.Type = f.at.typ
	}
	if f.callback != "" {
		req.ConnectionCallback = f.callback
	}
	switch {
	case req.Name == "":
		return req, exitcode.Usagef("a name is required")
	case req.Type == "":
		return req, exitcode.Usagef("--type is required").WithHint("`dig connection type list` lists the types; or " +
			"give an address, such as postgres://reader@db.example.com/shop")
	}
	return req, f.in.check(e)
}

// credential reads the credential, or prompts for it where prompt allows it, and checks it against the fields of the
// type.
func (f *connectionFlags) credential(e *cli.Env, config api.ConnectionConfiguration, req *api.ConnectionRequest,
	prompt bool) error {
	if f.at.credential != nil {
		req.Credential = f.at.credential
	}
	if f.in.given() || prompt && !config.RedirectRequired &&
		(req.Credential == nil || f.at.credential != nil && lacks(config, req.Credential)) {
		if err := readCredential(e, f.in, config, &req.Credential); err != nil {
			return err
		}
	}
	if err := checkCredential(config, req.Credential); err != nil {
		return err
	}
	absolute(e, req.Credential)
	if len(req.Credential) == 0 && !config.RedirectRequired {
		return credentialMissing(config)
	}
	if req.Credential == nil {
		req.Credential = api.Credential{} // the provider prompts for it
	}
	return nil
}

// absolute resolves the path of a file or folder against the working directory, which a gateway does not know. One from
// the root stays: on Windows it has no drive, but the gateway may run on another system.
func absolute(e *cli.Env, cred api.Credential) {
	if path, ok := cred["path"].(string); ok && path != "" && !strings.HasPrefix(path, "/") && e.Local() {
		cred["path"] = e.Abs(path)
	}
}

func credentialMissing(config api.ConnectionConfiguration) error {
	f := exitcode.Usagef("a credential is required").WithHint("give --credential-file or --credential FIELD=VALUE")
	if len(config.Configuration) > 0 {
		var fields []string
		for _, item := range config.Configuration {
			fields = append(fields, describeField(item))
		}
		f.Hint += "; fields: " + strings.Join(fields, ", ")
	}
	return f
}

func createConnection(ctx context.Context, cl *api.Client, p string,
	req api.ConnectionRequest) (api.Connection, error) {
	return resolve.OrAlternative(
		func() (api.Connection, error) { return cl.Connections.Create(ctx, p, req) },
		func() (api.Connection, error) { return cl.Connections.CreateAlt(ctx, p, req) })
}

const openAddress = "open the address in the url field in a browser to authorize the connection"

func newConnectionCreateCmd(e *cli.Env) *cobra.Command {
	var f connectionFlags
	var again cli.Duplicate
	c := &cobra.Command{Use: "create [NAME] [ADDRESS]", Short: "Create a connection", Args: cobra.MaximumNArgs(2),
		Long: "Create a connection.\n" + credentialHelp + addressHelp,
		Example: strings.ReplaceAll(`  dig connection create shopdb postgres://me@db.example.com/shop --password-env PASS
  dig connection create sales files:./sales
  dig connection create shopdb --type postgres --credential-file shopdb.json
  dig connection create shopdb --type postgres --credential url=db.example.com --credential port=5432 \
      --credential user=reader --credential password=@secret.txt --credential databaseName=shop`, "dig ", e.Name+" ")}
	f.register(e, c)
	again.Register(c)
	return cli.Annotate(cli.Leaf[api.Connection](e, spec.CreateConnection, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		req, config, err := f.typed(ctx, e, cl, args)
		if err != nil {
			return cli.View{}, err
		}
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return cli.View{}, err
		}
		if !again.Allowed(e, &req.AllowDuplicateName) {
			if err := resolve.Connections(ctx, cl, p).Free("a connection", req.Name, "",
				"give another name or --allow-duplicate, or change that one with `dig connection ensure` or `dig "+
					"connection update`"); err != nil {
				return cli.View{}, err
			}
		}
		if err := f.credential(e, config, &req, e.InTerm); err != nil {
			return cli.View{}, err
		}
		v, err := createConnection(ctx, cl, p, req)
		out := cli.Object(v)
		if err == nil && v.URL != nil && *v.URL != "" {
			out = out.WithNote(openAddress)
		}
		return out, err
	}), spec.CreateConnectionAlt, spec.ListConnectionConfigs, spec.ListConnections)
}

// connectionBody reads --body. A credential in it must not be on the command line.
func connectionBody(e *cli.Env, body string, req *api.ConnectionRequest) error {
	if err := e.Body(body, req); err != nil {
		return err
	}
	hideCredential(e, req.Credential)
	if body == "-" || strings.HasPrefix(body, "@") {
		return nil
	}
	for name := range req.Credential {
		text, _ := req.Credential[name].(string)
		if secret.Named(name) || secret.Address(text) {
			return refuseSecret("--body", name)
		}
	}
	return nil
}

// typeConfig finds the configuration of a type and the gateway's spelling of it. If the gateway cannot list its types,
// the type is sent as written.
func typeConfig(ctx context.Context, cl *api.Client, typ *string) (api.ConnectionConfiguration, error) {
	all, err := cl.Connections.ListConfigs(ctx)
	if err != nil {
		if api.NoRoute(err) {
			return api.ConnectionConfiguration{}, nil
		}
		return api.ConnectionConfiguration{}, err
	}
	t, ok := typeNamed(all, *typ)
	if !ok {
		names := make([]resolve.Named, len(all))
		for i, c := range all {
			names[i] = resolve.Named{ID: c.ConnectionType, Name: c.ConnectionType}
		}
		_, err := resolve.Pick("connection type", "--type", *typ, names)
		return t, err
	}
	*typ = t.ConnectionType
	return t, nil
}

func newConnectionUpdateCmd(e *cli.Env) *cobra.Command {
	var name, callback, body string
	var prompt bool
	var in credentialFlags
	var again cli.Duplicate
	c := &cobra.Command{Use: "update CONNECTION", Short: "Change the name or the credential of a connection",
		Args: cobra.ExactArgs(1),
		Long: "Change the name or the credential of a connection. A credential is replaced as a whole; if the new " +
			"one does not work,\nthe old one stays in use.\n" + credentialHelp,
		Example: "  " + e.Name + " connection update shopdb --credential-file shopdb.json\n  " + e.Name +
			" connection update shopdb --prompt"}
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&callback, "callback", "", "address to which an OAuth provider redirects the browser")
	c.Flags().BoolVar(&prompt, "prompt", false, "prompt for the new credential on the terminal")
	in.register(c)
	again.Register(c)
	cli.BodyFlag(c, &body)
	return cli.Annotate(cli.Leaf[api.Connection](e, spec.UpdateConnection, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			var req api.ConnectionRequest
			if err := connectionBody(e, body, &req); err != nil {
				return nil, err
			}
			if name != "" {
				req.Name = name
			}
			if callback != "" {
				req.ConnectionCallback = callback
			}
			if err := in.check(e); err != nil {
				return nil, err
			}
			if prompt && !e.InTerm {
				return nil, exitcode.Usagef("--prompt requires a terminal").
					WithHint("give --credential-file or --credential FIELD=VALUE")
			}
			if req.Name == "" && req.Credential == nil && !in.given() && !prompt {
				return nil, exitcode.Usagef("nothing to change: give --name or a credential")
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				id, err := resolve.ConnectionID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				now, err := cl.Connections.Get(ctx, p, id)
				if err != nil {
					return cli.View{}, err
				}
				if req.Name == "" {
					req.Name = now.Name
				}
				if !again.Allowed(e, &req.AllowDuplicateName) && req.Name != now.Name {
					if err := resolve.Connections(ctx, cl, p).Free("a connection", req.Name, id,
						"give another name, or --allow-duplicate"); err != nil {
						return cli.View{}, err
					}
				}
				if req.Type == "" {
					req.Type = now.Type
				}
				if in.given() || prompt || req.Credential != nil {
					config, err := typeConfig(ctx, cl, &req.Type)
					if err != nil {
						return cli.View{}, err
					}
					if in.given() || prompt {
						if err := readCredential(e, in, config, &req.Credential); err != nil {
							return cli.View{}, err
						}
					}
					if err := checkCredential(config, req.Credential); err != nil {
						return cli.View{}, err
					}
					absolute(e, req.Credential)
				}
				v, err := cl.Connections.Update(ctx, p, id, req)
				return cli.Object(v), err
			}, nil
		})), spec.GetConnection, spec.ListConnectionConfigs)
}
