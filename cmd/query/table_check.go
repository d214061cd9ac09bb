package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
)

// computed matches a statement whose result may depend on rows that it does not return, so that missing rows change the
// result.
var computed = late.Regexp(
	`(?i)\b(where|join|group|having|distinct|count|sum|avg|min|max|order|union|intersect|except|over|exists|in)\b`)

// combined matches a statement whose rows are not simply those of one table, so the number of rows does not show
// whether rows of the table are missing.
var combined = late.Regexp(
	`(?i)\b(join|group|having|distinct|count|sum|avg|min|max|union|intersect|except|over|exists)\b`)

// tableCheck is the check of the tables of a statement, which runs concurrently with it.
type tableCheck struct {
	began time.Time
	stop  context.CancelFunc
	done  chan struct{}
	found []untrusted // complete when done is closed
	err   error
	n     int // tables
}

type untrusted struct {
	t sqltext.TableRef
	v trust.Verdict
}

// startTableCheck starts a check, concurrent with the statement, of whether the gateway omits rows of its tables. It
// returns nil if the gateway never omits rows, and with --strict, which checks before the statement.
func (q *querying) startTableCheck(ctx context.Context, form api.ExecuteRequest) *tableCheck {
	if !q.e.MayDropRows() || q.f.strict {
		return nil
	}
	q.guarding.Lock()
	defer q.guarding.Unlock()
	if q.guard == nil {
		q.guard = &trust.Guard{Cl: q.cl, Project: q.project, Kept: trust.ReadVerdicts(q.e)}
		if q.warned == nil {
			q.warned = map[sqltext.TableRef]bool{}
		}
	}
	b := &tableCheck{began: time.Now(), done: make(chan struct{})}
	ctx, b.stop = context.WithCancel(ctx)
	g := q.guard
	go func() {
		defer close(b.done)
		var tables []sqltext.TableRef
		if tables, b.err = g.Tables(ctx, form); b.err == nil {
			b.err = g.Walk(ctx, tables, func(t sqltext.TableRef, v trust.Verdict) error {
				b.n++
				if v.Reason != trust.Trusted {
					b.found = append(b.found, untrusted{t, v})
				}
				return nil
			})
		}
	}()
	return b
}

// end cancels the check if it is still running.
func (b *tableCheck) end() {
	if b != nil {
		b.stop()
	}
}

// wait waits for the check at most as long as the statement itself has taken, and reports whether it has finished.
func (b *tableCheck) wait(ctx context.Context) bool {
	t := time.NewTimer(time.Since(b.began))
	defer t.Stop()
	select {
	case <-b.done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	b.stop()
	return false
}

// has reports whether one of the words is in the statement, outside of names and literals.
func (st *statement) has(words func() *regexp.Regexp) bool {
	return words().MatchString(sqltext.NotNames().ReplaceAllString(st.sql, " "))
}

// announce warns before the statement is sent, from the findings of earlier runs; it sends no request.
func (q *querying) announce(st *statement, b *tableCheck, notes io.Writer) {
	if b == nil || !st.has(combined) {
		return
	}
	q.guarding.Lock()
	defer q.guarding.Unlock()
	for _, t := range sqlstmt.Tables(st.sql) {
		if v, ok := q.guard.Kept.Find(q.project, t); ok && v.Reason == trust.Uncached {
			q.notCached(t, notes)
		}
	}
}

// announceFound warns before the rows are shown, if the check has ended by then.
func (q *querying) announceFound(st *statement, b *tableCheck, notes io.Writer) {
	if b == nil || !st.has(combined) {
		return
	}
	select {
	case <-b.done:
	default:
		return
	}
	q.guarding.Lock()
	defer q.guarding.Unlock()
	for _, d := range b.found {
		if d.v.Reason == trust.Uncached {
			q.notCached(d.t, notes)
		}
	}
}

// notCached prints, once per table, a warning that rows of the table may be missing.
func (q *querying) notCached(t sqltext.TableRef, notes io.Writer) {
	if !q.warned[t] {
		q.warned[t] = true
		fmt.Fprintf(notes, "warning: %s is not cached: if its source is truncated at 100 rows, this result is based "+
			"on a part of them; --strict verifies it\n", t)
	}
}

// warn warns after a result that it may be based on incomplete rows, once per table and run. A negative number of rows
// means not yet known.
func (q *querying) warn(ctx context.Context, st *statement, rows int64, b *tableCheck, notes io.Writer) {
	if b == nil {
		return
	}
	sum := st.text == "" || rows < 0 || st.has(computed)
	if !sum && rows != 0 && rows != trust.CappedRows && !strings.Contains(strings.ToLower(st.sql), "query") {
		return // the rows shown are correct; but a saved query may compute with the missing ones
	}
	if !b.wait(ctx) {
		if ctx.Err() == nil {
			fmt.Fprintln(notes, "note: it is not known yet whether all rows of all tables were read: the check took "+
				"longer than the query; --strict waits for it")
		}
		return
	}
	if b.err != nil && !errors.Is(b.err, context.Canceled) {
		fmt.Fprintf(notes, "warning: cannot determine whether all rows of all tables were read: %v\n", b.err)
	}
	q.guarding.Lock()
	defer q.guarding.Unlock()
	for _, d := range b.found {
		if q.warned[d.t] {
			continue
		}
		switch {
		case d.v.Reason == trust.Unchecked:
			fmt.Fprintf(notes, "warning: cannot determine whether the rows of %s are complete: %v\n", d.t, d.v.Why)
		case d.v.Reason == trust.Syncing && rows == 0:
			fmt.Fprintf(notes, "warning: no rows, but the cache of %s is still being filled for the first time\n", d.t)
		case d.v.Reason == trust.Syncing:
			fmt.Fprintf(notes,
				"warning: the cache of %s is still being filled for the first time: its rows are not in this result\n",
				d.t)
		case rows == trust.CappedRows:
			fmt.Fprintf(notes, "warning: exactly 100 rows, and %s is not cached: the source may have been truncated "+
				"at 100; --strict verifies it\n", d.t)
		case rows > trust.CappedRows && b.n == 1 || rows == 0 && !sum:
			continue
		default:
			q.notCached(d.t, notes)
		}
		q.warned[d.t] = true
	}
	q.guard.Kept.Save()
}
