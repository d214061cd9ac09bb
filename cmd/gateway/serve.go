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
	var faults, quirks []string
	var faultSeed uint64
	var limits web.Limits
	var upload, memory, temp, exports, reach string
	var printKey, anyHost, quiet bool
	var grace, overrun time.Duration
	c := &cobra.Command{
		Use: "serve", Short: "Serve zone local over TCP and to other dig processes", Args: cobra.NoArgs,
		Long: `Serve zone local over TCP and to other dig processes until interrupted.

The address and, with --print-key, a partner key are printed to standard output once it listens. The key
is good until this process ends. Other dig processes of this user find the gateway by a socket in the
data directory and need no key. One line per request goes to standard error.

An interrupt, SIGTERM or SIGHUP ends it: no call is taken any more, and what goes on has --grace to end. Runs that
are left are cancelled then and recorded as failed; stored rows stay as they were. A second signal ends the
process at once.

All work is done by a second process. When a statement still runs --max-overrun after it was told to end, or
takes memory beyond a hard limit, that process is killed and another takes its place (docs/testing.md). Not on
Windows, nor with --max-overrun 0.

Files that are free by a quarter and 32 MiB are rewritten while nobody uses their project; whoever comes
does not wait for that.`,
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
	fs.StringVar(&temp, "max-temp", "16GiB", "room on the disk that one project may use for what does not fit into memory")
	fs.StringVar(&upload, "max-upload", "64GiB", "largest CSV document an import takes, after unpacking; off for any")
	fs.StringVar(&exports, "max-exports", "64GiB", "bytes that the files of all exports together may take; the oldest expire first; off for any")
	fs.DurationVar(&limits.Silence, "max-silence", time.Minute, "longest pause in the body of a request; 0 for any")
	fs.DurationVar(&limits.Stall, "max-stall", 5*time.Minute, "longest that a reply waits for a reader who takes nothing of it, before its statement is ended; 0 for any")
	fs.StringArrayVar(&faults, "fault", nil, "show a fault on purpose, such as status=503,rate=0.2; repeat (docs/testing.md)")
	fs.StringSliceVar(&quirks, "quirks", nil, "show faults of far gateways on purpose: hosted for those that the hosted zones always have, harsh[=RATE] for the others, or names[=RATE] (docs/testing.md)")
	e.Fixed(c, "quirks", append([]string{"hosted", "harsh"}, gateway.QuirkNames()...)...)
	fs.StringVar(&reach, "reach", "private", "addresses that connections made with a project's key may reach: public, private (with loopback) or all (with link-local and metadata services)")
	e.Fixed(c, "reach", "public", "private", "all")
	fs.Uint64Var(&faultSeed, "fault-seed", 1, "the faults of a rate or a random size fall the same way under the same seed")
	fs.DurationVar(&overrun, "max-overrun", 10*time.Second, "how long a statement may go on after it was told to end, before the process that runs it is replaced; 0 for any")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if grace < 0 {
			return cli.Usagef("--grace: %v is negative", grace)
		}
		inject, err := gateway.ParseInjection(faults, faultSeed)
		if err != nil {
			return cli.Usagef("--fault %v", err)
		}
		if limits.Statement < 0 || limits.Silence < 0 || limits.Stall < 0 || overrun < 0 {
			return cli.Usagef("--max-statement-time, --max-silence, --max-stall and --max-overrun cannot be negative")
		}
		if limits.Upload, err = config.ParseSize(upload); err != nil {
			return cli.Usagef("--max-upload: %v", err)
		}
		if limits.Exports, err = config.ParseSize(exports); err != nil {
			return cli.Usagef("--max-exports: %v", err)
		}
		if limits.Exports == 0 { // off
			limits.Exports = -1
		}
		odd, err := gateway.ParseQuirks(quirks)
		if err != nil {
			return cli.Usagef("--quirks: %v", err)
		}
		engineMemory := cli.MemoryFor(cli.AllowedMemory())
		if memory != "" {
			if engineMemory, err = config.ParseSize(memory); err != nil || engineMemory < 64<<20 {
				return cli.Usagef("--memory: %q is not a size of at least 64MiB", memory)
			}
		}
		network, err := sources.ParseReach(reach)
		if err != nil {
			return cli.Usagef("--reach: %v", err)
		}
		engineTemp, err := config.ParseSize(temp)
		if err != nil || engineTemp <= 0 {
			return cli.Usagef("--max-temp: %q is not a size", temp)
		}
		dir, err := config.DataDir(e.Getenv)
		if err != nil {
			return err
		}
		if err := e.Would("serve %s on %s", dir, listen); err != nil {
			return err
		}
		level := slog.LevelInfo
		if quiet {
			level = slog.LevelWarn
		}
		log := slog.New(slog.NewTextHandler(e.Err, &slog.HandlerOptions{Level: level}))
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
		case e.Process && supervise.Possible && cli.LocalEngine && overrun > 0:
			return runSupervised(c.Context(), e, dir, listen, anyHost, printKey || keyFile != "", log)
		}
		keepOut, configs := e.OwnDirs()
		o := gateway.Options{Dir: dir, OpenEngine: duckdb.Open, Now: e.Now, Version: cli.BuildVersion(), Inject: inject, Quirks: odd, Limits: limits, KeepOut: keepOut, Configs: configs, Reach: network, Log: log,
			Engine: engine.Options{MemoryLimit: engineMemory, TempLimit: engineTemp, Overrun: overrun, CompactFree: diskspace.CompactFree}}
		if w != nil {
			o.Engine.Warden = w
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
				return cli.Usagef("%v", err)
			}
		}
		if w != nil {
			w.Ready() // before the address is known: from then on an end is made good by another process
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
			if err != nil { // nobody would find it
				if w != nil {
					w.Stopping() // its end is that of the gateway
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

// runSupervised serves by a process that can be replaced.
func runSupervised(ctx context.Context, e *cli.Env, dir, listen string, anyHost, withKey bool, log *slog.Logger) error {
	l, err := gateway.Bind(dir, listen, anyHost)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	defer l.Close()
	o := supervise.Options{Release: l.Refuse, Args: append([]string{os.Args[0]}, e.Args...), Log: log, Text: gateway.ForLog, Now: e.Now}
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
	if err == nil {
		err = cli.ErrDone
		if code != cli.ExitOK {
			err = cli.Ended(code)
		}
	}
	return err
}

// writeSecret writes a line into a file that only its owner can read. A file that was there before is replaced, not written into:
// whoever made it keeps what they have open of it. A device, such as a terminal, is written to.
func writeSecret(path, text string) error {
	bad := func(err error) error { return cli.Usagef("--key-file: %v", err) }
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
