package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newExportDownloadCmd(e *cli.Env) *cobra.Command {
	return cli.Leaf[cli.Acknowledged](e, spec.GetExport, cli.OwnFile(&cobra.Command{Use: "download EXPORT [FILE]",
		Short: "Save the file of a finished export", Args: cobra.RangeArgs(1, 2),
		Long: `Save the file of a finished export under FILE, in the directory FILE, or under its own name; - is stdout.
A directory is one that exists, or a name that ends in a slash. An export of several files requires a directory; the
lines of several JSONL files may also go to stdout.

An interrupted download resumes where it stopped, with a fresh link. The file appears only when it is
complete and has the size the gateway reports.`,
		Example: "  " + e.Name + " export download 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10 orders.csv"}),
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			path := e.Run.Flags.Out
			if len(args) == 2 {
				if path != "" {
					return nil, exitcode.Usagef("the file is given twice: %s and --out %s", args[1], path)
				}
				path = args[1]
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				return download(ctx, e, cl, p, args[0], path)
			}, nil
		}))
}

// checkDownload rejects, before an export is started, an impossible file name. A directory may still have to be
// created.
func checkDownload(e *cli.Env, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	at := e.Abs(path)
	st, err := os.Stat(at)
	if dir := err == nil && st.IsDir(); dir || err != nil && os.IsPathSeparator(path[len(path)-1]) {
		for !dir && filepath.Dir(at) != at { // where it will be created
			at = filepath.Dir(at)
			st, err := os.Stat(at)
			dir = err == nil && st.IsDir()
		}
		at = filepath.Join(at, "file")
	}
	if err := output.CheckFile(at); err != nil {
		return exitcode.Usagef("--download: %v", err)
	}
	return nil
}

// download saves every file of a job. The job is read first, since links are short-lived.
func download(ctx context.Context, e *cli.Env, cl *api.Client, project, id, path string) (cli.View, error) {
	job, err := cl.Exports.Get(ctx, project, id)
	if err != nil {
		return cli.View{}, err
	}
	if err := exportEnd(job); err != nil {
		return cli.View{}, err
	}
	if len(job.Files) == 0 {
		return cli.View{}, &exitcode.Failure{Exit: exitcode.NotAllowed, Code: "not-owner", Msg: "the files of export " +
			id + " are not accessible with this key", Hint: "use the key that started the export"}
	}
	if several := len(job.Files) > 1; several && path == "-" && job.Format != "JSONL" {
		return cli.View{}, exitcode.Usagef(
			"export %s has %d files, and each may start with a header: they cannot be concatenated", id,
			len(job.Files)).WithHint("give a directory: `%s export download %s DIRECTORY/`", e.Name, shell.Quote(id))
	}
	if path == "-" {
		if err := e.DryRunStep("write the rows of export %s to standard output", id); err != nil {
			return cli.View{}, err
		}
		for i := range job.Files {
			if err := fetchFile(ctx, e, cl, project, job, i, e.OnScreen()); err != nil {
				return cli.View{}, err
			}
		}
		return done(e, "")
	}
	dir, name := "", path
	st, err := os.Stat(e.Abs(path))
	isDir := path == "" || strings.HasSuffix(path, "/") || os.IsPathSeparator(path[len(path)-1]) || err == nil &&
		st.IsDir()
	if !isDir && len(job.Files) > 1 {
		return cli.View{}, exitcode.Usagef("export %s has %d files, and %s is the name of one", id, len(job.Files),
			path).WithHint("give a directory: `%s export download %s %s`", e.Name, shell.Quote(id),
			shell.Quote(strings.TrimSuffix(path, filepath.Ext(path))+"/"))
	}
	if isDir {
		dir, name = path, ""
	}
	saveAs, err := fileNames(job.Files, dir, name)
	if err != nil {
		return cli.View{}, err
	}
	if err := e.DryRunStep("save %s", strings.Join(saveAs, ", ")); err != nil {
		return cli.View{}, err
	}
	if name == "" {
		if err := os.MkdirAll(e.Abs(dir), 0o777); err != nil {
			return cli.View{}, exitcode.Usagef("%s: %v", dir, err)
		}
	}
	var notes []string
	for i, f := range job.Files {
		to := saveAs[i]
		file, err := output.CreateContext(ctx, e.Abs(to))
		if err != nil {
			return cli.View{}, e.Named(to, err)
		}
		if err := fetchFile(ctx, e, cl, project, job, i, file); err != nil {
			return cli.View{}, errors.Join(err, file.Abort())
		}
		if err := file.Commit(); err != nil {
			return cli.View{}, err
		}
		notes = append(notes, fmt.Sprintf("saved %s (%d bytes)", to, f.Bytes))
	}
	return done(e, strings.Join(notes, "\n"))
}

// fileNames returns the paths to save files under: name, or names in dir that the gateway chose. The latter must be
// plain names: the directory may be one in which hidden files are executed or read as configuration.
func fileNames(files []api.ExportFile, dir, name string) ([]string, error) {
	if name != "" {
		return []string{name}, nil
	}
	var out []string
	for _, f := range files {
		base := filepath.Base(filepath.FromSlash(f.Name))
		if strings.HasPrefix(base, ".") || base == string(filepath.Separator) || strings.ContainsFunc(base,
			unicode.IsControl) {
			return nil, (&exitcode.Failure{Exit: exitcode.Failed, Code: "protocol",
				Msg: fmt.Sprintf("the gateway names the file %q, which is not a plain file name", f.Name)}).
				WithHint("give the FILE to save it to")
		}
		to := filepath.Join(dir, base)
		if slices.Contains(out, to) {
			return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "protocol",
				Msg: fmt.Sprintf("this export has two files named %q", base)}
		}
		out = append(out, to)
	}
	return out, nil
}

