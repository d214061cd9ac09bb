package admin

import (
	"context"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func NewEmbed(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "embed", Short: "Sessions of the web studio embedded in another site (hosted zones)"}
	c.AddCommand(newEmbedInitCmd(e))
	return c
}

func newEmbedInitCmd(e *cli.Env) *cobra.Command {
	var theme, mode, connector, configs, body string
	var override, catalogs, autoCatalog bool
	var seconds int64
	var features []string
	c := &cobra.Command{
		Use: "init", Short: "Start an embedded session and print its address", Args: cobra.NoArgs,
		Long: "Start an embedded session. The returned address works once.",
		Example: "  " + e.Name +
			" embed init --mode CONNECTOR_MODAL_ONLY --connector-type stripe --timeout-seconds 600",
	}
	fs := c.Flags()
	fs.StringVar(&theme, "theme", "", "theme of the studio")
	fs.BoolVar(&override, "theme-override", false, "override the user's theme with this one")
	fs.StringVar(&mode, "mode", "", "FULL_STUDIO or CONNECTOR_MODAL_ONLY")
	complete.Values(c, "mode", "FULL_STUDIO", "CONNECTOR_MODAL_ONLY")
	fs.Int64Var(&seconds, "timeout-seconds", 0, "how long the session lasts")
	fs.StringSliceVar(&features, "feature", nil, "NAME or NAME=false; repeat")
	fs.StringVar(&configs, "feature-configs", "", "feature settings as JSON, @FILE or -")
	fs.StringVar(&connector, "connector-type", "", "connection type to offer")
	fs.BoolVar(&catalogs, "catalog-create", false, "let the user create catalogs")
	fs.BoolVar(&autoCatalog, "auto-create-catalog", false, "create a catalog for each new connection")
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.EmbeddedSession](e, spec.InitEmbeddedSession, c, e.WithProject(func(ctx context.Context,
		cl *api.Client, p string,
		_ []string) (cli.View, error) {
		req := api.InitSessionRequest{}
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if req.ProjectID == "" || e.Run.Flags.Project != "" {
			req.ProjectID = p
		}
		for _, s := range []struct {
			into  *string
			value string
		}{{&req.Theme, theme}, {&req.SessionMode, strings.ToUpper(mode)}, {&req.ConnectorType, connector}} {
			if s.value != "" {
				*s.into = s.value
			}
		}
		switch req.SessionMode {
		case "", "FULL_STUDIO", "CONNECTOR_MODAL_ONLY":
		default:
			return cli.View{}, exitcode.Usagef("--mode %q is neither FULL_STUDIO nor CONNECTOR_MODAL_ONLY", mode)
		}
		if seconds < 0 {
			return cli.View{}, exitcode.Usagef("--timeout-seconds: %d is negative", seconds)
		}
		cli.SetIf(c, "theme-override", &req.ThemeOverride, override)
		cli.SetIf(c, "timeout-seconds", &req.TimeoutInSeconds, seconds)
		cli.SetIf(c, "catalog-create", &req.CatalogCreateEnabled, catalogs)
		cli.SetIf(c, "auto-create-catalog", &req.AutoCreateCatalog, autoCatalog)
		for _, f := range features {
			name, v, has := strings.Cut(f, "=")
			on := true
			if has {
				var err error
				if on, err = strconv.ParseBool(v); err != nil {
					return cli.View{}, exitcode.Usagef("--feature %q: %q is neither true nor false", f, v)
				}
			}
			if req.FeatureFlags == nil {
				req.FeatureFlags = map[string]bool{}
			}
			req.FeatureFlags[name] = on
		}
		if err := e.BodyOf("--feature-configs", configs, &req.FeatureConfigs); err != nil {
			return cli.View{}, err
		}
		v, err := cl.Embedded.Init(ctx, req)
		return cli.Object(v), err
	}))
}
