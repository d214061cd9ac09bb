package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/dig-cli/dig/pkg/trinosql/friendly"
	"github.com/dustin/go-humanize"
)

func humanBytes(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// statement is one statement to run, with the origin of its text.
type statement struct {
	form    api.ExecuteRequest
	text    string       // as the user wrote it; "" for the forms without SQL
	sql     string       // the text as it is sent, with ? for its parameters and without --limit
	wrapped int          // lines that are sent before the text
	line    int          // 0-based line of the file on which the text begins
	col     int          // 0-based column of that line at which the text begins
	limit   int64        // rows requested, 0 for all
	where   string       // identifies one of several statements in errors
	files   *fileRemarks // nil if none was named
	data    bool         // it selects the rows of a file that was given as an argument
	// of a position in the statement that was sent, the one in text; nil if they are the same
	position   func(line, col int) (int, int)
	unfriendly bool // --friendly would rewrite it
}

// querying is shared by the statements of one run.
type querying struct {
	e       *cli.Env
	f       *executeFlags
	cl      *api.Client
	project string
	o       output.Options
	format  api.Format // on the wire
	chosen  bool       // by --format

	kept     func(io.ReadCloser, api.Format) io.ReadCloser // in the shell, wraps the body of the reply
	rewrote  atomic.Pointer[rewriting]                     // the last one, for the other rows of --each-row
	guarding sync.Mutex
	guard    *trust.Guard
	stale    *trust.Staleness
	warned   map[sqltext.TableRef]bool // tables with a printed warning that rows may be missing
}

// newQuerying opens the client and chooses the wire format of the rows: that of --format, else the cheapest one that is
// sufficient for the output.
func newQuerying(ctx context.Context, e *cli.Env, f *executeFlags, o output.Options) (*querying, error) {
	q := &querying{e: e, f: f, o: o, format: api.Compact}
	if f.format != "" {
		q.format, q.chosen = f.wire, true
	} else if f.verbatim(o) || f.needsTypes(o) && !e.Local() { // zone local reports types with the columns
		q.format = api.CellTyped
	}
	var err error
	if q.cl, err = e.Client(); err != nil {
		return nil, err
	}
	q.project, err = e.Target().ProjectID(ctx, q.cl)
	return q, err
}

// options returns the options that the flags select for an execution, with rows in the given format. Zone local is sent
// the choice between the caches of tables of other catalogs and their sources.
func (q *querying) options(format api.Format) api.ExecuteOptions {
	opt := api.ExecuteOptions{Format: format}
	if (q.f.live || q.f.stored) && q.e.Local() {
		_, opt.Reading, _ = q.f.means()
	}
	return opt
}

// run sends one statement and writes its result to s; the caller calls s.Finish with the error.
func (q *querying) run(ctx context.Context, st *statement, s *cli.Sink, o output.Options,
	keep bool) (info keptInfo, err error) {
	begun := q.e.Now()
	elapsed := func() time.Duration { return q.e.Now().Sub(begun) - s.Waited() }
	info = about(q.e, st, q.project)
	info.StartedAt = begun.UTC()
	ctx, stop := q.limitTime(ctx)
	defer stop()
	if err := q.rewrite(ctx, st); err != nil {
		return info, err
	}
	defer func() {
		info.Elapsed = elapsed().Seconds()
		var limit *exitcode.Failure
		if err != nil && errors.As(context.Cause(ctx), &limit) {
			err = limit
		}
	}()
	if err := refuseStatement(q.e, st.text); err != nil {
		return info, err
	}
	saved, isSaved := trust.SavedOf(st.form)
	if err := q.f.readingFlags.apply(ctx, q, st); err != nil {
		return info, err
	}
	a := &answer{q: q, st: st, s: s, keep: keep, began: time.Now()}
	defer a.close()
	if err := q.distrust(ctx, st); err != nil {
		return info, err
	}
	if err := q.distrustStale(ctx, st); err != nil {
		return info, err
	}
	if err := q.distrustColumns(ctx, st); err != nil {
		return info, err
	}
	if err := q.distrustPaging(ctx, st); err != nil {
		return info, err
	}
	look := q.startTableCheck(ctx, st.form)
	defer look.end()
	q.announce(st, look, s.Notes)
	stale := q.lookStale(ctx, st.form)
	defer stale.end()
	o.Notes, o.Elapsed = s.Notes, elapsed
	if len(q.f.by) > 0 {
		info.Rows, err = a.writePages(ctx, o)
		st.files.print(s.Notes)
		if err == nil {
			q.warn(ctx, st, info.Rows, look, s.Notes)
			stale.note(ctx, s.Notes)
		}
		return info, q.limitError(err, info.Rows)
	}
	if err := a.ask(ctx, q.format); err != nil {
		return info, err
	}
	st.files.print(s.Notes)
	q.announceFound(st, look, s.Notes)
	stats, err := a.write(ctx, o)
	info.Rows, info.Wire, info.Elapsed = stats.Rows, a.res.Format, elapsed().Seconds()
	info.Types = a.types
	a.keeper.finish(info, err)
	if err == nil && st.limit > 0 && stats.Rows == st.limit {
		fmt.Fprintf(s.Notes, "(--limit %d was reached; the result may have more rows)\n", st.limit)
	}
	if err == nil {
		q.warn(ctx, st, stats.Rows, look, s.Notes)
		stale.note(ctx, s.Notes)
		q.warnPaging(st, s.Notes)
		if isSaved && !q.f.strict && !q.f.stored {
			q.warnColumns(ctx, saved, a.cols, s.Notes)
		}
	}
	return info, q.limitError(err, stats.Rows)
}

// answer is an open result with the counters and the keeper between the wire and the decoder.
type answer struct {
	q      *querying
	st     *statement
	s      *cli.Sink
	keep   bool
	began  time.Time
	keeper *keeper
	res    *api.Result
	cols   []api.ResultColumn // of the result, after it was written
	types  []string           // of the columns, if they were fetched apart from the rows
}

func (a *answer) ask(ctx context.Context, format api.Format) error {
	res, err := a.q.cl.Queries.Execute(a.q.withFiles(ctx, a.st), a.q.project, a.st.form, a.q.options(format))
	if err != nil {
		a.st.unfriendly = !a.q.f.friendly && a.q.kept == nil && friendly.Knows(a.st.sql, a.q.fileCatalog())
		return a.q.timedOut(pointAt(a.q.e, a.st, err), time.Since(a.began))
	}
	if a.q.f.maxBytes > 0 {
		res.Body = &limitBody{res.Body, a.q.f.maxBytes}
	}
	if a.q.e.Live() {
		res.Body = a.s.Progress.Body(res.Body)
	}
	if a.keeper = newKeeper(a.q.e, a.keep); a.keeper != nil {
		a.keeper.ReadCloser = res.Body
		res.Body = a.keeper
	}
	if a.q.kept != nil {
		res.Body = a.q.kept(res.Body, res.Format)
	}
	a.res = res
	return nil
}

func (a *answer) close() {
	if a.res != nil {
		a.res.Close()
		a.keeper.drop()
	}
}

func (a *answer) write(ctx context.Context, o output.Options) (output.Stats, error) {
	f := &a.q.f.renderFlags
	if f.verbatim(o) {
		return f.copy(a.s.W, a.res, o, func(r api.RowReader) api.RowReader {
			return &seenColumns{RowReader: a.wrap(r), cols: &a.cols}
		})
	}
	rows := a.res.Rows()
	if a.res.Format != api.CellTyped && !a.q.chosen && f.needsTypes(o) {
		// Not every gateway reports types with the columns. An error is returned again when the rows are read.
		if ok, err := typed(rows); !ok && err == nil {
			a.close()
			if err := a.ask(ctx, api.CellTyped); err != nil {
				return output.Stats{}, err
			}
			rows = a.res.Rows()
		}
	}
	if a.res.Format != api.CellTyped && a.q.e.MayDropRows() {
		o.Types = func() []string {
			a.types = a.q.typesOf(ctx, a.st, o.Notes)
			return a.types
		}
	}
	a.cols, _ = rows.Columns() // an error is returned again when the rows are read
	if a.s.Columns != nil {
		var err error
		if o, err = a.s.Columns(rows, o); err != nil {
			return output.Stats{}, err
		}
	}
	return f.writeRows(a.s.W, a.wrap(rows), o)
}

// writePages writes a result that is fetched in pages. It is not stored, because it is not a single reply.
func (a *answer) writePages(ctx context.Context, o output.Options) (int64, error) {
	if k := newKeeper(a.q.e, a.keep); k != nil {
		k.spool.Err = errors.New("it was fetched in pages")
		defer func() { k.finish(about(a.q.e, a.st, a.q.project), nil) }()
	}
	p, err := a.q.openPages(ctx, a.st, o.Notes)
	if err != nil {
		inner := *a.st
		inner.wrapped++ // the count of rows has one more line before the statement
		return 0, pointAt(a.q.e, &inner, err)
	}
	defer p.Close()
	if a.s.Columns != nil {
		if o, err = a.s.Columns(p, o); err != nil {
			return 0, err
		}
	}
	stats, err := a.q.f.renderFlags.writeRows(a.s.W, a.wrap(p), o)
	return stats.Rows, err
}

func (a *answer) wrap(r api.RowReader) api.RowReader {
	if a.q.f.maxRows > 0 {
		r = &limitRows{RowReader: r, left: a.q.f.maxRows}
	}
	if a.q.e.Live() {
		r = a.s.Progress.Rows(r)
	}
	return r
}

// seenColumns stores the columns of a result when its rows have been read.
type seenColumns struct {
	api.RowReader
	cols *[]api.ResultColumn
}

func (s *seenColumns) Next() bool {
	if s.RowReader.Next() {
		return true
	}
	if s.Err() == nil {
		*s.cols, _ = s.Columns() // fetched before the rows
	}
	return false
}

// limitTime applies --timeout to a run.
func (q *querying) limitTime(ctx context.Context) (context.Context, context.CancelFunc) {
	d := q.e.TimeLimit()
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, timeFailure(d))
}

