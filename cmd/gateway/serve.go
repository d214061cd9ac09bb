package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/metrics"
	"github.com/dig-cli/dig/pkg/gateway/supervise"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/spf13/cobra"
)

func newGatewayServeCmd(e *cli.Env) *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve", Short: "Serve zone local over TCP and to other dig processes", Args: cobra.NoArgs,
		Long: `Serve zone local over TCP and to other dig processes until interrupted (docs/operating.md).

The address and, with --print-key, a partner key are printed to standard output once it listens. That key
is valid until this process ends; one in a --key-file stays. Other dig processes of this user find the gateway by a
socket in the data directory and need no key. One line per request goes to standard error.

An interrupt or SIGTERM ends it: /readyz is 503, calls are accepted for --drain and no longer, and running work has
--grace to finish. Runs that are still going after that are cancelled and recorded as failed; stored rows are not
changed. A second signal ends the process immediately. If the data directory is removed or replaced, it ends with exit
code 1.
SIGHUP, also at the end of a terminal, does not end it: the certificate and the key file are read again.

Each end of a run of a materialized query, cache, export or metadata refresh is a line on standard error, with --quiet
only a failure.

/healthz and /readyz answer without a key. /metrics, for Prometheus, needs a partner key, but not on the address of
--metrics-listen.

All work is done by a second process. If a statement still runs --max-overrun after it was told to stop, or
uses memory beyond a hard limit, that process is killed and replaced (docs/testing.md). So is one that is stopped or
hangs, after some seconds; after the end of --grace it is killed only. Not on
Windows, and not with --max-overrun 0.

With --store the state is in PostgreSQL, and the rows stay in the data directory. Other dig processes use both by this
gateway only (docs/operating.md).

Files with free space of at least a quarter and 32 MiB are compacted while their project is not in use; new requests
do not wait for that.`,
		Example: strings.ReplaceAll("  dig gateway serve --listen 127.0.0.1:8080 --print-key\n  dig gateway serve "+
			"--listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --key-file /var/lib/dig.key", "dig ",
			e.Name+" "),
	}
	f.register(c)
	cli.Prints[cli.Text](e, c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if _, err := wholeZone(e); err != nil {
			return err
		}
		o, err := f.options(e)
		if err != nil {
			return err
		}
		given, err := f.givenKey(e)
		if err != nil {
			return err
		}
		if err := e.DryRunStep("serve %s on %s", o.Dir, f.at.Listen); err != nil {
			return err
		}
		if e.Process && !supervise.IsWorker(e.Getenv) && supervise.Possible && e.Zone.Available && f.overrun > 0 {
			return f.supervise(c.Context(), e, o)
		}
		return f.serve(c.Context(), e, o, given)
	}
	return c
}

// serve serves in this process: that of the user, or one that was started by supervise. key is that of --key-file.
func (f *serveFlags) serve(ctx context.Context, e *cli.Env, o gateway.Options, key string) error {
	e.CollectLess() // a seventh of the processor time of small statements was spent on that
	if f.cluster.o.Dynamic {
		o.Log.Warn("the cluster stores the passwords of connections to databases (--dynamic-catalogs): they are in " +
			"files of the coordinator, and in the history of its statements")
	}
	var w *supervise.Worker
	reload := new(atomic.Pointer[func()])
	again := func() {
		if do := reload.Load(); do != nil { // before, all is as it was read a moment ago
			(*do)()
		}
	}
	if e.Process && supervise.IsWorker(e.Getenv) {
		var err error
		if w, err = supervise.Attach(e.Now); err != nil {
			return err
		}
		w.Follow(func() { e.Interrupt(cli.ErrTerminated) }, again)
		if err := gateway.Guards(o.Dir, w.Lock); err != nil {
			return err
		}
		o.Engine.Warden, o.Engine.AbortCode = w, supervise.ExitReplaced
		outlive(e, again)
	} else {
		outlive(e, func() { tellReload(o); again() })
	}
	g, closeAll, err := f.open(ctx, o, w)
	if err != nil {
		return notOpened(err)
	}
	defer closeAll()
	stored := key != ""
	if w != nil && key == "" {
		key = w.Key
	}
	if key == "" && f.withKey() {
		key = gateway.NewServeKey()
	}
	if key != "" {
		g.UseServeKey(key)
	}
	keep := func() error { return nil }
	if f.keyFile != "" && !stored {
		keep = func() (err error) {
			if key, err = f.keepKey(e, key); err == nil {
				g.UseServeKey(key)
			}
			return err
		}
	}
	var s *gateway.Server
	if w != nil {
		if w.First { // the addresses are known: who sees that the gateway answers finds its key
			err = keep()
		}
		s = g.Serve(gateway.Inherited(w.TCP, w.Socket, w.Metrics))
		defer context.AfterFunc(ctx, w.Stopping)()
		w.Ready() // before the address is known: afterwards, the process is replaced when it ends
	} else if s, err = g.Listen(f.at); err != nil {
		return unbound(err)
	} else {
		err = keep()
	}
	reload.Store(new(func() { f.reload(e, g, o) }))
	if w == nil || w.First {
		if err == nil {
			_, err = io.WriteString(e.Out, f.addresses(s, key))
		}
		if err != nil { // no client can learn the address
			if w != nil {
				w.Stopping() // this process ends and must not be replaced
			}
			g.Options.Drain = 0
			stop, cancel := context.WithCancel(ctx)
			cancel()
			return errors.Join(err, s.Wait(stop, 0))
		}
	}
	if w != nil {
		w.Told()
	}
	if err := s.Wait(ctx, f.grace); err != nil {
		return err
	}
	fmt.Fprintln(e.Err, "stopped")
	return cli.ErrDone
}

