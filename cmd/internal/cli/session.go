package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/dig-cli/dig/internal/pipe"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Session is the state of one run, including the resources that it has opened.
type Session struct {
	Flags    globalFlags
	Set      *pflag.FlagSet
	Settings *config.Settings
	Ctx      context.Context // the context of the run, for code that is not passed one
	Terminal io.Writer       // stderr itself, for output that moves the cursor: progress and pager
	Mask     *term.Masker
	Revealed bool          // the result shows the key, as was asked for
	Helped   error         // the error of printing help, which cobra cannot return
	Allowed  []string      // hosts that files of exports may be downloaded from, --allow-host
	Idle     time.Duration // after which a gateway in this process lets others use a project; 0 for its default

	Refuse func(api.Omission) error // makes an incomplete answer an error; nil for a note

	client     *api.Client
	local      *localTransport                 // of the client; nil on other zones
	results    map[*cobra.Command]reflect.Type // see Prints
	shapes     map[reflect.Type]*Shape         // see Displays
	command    running
	said       *said
	consent    *consent
	unattended string // the variable that shows that no person runs the command
	unasked    string // the same if standard input is a terminal nevertheless
}

// running is the command of a run.
type running struct {
	path          string // without the name of the program
	outer         string // the path of the command that runs this one
	changing      bool   // it may change something
	aboveProjects bool   // it is about a workspace or project as a whole
	prints        reflect.Type
}

// consent is whether the user has confirmed the changes of the run at a prompt. It is locked while the user is asked
// whether a request may be sent.
type consent struct {
	sync.Mutex
	agreed bool
}

// said is what the run has printed and sent so far. It is locked while a step or a note is printed, because requests
// are sent by several goroutines.
type said struct {
	sync.Mutex
	steps      []Step              // of a dry run that prints them as data
	stepCount  int                 // number of steps that a dry run has printed; use Env.step and Env.StepCount
	unrecorded bool                // a note about a journal that cannot be written
	unknown    []journal.ChangeEnd // changes of which it is unknown whether they were made
	lacked     map[api.Omission]bool
	changed    atomic.Bool // a request that may change something was sent
}

// GlobalFlags are the flags of every command.
type globalFlags struct {
	Zone, profile, BaseURL, Project, Org, Workspace, timeout string
	Jq, Out, Null, color                                     string
	Output                                                   output.Format
	Columns                                                  []string
	retries                                                  int
	NoHeader, DryRun, Explain, debug, Yes                    bool
	quiet                                                    bool // defined by commands that have a Shape
}

func (s *Session) Register(fs *pflag.FlagSet) {
	g := &s.Flags
	s.Set = fs
	fs.StringVar(&g.Zone, "zone", "", "where to work: us, eu or local (DIG_ZONE)")
	fs.StringVar(&g.profile, "profile", "", "profile to use (DIG_PROFILE)")
	fs.StringVar(&g.BaseURL, "base-url", "", "address of the gateway, up to /api/v1 (DIG_BASE_URL)")
	fs.StringVar(&g.Org, "org", "", "organization, by id or name (DIG_ORG)")
	fs.StringVar(&g.Workspace, "workspace", "", "workspace, by id or name (DIG_WORKSPACE)")
	fs.StringVar(&g.Project, "project", "", "project, by id or name (DIG_PROJECT)")
	fs.VarP(&g.Output, "output", "o",
		"output format: table, json, ndjson, csv, tsv, yaml, markdown, html, xlsx, parquet (DIG_OUTPUT)")
	fs.StringVar(&g.Jq, "jq", "", "filter the JSON output with a jq expression")
	fs.StringSliceVar(&g.Columns, "columns", nil, "columns to print, in this order")
	fs.BoolVar(&g.NoHeader, "no-header", false, "leave out the header of table, csv and tsv")
	fs.StringVar(&g.Out, "out", "", "write to this file; it appears only when complete")
	fs.StringVar(&g.Null, "null", "", "how NULL is written")
	fs.StringVar(&g.color, "color", "auto", "colours: auto (on a terminal, without NO_COLOR), always or never")
	fs.StringVar(&g.timeout, "timeout", "",
		"time limit of a call, or of the whole query for query execute, such as 90s (DIG_TIMEOUT)")
	fs.IntVar(&g.retries, "retries", 2,
		"how often to retry a read-only call when the gateway is overloaded or the connection breaks")
	fs.BoolVar(&g.DryRun, "dry-run", false, "print the requests that would change something, and change nothing")
	fs.BoolVar(&g.Explain, "explain", false,
		"print the origin of the settings and the requests, without sending them; only look-ups of names are sent")
	fs.BoolVar(&g.debug, "debug", false, "print every exchange with the gateway to stderr, without keys")
	fs.BoolVarP(&g.Yes, "yes", "y", false, "do not ask before deleting")
}

