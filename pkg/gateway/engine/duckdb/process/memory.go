//go:build cgo

package process

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/blocks"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

const (
	memorySlack = 1 << 30               // of the process, in addition to the limit of its engines
	hardSlack   = 512 << 20             // in addition to that, until ended statements release their memory
	memoryLook  = 50 * time.Millisecond // interval of the checks while a statement runs
	// of growth: a statement that has taken less is not ended for the memory of the process
	greedy    = 64 << 20
	killLooks = 6         // number of checks that an ended statement has to release its memory
	maxStep   = 256 << 20 // bytes that one function may create for one chunk of rows
)

// Watch supervises running statements. It ends the greediest when the process uses too much memory: the engine's
// own limit covers neither values created by functions nor the state of some aggregates. Statements that do not end
// then, or in time after something else has ended them, are reported to the warden.
type Watch struct {
	limit     int64 // of one instance
	Instances atomic.Int64
	warden    engine.Warden
	overrun   time.Duration
	idle      atomic.Int64 // memory of the process when the first of the running statements began

	mu       sync.Mutex
	running  map[*watched]struct{}
	looking  bool
	last     *watched // the last that has left and had taken much, at lastGone
	lastGone time.Time
	began    int // the number of statements that have begun

	before   int64 // memory of the process at the last look
	killedAt int64 // memory of the process when the last statement was ended
	wait     int   // number of looks until another one is ended
	trim     bool  // a statement has left that took much
}

// Client is a connection that runs statements.
type Client struct {
	Project  string
	Instance any // whose limit of memory its statements share
	Kill     func(cause error)
}

// watched is a running statement.
type watched struct {
	c      *Client
	ctx    context.Context
	sql    string        // "" for a change of tables, whose end a warden need not hasten
	looks  int           // number of checks since it was cancelled; none happen while the process is suspended
	killed bool          // because of its memory
	told   bool          // reported to the warden
	gone   chan struct{} // closed when it has left

	began int   // how many began before it
	grown int64 // bytes that the process has grown by while it ran, by its share

	used string // the memory that it was killed for
}

func NewWatch(o *engine.Options) *Watch {
	return &Watch{limit: o.MemoryLimit, warden: o.Warden, overrun: o.Overrun, running: map[*watched]struct{}{}}
}

// bound returns the memory limit of the process. Memory that was in use before the statements began (by other parts of
// the process, or not yet released by the allocator) counts against at most half of the slack; the rest of it is added
// to the limit.
func (w *Watch) bound() int64 { return w.own() + max(0, w.idle.Load()-memorySlack/2) }

// much is the growth from which a statement is one that takes memory from others.
func (w *Watch) much() int64 { return min(greedy, w.limit/4) }

func (w *Watch) own() int64 { return max(1, w.Instances.Load())*w.limit + memorySlack }

// Admit checks with the warden whether a statement may run.
func (w *Watch) Admit(project, sql string) error {
	if w.warden == nil {
		return nil
	}
	return w.warden.Admit(project, sql)
}

