// Package gateway holds the commands that serve, describe and reset the gateway of zone local.
package gateway

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

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Zone is how a client reaches zone local: with DuckDB as its engine.
func Zone() cli.Zone {
	options := func(o zone.Options) gateway.Options {
		return gateway.Options{Dir: o.Dir, OpenEngine: duckdb.Open, Engine: o.Engine, Now: o.Now, Version: o.Version,
			ReadOnly: o.ReadOnly, Spool: o.Spool, KeepOut: o.KeepOut, Configs: o.Configs}
	}
	return cli.Zone{
		Functions: zone.Functions{
			Available: duckdb.Available,
			Open: func(o zone.Options) (zone.Gateway, error) {
				g, err := gateway.Open(options(o))
				if err != nil {
					return nil, err // not a nil *gateway.Gateway
				}
				return g, nil
			},
			Dial: gateway.Dial,
			Verify: func(ctx context.Context, o zone.Options, depth zone.Depth) ([]zone.Finding, error) {
				return gateway.Verify(ctx, options(o), depth)
			},
			Engine: duckdb.Open,
		},
		Commands: commands,
		Cluster:  examineCluster,
	}
}

func commands(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "gateway", Short: "The gateway of zone local"}
	c.AddCommand(newGatewayServeCmd(e), newGatewayStatusCmd(e), newGatewayHealthCmd(e), newGatewayCompactCmd(e),
		newGatewayVerifyCmd(e), newGatewayBackupCmd(e), newGatewayRestoreCmd(e), newGatewayResetCmd(e))
	e.Displays(&statusShape, state{})
	e.Displays(&healthShape, health{})
	return c
}

// state is what status prints.
type state struct {
	DataDir  string `json:"dataDir"`
	Exists   bool   `json:"exists"`
	Store    string `json:"store,omitempty"`  // address of the PostgreSQL database with the state
	Engine   string `json:"engine,omitempty"` // the one that has the rows, if they are not in the directory
	Bytes    int64  `json:"bytes"`
	Serving  bool   `json:"serving"`
	Answers  *bool  `json:"answers,omitempty"`  // set only while a gateway serves
	Projects *int   `json:"projects,omitempty"` // known only by a served gateway
}

// answerTime is how long a gateway may take to answer a liveness check.
const answerTime = 5 * time.Second

func newGatewayStatusCmd(e *cli.Env) *cobra.Command {
	return cli.Plain[state](e, &cobra.Command{Use: "status",
		Short: "Show the data directory of zone local and whether it is served", Example: "  " + e.Name +
			" gateway status", Args: cobra.NoArgs},
		func(ctx context.Context, _ []string) (cli.View, error) {
			dir, err := wholeZone(e)
			if err != nil {
				return cli.View{}, err
			}
			out := state{DataDir: dir}
			err = filepath.Walk(dir, func(_ string, st os.FileInfo, err error) error {
				if errors.Is(err, fs.ErrNotExist) { // not or no longer present: files come and go while a gateway runs
					return nil
				}
				out.Exists = true
				if err == nil && st.Mode().IsRegular() {
					out.Bytes += st.Size()
				}
				return err
			})
			if err != nil {
				return cli.View{}, err
			}
			var elsewhere *zone.Elsewhere
			if err := store.Elsewhere(dir); errors.As(err, &elsewhere) {
				out.Store = elsewhere.Address
			} else if err != nil {
				return cli.View{}, err
			}
			if out.Engine, err = gateway.EngineOf(dir); err != nil {
				return cli.View{}, err
			}
			var rt http.RoundTripper
			if rt, out.Serving, err = gateway.Dial(dir); err != nil {
				return cli.View{}, cli.ForeignData(err)
			}
			if out.Serving {
				cl, err := api.New(api.Options{BaseURL: zone.BaseURL, Transport: rt})
				if err != nil {
					return cli.View{}, err
				}
				ask, cancel := context.WithTimeout(ctx, answerTime)
				defer cancel()
				ps, err := cl.Projects.List(ask, zone.DefaultOrganization, zone.DefaultWorkspace)
				if ctx.Err() != nil {
					return cli.View{}, ctx.Err()
				}
				if out.Answers = new(err == nil); err == nil {
					out.Projects = new(len(ps))
				} else if !e.JSONErrors() {
					fmt.Fprintf(e.Err, "note: a gateway uses the data directory but does not answer: %v\n", err)
				}
			}
			return cli.Object(out, "dataDir", "exists", "bytes", "serving", "answers"), nil
		})
}