// Settings resolves zone, address, key and context once.
func (e *Env) Settings() (*config.Settings, error) {
	if e.Run.Settings != nil {
		return e.Run.Settings, nil
	}
	s, err := config.Resolve(config.Sources{Flags: e.Run.Set, Getenv: e.Getenv, Dir: e.Dir})
	if err != nil {
		return nil, err
	}
	if !output.FormatOf(s.Output.Value).JSON() { // stderr holds a single JSON object then
		for _, n := range s.Notes {
			fmt.Fprintln(e.Err, "note:", n)
		}
	}
	e.Run.Settings = s
	e.Run.Mask.Hide(s.Key.Reveal())
	return s, nil
}

// Client opens the typed client for the chosen zone. It does not connect.
func (e *Env) Client() (*api.Client, error) {
	if e.Run.client != nil {
		return e.Run.client, nil
	}
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	o := api.Options{BaseURL: s.BaseURL.Value, LinkHosts: e.Run.Allowed, UserAgent: "dig/" + BuildVersion(),
		Retries: e.Run.Flags.retries, Slashes: s.Local()}
	if o.Retries < 0 {
		return nil, exitcode.Usagef("--retries: %d is negative", o.Retries)
	}
	o.Timeout, _ = s.TimeoutDuration()
	if s.InProcess() {
		o.BaseURL, o.Patient = zone.BaseURL, true
		lt := &localTransport{env: e, warden: newEndWarden(e)}
		e.Run.local = lt
		o.Transport = lt
	} else {
		key, err := s.NeedKey()
		if err != nil {
			return nil, err
		}
		o.Key = key.Reveal()
		e.warnExpiry(s)
		if o.Network, err = e.NetworkOf(NetworkSettingsOf(s)); err != nil {
			return nil, err
		}
		t := api.NewTransport(o.Network)
		// gzip triples the CPU time of a result; it pays off on a slow link only
		t.DisableCompression = config.IsLoopback(s.BaseURL.Value)
		o.Transport = t
	}
	if e.Run.Flags.debug {
		o.Trace = e.trace
	}
	o.Lacks, o.Before = e.lacks, e.MayCall
	if s.Protect.Value != "" {
		o.Permit = e.permit
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, exitcode.Usagef("%v", err)
	}
	o.Transport = &interceptor{env: e, next: o.Transport, base: strings.TrimRight(base.EscapedPath(), "/")}
	cl, err := api.New(o)
	if err != nil {
		return nil, exitcode.Usagef("%v", err)
	}
	e.Run.client = cl
	return cl, nil
}