func timeFailure(d time.Duration) *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.MaxTime, Code: "timeout",
		Msg:  fmt.Sprintf("--timeout: the query did not finish within %v", d),
		Hint: "raise --timeout, or select less; what was printed is incomplete"}
}

// timedOut reports whether the gateway enforced the limit it was sent. One that gives up earlier does so for another
// reason.
func (q *querying) timedOut(err error, took time.Duration) error {
	var ae *api.Error
	if d := q.e.TimeLimit(); d > 0 && took >= d && errors.As(err, &ae) && ae.Kind == api.KindTimeout {
		return timeFailure(d)
	}
	return err
}

// limitError returns the error for the limit that ended a result.
func (q *querying) limitError(err error, rows int64) error {
	hint := "what was printed is incomplete; raise or omit the limit, or request fewer rows with --limit"
	switch {
	case errors.Is(err, errMaxRows):
		return &exitcode.Failure{Exit: exitcode.MaxRows, Code: "max-rows",
			Msg: fmt.Sprintf("--max-rows: the result has more than %d rows", q.f.maxRows), Hint: hint}
	case errors.Is(err, errMaxBytes):
		return &exitcode.Failure{Exit: exitcode.MaxBytes, Code: "max-bytes",
			Msg: fmt.Sprintf("--max-bytes: the reply has more than %s; reading stopped after %d rows",
				humanBytes(q.f.maxBytes), rows), Hint: hint}
	}
	return err
}