func newGatewayCompactCmd(e *cli.Env) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "compact", Short: "Reclaim the disk space that the files of zone local no longer need",
		Args: cobra.NoArgs,
		Long: `Reclaim the disk space that the files of zone local no longer need.

The data file of each project is copied without its free space, the copy is compared with the file, and
replaces it. The state of zone local is rewritten as well. With a project set (--project, DIG_PROJECT, a
file), only its file is compacted, unless --all is given. A file that would not shrink is not changed.

The disk needs space for the copy of one file. The command waits up to five minutes for a process that changes the
project (ten seconds if a gateway serves it), and changes that arrive in the meantime wait for it;
statements that read go on. If dig is killed, the file is either the old or the new one.`,
		Example: "  " + e.Name + " gateway compact\n  " + e.Name + " gateway compact --project sales -o json",
	}
	c.Flags().BoolVar(&all, "all", false, "all projects and the state, even if a project is set")
	return cli.Leaf[api.Compaction](e, spec.CompactLocal, c, func(ctx context.Context, cl *api.Client,
		_ []string) (cli.View, error) {
		s := e.Run.Settings
		if !e.Local() {
			return cli.View{}, exitcode.Usagef("%s has no files on this machine", s.Where()).
				WithHint("give --zone local")
		}
		if f := e.Run.Set.Lookup("project"); all && f != nil && f.Changed {
			return cli.View{}, exitcode.Usagef("--all and --project are mutually exclusive")
		}
		var project string
		if s.Project.Value != "" && !all {
			var err error
			if project, err = e.Target().ProjectID(ctx, cl); err != nil {
				return cli.View{}, err
			}
		}
		out, err := cl.Compact(ctx, project)
		if err != nil {
			return cli.View{}, err
		}
		v := cli.Object(out, "bytesBefore", "bytesAfter")
		v.Fail = notCompacted(out)
		return v, nil
	})
}

// notCompacted is the error of a run in which some files were not compacted.
func notCompacted(c api.Compaction) *exitcode.Failure {
	var why []string
	f := &exitcode.Failure{Exit: exitcode.Conflict, Code: "in-use",
		Hint: "the others are done; run it again when these are not in use"}
	for _, x := range c.Files {
		if x.Error == nil {
			continue
		}
		why = append(why, *x.Error)
		if *x.Status != http.StatusConflict {
			f.Exit, f.Code, f.Hint = exitcode.Failed, "not-compacted", "the others are done"
		}
	}
	if why == nil {
		return nil
	}
	f.Msg = strings.Join(why, "; ")
	return f
}

func newGatewayResetCmd(e *cli.Env) *cobra.Command {
	var key bool
	c := &cobra.Command{Use: "reset", Short: "Delete everything in zone local", Example: "  " + e.Name +
		" gateway reset --yes", Args: cobra.NoArgs,
		Long: `Delete everything in zone local.

With --key only the key of the stored credentials, secret.key, is replaced, for when it is lost. The
credentials cannot be read any more then; ` + "`" + e.Name + ` connection update` + "`" + ` stores them again.`}
	c.Flags().BoolVar(&key, "key", false, "replace only the key of the stored credentials, which are lost with it")
	return cli.Plain[cli.Acknowledged](e, c,
		func(context.Context, []string) (cli.View, error) {
			if err := e.Permit(); err != nil {
				return cli.View{}, err
			}
			dir, err := ownData(e)
			if err != nil {
				return cli.View{}, err
			}
			if key {
				return renewKey(e, dir)
			}
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				return cli.Note("there is nothing to delete: %s does not exist", dir), nil
			}
			if err := e.Ask().ConfirmHere("zone local: delete everything in %s, all projects?", dir); err != nil {
				return cli.View{}, err
			}
			if e.DryRun() {
				if err := gateway.CheckReset(dir); err != nil {
					return cli.View{}, inUse(err)
				}
				return cli.View{}, e.DryRunStep("delete everything in zone local (%s)", dir)
			}
			if err := gateway.Reset(dir); err != nil {
				return cli.View{}, inUse(err)
			}
			return cli.Note("deleted %s", dir), nil
		})
}

func inUse(err error) error {
	if x := (*zone.Elsewhere)(nil); errors.As(err, &x) {
		return notOpened(err)
	}
	const hint = "stop the gateway or the dig processes that use it"
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "in-use", Msg: err.Error(), Hint: hint}
}

// wholeZone is the data directory of a command over all of it. It rejects flags that choose another gateway or a part
// of zone local.
func wholeZone(e *cli.Env) (string, error) {
	for _, name := range []string{"zone", "base-url", "org", "workspace", "project"} {
		f := e.Run.Set.Lookup(name)
		if f == nil || !f.Changed || name == "zone" && f.Value.String() == string(config.Local) {
			continue
		}
		return "", exitcode.Usagef("--%s %s: the command is about all of zone local on this machine", name, f.Value)
	}
	return config.DataDir(e.Getenv)
}

func renewKey(e *cli.Env, dir string) (cli.View, error) {
	if err := e.Ask().ConfirmHere("zone local: replace %s and lose all stored credentials?",
		filepath.Join(dir, "secret.key")); err != nil {
		return cli.View{}, err
	}
	if e.DryRun() {
		return cli.View{}, e.DryRunStep("replace %s and lose all stored credentials", filepath.Join(dir, "secret.key"))
	}
	if err := gateway.RenewKey(dir, e.Now); err != nil {
		if errors.Is(err, gateway.ErrServing) {
			return cli.View{}, &exitcode.Failure{Exit: exitcode.Conflict, Code: "in-use", Msg: err.Error(),
				Hint: "stop the gateway"}
		}
		return cli.View{}, cli.Unopened(dir, err)
	}
	return cli.Note("replaced %s; store the credentials again with `dig connection update`",
		filepath.Join(dir, "secret.key")), nil
}
