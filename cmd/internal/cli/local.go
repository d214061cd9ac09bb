package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/outcome"
)

// localTransport connects to zone local: a running `gateway serve` through its socket, or a gateway opened inside this
// process on the first request.
type localTransport struct {
	env    *Env
	once   sync.Once
	again  sync.Once
	served http.RoundTripper // to a running gateway
	next   http.RoundTripper // in this process
	gw     zone.Gateway
	err    error
	gone   error // the error of opening it after the running gateway has stopped

	unopened error      // why zone local could not be opened, for what precedes the first request
	warden   *endWarden // of gw

	remove func() error // removes the data directory that was created for a dry run
}

// RoundTrip opens the gateway on first use.
func (t *localTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(func() { t.err = t.open(true) })
	if t.err != nil {
		return nil, unopened(req, t.err)
	}
	if t.served == nil {
		return t.next.RoundTrip(req)
	}
	resp, err := sendUnlessGone(t.served, req)
	if !errors.Is(err, errServerGone) {
		return resp, err
	}
	t.again.Do(func() { t.gone = t.open(false) }) // the gateway has stopped since the last request
	if t.gone != nil {
		return nil, unopened(req, t.gone)
	}
	return t.next.RoundTrip(req)
}

// unopened converts the error of opening zone local to an error of the client: any other error would be reported as a
// network error.
func unopened(req *http.Request, err error) error {
	if f := (*exitcode.Failure)(nil); errors.As(err, &f) {
		return &api.Error{Kind: api.KindUnavailable, Outcome: outcome.NotSent, Method: req.Method,
			URL: req.URL.String(), Message: f.Msg, Err: f}
	}
	return outcome.Unsent(err)
}

func (t *localTransport) open(dial bool) error {
	dir, err := config.DataDir(t.env.Getenv)
	if err != nil {
		return err
	}
	if dial {
		rt, ok, err := t.env.Zone.Dial(dir)
		if err != nil {
			f := ForeignData(err)
			t.unopened = f
			return f
		}
		if ok {
			t.served = rt
			return nil
		}
	}
	if t.env.DryRun() {
		if dir, t.remove, err = scratch(dir); err != nil {
			return err
		}
	}
	if t.gw, err = t.env.openGateway(dir, t.env.DryRun() && t.remove == nil, t.warden); err != nil {
		if errors.Is(err, engine.ErrNoEngine) {
			return err
		}
		t.unopened = Unopened(dir, err)
		return t.unopened
	}
	t.next = t.gw.Transport()
	return nil
}

// Unopened is the failure to open the data directory of zone local.
func Unopened(dir string, err error) *exitcode.Failure {
	f := &exitcode.Failure{Exit: exitcode.Failed, Code: "local", Msg: "cannot open zone local: " + err.Error(),
		Hint: "its data is in " + dir + " (DIG_DATA_DIR); `dig doctor` checks it", Err: err}
	var lost *damage.Error
	var elsewhere *zone.Elsewhere
	switch {
	case errors.As(err, &elsewhere):
		f.Exit, f.Code, f.Hint = exitcode.Unavailable, "elsewhere", elsewhere.Remedy()
	case errors.As(err, &lost):
		f.Code, f.Hint = string(api.KindDamaged), lost.Remedy
	case errors.Is(err, syscall.ENOSPC):
		f.Code, f.Hint = string(api.KindFull), "free some space on the disk of "+dir
	}
	return f
}

// Close waits for the background work of a gateway in this process, and cancels that work when ctx ends. It does not
// wait for a statement that does not stop, which ends with the process.
func (t *localTransport) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- t.close(ctx) }()
	select {
	case err := <-done:
		return err
	case <-t.warden.stuck:
	}
	late := time.NewTimer(lastWord)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return nil // the cause was reported, or no answer depended on the statement
	}
}

func (t *localTransport) close(ctx context.Context) error {
	var err error
	if t.gw != nil {
		defer context.AfterFunc(ctx, t.gw.Interrupt)()
		err = t.gw.Close()
	}
	if t.remove != nil {
		err = errors.Join(err, t.remove())
	}
	return err
}