// done ends a command that has written its result to a file: nothing is printed on stdout.
func done(e *cli.Env, text string) (cli.View, error) {
	if text != "" && e.Run.Flags.Output == output.JSON {
		raw, err := api.Marshal(cli.Acknowledged{OK: true, Message: text})
		if err == nil {
			_, err = fmt.Fprintf(e.Out, "%s\n", raw)
		}
		return cli.View{}, errors.Join(err, cli.ErrDone)
	}
	if text != "" {
		fmt.Fprintln(e.Err, text)
	}
	return cli.View{}, cli.ErrDone
}

// fetchTries is the maximum number of consecutive attempts without a new byte.
const fetchTries = 5

// fetchFile copies file i of a job, resumes after breaks with fresh links, and checks the size.
func fetchFile(ctx context.Context, e *cli.Env, cl *api.Client, project string, job api.ExportJobResponse, i int,
	w io.Writer) error {
	f := job.Files[i]
	bar := term.NewProgress(nil)
	// otherwise the file may go to the same screen
	if _, onScreen := w.(*term.Screen); !onScreen && w != e.Out || cli.RegularFile(e.Out) {
		bar = e.Progress()
	}
	defer bar.Stop()
	bar.Total(f.Bytes)
	w = bar.Writer(w)
	var have int64
	var version string // of the file from which bytes were received
	refusals := 0
	for tries := 1; ; tries++ {
		n, err := fetchPart(ctx, cl, f, have, &version, w)
		if have += n; n > 0 {
			tries = 1
		}
		switch {
		case have > f.Bytes:
			return badSize(f, have)
		case err == nil && have == f.Bytes:
			return nil
		case err == nil:
			err = badSize(f, have)
		}
		var ae *api.Error
		if errors.As(err, &ae) && ae.Status == http.StatusRequestedRangeNotSatisfiable {
			return badSize(f, have) // the file ends before the size that the job reports
		}
		if errors.As(err, &ae) && ae.Kind == api.KindTimeout {
			tries += fetchTries / 2 // each has lasted for the maximum duration
		}
		if ae != nil && ae.Outcome == outcome.Refused && !ae.Transient() {
			refusals++ // the first may be that of a link that has expired
		}
		var we *writeError
		if errors.As(err, &we) || errors.Is(err, errChanged) || ctx.Err() != nil || tries >= fetchTries ||
			api.Lasting(err) || refusals > 1 {
			return err
		}
		bar.Stop()
		fmt.Fprintf(e.Err, "%s: %v; resuming at byte %d\n", f.Name, err, have)
		if serr := retry.Sleep(ctx, retry.Pause(tries-1, retry.Longest)); serr != nil {
			return serr
		}
		fresh, gerr := cl.Exports.Get(ctx, project, job.ID)
		if gerr != nil {
			return errors.Join(err, gerr)
		}
		if gerr := exportEnd(fresh); gerr != nil {
			return gerr
		}
		if i >= len(fresh.Files) || fresh.Files[i].Name != f.Name || fresh.Files[i].Bytes != f.Bytes {
			return changed(f)
		}
		f = fresh.Files[i]
	}
}

func badSize(f api.ExportFile, have int64) error {
	return &exitcode.Failure{Exit: exitcode.Unavailable, Code: "truncated",
		Msg:  fmt.Sprintf("%s: received %d bytes, the gateway reports %d", f.Name, have, f.Bytes),
		Hint: "start the download again"}
}

// writeError is an error of the destination of a file; trying again does not help.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

type markedWriter struct{ w io.Writer }

func (m markedWriter) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	if err != nil {
		err = &writeError{err}
	}
	return n, err
}

var errChanged = errors.New("the file changed")

func changed(f api.ExportFile) error {
	return &exitcode.Failure{Exit: exitcode.Unavailable, Code: "changed", Msg: f.Name +
		" changed while it was downloaded", Hint: "start the download again", Err: errChanged}
}

// fetchPart copies a file from an offset and returns the number of bytes copied. All parts must be of the same version
// of the file, which the first reply sets; of any other version nothing is copied.
func fetchPart(ctx context.Context, cl *api.Client, f api.ExportFile, from int64, version *string,
	w io.Writer) (int64, error) {
	rep, err := cl.Exports.Open(ctx, f, from, *version)
	if err != nil {
		return 0, err
	}
	defer rep.Body.Close()
	if from > 0 && *version != "" && api.FileVersion(rep) != *version {
		return 0, changed(f)
	}
	*version = api.FileVersion(rep)
	if rep.Status == http.StatusPartialContent {
		want := fmt.Sprintf("bytes %d-%d/", from, f.Bytes-1)
		rest, ok := strings.CutPrefix(rep.Header.Get("Content-Range"), want)
		if !ok || rest != "*" && rest != strconv.FormatInt(f.Bytes, 10) {
			return 0, fmt.Errorf("requested bytes from %d to %d of %d, got %q: %w", from, f.Bytes-1, f.Bytes,
				rep.Header.Get("Content-Range"), changed(f))
		}
	} else if from > 0 { // a server without ranges starts from the beginning
		if n, err := strconv.ParseInt(rep.Header.Get("Content-Length"), 10, 64); err == nil && n != f.Bytes {
			return 0, changed(f)
		}
		if _, err := io.CopyN(io.Discard, rep.Body, from); err != nil {
			return 0, err
		}
	}
	return io.Copy(markedWriter{w}, io.LimitReader(rep.Body, f.Bytes-from+1))
}
