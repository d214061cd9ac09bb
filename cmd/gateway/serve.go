package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/diskspace"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/supervise"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/spf13/cobra"
)

func newGatewayServeCmd(e *cli.Env) *cobra.Command {
	var listen, keyFile string
	var faults, quirks, cors []string
	var faultSeed uint64
	var limits web.Limits
	var upload, memory, temp, exports, reach string
	var printKey, anyHost, quiet bool
	var grace, overrun time.Duration
	c := &cobra.Command{
		Use: "serve", Short: "Serve zone local over TCP and to other dig processes", Args: cobra.NoArgs,
		Long: `Serve zone local over TCP and to other dig processes until interrupted.

The address and, with --print-key, a partner key are printed to standard output once it listens. The key
is valid until this process ends. Other dig processes of this user find the gateway by a socket in the
data directory and need no key. One line per request goes to standard error.

An interrupt or SIGTERM ends it: no further calls are accepted, and running work has --grace to finish. Runs that
are still going after that are cancelled and recorded as failed; stored rows are not changed. A second signal ends the
process immediately. If the data directory is removed or replaced, it ends with exit code 1.
SIGHUP, such as at the end of a terminal, does not end it.

Each end of a run of a materialized query, cache, export or metadata refresh is a line on standard error, with --quiet
only a failure.

All work is done by a second process. If a statement still runs --max-overrun after it was told to stop, or
uses memory beyond a hard limit, that process is killed and replaced (docs/testing.md). So is one that is stopped or
hangs, after some seconds; after the end of --grace it is killed only. Not on
Windows, and not with --max-overrun 0.

Files with free space of at least a quarter and 32 MiB are compacted while their project is not in use; new requests
do not wait for that.`,
		Example: "  " + e.Name + " gateway serve --listen 127.0.0.1:8080 --print-key",
	}
	fs := c.Flags()
	fs.StringVar(&listen, "listen", "127.0.0.1:0", "address to listen on; port 0 selects a free one")
	fs.BoolVar(&printKey, "print-key", false, "create a partner key for the lifetime of this process and print it")
	fs.StringVar(&keyFile, "key-file", "", "write that key to a file of mode 0600 instead of printing it")
	fs.BoolVar(&anyHost, "any-host", false, "allow an address that is not loopback; traffic is not encrypted")
	fs.StringSliceVar(&cors, "cors", nil,
		"origins of web pages that may call, such as http://localhost:3000; * for any")
	fs.BoolVar(&quiet, "quiet", false, "do not log requests")
	fs.DurationVar(&grace, "grace", 30*time.Second,
		"how long calls and runs may continue after an interrupt before they are cancelled")
	fs.DurationVar(&limits.Statement, "max-statement-time", 2*time.Hour,
		"longest time a statement may run; 0 for no limit")
	fs.StringVar(&memory, "memory", "",
		"memory that the engine of one project may use, such as 512MiB (1GiB, or less in a smaller container)")
	fs.StringVar(&temp, "max-temp", "16GiB",
		"disk space that one project may use for data that does not fit into memory")
	fs.StringVar(&upload, "max-upload", "64GiB",
		"largest CSV document that an import accepts, after unpacking; off for no limit")
	fs.StringVar(&exports, "max-exports", "64GiB",
		"total size of the files of all exports; the oldest expire first; off for no limit")
	fs.DurationVar(&limits.Silence, "max-silence", time.Minute,
		"longest pause in the body of a request; 0 for no limit")
	fs.DurationVar(&limits.Stall, "max-stall", 5*time.Minute, "longest time that a reply waits for a client that "+
		"reads nothing, before its statement is ended; 0 for no limit")
	fs.StringArrayVar(&faults, "fault", nil, "inject a fault, such as status=503,rate=0.2; repeat (docs/testing.md)")
	fs.StringSliceVar(&quirks, "quirks", nil, "reproduce faults of the hosted zones: hosted for those that always "+
		"occur there, harsh[=RATE] for the others, or names[=RATE] (docs/testing.md)")
	complete.Values(c, "quirks", append([]string{"hosted", "harsh"}, gateway.QuirkNames()...)...)
	fs.StringVar(&reach, "reach", "private", "addresses that connections created with a project key may reach: "+
		"public, private (with loopback) or all (with link-local and metadata services)")
	complete.Values(c, "reach", "public", "private", "all")
	fs.Uint64Var(&faultSeed, "fault-seed", 1,
		"seed for faults with a rate or a random size; the same seed gives the same faults")
	fs.DurationVar(&overrun, "max-overrun", 10*time.Second, "how long a statement may continue after it was told to "+
		"stop, before the process that runs it is replaced; 0 for no limit")
	cli.Prints[cli.Text](e, c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if _, err := wholeZone(e); err != nil {
			return err
		}
		if grace < 0 {
			return exitcode.Usagef("--grace: %v is negative", grace)
		}
		inject, err := gateway.ParseInjection(faults, faultSeed)
		if err != nil {
			return exitcode.Usagef("--fault %v", err)
		}
		if limits.Statement < 0 || limits.Silence < 0 || limits.Stall < 0 || overrun < 0 {
			return exitcode.Usagef("--max-statement-time, --max-silence, --max-stall and --max-overrun cannot be " +
				"negative")
		}
		if limits.Upload, err = config.ParseSize(upload); err != nil {
			return exitcode.Usagef("--max-upload: %v", err)
		}
		if limits.Exports, err = config.ParseSize(exports); err != nil {
			return exitcode.Usagef("--max-exports: %v", err)
		}
		if limits.Exports == 0 { // off
			limits.Exports = -1
		}
		odd, err := gateway.ParseQuirks(quirks)
		if err != nil {
			return exitcode.Usagef("--quirks: %v", err)
		}
		engineMemory := cli.MemoryFor(cli.AllowedMemory())
		if memory != "" {
			if engineMemory, err = config.ParseSize(memory); err != nil || engineMemory < 64<<20 {
				return exitcode.Usagef("--memory: %q is not a size of at least 64MiB", memory)
			}
		}
		origins, err := web.ParseOrigins(cors)
		if err != nil {
			return exitcode.Usagef("--cors: %v", err)
		}
		network, err := sources.ParseReach(reach)
		if err != nil {
			return exitcode.Usagef("--reach: %v", err)
		}
		engineTemp, err := config.ParseSize(temp)
		if err != nil || engineTemp <= 0 {
			return exitcode.Usagef("--max-temp: %q is not a size", temp)
		}
		dir, err := config.DataDir(e.Getenv)
		if err != nil {
			return err
		}
		if err := e.DryRunStep("serve %s on %s", dir, listen); err != nil {
			return err
		}
		level := slog.LevelInfo
		if quiet {
			level = slog.LevelWarn
		}
		log := slog.New(slog.NewTextHandler(e.Err, &slog.HandlerOptions{Level: level}))
		outlive(e, log)
		var w *supervise.Worker
		switch {
		case e.Process && supervise.IsWorker(e.Getenv):
			if w, err = supervise.Attach(e.Now); err != nil {
				return err
			}
			w.Follow(func() { e.Interrupt(cli.ErrTerminated) })
			if err := gateway.Guards(dir, w.Lock); err != nil {
				return err
			}
		case e.Process && supervise.Possible && e.Zone.Available && overrun > 0:
			return runSupervised(c.Context(), e, dir, listen, anyHost, printKey || keyFile != "", grace, log)
		}
		keepOut, configs := config.OwnDirs(e.Getenv)
		o := gateway.Options{Dir: dir, OpenEngine: duckdb.Open, Now: e.Now, Version: cli.BuildVersion(), Inject: inject,
			Quirks: odd, Limits: limits, KeepOut: keepOut, Configs: configs, Reach: network, Origins: origins, Log: log,
			Engine: engine.Options{MemoryLimit: engineMemory, TempLimit: engineTemp, Overrun: overrun,
				CompactFree: diskspace.CompactFree, AbortCode: exitcode.Failed}}
		if w != nil {
			o.Engine.Warden, o.Engine.AbortCode = w, supervise.ExitReplaced
		}
		g, err := gateway.Open(o)
		if err != nil {
			return err
		}
		defer g.Close()
		var s *gateway.Server
		var key string
		if w != nil {
			key = w.Key
			if key != "" {
				g.UseServeKey(key)
			}
			s = g.Serve(gateway.Inherited(w.TCP, w.Socket))
			defer context.AfterFunc(c.Context(), w.Stopping)()
		} else {
			if printKey || keyFile != "" {
				key = g.ServeKey()
			}
			if s, err = g.Listen(listen, anyHost); err != nil {
				return unbound(err)
			}
		}
		if w != nil {
			w.Ready() // before the address is known: afterwards, the process is replaced when it ends
		}
		if w == nil || w.First {
			said := fmt.Sprintf("DIG_BASE_URL=http://%s/api/v1\n", s.Addr)
			if printKey {
				said += fmt.Sprintf("DIG_API_KEY=%s\n", key)
			}
			if keyFile != "" {
				err = writeSecret(e.Abs(keyFile), key)
			}
			if err == nil {
				_, err = io.WriteString(e.Out, said)
			}
			if err != nil { // no client can learn the address
				if w != nil {
					w.Stopping() // this process ends and must not be replaced
				}
				stop, cancel := context.WithCancel(c.Context())
				cancel()
				return errors.Join(err, s.Wait(stop, 0))
			}
		}
		if w != nil {
			w.Told()
		}
		if err := s.Wait(c.Context(), grace); err != nil {
			return err
		}
		fmt.Fprintln(e.Err, "stopped")
		return cli.ErrDone
	}
	return c
}

