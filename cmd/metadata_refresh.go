package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newMetadataRefreshCmd(e *Env) *cobra.Command {
	var w waitFlags
	var address, tokenFrom, body string
	c := &cobra.Command{
		Use: "refresh [CATALOG]", Short: "Read the tables of a catalog, or of all, anew", Args: cobra.MaximumNArgs(1),
		Long: `Read the tables of a catalog, or of all, anew.

It runs in the gateway; --wait waits for its end: exit 7 when it failed, 8 when --wait-timeout ran out.
--callback-url is told of the end; --callback-token is a text to send along, @FILE or - for stdin.`,
		Example: "  " + e.Name + " metadata refresh sample --wait",
	}
	fs := c.Flags()
	w.register(c, "the refresh has ended")
	fs.StringVar(&address, "callback-url", "", "address to tell")
	fs.StringVar(&tokenFrom, "callback-token", "", "token for it: @FILE or - for stdin")
	bodyFlag(c, &body)
	annotate(c, spec.GetMetadataRefreshStatus)
	return e.leaf(spec.RefreshMetadata, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		var req api.MetadataRefreshRequest
		if err := w.check(false); err != nil {
			return view{}, err
		}
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if len(args) == 1 {
			id, err := catalogID(ctx, cl, p, args[0])
			if err != nil {
				return view{}, err
			}
			req.CatalogID = id
		}
		if err := e.callbackFlags(address, tokenFrom, &req.CallbackURL, &req.CallbackToken); err != nil {
			return view{}, err
		}
		if _, err := cl.Metadata.Refresh(ctx, p, req); err != nil || !w.wait {
			return note("refresh started"), err
		}
		ids := []string{req.CatalogID}
		if req.CatalogID == "" {
			cs, err := cl.Catalogs.List(ctx, p)
			if err != nil {
				return view{}, err
			}
			ids = nil
			for _, c := range cs {
				ids = append(ids, c.ID)
			}
		}
		var lines []refreshLine
		var failed []string
		began := e.Now()
		for _, id := range ids {
			st, err := e.refreshed(ctx, cl, p, id, began, w.limit)
			if err != nil {
				return view{}, err
			}
			l := refreshLine{id, st.Status, ""}
			if st.Error != nil {
				l.Error = *st.Error
			}
			if lines = append(lines, l); refreshState(st) == "failed" || refreshState(st) == "stuck" {
				failed = append(failed, strings.TrimSuffix(id+": "+l.Error, ": "))
			}
		}
		if failed != nil {
			return view{}, &failure{exit: exitJob, code: "job-failed", msg: "the refresh failed: catalog " + strings.Join(failed, "; catalog ")}
		}
		return list(lines, "catalogId", "status").mine(), nil
	}))
}

type refreshLine struct {
	CatalogID string `json:"catalogId"`
	Status    string `json:"status"`
	Error     string `json:"error,omitempty"`
}

// refreshState is a status in one spelling: the documents say NOT_ACTIVE, the service not-active [L].
func refreshState(st api.MetadataRefreshStatus) string {
	return strings.ReplaceAll(strings.ToLower(st.Status), "_", "-")
}

// refreshed waits for the end of a refresh. The hosted zones settle on not-active, which is also what they say before it
// begins, and may still tell the end of an earlier run: such a word counts once the run was seen, or after a while.
func (e *Env) refreshed(ctx context.Context, cl *api.Client, project, catalog string, began time.Time, limit time.Duration) (st api.MetadataRefreshStatus, err error) {
	const grace = 10 * time.Second
	seen := e.run.settings.Local() // there the state changes before the trigger is answered
	w := waiting{what: "the refresh of catalog " + catalog, limit: limit, resume: "metadata status " + shell.Quote(catalog)}
	if limit > 0 {
		w.limit = max(time.Millisecond, limit-e.Now().Sub(began)) // one limit for all catalogs
	}
	err = e.wait(ctx, w, func() (string, string, bool, error) {
		var err error
		st, err = cl.Metadata.RefreshStatus(ctx, project, catalog)
		if err != nil {
			return "", "", false, err
		}
		switch refreshState(st) {
		case "active", "waiting", "delayed", "paused":
			seen = true
		case "not-active", "completed", "failed", "stuck":
			return st.Status, "", seen || e.Now().Sub(began) > grace, nil
		}
		return st.Status, "", false, nil
	})
	return st, err
}

