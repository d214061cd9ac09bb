package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// renderFlags control how a result is shown; every command that shows one has them.
type renderFlags struct {
	vertical, raw, typed, all, profile, noPager bool
	own                                         bool // only the columns that the owner of a table declared
	file                                        bool // the result goes to a file
	plan                                        bool // the result of EXPLAIN is written as lines
	show, chart, x                              string
	y                                           []string
	manifest                                    string
}

func (r *renderFlags) register(e *cli.Env, c *cobra.Command) {
	fs := c.Flags()
	fs.BoolVarP(&r.vertical, "vertical", "x", false, "print one line per value")
	fs.BoolVar(&r.raw, "raw", false, "print values as sent: do not convert strings to numbers")
	fs.BoolVar(&r.typed, "typed", false, "convert values to numbers, booleans and nulls by type; ndjson, yaml, xlsx "+
		"and parquet always do, json becomes an array of objects")
	fs.StringVar(&r.show, "show", "",
		"number of rows that a table shows, or all (40 on a terminal, all elsewhere); does not limit what is fetched")
	fs.BoolVar(&r.all, "all", false,
		"show all rows in a table, and the system columns of internal tables, which --out leaves out too")
	fs.BoolVar(&r.own, "no-system-columns", false,
		"leave the system columns of internal tables out of a SELECT * in every format, as tables and files do")
	fs.StringVar(&r.chart, "chart", "", "draw the result as a chart: bar, line, hist or spark")
	fs.StringVar(&r.x, "x-column", "", "column with the labels of a bar or line chart")
	fs.StringSliceVar(&r.y, "y-column", nil, "column with the values of a chart; several for spark")
	fs.BoolVar(&r.profile, "profile-columns", false,
		"print nulls, distinct values, minimum and maximum of each column instead of the rows")
	fs.BoolVar(&r.noPager, "no-pager", false, "do not use a pager (DIG_PAGER or PAGER choose it)")
	fs.StringVar(&r.manifest, "manifest", "",
		"write metadata about the result, as JSON, to =FILE or to the name of the --out file plus .manifest.json")
	fs.Lookup("manifest").NoOptDefVal = manifestBeside
	complete.Values(c, "chart", output.ChartKinds()...)
}