// runSupervised serves in a process that can be replaced.
func runSupervised(ctx context.Context, e *cli.Env, dir, listen string, anyHost, withKey bool, grace time.Duration,
	log *slog.Logger) error {
	l, err := gateway.Bind(dir, listen, anyHost)
	if err != nil {
		return unbound(err)
	}
	defer l.Close()
	o := supervise.Options{Release: l.Refuse, Args: append([]string{os.Args[0]}, e.Args...), Log: log,
		Text: gateway.ForLog, Now: e.Now, Grace: grace}
	if o.TCP, o.Socket, o.Lock, err = l.Files(); err != nil {
		return err
	}
	o.Release = func() {
		l.Refuse()
		_, _ = o.TCP.Close(), o.Socket.Close()
	}
	if withKey {
		o.Key = gateway.NewServeKey()
	}
	s := supervise.New(o)
	e.AtOnce.Store(new(s.Kill))
	code, err := s.Run(ctx)
	if err != nil && ctx.Err() != nil { // it did not end as it was told to
		err = &exitcode.Failure{Exit: exitcode.Failed, Code: "killed", Msg: err.Error(),
			Hint: "acknowledged changes are stored; `dig gateway verify` checks the data", Err: err}
	}
	if err == nil {
		err = cli.ErrDone
		if code != exitcode.OK {
			err = cli.Ended(code)
		}
	}
	return err
}