// callbackFlags reads the flags of a callback. A token never stands on the command line, where others can see it.
func (e *Env) callbackFlags(address, tokenFrom string, url *string, token *api.Secret) error {
	if address != "" {
		*url = address
	}
	defer func() { e.run.mask.Hide(string(*token)) }()
	if tokenFrom != "" {
		if tokenFrom != "-" && !strings.HasPrefix(tokenFrom, "@") {
			return usagef("--callback-token takes @FILE or -, so that the token stays out of the command line")
		}
		raw, err := e.value("--callback-token", tokenFrom)
		if err != nil {
			return err
		}
		*token = api.Secret(strings.TrimSpace(string(raw)))
	}
	return nil
}

func newMetadataStatusCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "status CATALOG", Short: "Show how the last refresh of a catalog went", Example: "  " + e.Name + " metadata status sample", Args: cobra.ExactArgs(1)}
	return e.leaf(spec.GetMetadataRefreshStatus, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		id, err := catalogID(ctx, cl, p, args[0])
		if err != nil {
			return view{}, err
		}
		v, err := cl.Metadata.RefreshStatus(ctx, p, id)
		return object(v), err
	}))
}

func newCallbackCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "callback", Short: "The address that is told when a refresh ends"}
	ex := "  " + e.Name + " metadata callback "
	var tokenFrom, body string
	set := &cobra.Command{Use: "set [URL]", Short: "Have an address told of every refresh of the project", Example: ex + "set https://hooks.example.com/dig --callback-token @token", Args: cobra.MaximumNArgs(1),
		Long: "Have an address told of every refresh of the project.\n\nZone local posts {projectId, catalogId, status} as JSON, with the token as Authorization: Bearer."}
	set.Flags().StringVar(&tokenFrom, "callback-token", "", "token to send along: @FILE or - for stdin")
	bodyFlag(set, &body)
	c.AddCommand(
		e.leaf(spec.GetRefreshCallback, &cobra.Command{Use: "get", Aliases: []string{"show"}, Short: "Show it", Example: ex + "get", Args: cobra.NoArgs},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				v, err := cl.Metadata.GetCallback(ctx, p)
				if err == nil && v.CallbackURL == "" {
					return object(v).withNote("no callback is registered"), nil
				}
				return object(v), err
			})),
		e.leaf(spec.RegisterRefreshCallback, set, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			var req api.MetadataRefreshCallbackRequest
			if err := e.body(body, &req); err != nil {
				return view{}, err
			}
			address := ""
			if len(args) == 1 {
				address = args[0]
			}
			if err := e.callbackFlags(address, tokenFrom, &req.CallbackURL, &req.CallbackToken); err != nil {
				return view{}, err
			}
			if req.CallbackURL == "" {
				return view{}, usagef("an address is required")
			}
			return note("%s is told of refreshes", req.CallbackURL), cl.Metadata.RegisterCallback(ctx, p, req)
		})),
		e.leaf(spec.UnregisterRefreshCallback, &cobra.Command{Use: "unset", Aliases: []string{"delete", "rm"}, Short: "Tell nobody any more", Example: ex + "unset --yes", Args: cobra.NoArgs},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				if err := e.confirm("remove the refresh callback of the project?"); err != nil {
					return view{}, err
				}
				return note("nobody is told of refreshes"), cl.Metadata.UnregisterCallback(ctx, p)
			})),
	)
	return c
}
