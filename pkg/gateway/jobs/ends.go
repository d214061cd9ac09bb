package jobs

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Recording the end of a run is retried until it succeeds. Otherwise a finished run would stay RUNNING after a
// temporary failure, such as a full disk, and could not be cancelled or followed by another run for the lifetime of
// this process.

const (
	RecordTime  = 30 * time.Second       // of one attempt
	firstAgain  = 100 * time.Millisecond // before the second attempt; doubled for each further one
	lastAgain   = 5 * time.Second        // the longest pause
	recordGrace = 5 * time.Second        // how long retries continue while the process ends
)

// Ends holds the ends of runs that could not be recorded yet, by the object they belong to.
type Ends struct {
	Mu   sync.Mutex
	Open map[string]*Ending
}

// Ending is the end of one run.
type Ending struct {
	mu   sync.Mutex // held during an attempt
	try  func(context.Context) error
	done bool
	err  error // of the last attempt
}

// record makes one attempt. It reports whether no further attempt is needed.
func (e *Ending) record(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RecordTime)
	defer cancel()
	e.err = e.try(ctx)
	e.done = settledBy(e.err)
	return e.done
}

// End is the end of one run, for the log and for those who watch the runs.
type End struct {
	Kind      string // JobCache and so on
	Project   string // ID
	Object    string // ID of the cache, the query, the catalog or the export
	Name      string // of the object, if it has one
	Mode      string // of a cache
	Status    string
	Reason    string // why it failed, else ""
	Took      time.Duration
	Rows      int64 // stored by it, negative if it stored none
	Scheduled bool
}

// State is the status in lower case and in one spelling: completed, failed or cancelled.
func (e End) State() string {
	s := strings.ToLower(api.JobState(e.Status))
	if s == "succeeded" {
		return "completed"
	}
	return s
}

// Ended logs the end of a run of an object: failures as warnings, which --quiet shows too.
func (s *Service) Ended(e End) {
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.String("kind", e.Kind), slog.String("project", e.Project), slog.String("id", e.Object)}
	if e.Name != "" {
		attrs = append(attrs, slog.String("name", e.Name))
	}
	attrs = append(attrs, slog.String("status", e.Status), slog.Int64("ms", e.Took.Milliseconds()))
	if e.Mode != "" {
		attrs = append(attrs, slog.String("mode", e.Mode))
	}
	attrs = append(attrs, slog.Bool("scheduled", e.Scheduled))
	if e.Rows >= 0 {
		attrs = append(attrs, slog.Int64("rows", e.Rows))
	}
	if e.Reason != "" {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("error", web.ForLog(e.Reason)))
	}
	s.log.LogAttrs(context.Background(), level, "run ended", attrs...)
	for _, see := range s.OnEnd {
		see(e)
	}
}

// settledBy reports whether another attempt would change nothing: the end is stored, the object was deleted, or the
// state file is closed.
func settledBy(err error) bool {
	return err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) ||
		errors.Is(err, store.ErrInUse) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone)
}

// Record stores the end of a run under the key of the object it belongs to. It returns when that is done, has become
// pointless, or the process ends.
func (s *Service) Record(key string, try func(context.Context) error) error {
	e := &Ending{try: try}
	if e.record(context.Background()) {
		return e.err
	}
	s.log.Error("cannot record the end of a run; retrying until it succeeds", "of", key, "error", e.err)
	s.Ends.Mu.Lock()
	if s.Ends.Open == nil {
		s.Ends.Open = map[string]*Ending{}
	}
	s.Ends.Open[key] = e
	s.Ends.Mu.Unlock()
	defer func() {
		s.Ends.Mu.Lock()
		defer s.Ends.Mu.Unlock()
		if s.Ends.Open[key] == e {
			delete(s.Ends.Open, key)
		}
	}()
	stopped, interrupted := s.closing.Done(), s.ctx.Done()
	var over <-chan time.Time
	for n := 0; ; n++ {
		if over != nil {
			n = 0
		}
		t := time.NewTimer(retry.Doubled(firstAgain, lastAgain, n))
		select {
		case <-t.C:
		case <-stopped:
			t.Stop()
			stopped, interrupted, over = nil, nil, time.After(recordGrace)
		case <-interrupted:
			t.Stop()
			stopped, interrupted, over = nil, nil, time.After(recordGrace)
		case <-over: // the next process detects that this one has terminated
			t.Stop()
			return e.err
		}
		if e.record(context.Background()) {
			s.log.Info("the end of a run is recorded", "of", key)
			return e.err
		}
	}
}

// Recorded ensures that the end of a finished run is recorded before its state is reported or used.
func (s *Service) Recorded(ctx context.Context, key string) error {
	s.Ends.Mu.Lock()
	e := s.Ends.Open[key]
	s.Ends.Mu.Unlock()
	if e == nil || e.record(ctx) {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	f := *fault.Of(e.err)
	f.Message = "a run has ended, but its end cannot be recorded: " + f.Message
	return &f
}
