package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/pflag"
)

// session is what one run has opened so far.
type session struct {
	flags    globalFlags
	set      *pflag.FlagSet
	settings *config.Settings
	client   *api.Client
	closers  []io.Closer
	allowed  []string // hosts that files of exports may come from, --allow-host
	changed  int32    // not 0: a request that may change something was sent
	helped   error    // of writing a help text, which cobra has no way to return
	mask     *output.Masker
	telling  *sync.Mutex // held while a step is told of: requests are made by several goroutines
	told     int         // steps that a run which only tells has told of; use Env.step and Env.told
	whole    bool        // an answer that lacks something is none, --strict
	lacked   map[api.Omission]bool
	terminal io.Writer       // stderr itself, for what moves the cursor: progress and pager
	ctx      context.Context // of the run, for what has none of its own
	stuck    chan struct{}   // closed when a statement of a gateway in this process does not end; nil without one
}

// close gives it back. Background work of a gateway in this process is waited for, and cancelled when ctx ends. A statement that does not
// end is not waited for: its end is that of the process.
func (s *session) close(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- s.closeAll(ctx) }()
	select {
	case err := <-done:
		return err
	case <-s.stuck:
	}
	late := time.NewTimer(lastWord)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return nil // the reason is known, or no answer depended on it
	}
}

func (s *session) closeAll(ctx context.Context) error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		if c, ok := s.closers[i].(interface{ Interrupt() }); ok {
			defer context.AfterFunc(ctx, c.Interrupt)()
		}
		err = errors.Join(err, s.closers[i].Close())
	}
	s.closers = nil
	return err
}

// globalFlags are the flags every command takes.
type globalFlags struct {
	zone, profile, baseURL, project, org, workspace, timeout string
	jq, out, null                                            string
	output                                                   output.Format
	columns                                                  []string
	retries                                                  int
	noHeader, dryRun, explain, debug, yes                    bool
}

func (s *session) register(fs *pflag.FlagSet) {
	g := &s.flags
	s.set = fs
	fs.StringVar(&g.zone, "zone", "", "where to work: us, eu or local (DIG_ZONE)")
	fs.StringVar(&g.profile, "profile", "", "profile to use (DIG_PROFILE)")
	fs.StringVar(&g.baseURL, "base-url", "", "address of the gateway, up to /api/v1 (DIG_BASE_URL)")
	fs.StringVar(&g.org, "org", "", "organization, by id or name (DIG_ORG)")
	fs.StringVar(&g.workspace, "workspace", "", "workspace, by id or name (DIG_WORKSPACE)")
	fs.StringVar(&g.project, "project", "", "project, by id or name (DIG_PROJECT)")
	fs.VarP(&g.output, "output", "o", "output format: table, json, ndjson, csv, tsv, yaml, markdown, html, xlsx, parquet (DIG_OUTPUT)")
	fs.StringVar(&g.jq, "jq", "", "filter the JSON output with a jq expression")
	fs.StringSliceVar(&g.columns, "columns", nil, "columns to print, in this order")
	fs.BoolVar(&g.noHeader, "no-header", false, "leave out the header of table, csv and tsv")
	fs.StringVar(&g.out, "out", "", "write to this file; it appears only when complete")
	fs.StringVar(&g.null, "null", "", "how NULL is written")
	fs.StringVar(&g.timeout, "timeout", "", "time limit of a call, of a whole query for query execute, such as 90s (DIG_TIMEOUT)")
	fs.IntVar(&g.retries, "retries", 2, "how often to send a call that changes nothing again when the gateway is overloaded or the connection breaks")
	fs.BoolVar(&g.dryRun, "dry-run", false, "print the requests that would change something, and change nothing")
	fs.BoolVar(&g.explain, "explain", false, "print where settings come from and the requests, without sending them; only look-ups of names are sent")
	fs.BoolVar(&g.debug, "debug", false, "print every exchange with the gateway to stderr, without keys")
	fs.BoolVarP(&g.yes, "yes", "y", false, "do not ask before deleting")
}

// Settings resolves zone, address, key and context once.
func (e *Env) Settings() (*config.Settings, error) {
	if e.run.settings != nil {
		return e.run.settings, nil
	}
	set := map[string]string{}
	for _, name := range []string{"zone", "profile", "base-url", "project", "org", "workspace", "output", "timeout"} {
		if f := e.run.set.Lookup(name); f != nil && f.Changed {
			set[name] = f.Value.String()
		}
	}
	s, err := config.Resolve(config.Sources{Flags: set, Getenv: e.Getenv, Dir: e.Dir})
	if err != nil {
		return nil, err
	}
	if !output.FormatOf(s.Output.Value).JSON() { // there, stderr is for one JSON object
		for _, n := range s.Notes {
			fmt.Fprintln(e.Err, "note:", n)
		}
	}
	e.run.settings = s
	e.run.mask.Hide(s.Key.Reveal())
	return s, nil
}