// outlive has the end of a terminal, or a signal to read settings again, not end the gateway. It has no settings to
// read.
func outlive(e *cli.Env, log *slog.Logger) {
	if e.HangUp == nil {
		return
	}
	print := func() {
		if !supervise.IsWorker(e.Getenv) {
			log.Warn("SIGHUP does not end the gateway; SIGINT and SIGTERM do")
		}
	}
	e.HangUp.Store(&print)
}

// unbound is the error of an address that cannot be listened on.
func unbound(err error) error {
	switch f := exitcode.Usagef("--listen: %v", err); {
	case errors.Is(err, gateway.ErrNotLoopback):
		return f.WithHint("--any-host allows it")
	case errors.Is(err, gateway.ErrAddress):
		return f
	}
	return exitcode.Usagef("%v", err)
}

// writeSecret writes a line to a file that only its owner can read. An existing file is replaced, not written to: its
// creator may still have it open. A device, such as a terminal, is written to.
func writeSecret(path, text string) error {
	bad := func(err error) error { return exitcode.Usagef("--key-file: %v", err) }
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return bad(err)
		}
		if st, err = f.Stat(); err == nil && ofAnother(st) {
			err = fmt.Errorf("%s belongs to another user", path)
		}
		if err != nil {
			f.Close()
			return bad(err)
		}
		_, err = io.WriteString(f, text+"\n")
		return errors.Join(err, f.Close())
	}
	if err := tempfile.Write(path, []byte(text+"\n")); err != nil {
		return bad(err)
	}
	return nil
}
