package cmd

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// noRoute reports an answer of a gateway that lacks the route.
func noRoute(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && (ae.Status == 404 || ae.Status == 405)
}

const credentialHelp = `
The credential is asked for on a terminal, field by field. Otherwise give it by --credential-file (a JSON
object, - for standard input) or --credential FIELD=VALUE, where VALUE is @FILE, - for standard input or,
for fields that are no secret, the value itself. A password on the command line is refused: other users can
see it there. The gateway tests the credential and keeps it only when it works.`

func newConnectionCreateCmd(e *Env) *cobra.Command {
	var typ, callback, body string
	var in credentialFlags
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a connection", Args: cobra.MaximumNArgs(1),
		Long: "Create a connection.\n" + credentialHelp,
		Example: strings.ReplaceAll(`  dig connection create shopdb --type postgres --credential-file shopdb.json
  dig connection create shopdb --type postgres --credential url=db.example.com --credential port=5432 \
      --credential user=reader --credential password=@secret.txt --credential databaseName=shop`, "dig ", e.Name+" ")}
	c.Flags().StringVar(&typ, "type", "", "type of connection, see `connection type list`; any case")
	c.Flags().StringVar(&callback, "callback", "", "where an OAuth provider shall send the browser back to")
	in.register(c)
	bodyFlag(c, &body)
	return annotate(e.leaf(spec.CreateConnection, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.ConnectionRequest
		if err := e.connectionBody(body, &req); err != nil {
			return view{}, err
		}
		if len(args) == 1 {
			req.Name = args[0]
		}
		if typ != "" {
			req.Type = typ
		}
		if callback != "" {
			req.ConnectionCallback = callback
		}
		switch {
		case req.Name == "":
			return view{}, usagef("a name is required")
		case req.Type == "":
			return view{}, usagef("--type is required").withHint("`dig connection type list` lists the types")
		}
		if err := in.check(); err != nil {
			return view{}, err
		}
		config, err := typeConfig(ctx, cl, &req.Type)
		if err != nil {
			return view{}, err
		}
		if in.given() || e.InTerm && req.Credential == nil && !config.RedirectRequired {
			if err := e.readCredential(in, config, &req.Credential); err != nil {
				return view{}, err
			}
		}
		if err := checkCredential(config, req.Credential); err != nil {
			return view{}, err
		}
		if len(req.Credential) == 0 && !config.RedirectRequired {
			f := usagef("a credential is required").withHint("give --credential-file or --credential FIELD=VALUE")
			if len(config.Configuration) > 0 {
				var fields []string
				for _, item := range config.Configuration {
					fields = append(fields, describeField(item))
				}
				f.hint += "; fields: " + strings.Join(fields, ", ")
			}
			return view{}, f
		}
		if req.Credential == nil {
			req.Credential = api.Credential{} // the provider asks for it
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		v, err := orAlternative(
			func() (api.Connection, error) { return cl.Connections.Create(ctx, p, req) },
			func() (api.Connection, error) { return cl.Connections.CreateAlt(ctx, p, req) })
		out := object(v)
		if err == nil && v.URL != nil && *v.URL != "" {
			out = out.withNote("open the address under url in a browser to authorize the connection")
		}
		return out, err
	}), spec.CreateConnectionAlt, spec.ListConnectionConfigs)
}

// connectionBody reads --body. A credential in it must not stand on the command line.
func (e *Env) connectionBody(body string, req *api.ConnectionRequest) error {
	if err := e.body(body, req); err != nil {
		return err
	}
	e.hideCredential(req.Credential)
	if body == "-" || strings.HasPrefix(body, "@") {
		return nil
	}
	for name := range req.Credential {
		text, _ := req.Credential[name].(string)
		if secretField(name) || urlWithPassword(text) {
			return refuseSecret("--body", name)
		}
	}
	return nil
}

// typeConfig finds the configuration of a type and the gateway's spelling of it. A gateway that cannot list its types is told
// the type as it was written.
func typeConfig(ctx context.Context, cl *api.Client, typ *string) (api.ConnectionConfiguration, error) {
	all, err := cl.Connections.ListConfigs(ctx)
	if err != nil {
		if noRoute(err) {
			return api.ConnectionConfiguration{}, nil
		}
		return api.ConnectionConfiguration{}, err
	}
	t, ok := typeNamed(all, *typ)
	if !ok {
		names := make([]named, len(all))
		for i, c := range all {
			names[i] = named{id: c.ConnectionType, name: c.ConnectionType}
		}
		_, err := pick("connection type", "--type", *typ, names)
		return t, err
	}
	*typ = t.ConnectionType
	return t, nil
}

func newConnectionUpdateCmd(e *Env) *cobra.Command {
	var name, callback, body string
	var prompt bool
	var in credentialFlags
	c := &cobra.Command{Use: "update CONNECTION", Short: "Change the name or the credential of a connection", Args: cobra.ExactArgs(1),
		Long:    "Change the name or the credential of a connection. A credential is replaced as a whole; one that does not work\nleaves the old one in force.\n" + credentialHelp,
		Example: "  " + e.Name + " connection update shopdb --credential-file shopdb.json\n  " + e.Name + " connection update shopdb --prompt"}
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&callback, "callback", "", "where an OAuth provider shall send the browser back to")
	c.Flags().BoolVar(&prompt, "prompt", false, "ask for the new credential on the terminal")
	in.register(c)
	bodyFlag(c, &body)
	return annotate(e.leaf(spec.UpdateConnection, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.ConnectionRequest
		if err := e.connectionBody(body, &req); err != nil {
			return view{}, err
		}
		if name != "" {
			req.Name = name
		}
		if callback != "" {
			req.ConnectionCallback = callback
		}
		if err := in.check(); err != nil {
			return view{}, err
		}
		if prompt && !e.InTerm {
			return view{}, usagef("--prompt needs a terminal").withHint("give --credential-file or --credential FIELD=VALUE")
		}
		if req.Name == "" && req.Credential == nil && !in.given() && !prompt {
			return view{}, usagef("nothing to change: give --name or a credential")
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		id, err := connectionID(ctx, cl, p, args[0])
		if err != nil {
			return view{}, err
		}
		now, err := cl.Connections.Get(ctx, p, id)
		if err != nil {
			return view{}, err
		}
		if req.Name == "" {
			req.Name = now.Name
		}
		if req.Type == "" {
			req.Type = now.Type
		}
		if in.given() || prompt || req.Credential != nil {
			config, err := typeConfig(ctx, cl, &req.Type)
			if err != nil {
				return view{}, err
			}
			if in.given() || prompt {
				if err := e.readCredential(in, config, &req.Credential); err != nil {
					return view{}, err
				}
			}
			if err := checkCredential(config, req.Credential); err != nil {
				return view{}, err
			}
		}
		v, err := cl.Connections.Update(ctx, p, id, req)
		return object(v), err
	}), spec.GetConnection, spec.ListConnectionConfigs)
}
