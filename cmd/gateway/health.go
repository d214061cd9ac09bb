package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/spf13/cobra"
)

// health is what health prints.
type health struct {
	Gateway string `json:"gateway"` // its address, or the data directory it serves
	Ready   bool   `json:"ready"`
	Answer  string `json:"answer"`
}

func newGatewayHealthCmd(e *cli.Env) *cobra.Command {
	var live bool
	c := &cobra.Command{Use: "health", Short: "Ask a served gateway whether it is ready", Args: cobra.NoArgs,
		Long: `Ask a served gateway whether it is ready for calls, without a key.

The gateway is the one at the base address if that is set, else the one that serves the data directory of
this machine. The exit code is 0 if it is ready, else 5. It is made for the health check of a container or
a load balancer, where there is no curl.`,
		Example: strings.ReplaceAll("  dig gateway health\n  dig gateway health --base-url "+
			"https://dig.example.com/api/v1", "dig ", e.Name+" ")}
	c.Flags().BoolVar(&live, "live", false, "only whether it runs, also while it is stopping")
	return cli.Plain[health](e, c, func(ctx context.Context, _ []string) (cli.View, error) {
		path := web.ReadyPath
		if live {
			path = web.HealthPath
		}
		where, root, rt, err := served(e)
		if err != nil {
			return cli.View{}, err
		}
		unwell := func(why string) *exitcode.Failure {
			return &exitcode.Failure{Exit: exitcode.Unavailable, Code: "not-ready",
				Msg: fmt.Sprintf("the gateway at %s is not ready: %s", where, why)}
		}
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, root+path, nil)
		if err != nil {
			return cli.View{}, exitcode.Usagef("--base-url: %v", err)
		}
		res, err := rt.RoundTrip(req)
		if err != nil {
			return cli.View{}, unwell(err.Error())
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(io.LimitReader(res.Body, 200))
		if err != nil {
			return cli.View{}, unwell(err.Error())
		}
		out := health{Gateway: where, Ready: res.StatusCode == http.StatusOK, Answer: strings.TrimSpace(string(raw))}
		v := cli.Object(out, "gateway", "ready", "answer")
		if !out.Ready {
			v.Fail = unwell(fmt.Sprintf("status %d: %s", res.StatusCode, out.Answer))
		}
		return v, nil
	})
}

// served finds the gateway that the settings choose, and how it is reached.
func served(e *cli.Env) (where, root string, rt http.RoundTripper, err error) {
	s, err := e.Settings()
	if err != nil {
		return "", "", nil, err
	}
	if !s.InProcess() {
		n, err := e.NetworkOf(cli.NetworkSettingsOf(s))
		if err != nil {
			return "", "", nil, err
		}
		where = s.BaseURL.Value
		return where, strings.TrimSuffix(strings.TrimRight(where, "/"), web.BasePath), api.NewTransport(n), nil
	}
	dir, err := config.DataDir(e.Getenv)
	if err != nil {
		return "", "", nil, err
	}
	rt, serving, err := gateway.Dial(dir)
	if err != nil {
		return "", "", nil, cli.ForeignData(err)
	}
	if !serving {
		return "", "", nil, &exitcode.Failure{Exit: exitcode.Unavailable, Code: "not-ready",
			Msg: "no gateway serves " + dir, Hint: "`dig gateway serve` starts one; --base-url names one elsewhere"}
	}
	return dir, strings.TrimSuffix(zone.BaseURL, web.BasePath), rt, nil
}
