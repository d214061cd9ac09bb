package connection

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newConnectionEnsureCmd(e *cli.Env) *cobra.Command {
	var f connectionFlags
	c := &cobra.Command{Use: "ensure [NAME] [ADDRESS]",
		Short: "Create a connection unless it exists; replace its credential if the given one may differ",
		Args:  cobra.MaximumNArgs(2),
		Long: `Create a connection unless one of that name exists. A credential that is given replaces that of an
existing connection unless it has no secrets and is the same; secrets cannot be read back, so they are
sent each time. The gateway tests a new credential first. Without one an existing connection stays as it
is. A connection of another type is an error: the type cannot be changed.
` + credentialHelp + addressHelp,
		Example: "  " + e.Name + " connection ensure shopdb --type postgres --credential-file shopdb.json"}
	f.register(e, c)
	return cli.Annotate(cli.Leaf[api.Connection](e, spec.CreateConnection, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		req, config, err := f.typed(ctx, e, cl, args)
		if err != nil {
			return cli.View{}, err
		}
		if f.in.given() || f.at.credential != nil || req.Credential != nil {
			if err := f.credential(e, config, &req, false); err != nil {
				return cli.View{}, err
			}
		}
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return cli.View{}, err
		}
		return ensureConnection(ctx, e, cl, p, &f, config, req)
	}), spec.CreateConnectionAlt, spec.ListConnectionConfigs, spec.ListConnections, spec.GetConnectionDetail,
		spec.UpdateConnection)
}

func ensureConnection(ctx context.Context, e *cli.Env, cl *api.Client, p string, f *connectionFlags,
	config api.ConnectionConfiguration, req api.ConnectionRequest) (cli.View, error) {
	given := req.Credential != nil
	find := func() (api.Connection, bool, error) {
		all, err := cl.Connections.List(ctx, p)
		var found []api.Connection
		for _, k := range all {
			if k.Name == req.Name {
				found = append(found, k)
			}
		}
		if len(found) > 1 { // the hosted zones allow it
			return found[0], false, &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
				Msg:  fmt.Sprintf("there are %d connections called %q", len(found), req.Name),
				Hint: "`dig connection list` shows their ids; `dig connection update ID` changes one of them"}
		}
		if len(found) == 1 {
			return found[0], true, err
		}
		return api.Connection{}, false, err
	}
	v, made, err := cli.Ensured(e, find, func() (api.Connection, error) {
		if !given {
			if err := f.credential(e, config, &req, e.InTerm); err != nil {
				return api.Connection{}, err
			}
		}
		return createConnection(ctx, cl, p, req)
	})
	if err != nil {
		return cli.View{}, err
	}
	what := "connection " + v.Name
	switch {
	case made:
		out := cli.EnsuredView(v, what, true, "")
		if v.URL != nil && *v.URL != "" {
			out = out.WithNote("created %s; %s", what, openAddress)
		}
		return out, nil
	case !strings.EqualFold(v.Type, req.Type):
		return cli.View{}, cli.Differs(what, "its type is "+v.Type+", not "+req.Type, "`dig connection get "+
			shell.Quote(v.ID)+"` shows it; the type of a connection cannot be changed")
	case !given:
		return cli.EnsuredView(v, what, false, ""), nil
	}
	how, err := compared(ctx, cl, p, v.ID, config, req.Credential)
	if err != nil {
		return cli.View{}, err
	}
	if how == same {
		return cli.EnsuredView(v, what, false, ""), nil
	}
	changed := "replaced the credential"
	if how == unknown {
		changed = "sent the credential again; whether its secrets have changed is not known, because they cannot be " +
			"read back"
	}
	v, err = cl.Connections.Update(ctx, p, v.ID, req)
	return cli.EnsuredView(v, what, false, changed), err
}

// likeness is the result of comparing a given credential with the stored one, whose secrets the gateway does not show.
type likeness int

const (
	differs likeness = iota
	unknown          // the fields that the gateway shows are the same
	same
)

func compared(ctx context.Context, cl *api.Client, p, id string, config api.ConnectionConfiguration,
	given api.Credential) (likeness, error) {
	stored, err := cl.Connections.Detail(ctx, p, id)
	if api.NoRoute(err) {
		return unknown, nil
	}
	if err != nil {
		return differs, err
	}
	hidden := len(config.Configuration) == 0 // then it may have fields of any kind
	for _, item := range config.Configuration {
		hidden = hidden || secret.Named(item.FieldName)
	}
	for name, v := range given {
		text, err := api.Marshal(v)
		if err != nil {
			return differs, err
		}
		_, found, err := secret.Open(name, text)
		if err != nil {
			return differs, err
		}
		if found != "" || secret.Named(name) {
			hidden = true
			continue
		}
		if !bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(stored[name])) {
			return differs, nil
		}
	}
	for name, v := range stored {
		if _, ok := given[name]; !ok && name != "type" && string(v) != "null" {
			if !secret.Named(name) {
				return differs, nil
			}
			hidden = true
		}
	}
	if hidden {
		return unknown, nil
	}
	return same, nil
}
