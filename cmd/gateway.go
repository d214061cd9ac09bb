package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/spf13/cobra"
)

func newGatewayCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "gateway", Short: "The gateway of zone local"}
	c.AddCommand(newGatewayServeCmd(e), newGatewayStatusCmd(e), newGatewayResetCmd(e))
	return c
}

// answerTime is how long a gateway may take to say that it is there.
const answerTime = 5 * time.Second

func newGatewayStatusCmd(e *Env) *cobra.Command {
	return e.plain(&cobra.Command{Use: "status", Short: "Show the data directory of zone local and whether it is served", Example: "  " + e.Name + " gateway status", Args: cobra.NoArgs},
		func(ctx context.Context, _ []string) (view, error) {
			dir, err := config.DataDir(e.Getenv)
			if err != nil {
				return view{}, err
			}
			out := struct {
				DataDir  string `json:"dataDir"`
				Exists   bool   `json:"exists"`
				Bytes    int64  `json:"bytes"`
				Serving  bool   `json:"serving"`
				Answers  *bool  `json:"answers,omitempty"`  // of a gateway that serves
				Projects *int   `json:"projects,omitempty"` // known to a served gateway alone
			}{DataDir: dir}
			err = filepath.Walk(dir, func(_ string, st os.FileInfo, err error) error {
				if errors.Is(err, fs.ErrNotExist) { // or no longer: files come and go under a gateway
					return nil
				}
				out.Exists = true
				if err == nil && st.Mode().IsRegular() {
					out.Bytes += st.Size()
				}
				return err
			})
			if err != nil {
				return view{}, err
			}
			var rt http.RoundTripper
			if rt, out.Serving = gateway.Dial(dir); out.Serving {
				cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: rt})
				if err != nil {
					return view{}, err
				}
				ask, cancel := context.WithTimeout(ctx, answerTime)
				defer cancel()
				ps, err := cl.Projects.List(ask, gateway.DefaultOrganization, gateway.DefaultWorkspace)
				if ctx.Err() != nil {
					return view{}, ctx.Err()
				}
				if out.Answers = new(err == nil); err == nil {
					out.Projects = new(len(ps))
				} else if !e.jsonErrors() {
					fmt.Fprintf(e.Err, "note: a gateway has the data directory and does not answer: %v\n", err)
				}
			}
			return object(out, "dataDir", "exists", "bytes", "serving", "answers"), nil
		})
}

func newGatewayResetCmd(e *Env) *cobra.Command {
	return e.plain(&cobra.Command{Use: "reset", Short: "Delete everything in zone local", Example: "  " + e.Name + " gateway reset --yes", Args: cobra.NoArgs},
		func(context.Context, []string) (view, error) {
			dir, err := config.DataDir(e.Getenv)
			if err != nil {
				return view{}, err
			}
			if err := e.confirm("delete everything in zone local (%s)?", dir); err != nil {
				return view{}, err
			}
			if e.tells() {
				if err := gateway.CheckReset(dir); err != nil {
					return view{}, &failure{exit: exitConflict, code: "in-use", msg: err.Error(), hint: "stop the gateway or the dig processes that use it"}
				}
				return view{}, e.would("delete everything in zone local (%s)", dir)
			}
			if err := gateway.Reset(dir); err != nil {
				return view{}, &failure{exit: exitConflict, code: "in-use", msg: err.Error(), hint: "stop the gateway or the dig processes that use it"}
			}
			return note("deleted %s", dir), nil
		})
}
