package metadata

import (
	"context"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newMetadataRefreshCmd(e *cli.Env) *cobra.Command {
	var w cli.WaitFlags
	var address, tokenFrom, body string
	c := &cobra.Command{
		Use: "refresh [CATALOG]", Short: "Read the tables of a catalog, or of all, again", Args: cobra.MaximumNArgs(1),
		Long: `Read the tables of a catalog, or of all, again.

It runs in the gateway; --wait waits for its end: exit code 7 when it failed, 8 when --wait-timeout was reached.
--callback-url is notified of the end; --callback-token is a token to send with it, @FILE or - for stdin.`,
		Example: "  " + e.Name + " metadata refresh sample --wait",
	}
	fs := c.Flags()
	w.Register(c, "the refresh has ended")
	fs.StringVar(&address, "callback-url", "", "address to notify")
	fs.StringVar(&tokenFrom, "callback-token", "", "token for it: @FILE or - for stdin")
	cli.BodyFlag(c, &body)
	cli.Annotate(c, spec.GetMetadataRefreshStatus)
	return cli.Leaf[cli.Either[[]refreshLine, cli.Acknowledged]](e, spec.RefreshMetadata, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			args []string) (cli.View, error) {
			var req api.MetadataRefreshRequest
			if err := w.Check(false); err != nil {
				return cli.View{}, err
			}
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if len(args) == 1 {
				id, err := resolve.CatalogID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				req.CatalogID = id
			}
			if err := callbackFlags(e, address, tokenFrom, &req.CallbackURL, &req.CallbackToken); err != nil {
				return cli.View{}, err
			}
			if _, err := cl.Metadata.Refresh(ctx, p, req); err != nil || !w.Wait {
				return cli.Note("refresh started"), err
			}
			ids := []string{req.CatalogID}
			if req.CatalogID == "" {
				cs, err := cl.Catalogs.List(ctx, p)
				if err != nil {
					return cli.View{}, err
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
				st, err := refreshed(ctx, e, cl, p, id, began, w.Limit)
				if err != nil {
					return cli.View{}, err
				}
				l := refreshLine{id, st.Status, ""}
				if st.Error != nil {
					l.Error = api.WithoutInsides(*st.Error)
				}
				if lines = append(lines, l); refreshState(st) == "failed" || refreshState(st) == "stuck" {
					failed = append(failed, strings.TrimSuffix(id+": "+l.Error, ": "))
				}
			}
			if failed != nil {
				return cli.View{}, &exitcode.Failure{Exit: exitcode.Job, Code: "job-failed",
					Msg: "the refresh failed: catalog " + strings.Join(failed, "; catalog ")}
			}
			return cli.List(lines, "catalogId", "status").PrintValue(), nil
		}))
}

type refreshLine struct {
	CatalogID string `json:"catalogId"`
	Status    string `json:"status"`
	Error     string `json:"error,omitempty"`
}

// refreshState normalizes a status: the documents use NOT_ACTIVE, the service not-active [L].
func refreshState(st api.MetadataRefreshStatus) string {
	return strings.ReplaceAll(strings.ToLower(st.Status), "_", "-")
}

// refreshed waits for the end of a refresh. The hosted zones report not-active after a refresh, but also before it
// starts, and they may still report the end of an earlier run. A final status therefore counts only after the run was
// seen, or after a while.
func refreshed(ctx context.Context, e *cli.Env, cl *api.Client, project, catalog string, began time.Time,
	limit time.Duration) (st api.MetadataRefreshStatus, err error) {
	const grace = 10 * time.Second
	seen := e.Local() // zone local changes the state before it answers the trigger
	w := cli.Waiting{What: "the refresh of catalog " + catalog, Limit: limit, Resume: "metadata status " +
		shell.Quote(catalog)}
	if limit > 0 {
		w.Limit = max(time.Millisecond, limit-e.Now().Sub(began)) // one limit for all catalogs
	}
	err = e.Wait(ctx, w, func() (string, string, bool, error) {
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

// callbackFlags reads the flags of a callback. A token is never read from the command line, where others can see it.
func callbackFlags(e *cli.Env, address, tokenFrom string, url *string, token *api.Secret) error {
	if address != "" {
		*url = address
	}
	defer func() { e.Run.Mask.Hide(string(*token)) }()
	if tokenFrom != "" {
		if tokenFrom != "-" && !strings.HasPrefix(tokenFrom, "@") {
			return exitcode.Usagef("--callback-token requires @FILE or -, to keep the token off the command line")
		}
		raw, err := e.Value("--callback-token", tokenFrom)
		if err != nil {
			return err
		}
		*token = api.Secret(strings.TrimSpace(string(raw)))
	}
	return nil
}

func newMetadataStatusCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "status CATALOG", Short: "Show the state of the last refresh of a catalog", Example: "  " +
		e.Name + " metadata status sample", Args: cobra.ExactArgs(1)}
	return cli.Leaf[api.MetadataRefreshStatus](e, spec.GetMetadataRefreshStatus, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			args []string) (cli.View, error) {
			id, err := resolve.CatalogID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Metadata.RefreshStatus(ctx, p, id)
			return cli.Object(v), err
		}))
}

func newCallbackCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "callback", Short: "The address that is notified when a refresh ends"}
	ex := "  " + e.Name + " metadata callback "
	var tokenFrom, body string
	set := &cobra.Command{Use: "set [URL]", Short: "Notify an address of every refresh of the project", Example: ex +
		"set https://hooks.example.com/dig --callback-token @token", Args: cobra.MaximumNArgs(1),
		Long: "Notify an address of every refresh of the project.\n\nZone local posts {projectId, catalogId, status} " +
			"as JSON, with the token as Authorization: Bearer."}
	set.Flags().StringVar(&tokenFrom, "callback-token", "", "token to send with it: @FILE or - for stdin")
	cli.BodyFlag(set, &body)
	c.AddCommand(
		cli.Leaf[cli.Answer](e, spec.GetRefreshCallback, &cobra.Command{Use: "get", Aliases: []string{"show"},
			Short:   "Show it",
			Example: ex + "get", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Metadata.GetCallback(ctx, p)
				if err == nil && v.CallbackURL == "" {
					return cli.Object(v).WithNote("no callback is registered"), nil
				}
				return cli.Object(v), err
			})),
		cli.Leaf[cli.Answer](e, spec.RegisterRefreshCallback, set, e.WithProject(func(ctx context.Context,
			cl *api.Client, p string,
			args []string) (cli.View, error) {
			var req api.MetadataRefreshCallbackRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			address := ""
			if len(args) == 1 {
				address = args[0]
			}
			if err := callbackFlags(e, address, tokenFrom, &req.CallbackURL, &req.CallbackToken); err != nil {
				return cli.View{}, err
			}
			if req.CallbackURL == "" {
				return cli.View{}, exitcode.Usagef("an address is required")
			}
			return cli.Note("%s is notified of refreshes", req.CallbackURL), cl.Metadata.RegisterCallback(ctx, p, req)
		})),
		cli.Leaf[cli.Answer](e, spec.UnregisterRefreshCallback, &cobra.Command{Use: "unset",
			Aliases: []string{"delete", "rm"},
			Short:   "Stop notifications", Example: ex + "unset --yes", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				if err := e.Ask().Confirm("remove the refresh callback of the project?"); err != nil {
					return cli.View{}, err
				}
				return cli.Note("notifications are off"), cl.Metadata.UnregisterCallback(ctx, p)
			})),
	)
	return c
}
