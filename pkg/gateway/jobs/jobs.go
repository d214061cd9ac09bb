// Package jobs runs the background work of the gateway: requested runs, schedules, and the recording of their ends.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// Service runs the background work of the gateway: requested runs, schedules, and the recording of their ends.
type Service struct {
	now      func() time.Time
	log      *slog.Logger
	Running  sync.WaitGroup // the running jobs; Close waits for them
	working  atomic.Int64   // the number of running jobs
	runners  Runners
	turns    *turns
	locks    Keyed
	duties   []Duty // run every second while the gateway serves
	Ends     Ends   // ends of runs that are not recorded yet
	ctx      context.Context
	stop     context.CancelFunc
	closing  context.Context // done when Close waits for the background work
	settling context.CancelFunc

	OnEnd []func(End)                                 // notified of the end of every run; set before the first one
	Stall func(ctx context.Context, kind string) bool // called before work starts, if set; true skips the work
}

// Runners distinguish live processes from terminated ones.
type Runners interface {
	ID() (string, error)  // of this process, from its first use on
	Alive(id string) bool // the process of an id is still running
	Close()
}

// Files are the runners of a state file. With readOnly the files of terminated processes are kept.
func Files(dir string, readOnly bool) Runners { return &files{dir: dir, readOnly: readOnly} }

// files are runners of one machine. A process that runs background work locks a file named
// after its runner id; work of a runner with an unlocked file was interrupted by a crash and is ended by the next
// process that reads it.
type files struct {
	dir      string
	readOnly bool // keep the files of terminated processes
	mu       sync.Mutex
	id       string
	lock     *flock.Flock
}

// ID implements Runners.
func (r *files) ID() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id != "" {
		return r.id, nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return "", err
	}
	for range 10 {
		id := uuid.NewString()
		l := flock.New(filepath.Join(r.dir, id))
		ok, err := l.TryLock()
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(l.Path()); !ok || err != nil {
			l.Unlock() // another process considered the new file stale
			continue
		}
		r.id, r.lock = id, l
		r.sweep()
		return id, nil
	}
	return "", errors.New("cannot lock a file for background work")
}

// sweep removes the files of killed processes.
func (r *files) sweep() {
	files, err := os.ReadDir(r.dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if f.Name() != r.id {
			r.gone(f.Name())
		}
	}
}

// gone reports whether the process of a runner id has terminated, and removes its file then.
func (r *files) gone(id string) bool {
	path := filepath.Join(r.dir, filepath.Base(id))
	if _, err := os.Stat(path); err != nil {
		return true
	}
	l := flock.New(path)
	ok, err := l.TryLock()
	if err != nil || !ok {
		return false
	}
	if !r.readOnly {
		os.Remove(path)
	}
	l.Unlock()
	return true
}

// Alive implements Runners.
func (r *files) Alive(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id == r.id {
		return id != ""
	}
	return !r.gone(id)
}

// Close implements Runners.
func (r *files) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lock != nil {
		os.Remove(r.lock.Path())
		r.lock.Unlock()
		r.id, r.lock = "", nil
	}
}

// New returns a service.
func New(now func() time.Time, log *slog.Logger, runners Runners) *Service {
	g := &Service{now: now, log: log, turns: newTurns(), runners: runners}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.closing, g.settling = context.WithCancel(context.Background())
	return g
}

// Settle stops further attempts to record the ends of runs.
func (s *Service) Settle() { s.settling() }

// Close waits for the background work, only briefly after Interrupt, and stops the service.
func (s *Service) Close() {
	if n := s.WaitJobs(); n > 0 {
		s.log.Error("background work did not end; the next process ends it as interrupted", "runs", n)
	}
	s.stop()
	s.runners.Close()
}

// Runner returns the id under which this process records the runs it executes.
func (s *Service) Runner() (string, error) { return s.runners.ID() }

// Alive reports whether the process of a runner is still running.
func (s *Service) Alive(runner string) bool { return s.runners.Alive(runner) }

// Stopped reports whether the background work was cancelled.
func (s *Service) Stopped() bool { return s.ctx.Err() != nil }

// Beside runs work that is not a recorded run. Close waits for it.
func (s *Service) Beside(work func(ctx context.Context)) {
	safely.Wait(&s.Running, func() { work(s.ctx) })
}

// Left returns the number of active runs.
func (s *Service) Left() int64 { return s.working.Load() }

// OnTick adds scheduled work.
func (s *Service) OnTick(d ...Duty) { s.duties = append(s.duties, d...) }

// The kinds of background work.
const (
	JobCache        = "cache"
	JobExport       = "export"
	JobMaterialized = "materialized"
	JobMetadata     = "metadata"
)

// Background runs work that outlives its request. Close waits for it; its context ends only when the process must stop.
// The work records its own state in the store, under the runner id, before background is called. kind is the name of
// the work in --fault.
func (s *Service) Background(kind string, work func(ctx context.Context)) {
	s.Running.Add(1)
	s.working.Add(1)
	safely.Go(func() {
		defer s.Running.Done()
		defer s.working.Add(-1)
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic in background work", "panic", p)
			}
		}()
		if hook := s.Stall; hook == nil || !hook(s.ctx, kind) {
			work(s.ctx)
		}
	})
}

// Interrupt cancels the background work. Each run ends as failed, because the gateway stopped.
func (s *Service) Interrupt() { s.stop() }

// settleTime is how long cancelled work may take to notice and to record its end.
const settleTime = 10 * time.Second

// WaitJobs waits for the background work, after Interrupt only for settleTime, and returns how many jobs are left.
func (s *Service) WaitJobs() int64 {
	if s.Drained(s.ctx.Done()) {
		return 0
	}
	end := make(chan struct{})
	t := safely.AfterFunc(settleTime, func() { close(end) })
	defer t.Stop()
	s.Drained(end)
	return s.working.Load()
}

// Drained waits for the background work until end is closed, and reports whether it is done.
func (s *Service) Drained(end <-chan struct{}) bool {
	done := make(chan struct{})
	safely.Go(func() { s.Running.Wait(); close(done) })
	select {
	case <-done:
		return true
	case <-end:
		return false
	}
}

// Caught converts a panic of a run to its error, so that the run is recorded as ended.
func Caught(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return run()
}

// Reason returns why a run failed.
func (s *Service) Reason(err error) string {
	if s.ctx.Err() != nil {
		return CutOff
	}
	return strings.TrimSpace(fault.Of(err).Error())
}

const (
	CacheTimeout = 2 * time.Hour // of one refresh
)

// Watch calls cancel when gone, which is polled a few times a second, returns true; another process may have cancelled
// the work. The returned function ends the watch.
func (s *Service) Watch(ctx context.Context, cancel context.CancelFunc, gone func() bool) func() {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	safely.Go(func() {
		defer close(done)
		t := time.NewTicker(200 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if gone() {
					cancel()
					return
				}
			}
		}
	})
	return func() { stop(); <-done }
}

const (
	CutOff  = "the gateway stopped during this run"
	Crashed = CutOff + " without being told to"
)