// OpenGateway opens another gateway of this run than that of zone local.
func (e *Env) OpenGateway(dir string, readOnly bool) (zone.Gateway, error) {
	return e.openGateway(dir, readOnly, newEndWarden(e))
}

func (e *Env) openGateway(dir string, readOnly bool, w *endWarden) (zone.Gateway, error) {
	if e.Getenv("DIG_DATA_DIR") == "" && !readOnly {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return nil, err
		}
	}
	return e.Zone.Open(e.gatewayOptions(dir, readOnly, w))
}

// VerifyData examines the data directory of zone local without changing it.
func (e *Env) VerifyData(ctx context.Context, dir string, depth zone.Depth) ([]zone.Finding, error) {
	found, err := e.Zone.Verify(ctx, e.gatewayOptions(dir, true, newEndWarden(e)), depth)
	if err != nil && ctx.Err() == nil && !errors.Is(err, engine.ErrNoEngine) {
		err = Unopened(dir, err)
	}
	return found, err
}

func (e *Env) gatewayOptions(dir string, readOnly bool, w *endWarden) zone.Options {
	keepOut, configs := config.OwnDirs(e.Getenv)
	var spool int64
	if s := e.Run.Settings; s != nil {
		spool = s.SpoolBytes()
	}
	return zone.Options{Dir: dir, Spool: spool, Now: e.Now, Version: BuildVersion(), KeepOut: keepOut, Configs: configs,
		ReadOnly: readOnly,
		Engine: engine.Options{Shared: true, IdleClose: e.Run.Idle, LockWait: patienceHere,
			MemoryLimit: MemoryFor(AllowedMemory()), Waiting: e.waitsFor, Waited: e.hasWaited,
			Warden: w, Overrun: overrunHere, AbortCode: exitcode.Failed}}
}

// patienceHere is how long a command waits for another one that changes the same project.
const patienceHere = 5 * time.Minute

// overrunHere is how long a statement of a gateway in this process may continue after its cancellation.
const overrunHere = 2 * time.Second

// endWarden lets a command exit although a statement of one of its gateways does not stop.
type endWarden struct {
	env   *Env
	once  sync.Once
	stuck chan struct{} // closed when a statement of the gateway does not stop
}

func newEndWarden(e *Env) *endWarden { return &endWarden{env: e, stuck: make(chan struct{})} }

var _ engine.Warden = (*endWarden)(nil)

// Admit accepts every statement.
func (w *endWarden) Admit(string, string) error { return nil }

// Stuck ends the command like an interrupt, but with another cause, unless the command is already ending.
func (w *endWarden) Stuck(why string, _ []engine.Running) {
	w.once.Do(func() {
		close(w.stuck)
		if w.env.Interrupt != nil {
			w.env.Interrupt(&exitcode.Failure{Exit: exitcode.Failed, Code: "stuck", Msg: "the statement " + why +
				"; it can be stopped only by ending the process",
				Hint: "select less, or split the statement", Err: context.Canceled})
		}
	})
}

// waitsFor prints a note that the command waits for another process, which it names.
func (e *Env) waitsFor(holder string) {
	if !e.JSONErrors() {
		fmt.Fprintf(e.Err, "waiting for %s, which uses the data of this project\n", holder)
	}
}

// hasWaited prints for --debug how long this process waited for other processes that use the data of the project, apart
// from the time that it computed.
func (e *Env) hasWaited(d time.Duration) {
	if e.Run.Flags.debug {
		fmt.Fprintf(e.Err, "debug: waited %v for other processes that use the data of this project\n",
			d.Round(100*time.Microsecond))
	}
}

// Served reports whether another process serves the data directory of zone local, which this run works with.
func (e *Env) Served() (bool, error) {
	dir, err := config.DataDir(e.Getenv)
	if err != nil || !e.Run.Settings.InProcess() {
		return false, err
	}
	_, served, err := e.Zone.Dial(dir)
	if err != nil {
		return false, ForeignData(err)
	}
	return served, nil
}

// ForeignData is the failure of a data directory that another user controls.
func ForeignData(err error) *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.NotAllowed, Code: "foreign-data", Msg: err.Error(),
		Hint: "set DIG_DATA_DIR to a directory of your own, or run the command as its owner", Err: err}
}