// Client opens the typed client for the chosen zone. It does not connect.
func (e *Env) Client() (*api.Client, error) {
	if e.run.client != nil {
		return e.run.client, nil
	}
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	o := api.Options{BaseURL: s.BaseURL.Value, LinkHosts: e.run.allowed, UserAgent: "dig/" + buildVersion(), Retries: e.run.flags.retries, Slashes: s.Local()}
	if o.Retries < 0 {
		return nil, usagef("--retries: %d is negative", o.Retries)
	}
	o.Timeout, _ = s.TimeoutDuration()
	if s.InProcess() {
		o.BaseURL, o.Patient = gateway.LocalBaseURL, true
		lt := &localTransport{env: e}
		e.run.closers, e.run.stuck = append(e.run.closers, lt), make(chan struct{})
		o.Transport = lt
	} else {
		key, err := s.NeedKey()
		if err != nil {
			return nil, err
		}
		o.Key = key.Reveal()
		e.warnExpiry(s)
		o.Before = e.mayCall
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = config.IsLoopback(s.BaseURL.Value) // gzip triples the CPU of a result; it pays on a far link only
		o.Transport = t
	}
	if e.run.flags.debug {
		o.Trace = e.trace
	}
	o.Lacks = e.lacks
	o.Transport = &interceptor{env: e, next: o.Transport}
	cl, err := api.New(o)
	if err != nil {
		return nil, usagef("%v", err)
	}
	e.run.client = cl
	return cl, nil
}

// outputOptions collects how to print, checked as a set before any request.
func (e *Env) outputOptions() (output.Options, error) {
	s, err := e.Settings()
	if err != nil {
		return output.Options{}, err
	}
	f := &e.run.flags
	for _, name := range []string{"out", "columns", "jq"} { // an empty variable of a script, which must not mean something else
		if fl := e.run.set.Lookup(name); fl != nil && fl.Changed && (fl.Value.String() == "" || fl.Value.String() == "[]") {
			return output.Options{}, usagef("--%s is empty", name)
		}
	}
	f.output = output.FormatOf(s.Output.Value) // errors are printed in the same format, wherever it was set
	if f.jq != "" && (f.output == "" || s.Output.From == "default") {
		f.output = output.JSON
	}
	terminal := e.OutTerm && (f.out == "" || f.out == "-")
	o := output.Options{Format: f.output, NoHeader: f.noHeader, Columns: f.columns, JQ: f.jq, Null: f.null,
		Color: terminal && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb", Terminal: terminal, Width: e.Width, Height: e.Height, Notes: e.Err}
	return o, output.Check(o)
}

// writer opens what the result goes to: stdout, or a file that appears only when the run has succeeded.
func (e *Env) writer() (w io.Writer, commit func() error, abort func(), err error) {
	if e.run.flags.out == "" || e.run.flags.out == "-" {
		w := e.onScreen()
		return w, func() error { return flush(w) }, func() { _ = flush(w) }, nil
	}
	if e.tells() {
		return io.Discard, func() error { return e.would("write %s", e.run.flags.out) }, func() {}, nil
	}
	f, err := output.Create(e.abs(e.run.flags.out))
	if err != nil {
		return nil, nil, nil, usagef("--out: %v", err)
	}
	return f, f.Commit, func() { _ = f.Abort() }, nil
}

// abs makes a path of the command line absolute.
func (e *Env) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Dir, path)
}

// readFile reads a file named by a flag or argument; "-" is stdin.
func (e *Env) readFile(flag, path string) ([]byte, error) {
	if path == "-" {
		raw, err := io.ReadAll(e.data())
		if err != nil && !errors.Is(err, context.Canceled) {
			err = usagef("%s: standard input: %v", flag, err)
		}
		return raw, err
	}
	raw, err := os.ReadFile(e.abs(path))
	if err != nil {
		return nil, usagef("%s: %v", flag, err)
	}
	return raw, nil
}

// timeLimit is the limit that --timeout, DIG_TIMEOUT or a file sets, 0 for none.
func (e *Env) timeLimit() time.Duration {
	d, _ := e.run.settings.TimeoutDuration()
	return d
}