// open opens the gateway and those who watch it.
func (f *serveFlags) open(ctx context.Context, o gateway.Options, w *supervise.Worker) (*gateway.Gateway, func(),
	error) {
	m := metrics.New(o.Log, o.Now)
	if w != nil {
		m.Replaced = w.Replaced
	}
	o.Metrics, o.Observe = m, m.Call
	if f.spans != nil {
		o.Observe = func(c web.Call) { m.Call(c); f.spans.Call(c) }
	}
	g, err := gateway.Open(o)
	if err != nil {
		return nil, nil, err
	}
	m.Gateway = g
	g.Jobs.OnEnd = append(g.Jobs.OnEnd, m.Run)
	closeAll := func() { _ = g.Close() } // the runs end, and are reported, before those who watch
	if f.hook != nil {
		replaced := m.Replaced > 0
		if err := g.Failing(ctx, func(e jobs.End, since time.Time) { f.hook.Failing(e, since, replaced) }); err != nil {
			return nil, nil, errors.Join(err, g.Close())
		}
		f.hook.Start()
		g.Jobs.OnEnd = append(g.Jobs.OnEnd, f.hook.Ended)
		inner := closeAll
		closeAll = func() { inner(); f.hook.Close() }
	}
	if f.spans != nil {
		f.spans.Start()
		g.Jobs.OnEnd = append(g.Jobs.OnEnd, f.spans.Run)
		inner := closeAll
		closeAll = func() { inner(); f.spans.Close() }
	}
	return g, closeAll, nil
}

// addresses are the lines on standard output.
func (f *serveFlags) addresses(s *gateway.Server, key string) string {
	scheme := "http"
	if f.at.Encrypted {
		scheme = "https"
	}
	out := fmt.Sprintf("DIG_BASE_URL=%s://%s/api/v1\n", scheme, s.Addr)
	if s.Metrics != nil {
		out += fmt.Sprintf("DIG_METRICS_URL=http://%s/metrics\n", s.Metrics)
	}
	if f.printKey {
		out += fmt.Sprintf("DIG_API_KEY=%s\n", key)
	}
	return out
}

func tellReload(o gateway.Options) {
	o.Log.Warn("SIGHUP does not end the gateway; the certificate and the key file are read again")
}

// reload reads the files of the settings again.
func (f *serveFlags) reload(e *cli.Env, g *gateway.Gateway, o gateway.Options) {
	if o.Certificate != nil {
		o.Certificate.Reload()
	}
	if f.keyFile == "" {
		return
	}
	switch key, err := f.givenKey(e); {
	case err != nil:
		o.Log.Warn("the key file cannot be read again; the former key stays", "error", err.Error())
	case key == "":
		o.Log.Warn("the key file is gone or empty; the former key stays", "file", f.keyFile)
	default:
		g.UseServeKey(key)
		o.Log.Info("the key file was read again")
	}
}

// supervise serves in a process that can be replaced.
func (f *serveFlags) supervise(ctx context.Context, e *cli.Env, o gateway.Options) error {
	l, err := gateway.Bind(o.Dir, f.at)
	if err != nil {
		return unbound(err)
	}
	defer l.Close()
	so := supervise.Options{Args: append([]string{os.Args[0]}, e.Args...), Log: o.Log,
		Text: gateway.ForLog, Now: e.Now, Grace: f.drain + f.grace}
	if so.TCP, so.Socket, so.Metrics, so.Lock, err = l.Files(); err != nil {
		return err
	}
	so.Release = func() {
		l.Refuse()
		_, _ = so.TCP.Close(), so.Socket.Close()
		if so.Metrics != nil {
			_ = so.Metrics.Close()
		}
	}
	if f.withKey() {
		so.Key = gateway.NewServeKey()
	}
	s := supervise.New(so)
	e.AtOnce.Store(new(s.Kill))
	outlive(e, func() { tellReload(o); s.Reload() })
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

// outlive has a signal to read settings again, or the end of a terminal, call reload and not end the gateway.
func outlive(e *cli.Env, reload func()) {
	if e.HangUp != nil {
		e.HangUp.Store(&reload)
	}
}

// unbound is the error of an address that cannot be listened on.
func unbound(err error) error {
	flag := "--listen"
	if errors.Is(err, gateway.ErrMetrics) {
		flag = "--metrics-listen"
	}
	switch f := exitcode.Usagef("%s: %v", flag, err); {
	case errors.Is(err, gateway.ErrNotLoopback) && flag == "--listen":
		return f.WithHint("--tls-cert encrypts, --any-host allows it without")
	case errors.Is(err, gateway.ErrNotLoopback):
		return f.WithHint("--any-host allows it")
	case errors.Is(err, gateway.ErrAddress):
		return f
	}
	return exitcode.Usagef("%v", err)
}
