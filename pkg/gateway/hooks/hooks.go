// Package hooks tells an operator of failed runs: it calls a command or an address when a run fails, and when the next
// run of the same object succeeds.
package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// A hook is bounded: in the time of a call, in attempts, in calls at once and waiting, and in calls about one object.
const (
	callTime = 30 * time.Second
	attempts = 4
	first    = time.Second // before the second attempt; doubled for each further one
	longest  = 30 * time.Second
	atOnce   = 4
	waiting  = 50        // calls for each of those at once; further ones are left out
	remind   = time.Hour // between two calls about an object that continues to fail
	lastTime = 5 * time.Second
)

// Event is the JSON document that a hook receives.
type Event struct {
	Event      string `json:"event"` // failed or recovered
	Kind       string `json:"kind"`  // cache, materialized or metadata
	ProjectID  string `json:"projectId"`
	ID         string `json:"id"` // of the cache, the query or the catalog
	Name       string `json:"name,omitempty"`
	Mode       string `json:"mode,omitempty"` // of a cache
	Status     string `json:"status"`
	Error      string `json:"error,omitempty"`
	Failures   int    `json:"failures"` // runs that have failed one after the other, since the gateway started
	Since      string `json:"since"`    // when the first of them failed
	At         string `json:"at"`       // when the run ended
	DurationMs int64  `json:"durationMs"`
	Rows       *int64 `json:"rows,omitempty"`
	Scheduled  bool   `json:"scheduled"`
}

// Hook calls its target. It is safe for concurrent use.
type Hook struct {
	call  func(ctx context.Context, body []byte) error
	log   *slog.Logger
	now   func() time.Time
	ctx   context.Context
	stop  context.CancelFunc
	queue [atOnce]chan Event // by object, so that its events stay in order
	again time.Duration      // before the second attempt
	done  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	failing map[object]*failures
}

type object struct{ kind, project, id string }

type failures struct {
	n           int
	since, told time.Time // told is zero before the first call
}

// New returns a hook that calls a target: an address of HTTP, or else a command for the shell. Nothing is called yet.
func New(target, version string, log *slog.Logger, now func() time.Time) (*Hook, error) {
	h := &Hook{log: log, now: now, again: first, failing: map[object]*failures{}, call: command(target)}
	if strings.TrimSpace(target) == "" {
		return nil, errors.New("neither a command nor an address is given")
	}
	scheme, _, is := strings.Cut(strings.ToLower(target), "://")
	if is && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == "" {
		u, err := url.Parse(target)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			// the address may contain a password
			return nil, errors.New("not a valid address that begins with http:// or https://")
		}
		h.call = address(target, version)
	}
	for i := range h.queue {
		h.queue[i] = make(chan Event, waiting)
	}
	return h, nil
}

// Start begins to call.
func (h *Hook) Start() {
	h.ctx, h.stop = context.WithCancel(context.Background())
	for i := range h.queue {
		safely.Wait(&h.done, func() {
			for e := range h.queue[i] {
				h.send(e)
			}
		})
	}
}

// Failing tells the hook of an object whose latest run failed before this process, so that its recovery is reported.
// called says that the hook has probably been called for it; otherwise it is when the next run fails too.
func (h *Hook) Failing(e jobs.End, since time.Time, called bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := &failures{n: 1, since: since}
	if called {
		f.told = since
	}
	h.failing[object{e.Kind, e.Project, e.Object}] = f
}

// Ended tells the hook of the end of a run. It does not wait. An export has no next run: who asked for it, waits for
// it.
func (h *Hook) Ended(e jobs.End) {
	if e.Kind == jobs.JobExport {
		return
	}
	at := h.now()
	out := Event{Event: "failed", Kind: e.Kind, ProjectID: e.Project, ID: e.Object, Name: e.Name, Mode: e.Mode,
		Status: e.Status, Error: e.Reason, At: store.Time(at), DurationMs: e.Took.Milliseconds(),
		Scheduled: e.Scheduled}
	if e.Rows >= 0 {
		out.Rows = &e.Rows
	}
	key := object{e.Kind, e.Project, e.Object}
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.failing[key]
	switch e.State() {
	case "failed":
		if f == nil {
			f = &failures{since: at}
			h.failing[key] = f
		}
		if f.n++; !f.told.IsZero() && at.Sub(f.told).Abs() < remind {
			return
		}
		f.told = at
	case "completed":
		if f == nil {
			return
		}
		out.Event = "recovered"
		delete(h.failing, key)
	default: // cancelled
		return
	}
	out.Failures, out.Since = f.n, store.Time(f.since)
	h.enqueue(key, out)
}

func (h *Hook) enqueue(key object, e Event) {
	if h.closed {
		return
	}
	sum := fnv.New32a()
	for _, part := range []string{key.kind, key.project, key.id} {
		_, _ = sum.Write([]byte(part))
	}
	select {
	case h.queue[sum.Sum32()%atOnce] <- e:
	default:
		h.log.Error("a call of --on-failure is left out: too many are waiting", "kind", e.Kind, "id", e.ID, "event",
			e.Event)
	}
}

// send calls the target until it succeeds, but not forever.
func (h *Hook) send(e Event) {
	raw, _ := json.Marshal(e) // strings and numbers always marshal
	for n := range attempts {
		ctx, cancel := context.WithTimeout(h.ctx, callTime)
		err := h.call(ctx, raw)
		cancel()
		if err == nil {
			h.log.Info("--on-failure was called", "event", e.Event, "kind", e.Kind, "id", e.ID, "attempts", n+1)
			return
		}
		if n == attempts-1 || h.ctx.Err() != nil {
			h.log.Error("--on-failure failed", "event", e.Event, "kind", e.Kind, "id", e.ID, "attempts", n+1, "error",
				err.Error())
			return
		}
		_ = retry.Sleep(h.ctx, retry.Doubled(h.again, longest, n)) // of a hook that is closed: the last attempt
	}
}

// Close waits a few seconds for the calls that are due, and ends those that are left.
func (h *Hook) Close() {
	h.mu.Lock()
	for _, q := range h.queue {
		if !h.closed {
			close(q)
		}
	}
	h.closed = true
	h.mu.Unlock()
	late := safely.AfterFunc(lastTime, h.stop)
	h.done.Wait()
	late.Stop()
	h.stop()
}
