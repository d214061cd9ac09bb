package query

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

func newQueryLastCmd(e *cli.Env) *cobra.Command {
	var f renderFlags
	var limit int64
	var info, clear bool
	c := &cobra.Command{
		Use: "last", Short: "Show the last result again, in any format, without calling the gateway",
		Args: cobra.NoArgs,
		Long: `Show the last complete result of query execute again: in another format, filtered, as a chart, profiled
or saved. The gateway is not called. With -o json the bytes are printed as received, with --typed as an
array of objects.

One result is stored for each profile, zone and address, in a file that only its owner can read, if it is no larger
than the setting history (16MiB; DIG_HISTORY). --no-history, DIG_HISTORY=off or a profile's history store none.`,
		Example: strings.ReplaceAll(`  dig query last -o csv --out rows.csv
  dig query last --columns city,total --chart bar
  dig query last --info
  dig query last --clear`, "dig ", e.Name+" "),
	}
	fs := c.Flags()
	fs.Int64Var(&limit, "limit", 0, "only the first rows")
	fs.BoolVar(&info, "info", false, "print the metadata of the result: statement, rows, bytes, time and duration")
	fs.BoolVar(&clear, "clear", false, "remove the stored result")
	f.register(e, c)
	cli.Prints[cli.Either[rows, cli.Either[keptInfo, cli.Acknowledged]]](e, c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		o, err := f.options(e, c)
		if err != nil {
			return err
		}
		if fs.Changed("limit") && limit < 0 {
			return exitcode.Usagef("--limit: %d is negative", limit)
		}
		manifest, err := manifestName(f.manifest, e.Run.Flags.Out)
		if err != nil {
			return err
		}
		if clear {
			return clearKept(e, o)
		}
		kept, res, err := openKept(e)
		if err != nil {
			return err
		}
		defer res.Close()
		if info {
			return e.Print(cli.Object(kept), nil, o)
		}
		if kept.NotKept != "" {
			return notKept(kept)
		}
		s, err := e.OpenSink(e.Run.Flags.Out, !f.noPager, o, func() {})
		if err != nil {
			return err
		}
		m := newManifest(e, manifest, s)
		kept.Rows, err = writeKept(&f, s, res, kept.Types, o, limit, fs.Changed("limit"))
		if err == nil && o.Terminal {
			fmt.Fprintf(s.Notes, "(%s, fetched %s)\n", oneLine(cmp.Or(kept.Statement, kept.Query), 60),
				humanize.RelTime(kept.StartedAt, e.Now(), "ago", "from now"))
		}
		return m.write(kept, o, s.Finish(err))
	}
	return c
}

func writeKept(f *renderFlags, s *cli.Sink, res *api.Result, types []string, o output.Options, limit int64,
	limited bool) (int64, error) {
	o.Notes = s.Notes
	same := func(r api.RowReader) api.RowReader { return r }
	if f.verbatim(o) && !limited {
		st, err := f.copy(s.W, res, o, same)
		return st.Rows, err
	}
	var rows api.RowReader = res.Rows()
	if len(types) > 0 {
		rows = &withTypes{rows, types}
	}
	if res.Format != api.CellTyped && f.needsTypes(o) && !f.verbatim(o) {
		if ok, err := typed(rows); err == nil && !ok {
			fmt.Fprintln(s.Notes, "(the result was fetched without types: all values are text)")
		}
	}
	head := &headRows{RowReader: rows, left: limit}
	if limited {
		rows = head
	}
	st, err := f.writeRows(s.W, rows, o)
	if err == nil && head.more {
		fmt.Fprintf(s.Notes, "(--limit %d was reached; the result has more rows)\n", limit)
	}
	return st.Rows, err
}

// withTypes adds types to the columns of a result that has none.
type withTypes struct {
	api.RowReader
	types []string
}

// Columns returns the columns with their types.
func (w *withTypes) Columns() ([]api.ResultColumn, error) {
	cols, err := w.RowReader.Columns()
	if err != nil || len(cols) != len(w.types) {
		return cols, err
	}
	cols = slices.Clone(cols)
	for i := range cols {
		if cols[i].DataType == "" {
			cols[i].DataType = w.types[i]
		}
	}
	return cols, nil
}

// oneLine returns the beginning of a string, with each run of white space replaced by one blank.
func oneLine(text string, limit int) string {
	return clip.Runes(strings.Join(strings.Fields(string(term.SanitizeText(nil, text))), " "), limit)
}

// clearKept removes the stored result of the current target.
func clearKept(e *cli.Env, o output.Options) error {
	path, err := keptFile(e)
	if err != nil {
		return err
	}
	if e.DryRun() {
		if _, err := os.Stat(path); err != nil {
			fmt.Fprintln(e.Err, "no result was stored")
			return nil
		}
		return e.DryRunStep("remove the last result (%s)", path)
	}
	switch err := os.Remove(path); {
	case errors.Is(err, os.ErrNotExist):
		return e.Print(cli.Note("no result was stored"), nil, o)
	case err != nil:
		return err
	}
	return e.Print(cli.Note("removed the last result"), nil, o)
}