// options adds the flags to o after checking them as a set.
func (r *renderFlags) options(e *cli.Env, c *cobra.Command) (output.Options, error) {
	o, err := e.OutputOptions()
	if err != nil && !(r.chart != "" && c.Flags().Lookup("output") != nil && !c.Flags().Changed("output")) {
		return o, err
	}
	o.Vertical, o.Raw, o.Typed, o.ShowAll = r.vertical, r.raw, r.typed, "--all"
	dir := c.Flags().Lookup("out-dir")
	r.file = o.JQ == "" && (e.Run.Flags.Out != "" && e.Run.Flags.Out != "-" || dir != nil && dir.Changed)
	if r.own && r.all {
		return o, exitcode.Usagef("--no-system-columns and --all are mutually exclusive")
	}
	switch n, err := strconv.ParseInt(r.show, 10, 64); {
	case r.all && r.show != "":
		return o, exitcode.Usagef("--show and --all are mutually exclusive")
	case r.show == "all" || r.all && table(o):
		o.MaxRows = -1
	case r.show != "" && (err != nil || n == 0 || n < -1):
		return o, exitcode.Usagef("--show: %q is not a number of rows or all", r.show)
	case r.show != "":
		o.MaxRows = n
	}
	if r.chart == "" {
		if r.x != "" || len(r.y) > 0 {
			return o, exitcode.Usagef("--x-column and --y-column require --chart").
				WithHint("add --chart with a kind, such as bar")
		}
		if err := e.CheckDrawnFile(); err != nil {
			return o, err
		}
		return o, output.Check(o)
	}
	if err := r.chartOf().Check(); err != nil {
		return o, err
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{{"-o " + o.Format.String(), c.Flags().Changed("output") && !table(o)}, {"--jq", o.JQ != ""},
		{"--vertical", r.vertical}, {"--raw", r.raw},
		{"--typed", r.typed}, {"--profile-columns", r.profile}, {"--show", r.show != ""}, {"--no-header", o.NoHeader},
		{"--null", o.Null != ""}} {
		if f.set {
			return o, exitcode.Usagef("%s cannot be used with --chart", f.flag)
		}
	}
	o.Format, o.MaxRows = output.Table, 0
	return o, output.Check(o)
}

func (r *renderFlags) chartOf() output.Chart { return output.Chart{Kind: r.chart, X: r.x, Y: r.y} }

func table(o output.Options) bool {
	return o.Format == "" || o.Format == output.Table
}

// verbatim reports whether the output is the gateway's own bytes.
func (r *renderFlags) verbatim(o output.Options) bool {
	return o.Format == output.JSON && len(o.Columns) == 0 && !o.Typed && !r.profile && r.chart == "" && !r.own
}

// needsTypes reports whether the output depends on the declared types of the columns.
func (r *renderFlags) needsTypes(o output.Options) bool {
	switch o.Format {
	case output.CSV, output.TSV:
		return o.Typed || r.profile
	}
	return !o.Raw && !r.verbatim(o)
}

// writeRows prints a result.
func (r *renderFlags) writeRows(w io.Writer, rows api.RowReader, o output.Options) (st output.Stats, err error) {
	if !r.all && len(o.Columns) == 0 && (table(o) || r.file || r.own) {
		some, hidden, herr := rowset.WithoutSystem(rows)
		if herr != nil {
			return output.Stats{}, herr
		}
		rows = some
		if table(o) {
			defer hidden.NoteHidden(o.Notes)
		} else {
			defer func() { err = leftOut(hidden, o, err) }()
		}
	}
	if r.all && len(o.Columns) == 0 && table(o) {
		last, err := rowset.SystemLast(rows)
		if err != nil {
			return output.Stats{}, err
		}
		rows = last
	}
	switch {
	case r.plan && table(o) && isPlan(rows):
		return writePlan(w, rows, o)
	case r.chart != "":
		return output.WriteChart(w, rows, r.chartOf(), o)
	case r.profile:
		p, read, err := rowset.Profile(rows, o.Columns, o.DefaultColumns)
		if err != nil {
			return output.Stats{Rows: read}, err
		}
		return output.WriteProfile(w, p, read, o)
	}
	return output.WriteRows(w, rows, o)
}

// leftOut prints how many columns were left out of a result for programs. One that had values is an error.
func leftOut(hidden *rowset.SomeColumns, o output.Options, err error) error {
	if err != nil || hidden == nil {
		return err
	}
	if hidden.Lost != "" {
		return &exitcode.Failure{Exit: exitcode.Failed, Code: "column-left-out",
			Msg: fmt.Sprintf("the column %q was taken for a system column, since its first rows have no value, and "+
				"others have one", hidden.Lost), Hint: "--all includes it, and so does naming the columns"}
	}
	hidden.NoteHidden(o.Notes)
	return nil
}

// copy prints the gateway's own bytes while decoding them, so that a truncated document is an error. wrap wraps the
// decoder's rows.
func (r *renderFlags) copy(w io.Writer, res *api.Result, o output.Options,
	wrap func(api.RowReader) api.RowReader) (output.Stats, error) {
	var st output.Stats
	var doc json.RawMessage
	tee := &teeBody{ReadCloser: res.Body, w: w}
	if whole := o.JQ != "" || o.Terminal; whole {
		tee.w = writerFunc(func(p []byte) (int, error) { doc = append(doc, p...); return len(p), nil })
	}
	res.Body = tee
	rows := wrap(res.Rows())
	for rows.Next() {
		st.Rows++
	}
	st.Shown = st.Rows
	if tee.err != nil {
		return st, tee.err
	}
	if err := rows.Err(); err != nil {
		return st, err
	}
	if doc != nil {
		return st, output.WriteDoc(w, doc, o)
	}
	_, err := io.WriteString(w, "\n")
	return st, err
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// teeBody copies the bytes that are read.
type teeBody struct {
	io.ReadCloser
	w   io.Writer
	err error
}

func (t *teeBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 && t.err == nil {
		_, t.err = t.w.Write(p[:n])
	}
	if t.err != nil {
		return n, t.err
	}
	return n, err
}

// typed reports whether the columns of a result have types.
func typed(rows api.RowReader) (bool, error) {
	cols, err := rows.Columns()
	return len(cols) == 0 || slices.ContainsFunc(cols, func(c api.ResultColumn) bool { return c.DataType != "" }), err
}

// headRows limits a result to its first rows.
type headRows struct {
	api.RowReader
	left int64
	more bool // the result has more rows
}

func (h *headRows) Next() bool {
	if h.left == 0 {
		h.more = h.more || h.RowReader.Next()
		return false
	}
	h.left--
	return h.RowReader.Next()
}

// limitRows fails if a result has more rows than allowed.
type limitRows struct {
	api.RowReader
	left int64
	err  error
}

func (l *limitRows) Next() bool {
	if l.err != nil || !l.RowReader.Next() {
		return false
	}
	if l.left--; l.left < 0 {
		l.err = errMaxRows
		return false
	}
	return true
}

func (l *limitRows) Err() error {
	if l.err != nil {
		return l.err
	}
	return l.RowReader.Err()
}

// limitBody fails if a document has more bytes than allowed.
type limitBody struct {
	io.ReadCloser
	left int64
}

func (l *limitBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n + int(l.left), errMaxBytes
	}
	return n, err
}

var (
	errMaxRows  = errors.New("the result has more rows than --max-rows allows")
	errMaxBytes = errors.New("the reply has more bytes than --max-bytes allows")
)
