package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
)

// Diagnosis is the outcome of one check of `doctor`.
type Diagnosis struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warning, failed, skipped
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

const (
	statusOK      = "ok"
	statusWarning = "warning"
	statusFailed  = "failed"
	statusSkipped = "skipped"
)

// doctor collects diagnoses.
type doctor struct {
	e      *cli.Env
	routes bool
	found  []Diagnosis
	unfit  map[string]bool // directories of dig that cannot be used
}

func (d *doctor) add(check, status, hint, format string, args ...any) {
	d.found = append(d.found, Diagnosis{check, status, fmt.Sprintf(format, args...), d.e.OwnName(hint)})
}

func (d *doctor) ok(check, format string, args ...any) { d.add(check, statusOK, "", format, args...) }

func (d *doctor) skip(check, format string, args ...any) {
	d.add(check, statusSkipped, "", format, args...)
}

// fail adds a failed check with the hint of its error.
func (d *doctor) fail(ctx context.Context, check string, err error) {
	f := cli.Classify(ctx, err)
	d.add(check, statusFailed, cmp.Or(f.Hint, d.remedy(err)), "%s", f.Msg)
}

// remedy says what to do about an error without a hint, which says what is wrong: elsewhere that is enough.
func (d *doctor) remedy(err error) string {
	var setting *config.Error
	if !errors.As(err, &setting) {
		return "correct or remove that setting; `dig config explain` shows the origin of each"
	}
	name, isVariable := strings.CutPrefix(setting.Field, "environment ")
	switch {
	case setting.File == "" && isVariable:
		return "correct " + name + ", or unset it"
	case setting.File == "":
		return "correct or remove that setting"
	case filepath.Base(setting.File) != "config.yaml":
		return "correct the file"
	case setting.Line > 0:
		return "correct the line: `dig config edit` opens the file"
	}
	return "make the file readable, or set DIG_CONFIG_DIR to another directory"
}

// NewDoctor is the command that checks this installation and the connection to the gateway.
func NewDoctor(e *cli.Env) *cobra.Command {
	d := &doctor{e: e, unfit: map[string]bool{}}
	c := &cobra.Command{
		Use: "doctor", Short: "Check the installation, the settings and the connection to the gateway",
		Args: cobra.NoArgs,
		Long: `Check the installation, the settings and the connection to the gateway, with a hint for each problem.

  configuration  the settings file and the project file
  files          who may read and change the files of dig, and whether their
                 disks have room
  program        which program the names dig and digctl run
  key            whether there is a key for the address, and when it ends
  zone local     its data directory: whether it is served, and whether each
                 file can be opened (gateway verify reads them whole)
  cluster        with DIG_ENGINE=trino: whether the cluster of the DIG_TRINO_
                 variables admits the gateway, authenticates its users and
                 keeps projects apart
  locks          whether another process holds the settings or the data of zone
                 local, and leftovers of killed processes
  proxy, dns, connect, tls, gateway, clock, key kind, latency
                 one by one, the steps of a call to the gateway
  routes         with --routes: which documented routes the gateway has, as
                 by ` + "`" + e.Name + ` check --routes` + "`" + `

Each check is ok, warning, failed or skipped. The exit code is 7 if one failed, else 0. Calls go to the chosen gateway
only, and only GET /info (with --routes OPTIONS and GET of all routes), and to that cluster. Nothing is changed: the
file that is written to each directory of dig, to see whether that is possible, has no name, or loses it at once.`,
		Example: "  " + e.Name + " doctor\n  " + e.Name + " --profile work doctor -o json",
	}
	c.Flags().BoolVar(&d.routes, "routes", false, "also check which documented routes the gateway has")
	cli.Prints[[]Diagnosis](e, c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		o, s, err := d.settings(c.Context())
		if err != nil {
			return err
		}
		d.files(s)
		d.program()
		d.local(c.Context(), s)
		d.locks()
		d.cluster(c.Context())
		if s != nil && !s.InProcess() {
			d.key(s)
			d.network(c.Context(), s)
		}
		if err := c.Context().Err(); err != nil {
			return err
		}
		return d.report(o)
	}
	return c
}

// report prints the diagnoses.
func (d *doctor) report(o output.Options) error {
	count := map[string]int{}
	for _, f := range d.found {
		count[f.Status]++
	}
	v := cli.List(d.found, "check", "status", "detail", "hint")
	if o.Format == output.Table && len(o.Columns) == 0 {
		if err := d.text(o); err != nil {
			return err
		}
		v = cli.View{Printed: true}
	}
	v = v.WithNote("%d ok, %s, %d failed, %d skipped", count[statusOK],
		cmp.Or(phrase.Plural(count[statusWarning], "1 warning", "%d warnings"), "0 warnings"), count[statusFailed],
		count[statusSkipped])
	if err := d.e.Print(v, nil, o); err != nil {
		return err
	}
	if n := count[statusFailed]; n > 0 {
		return &exitcode.Failure{Exit: exitcode.Job, Code: "findings", Msg: phrase.Plural(n, "1 check", "%d checks") +
			" failed"}
	}
	return nil
}