// Colors reports whether output is coloured; terminal reports whether it goes to a terminal.
func (e *Env) Colors(terminal bool) bool {
	switch e.Run.Flags.color {
	case "always":
		return true
	case "never":
		return false
	}
	return terminal && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// OutputOptions collects the output flags and checks their combination before any request is sent.
func (e *Env) OutputOptions() (output.Options, error) {
	s, err := e.Settings()
	if err != nil {
		return output.Options{}, err
	}
	f := &e.Run.Flags
	// an unset variable in a script must not silently select another value
	for _, name := range []string{"out", "columns", "jq"} {
		if fl := e.Run.Set.Lookup(name); fl != nil && fl.Changed && (fl.Value.String() == "" ||
			fl.Value.String() == "[]") {
			return output.Options{}, exitcode.Usagef("--%s is empty", name)
		}
	}
	if err := e.checkQuiet(); err != nil {
		return output.Options{}, err
	}
	f.Output = output.FormatOf(s.Output.Value) // errors are printed in the same format, however it was set
	if f.Jq != "" && (f.Output == "" || s.Output.From == "default") {
		f.Output = output.JSON
	}
	if f.color != "auto" && f.color != "always" && f.color != "never" {
		return output.Options{}, exitcode.Usagef("--color: %q is not one of auto, always, never", f.color)
	}
	terminal := e.OutTerm && (f.Out == "" || f.Out == "-")
	o := output.Options{Format: f.Output, NoHeader: f.NoHeader, Columns: f.Columns, JQ: f.Jq, Null: f.Null,
		Color: e.Colors(terminal), Terminal: terminal, Width: e.Width, Height: e.Height, Notes: e.Err, Now: e.Now}
	o.Bare = s.Output.From == "default" && f.Jq == "" && !terminal
	if err := output.Check(o); err != nil {
		if from := s.Output.From; !o.Format.Known() && from != "default" && !strings.Contains(from, "--output") {
			return o, exitcode.Usagef("%s has an %v", from,
				err).WithHint("-o table overrides it; `%[1]s config unset output -o table` removes that of a profile",
				e.Name)
		}
		var bad *output.UsageError
		if !o.Format.Known() && errors.As(err, &bad) {
			return o, exitcode.Usagef("-o: %v", err).WithHint("%s", bad.Hint)
		}
		return o, err
	}
	return o, nil
}

// Writer opens the destination of the result: stdout, or a file that appears only if the run succeeds.
func (e *Env) Writer() (w io.Writer, commit func() error, abort func(), err error) {
	if e.Run.Flags.Out == "" || e.Run.Flags.Out == "-" {
		w := e.OnScreen()
		return w, func() error { return flush(w) }, func() { _ = flush(w) }, nil
	}
	if e.DryRun() {
		return io.Discard, func() error { return e.DryRunStep("write %s", e.Run.Flags.Out) }, func() {}, nil
	}
	f, err := output.CreateContext(e.context(), e.Abs(e.Run.Flags.Out))
	if err != nil {
		return nil, nil, nil, e.Named("--out", err)
	}
	return f, f.Commit, func() { _ = f.Abort() }, nil
}

// context is that of the run, or of the statement in a shell.
func (e *Env) context() context.Context {
	if e.Run.Ctx == nil {
		return context.Background()
	}
	return e.Run.Ctx
}

// Named has an error about a file be one of a flag or argument, unless the run was interrupted. A file or folder that
// does not exist is not found, as any other object.
func (e *Env) Named(flag string, err error) error {
	switch {
	case err == nil || e.context().Err() != nil:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return absent(flag, err.Error(), err)
	}
	return exitcode.Usagef("%s: %v", flag, err)
}

func absent(flag, what string, err error) error {
	return &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found", Msg: flag + ": " + what, Err: err}
}

// Unread is Named for a file that is read: one that does not exist is named as it was typed.
func (e *Env) Unread(flag, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && e.context().Err() == nil {
		return absent(flag, path+": no such file or directory", err)
	}
	return e.Named(flag, err)
}

func readFile(ctx context.Context, path string) ([]byte, error) {
	f, err := pipe.Open(ctx, path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// TargetFlags are the flags by which another command has the target of this run.
func (e *Env) TargetFlags(project string) []string {
	f := e.Run.Settings
	args := []string{"--zone", f.Zone.Value, "--project", project}
	if f.Profile.Value != "" {
		args = append(args, "--profile", f.Profile.Value)
	}
	if f.BaseURL.Value != "" && !f.InProcess() {
		args = append(args, "--base-url", f.BaseURL.Value)
	}
	return args
}

// Abs makes a path of the command line absolute.
func (e *Env) Abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Dir, path)
}

// ReadFile reads a file named by a flag or argument; "-" is stdin.
func (e *Env) ReadFile(flag, path string) ([]byte, error) {
	if path == "-" {
		raw, err := io.ReadAll(e.Data())
		if err != nil && !errors.Is(err, context.Canceled) {
			err = exitcode.Usagef("%s: standard input: %v", flag, err)
		}
		return raw, err
	}
	raw, err := readFile(e.context(), e.Abs(path))
	return raw, e.Unread(flag, path, err)
}

// ReadText reads a file like ReadFile, as text in UTF-8: without a byte order mark, and converted from UTF-16 if it has
// one.
func (e *Env) ReadText(flag, path string) ([]byte, error) {
	raw, err := e.ReadFile(flag, path)
	if err != nil {
		return nil, err
	}
	if coding, guessed := rowfile.CodingOf(raw); coding != rowfile.UTF8 && !guessed {
		if raw, err = io.ReadAll(coding.Decode(io.NopCloser(bytes.NewReader(raw)))); err != nil {
			return nil, exitcode.Usagef("%s: %s: %v", flag, path, err)
		}
	}
	if err := api.TextFault(raw); err != nil {
		return nil, exitcode.Usagef("%s: %s: %v", flag, path, err).WithHint("%s", convert)
	}
	return bytes.TrimPrefix(raw, []byte(rowfile.Mark)), nil
}

const convert = "convert it first, such as with `iconv -t UTF-8`"

// TimeLimit is the limit set by --timeout, DIG_TIMEOUT or a file; 0 for none.
func (e *Env) TimeLimit() time.Duration {
	d, _ := e.Run.Settings.TimeoutDuration()
	return d
}

// Repeats is how many times a call that changes nothing is retried.
func (g *globalFlags) Repeats() int { return g.retries }