// Enter adds a statement until the returned function is called. ctx ends when the statement must.
func (w *Watch) Enter(ctx context.Context, c *Client, sql string) (leave func()) {
	if w.warden == nil && !measurable() {
		return func() {}
	}
	x := &watched{c: c, ctx: ctx, sql: sql, gone: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	x.began = w.began
	w.began++
	w.running[x] = struct{}{}
	if !w.looking {
		w.looking = true
		have, _ := privateMemory()
		w.idle.Store(have)
		w.before = have
		blocks.Bound(w.bound())
		safely.Go(w.watch)
	}
	return func() {
		w.mu.Lock()
		delete(w.running, x)
		if x.grown >= w.much() {
			w.trim, w.last, w.lastGone = true, x, time.Now()
		}
		w.mu.Unlock()
		close(x.gone)
	}
}

func (w *Watch) watch() {
	tick := time.NewTicker(memoryLook)
	defer tick.Stop()
	for range tick.C {
		w.mu.Lock()
		if len(w.running) == 0 {
			w.trimmed()
			w.looking = false
			blocks.Bound(0)
			w.mu.Unlock()
			return
		}
		blocks.Bound(w.bound())
		why, stuck := w.look()
		w.mu.Unlock()
		if stuck != nil {
			w.warden.Stuck(why, stuck)
		}
	}
}

// look ends the statement that uses too much memory, and returns those to report to the warden. w.mu must be held.
func (w *Watch) look() (why string, stuck []engine.Running) {
	w.trimmed()
	have, ok := privateMemory()
	if ok {
		have = w.share(have)
	}
	if x := w.greediest(have); ok && x != nil {
		w.killedAt, w.wait = have, killLooks
		x.kill(fmt.Sprintf("%d MiB of memory, more than the limit of the process of %d MiB", have>>20, w.bound()>>20),
			fmt.Sprintf("the process uses %d MiB of memory, more than its limit of %d MiB", have>>20, w.bound()>>20))
	}
	if w.warden == nil {
		return "", nil
	}
	tell := func(x *watched) {
		if !x.told {
			x.told = true
			stuck = append(stuck, engine.Running{Project: x.c.Project, Statement: x.sql})
		}
	}
	if !ok {
		have, ok = peakMemory()
	}
	// The hard limit does not follow the idle memory without bound, so that a process whose idle memory keeps growing
	// is replaced as well.
	if hard := min(w.bound(), w.own()+memorySlack) + hardSlack; ok && have > hard {
		ended := slices.ContainsFunc(slices.Collect(maps.Keys(w.running)), func(x *watched) bool { return x.killed })
		for x := range w.running {
			if x.killed || !ended {
				tell(x)
			}
		}
		return fmt.Sprintf("used %d MiB of memory, more than the hard limit of the process of %d MiB", have>>20,
			hard>>20), stuck
	}
	why = fmt.Sprintf("still ran %s after it was cancelled", w.overrun)
	for x := range w.running {
		if x.killed || x.ctx.Err() != nil && x.sql != "" {
			if x.looks++; time.Duration(x.looks)*memoryLook >= w.overrun {
				tell(x)
				if x.killed {
					why = fmt.Sprintf("used %s, and still ran %s after it was cancelled", x.used, w.overrun)
				}
			}
		}
	}
	return why, stuck
}

// kill ends a statement for the memory that it has used.
func (x *watched) kill(used, why string) {
	x.killed, x.used = true, used
	x.c.Kill(&engine.Error{Kind: engine.KindLimit, Message: "the statement was ended: " + why})
}

// trimmed returns to the system what a statement that took much has released: what others take of it is counted then.
func (w *Watch) trimmed() {
	if !w.trim {
		return
	}
	w.trim = false
	blocks.Trim()
	if now, ok := privateMemory(); ok {
		w.before = min(w.before, now)
	}
}

// share adds what the process has taken since the last look to the statements that run, in equal parts: DuckDB counts
// memory by instance and not by statement. It returns the memory of the process, without what ended statements have
// released.
func (w *Watch) share(have int64) int64 {
	if have > w.bound() {
		blocks.Trim()
		if now, ok := privateMemory(); ok {
			have = now
		}
	}
	if grown := have - w.before; grown > 0 {
		for x := range w.running {
			x.grown += grown / int64(len(w.running))
		}
	}
	w.before = have
	return have
}

// greediest returns the statement to end, or nil: the one during which the process has grown most. After one was ended
// the others have some time, unless the process still grows.
func (w *Watch) greediest(have int64) (most *watched) {
	if w.wait--; have <= w.bound() || w.wait > 0 && have < w.killedAt+hardSlack/4 {
		return nil
	}
	for x := range w.running {
		if !x.killed && x.grown >= greedy && (most == nil || x.grown > most.grown) {
			most = x
		}
	}
	return most
}

// privateMemory is the private memory of the process, without mapped files. ok is false on systems that do not report
// it.
func privateMemory() (n int64, ok bool) {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	f := bytes.Fields(raw)
	if len(f) < 3 {
		return 0, false
	}
	resident, err1 := strconv.ParseInt(string(f[1]), 10, 64)
	shared, err2 := strconv.ParseInt(string(f[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize()), err1 == nil && err2 == nil
}

// measurable reports whether the system reports privateMemory.
var measurable = sync.OnceValue(func() bool { _, ok := privateMemory(); return ok })

// Room fails if a function may not create n bytes at once.
func (w *Watch) Room(n int64) error {
	if n > maxStep {
		return fmt.Errorf("a function would create %d MiB of values at once, more than the %d MiB allowed",
			n>>20, maxStep>>20)
	}
	if n < 1<<20 {
		return nil
	}
	if have, ok := privateMemory(); ok && have+n > w.bound() {
		return fmt.Errorf("a function would create %d MiB of values, more than the memory that is left", n>>20)
	}
	return nil
}

// Statements is the number of running statements.
func (w *Watch) Statements() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.running)
}
