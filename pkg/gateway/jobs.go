package gateway

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

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// jobsService runs the background work of the gateway: runs that were asked for, schedules, and the record of their ends.
type jobsService struct {
	now      func() time.Time
	log      *slog.Logger
	running  sync.WaitGroup // what Close waits for
	working  atomic.Int64   // how much of it there is
	runners  *runners
	duties   []duty // run every second while the gateway serves
	ends     ends   // of runs, not yet recorded
	ctx      context.Context
	stop     context.CancelFunc
	closing  context.Context // ends when Close waits for the background work
	settling context.CancelFunc

	Stall func(ctx context.Context, kind string) bool // asked before work begins, if set; true: the work is not done
}

// runners tells live processes from dead ones. A process that runs background work holds the lock of a file named after its
// runner id; work whose runner's lock is free was cut off by a crash and is ended by whoever looks at it next.
type runners struct {
	dir      string
	readOnly bool // leave the files of dead processes
	mu       sync.Mutex
	id       string
	lock     *flock.Flock
}

// ID is this process's runner id, made on first use.
func (r *runners) ID() (string, error) {
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
			l.Unlock() // another process took the new file for one left behind
			continue
		}
		r.id, r.lock = id, l
		r.sweep()
		return id, nil
	}
	return "", errors.New("no lock for background work could be had")
}

// sweep removes the files of processes that were killed.
func (r *runners) sweep() {
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

// gone reports whether the process of a runner id is dead, and removes its file then.
func (r *runners) gone(id string) bool {
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

// Alive reports whether the process that made the runner id still runs.
func (r *runners) Alive(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id == r.id {
		return id != ""
	}
	return !r.gone(id)
}

func (r *runners) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lock != nil {
		os.Remove(r.lock.Path())
		r.lock.Unlock()
		r.id, r.lock = "", nil
	}
}

// newJobs makes a service whose runs are known by files in dir while they go on.
func newJobs(now func() time.Time, log *slog.Logger, dir string, readOnly bool) *jobsService {
	g := &jobsService{now: now, log: log, runners: &runners{dir: dir, readOnly: readOnly}}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.closing, g.settling = context.WithCancel(context.Background())
	return g
}

// settle says that the ends of runs which could not be recorded are tried no longer.
func (g *jobsService) settle() { g.settling() }

// close waits for the background work, after Interrupt for a moment only, and ends the service.
func (g *jobsService) close() {
	if n := g.waitJobs(); n > 0 {
		g.log.Error("background work did not end; the next process ends it as cut off", "runs", n)
	}
	g.stop()
	g.runners.close()
}

// runner is the id under which this process records that it does the work of a run.
func (g *jobsService) runner() (string, error) { return g.runners.ID() }

// alive reports whether the process of a runner still runs.
func (g *jobsService) alive(runner string) bool { return g.runners.Alive(runner) }

// stopped reports whether the background work was told to stop.
func (g *jobsService) stopped() bool { return g.ctx.Err() != nil }

// beside runs work that is no run of anything and leaves no record. Close waits for it.
func (g *jobsService) beside(work func(ctx context.Context)) {
	safely.Wait(&g.running, func() { work(g.ctx) })
}

// left is how many runs go on.
func (g *jobsService) left() int64 { return g.working.Load() }

// onTick adds work that falls due by the clock.
func (g *jobsService) onTick(d ...duty) { g.duties = append(g.duties, d...) }

// The kinds of background work.
const (
	jobCache        = "cache"
	jobExport       = "export"
	jobMaterialized = "materialized"
	jobMetadata     = "metadata"
)

// background runs work that outlives its request. Close waits for it; its context ends only when the process must stop. The
// work records its own state in the store, under the runner id, before background is called. kind is what --fault calls it.
func (g *jobsService) background(kind string, work func(ctx context.Context)) {
	g.running.Add(1)
	g.working.Add(1)
	safely.Go(func() {
		defer g.running.Done()
		defer g.working.Add(-1)
		defer func() {
			if p := recover(); p != nil {
				g.log.Error("panic in background work", "panic", p)
			}
		}()
		if hook := g.Stall; hook == nil || !hook(g.ctx, kind) {
			work(g.ctx)
		}
	})
}

// Interrupt cancels the background work. Each run ends as failed, because the gateway stopped.
func (g *jobsService) Interrupt() { g.stop() }

// settleTime is how long work that was cancelled may take to notice and to record its end.
const settleTime = 10 * time.Second

// waitJobs waits for the background work, after Interrupt for settleTime only, and returns how much is left.
func (g *jobsService) waitJobs() int64 {
	if g.drained(g.ctx.Done()) {
		return 0
	}
	end := make(chan struct{})
	t := safely.AfterFunc(settleTime, func() { close(end) })
	defer t.Stop()
	g.drained(end)
	return g.working.Load()
}

// drained waits for the background work until end is closed, and reports whether it is done.
func (g *jobsService) drained(end <-chan struct{}) bool {
	done := make(chan struct{})
	safely.Go(func() { g.running.Wait(); close(done) })
	select {
	case <-done:
		return true
	case <-end:
		return false
	}
}

// caught turns a panic of a run into its error, so that the run is recorded as ended.
func caught(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return run()
}

// reason says why a run failed.
func (g *jobsService) reason(err error) string {
	if g.ctx.Err() != nil {
		return cutOff
	}
	return strings.TrimSpace(faultOf(err).Message)
}