// about describes a statement for the metadata of its result.
func about(e *cli.Env, st *statement, project string) keptInfo {
	s := e.Run.Settings
	info := keptInfo{Statement: st.text, Profile: s.Profile.Value, Zone: s.Zone.Value, Project: project}
	switch f := st.form.(type) {
	case api.ExecuteByStatement:
		info.Bindings = f.Bindings
	case api.ExecuteByID:
		info.Query = f.ID
	case api.ExecuteByName:
		info.Query = f.QualifiedName
	case api.ExecuteByBuilder:
		if raw, err := api.Marshal(f); err == nil {
			info.Query = string(raw)
		}
	}
	return info
}

// single runs one statement for stdout or one file.
func (q *querying) single(ctx context.Context, st *statement) error {
	ctx, cancel := context.WithCancel(cli.OwnRequest(ctx, spec.ExecuteQuery))
	defer cancel()
	out, sidecar := q.f.outputFiles(1)
	if q.f.toFiles && !q.e.DryRun() {
		if err := os.MkdirAll(filepath.Dir(q.e.Abs(out)), 0o777); err != nil {
			return exitcode.Usagef("--out: %v", err)
		}
	}
	s, err := q.e.OpenSink(out, !q.f.noPager, q.o, cancel)
	if err != nil {
		return err
	}
	m := newManifest(q.e, sidecar, s)
	info, err := q.run(ctx, st, s, q.o, !q.f.noHistory)
	return m.write(info, q.o, s.Finish(err))
}
