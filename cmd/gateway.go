package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/spf13/cobra"
)

func newGatewayCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "gateway", Short: "The gateway of zone local"}
	c.AddCommand(newGatewayServeCmd(e), newGatewayStatusCmd(e), newGatewayResetCmd(e))
	return c
}

func newGatewayServeCmd(e *Env) *cobra.Command {
	var listen, keyFile string
	var faults, quirks []string
	var faultSeed uint64
	var limits gateway.Limits
	var upload, memory string
	var printKey, anyHost, quiet bool
	var grace time.Duration
	c := &cobra.Command{
		Use: "serve", Short: "Serve zone local over TCP and to other dig processes", Args: cobra.NoArgs,
		Long: `Serve zone local over TCP and to other dig processes until interrupted.

The address and, with --print-key, a partner key are printed to standard output once it listens. The key
is good until this process ends. Other dig processes of this user find the gateway by a socket in the
data directory and need no key. One line per request goes to standard error.

An interrupt or SIGTERM ends it: no call is taken any more, and what goes on has --grace to end. Runs that
are left are cancelled then and recorded as failed; stored rows stay as they were. A second signal ends the
process at once.`,
		Example: "  " + e.Name + " gateway serve --listen 127.0.0.1:8080 --print-key",
	}
	fs := c.Flags()
	fs.StringVar(&listen, "listen", "127.0.0.1:0", "address to listen on; port 0 picks a free one")
	fs.BoolVar(&printKey, "print-key", false, "make a partner key for the life of this process and print it")
	fs.StringVar(&keyFile, "key-file", "", "write that key to a file of mode 0600 instead of printing it")
	fs.BoolVar(&anyHost, "any-host", false, "allow an address that is not loopback; traffic is not encrypted")
	fs.BoolVar(&quiet, "quiet", false, "no line per request")
	fs.DurationVar(&grace, "grace", 30*time.Second, "how long calls and runs may go on after an interrupt before they are cancelled")
	fs.DurationVar(&limits.Statement, "max-statement-time", 2*time.Hour, "longest time a statement may run; 0 for any")
	fs.StringVar(&memory, "memory", "", "memory that the engine of one project may use, such as 512MiB (1GiB, or less in a smaller container)")
	fs.StringVar(&upload, "max-upload", "64GiB", "largest CSV document an import takes, after unpacking; off for any")
	fs.DurationVar(&limits.Silence, "max-silence", time.Minute, "longest pause in the body of a request; 0 for any")
	fs.StringArrayVar(&faults, "fault", nil, "show a fault on purpose, such as status=503,rate=0.2; repeat (docs/testing.md)")
	fs.StringSliceVar(&quirks, "quirks", nil, "show faults of the hosted zones on purpose: hosted for all, or their names (docs/testing.md)")
	fixed(c, "quirks", append([]string{"hosted"}, gateway.QuirkNames()...)...)
	fs.Uint64Var(&faultSeed, "fault-seed", 1, "the faults of a rate or a random size fall the same way under the same seed")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if grace < 0 {
			return usagef("--grace: %v is negative", grace)
		}
		inject, err := gateway.ParseInjection(faults, faultSeed)
		if err != nil {
			return usagef("--fault %v", err)
		}
		if limits.Statement < 0 || limits.Silence < 0 {
			return usagef("--max-statement-time and --max-silence cannot be negative")
		}
		if limits.Upload, err = config.ParseSize(upload); err != nil {
			return usagef("--max-upload: %v", err)
		}
		odd, err := gateway.ParseQuirks(quirks)
		if err != nil {
			return usagef("--quirks: %v", err)
		}
		engineMemory := memoryFor(allowedMemory())
		if memory != "" {
			if engineMemory, err = config.ParseSize(memory); err != nil || engineMemory < 64<<20 {
				return usagef("--memory: %q is not a size of at least 64MiB", memory)
			}
		}
		dir, err := config.DataDir(e.Getenv)
		if err != nil {
			return err
		}
		level := slog.LevelInfo
		if quiet {
			level = slog.LevelWarn
		}
		g, err := gateway.Open(gateway.Options{Dir: dir, OpenEngine: duckdb.Open, Now: e.Now, Version: buildVersion(), Inject: inject, Quirks: odd, Limits: limits, Engine: engine.Options{MemoryLimit: engineMemory},
			Log: slog.New(slog.NewTextHandler(e.Err, &slog.HandlerOptions{Level: level}))})
		if err != nil {
			return err
		}
		defer g.Close()
		var key string
		if printKey || keyFile != "" {
			key = g.ServeKey()
		}
		s, err := g.Listen(listen, anyHost)
		if err != nil {
			return usagef("%v", err)
		}
		said := fmt.Sprintf("DIG_BASE_URL=http://%s/api/v1\n", s.Addr)
		if printKey {
			said += fmt.Sprintf("DIG_API_KEY=%s\n", key)
		}
		if keyFile != "" {
			err = writeSecret(e.abs(keyFile), key)
		}
		if err == nil {
			_, err = io.WriteString(e.Out, said)
		}
		if err != nil { // nobody would find it
			stop, cancel := context.WithCancel(c.Context())
			cancel()
			return errors.Join(err, s.Wait(stop, 0))
		}
		if err := s.Wait(c.Context(), grace); err != nil {
			return err
		}
		fmt.Fprintln(e.Err, "stopped")
		return errDone
	}
	return c
}

// writeSecret writes a line into a file that only its owner can read, also where the file was there before.
func writeSecret(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return usagef("--key-file: %v", err)
	}
	st, err := f.Stat()
	if err == nil && st.Mode().IsRegular() {
		err = f.Chmod(0o600)
	}
	if err == nil {
		_, err = io.WriteString(f, text+"\n")
	}
	return errors.Join(err, f.Close())
}

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
				Projects *int   `json:"projects,omitempty"` // known to a served gateway alone
			}{DataDir: dir}
			_ = filepath.Walk(dir, func(_ string, st os.FileInfo, err error) error {
				if err == nil {
					out.Exists = true
					if st.Mode().IsRegular() {
						out.Bytes += st.Size()
					}
				}
				return nil
			})
			var rt http.RoundTripper
			if rt, out.Serving = gateway.Dial(dir); out.Serving {
				cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: rt})
				if err != nil {
					return view{}, err
				}
				if ps, err := cl.Projects.List(ctx, gateway.DefaultOrganization, gateway.DefaultWorkspace); err == nil {
					out.Projects = new(len(ps))
				}
			}
			return object(out, "dataDir", "exists", "bytes", "serving"), nil
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
			if err := gateway.Reset(dir); err != nil {
				return view{}, &failure{exit: exitConflict, code: "in-use", msg: err.Error(), hint: "stop the gateway or the dig processes that use it"}
			}
			return note("deleted %s", dir), nil
		})
}
