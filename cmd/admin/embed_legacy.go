package admin

import (
	"context"
	"net/url"
	"strconv"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newEmbedLegacyCmd(e *cli.Env) *cobra.Command {
	c := cli.Legacy("Embedded sessions at the deprecated address")
	var theme string
	var override bool
	var seconds int64
	init := &cobra.Command{Use: "init", Short: "Start an embedded session", Example: "  " + e.Name + " embed legacy init --theme dark", Args: cobra.NoArgs}
	init.Flags().StringVar(&theme, "theme", "", "theme of the studio")
	init.Flags().BoolVar(&override, "theme-override", false, "override the user's theme with this one")
	init.Flags().Int64Var(&seconds, "timeout-seconds", 0, "how long the session lasts")
	c.AddCommand(e.Old(spec.InitEmbeddedSessionLegacy, init, "embed init", e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
		q := url.Values{"projectId": {p}}
		if theme != "" {
			q.Set("theme", theme)
		}
		if init.Flags().Changed("theme-override") {
			q.Set("themeOverride", strconv.FormatBool(override))
		}
		if init.Flags().Changed("timeout-seconds") {
			q.Set("timeoutInSeconds", strconv.FormatInt(seconds, 10))
		}
		v, err := cl.Embedded.InitLegacy(ctx, q)
		return cli.Object(v), err
	})))
	return c
}
