package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newGatewayCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "gateway", Short: "The gateway of zone local"}
	c.AddCommand(newGatewayServeCmd(e), newGatewayStatusCmd(e), newGatewayCompactCmd(e), newGatewayResetCmd(e))
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

func newGatewayCompactCmd(e *Env) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "compact", Short: "Give back the room that the files of zone local no longer need", Args: cobra.NoArgs,
		Long: `Give back the room that the files of zone local no longer need.

The data file of each project is copied without what is free in it, the copy is compared with the file, and
takes its place. The state of zone local is written anew as well. With a project set (--project, DIG_PROJECT, a
file), only that one's file is; --all takes all the same. A file that gains nothing stays as it is.

The disk needs room for the copy of one file. Statements that run are waited for, for ten seconds; those that
come meanwhile wait. When dig is killed, the file is the one before or the new one.`,
		Example: "  " + e.Name + " gateway compact\n  " + e.Name + " gateway compact --project sales -o json",
	}
	c.Flags().BoolVar(&all, "all", false, "all projects and the state, even if a project is set")
	return e.leaf(spec.CompactLocal, c, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
		s := e.run.settings
		if z := s.Zone.Value; z != string(config.Local) {
			return view{}, usagef("zone %s keeps no files here", z).withHint("give --zone local")
		}
		if f := e.run.set.Lookup("project"); all && f != nil && f.Changed {
			return view{}, usagef("--all and --project: choose one")
		}
		var project string
		if s.Project.Value != "" && !all {
			var err error
			if project, err = e.projectID(ctx, cl); err != nil {
				return view{}, err
			}
		}
		out, err := cl.Compact(ctx, project)
		if err != nil {
			return view{}, err
		}
		v := object(out, "bytesBefore", "bytesAfter")
		v.fail = notCompacted(out)
		return v, nil
	})
}

// notCompacted is what a run fails with when some files stay as they are.
func notCompacted(c api.Compaction) *failure {
	var why []string
	f := &failure{exit: exitConflict, code: "in-use", hint: "the others are done; run it again when those are not used"}
	for _, x := range c.Files {
		if x.Error == nil {
			continue
		}
		why = append(why, *x.Error)
		if *x.Status != http.StatusConflict {
			f.exit, f.code, f.hint = exitFailed, "not-compacted", "the others are done"
		}
	}
	if why == nil {
		return nil
	}
	f.msg = strings.Join(why, "; ")
	return f
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