// text prints the diagnoses in full: a table would truncate the hints.
func (d *doctor) text(o output.Options) error {
	const margin = "                        " // two columns of names
	var b strings.Builder
	put := func(head, text string) {
		if room := o.Width - len(margin); o.Terminal && room >= 20 {
			text = strings.ReplaceAll(output.Fold(text, room), "\n", "\n"+margin)
		}
		fmt.Fprintf(&b, "%-*s%s\n", len(margin), head, text)
	}
	for _, f := range d.found {
		put(fmt.Sprintf("%-8s %s", f.Status, f.Check), f.Detail)
		if f.Hint != "" {
			put("", "-> "+f.Hint)
		}
	}
	w, commit, abort, err := d.e.Writer()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		abort()
		return err
	}
	return commit()
}

// settings resolves the settings. If that fails, s is nil, and the output flags alone count.
func (d *doctor) settings(ctx context.Context) (o output.Options, s *config.Settings, err error) {
	s, err = d.e.Settings()
	if err != nil {
		d.fail(ctx, "configuration", err)
		o, err = d.e.FlagOptions()
		return o, nil, err
	}
	if o, err = d.e.OutputOptions(); err != nil {
		return o, nil, err
	}
	if err := d.e.CheckDrawnFile(); err != nil {
		return o, nil, err
	}
	where := "no profile"
	if s.Profile.Value != "" {
		where = "profile " + s.Profile.Value + " (" + s.Profile.From + ")"
	}
	where += ", zone " + s.Zone.Value + " (" + s.Zone.From + ")"
	if s.Path != "" {
		where += ", project file " + s.Path
	}
	if len(s.Notes) == 0 {
		d.ok("configuration", "%s", where)
	}
	for _, n := range s.Notes {
		d.add("configuration", statusWarning, "`dig config explain` shows the origin of each setting",
			"%s: %s", where, n)
	}
	return o, s, nil
}

// program determines which programs the names dig and digctl run. dig is often the DNS client of that name.
func (d *doctor) program() {
	own, err := os.Executable()
	if err != nil {
		d.add("program", statusWarning, "", "this program cannot be found: %v", err)
		return
	}
	self, err := os.Stat(own)
	if err != nil { // it was replaced while it ran
		d.add("program", statusWarning, "start it again", "%v", err)
		return
	}
	first := map[string]string{}
	for _, name := range []string{"dig", "digctl"} {
		for _, dir := range filepath.SplitList(d.e.Getenv("PATH")) {
			path := filepath.Join(dir, name)
			if runtime.GOOS == "windows" {
				path += ".exe"
			}
			st, err := os.Stat(path)
			if err != nil || st.IsDir() || st.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows" {
				continue
			}
			first[name] = path
			if os.SameFile(st, self) {
				first[name] = ""
			}
			break
		}
	}
	dig, found := first["dig"]
	ctl, foundCtl := first["digctl"]
	switch {
	case found && dig == "" && foundCtl && ctl == "":
		d.ok("program", "dig %s, %s; dig and digctl run it", cli.BuildVersion(), own)
	case found && dig != "" && foundCtl && ctl == "":
		d.add("program", statusWarning, "in scripts call digctl, or put "+filepath.Dir(own)+" before "+
			filepath.Dir(dig)+" in PATH", "dig runs %s, which may be the DNS client; digctl runs this program, %s", dig,
			own)
	case found && dig != "":
		d.add("program", statusWarning, "put "+filepath.Dir(own)+" before "+filepath.Dir(dig)+
			" in PATH, and link digctl to the program",
			"dig runs %s, which may be the DNS client, and not this program, %s", dig, own)
	case foundCtl && ctl != "":
		d.add("program", statusWarning, "remove one of the two", "digctl runs %s, not this program, %s", ctl, own)
	default:
		d.add("program", statusWarning, "link both names to the program in a directory of PATH",
			"dig %s, %s; not both names are in PATH", cli.BuildVersion(), own)
	}
}

// local checks the data directory of zone local, which is not created.
func (d *doctor) local(ctx context.Context, s *config.Settings) {
	const check = "zone local"
	dir, err := config.DataDir(d.e.Getenv)
	if err != nil {
		return // reported by files
	}
	if d.unfit[dir] {
		d.skip(check, "%s cannot be used", dir)
		return
	}
	used := s != nil && s.InProcess()
	switch _, err := os.Stat(dir); {
	case !d.e.Zone.Available && used:
		d.add(check, statusFailed, "install a build with cgo, or choose another zone", "this build has no zone local")
		return
	case !d.e.Zone.Available:
		d.skip(check, "this build has no zone local")
		return
	case errors.Is(err, fs.ErrNotExist):
		d.ok(check, "not created yet; the first use creates it in %s", dir)
		return
	case err != nil:
		d.add(check, statusFailed, "make the directory readable, or set DIG_DATA_DIR to another one", "%v", err)
		return
	}
	_, served, err := d.e.Zone.Dial(dir)
	if err != nil {
		d.fail(ctx, check, cli.ForeignData(err))
		return
	}
	how := map[bool]string{false: "in this process", true: "served by another process"}[served]
	if d.damaged(ctx, check, dir) {
		return
	}
	if !used || d.e.Run.Flags.Explain {
		d.ok(check, "%s, %s", dir, how)
		return
	}
	cl, err := d.e.Client()
	if err == nil {
		_, err = cl.Info.Get(ctx)
	}
	if err != nil {
		d.fail(ctx, check, err)
		return
	}
	d.ok(check, "%s answers, %s", dir, how)
}

