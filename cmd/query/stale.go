package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/pkg/api"
)

// staleLook is the search for rows of runs before one that failed, which runs concurrently with a statement.
type staleLook struct {
	stop  context.CancelFunc
	done  chan struct{}
	found []trust.Stale // complete when done is closed
	err   error
}

// staleWait is how long a result waits for the search after its last row.
const staleWait = 5 * time.Second

// staleOf returns what a form reads of runs before one that failed.
func (q *querying) staleOf(ctx context.Context, form api.ExecuteRequest) ([]trust.Stale, error) {
	q.guarding.Lock()
	if q.stale == nil {
		q.stale = &trust.Staleness{Cl: q.cl, Project: q.project}
	}
	s := q.stale
	q.guarding.Unlock()
	return s.Of(ctx, form, q.f.live && q.e.Local())
}

// distrustStale rejects, for --strict, a statement over rows of a run before one that failed.
func (q *querying) distrustStale(ctx context.Context, st *statement) error {
	if !q.f.strict || q.e.DryRun() {
		return nil
	}
	found, err := q.staleOf(ctx, st.form)
	if err != nil {
		return trust.StaleUnknown(err)
	}
	if len(found) > 0 {
		return found[0].Refused()
	}
	return nil
}

// lookStale starts the search; nil with --strict, which searches before the statement.
func (q *querying) lookStale(ctx context.Context, form api.ExecuteRequest) *staleLook {
	if q.f.strict || q.e.DryRun() {
		return nil
	}
	l := &staleLook{done: make(chan struct{})}
	ctx, l.stop = context.WithCancel(ctx)
	go func() {
		defer close(l.done)
		l.found, l.err = q.staleOf(ctx, form)
	}()
	return l
}

func (l *staleLook) end() {
	if l != nil {
		l.stop()
	}
}

// note tells of stale rows after a result.
func (l *staleLook) note(ctx context.Context, notes io.Writer) {
	if l == nil {
		return
	}
	limit := time.NewTimer(staleWait)
	defer limit.Stop()
	select {
	case <-l.done:
	case <-ctx.Done():
		return
	case <-limit.C:
		l.stop()
		fmt.Fprintln(notes, "note: it is not known whether stored rows are stale: the gateway did not tell in time; "+
			"--strict waits for it")
		return
	}
	if l.err != nil && !errors.Is(l.err, context.Canceled) {
		fmt.Fprintf(notes, "note: it is not known whether stored rows are stale: %v\n", l.err)
	}
	for _, s := range l.found {
		fmt.Fprintf(notes, "note: %s\n", s)
	}
}