// cluster checks the cluster over which a gateway with the same variables serves.
func (d *doctor) cluster(ctx context.Context) {
	const check = "cluster"
	if d.e.Zone.Cluster == nil {
		return
	}
	found, err := d.e.Zone.Cluster(ctx, d.e)
	switch {
	case err != nil:
		d.fail(ctx, check, err)
	case found == nil:
	case found.Lacks != nil && found.Several:
		d.fail(ctx, check, found.Lacks)
	case found.Lacks != nil:
		f := cli.Classify(ctx, found.Lacks)
		d.add(check, statusWarning, f.Hint, "not for several projects: %s", f.Msg)
	default:
		d.ok(check, "%s", found.Detail)
	}
}

// damaged adds a failed check for each part of the data directory that cannot be read.
func (d *doctor) damaged(ctx context.Context, check, dir string) bool {
	found, err := d.e.VerifyData(ctx, dir, zone.Each)
	if x := (*zone.Elsewhere)(nil); errors.As(err, &x) { // a gateway that is served reads it
		return false
	}
	if err != nil {
		d.fail(ctx, check, err)
		return true
	}
	bad := false
	for _, f := range found {
		if f.Status == zone.StatusDamaged {
			bad = true
			d.add(check, statusFailed, f.Remedy, "%s %s: %s", f.Part, f.Name, f.Problem)
		}
		for _, u := range f.Users {
			does := "reads"
			if u.Changes {
				does = "changes"
			}
			if u.Stopped {
				d.add("locks", statusWarning, fmt.Sprintf(
					"continue it with `kill -CONT %d`, or end it with `kill -KILL %[1]d`", u.PID),
					"the stopped process %s %s %s %s", u.Process, does, f.Part, f.Name)
			} else {
				d.ok("locks", "process %s %s %s %s", u.Process, does, f.Part, f.Name)
			}
		}
	}
	return bad
}

// locks checks for processes that hold files of dig, and for files that killed ones left.
func (d *doctor) locks() {
	dir, err := config.ConfigDir(d.e.Getenv)
	if err != nil {
		return // reported by files
	}
	path := filepath.Join(dir, ".lock")
	if _, err := os.Stat(path); err == nil {
		lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
		free, err := lock.TryRLock()
		if err == nil && free {
			err = lock.Unlock()
		}
		switch {
		case err != nil:
			d.add("locks", statusWarning, "the file system of "+dir+" may have no locks", "%s: %v", path, err)
		case !free:
			d.add("locks", statusWarning, "wait for it to end, or end it",
				"another process holds %s and is changing the settings", path)
		}
	}
	left := 0
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.add("locks", statusWarning, "set DIG_CONFIG_DIR to a directory that can be read", "%v", err)
	}
	for _, entry := range entries {
		if st, err := entry.Info(); err == nil && tempfile.Is(entry.Name()) && time.Since(st.ModTime()) > time.Minute {
			left++
		}
	}
	if left > 0 {
		d.add("locks", statusWarning, "the next change of the settings removes them", "killed processes left %s in %s",
			phrase.Plural(left, "1 temporary file", "%d temporary files"), dir)
	}
	d.rename(dir)
	if !slices.ContainsFunc(d.found, func(f Diagnosis) bool { return f.Check == "locks" }) {
		d.ok("locks", "no process holds the settings")
	}
}

// key checks the key for the address.
func (d *doctor) key(s *config.Settings) {
	if _, err := s.NeedKey(); err != nil {
		d.fail(context.Background(), "key", err)
		return
	}
	if s.KeyExpires != "" {
		at, err := time.Parse(time.RFC3339, s.KeyExpires)
		switch left := at.Sub(d.e.Now()); {
		case err != nil:
		case left <= 0:
			d.add("key", statusFailed, "`dig auth login` stores another", "%s from %s ended on %s", s.Key, s.KeyFrom,
				at.Format(time.DateOnly))
			return
		case left < 14*24*time.Hour:
			d.add("key", statusWarning, "`dig api-key create --store NAME` makes another", "%s from %s ends on %s",
				s.Key, s.KeyFrom, at.Format(time.DateOnly))
			return
		}
	}
	d.ok("key", "%s from %s", s.Key, s.KeyFrom)
}
