package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// Limits of a call to a gateway that does not respond. Options.Timeout replaces all of them.
const (
	callLimit = time.Minute // a whole ordinary call
	// a call with an answer written by a language model, which takes minutes [L]
	slowLimit = 10 * time.Minute
	// until a query answers: the service itself ends a query after two hours [D]
	queryLimit    = 2*time.Hour + time.Minute
	idleLimit     = 15 * time.Minute // between two pieces of a result, an event stream, or an upload
	downloadLimit = time.Minute      // until a file starts, and between two pieces of it
)

// limits holds the time limits of one client.
type limits struct{ call, slow, query, idle, download time.Duration }

func newLimits(o Options) limits {
	l := limits{callLimit, slowLimit, queryLimit, idleLimit, downloadLimit}
	if t := o.Timeout; t > 0 {
		// A caller's own limit on the whole query of the same duration takes effect first.
		l = limits{t, t, t + time.Second, t + time.Second, t}
	}
	if o.Patient && o.Timeout <= 0 { // after the first bytes the reply is in progress
		l.idle, l.download = 0, 0
	}
	return l
}

// whole returns the limit of a call that is read to its end, 0 for none: a long upload has a limit on its pauses
// instead.
func (l limits) whole(op spec.Op, body any, explicit bool) time.Duration {
	if p, ok := body.(Payload); ok && p.Slow && !explicit {
		return 0
	}
	switch {
	case op.ID == spec.CompactLocal.ID, op.ID == spec.BackupLocal.ID: // depends on the size of the files
		return l.query
	case op.Slow:
		return l.slow
	}
	return l.call
}

// first returns the limit until a reply that is streamed starts.
func (l limits) first(op spec.Op) time.Duration {
	if op.ID == spec.ExecuteQuery.ID {
		return l.query
	}
	return l.slow + time.Second // the limit of the whole call takes effect first
}

// upload returns the longest time without progress of an upload, and then of its reply.
func (l limits) upload() time.Duration {
	if l.idle > 0 {
		return l.idle
	}
	return l.query
}

var errSilent = errors.New("no data was received within the time limit")

// watch ends a call if the other side sends nothing for too long: ctx is cancelled, with the cause errSilent.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	d     time.Duration // the current limit, or the last one
	t     *time.Timer
	turns int // generation of the clock; the timer of an earlier one has no effect
}

func newWatch(ctx context.Context) *watch {
	w := &watch{}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w
}

// begin restarts the clock; 0 means no limit.
func (w *watch) begin(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	if w.d = d; d <= 0 {
		return
	}
	turn := w.turns
	w.t = time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.turns == turn {
			w.cancel(errSilent)
		}
	})
}

// rest stops the clock until the next begin.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
}

func (w *watch) stop() {
	if w.turns++; w.t != nil {
		w.t.Stop()
	}
}

// end releases the resources.
func (w *watch) end() {
	w.rest()
	w.cancel(nil)
}

// silent returns the error of a call that was ended by a limit, and otherwise err, its error so far.
func (w *watch) silent(method, url string, err error) error {
	switch cause := context.Cause(w.ctx); {
	case errors.Is(cause, errCallTimeout):
		if outcome.Of(err) == outcome.NotSent {
			cause = outcome.Unsent(cause)
		}
		return transportError(w.ctx, method, url, cause)
	case !errors.Is(cause, errSilent):
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Error{Kind: KindTimeout, Method: method, URL: url, Err: errSilent, Outcome: outcome.Of(err),
		Message: fmt.Sprintf("%s has sent nothing for %v", hostOf(url), w.d),
		Hint:    "try again; --timeout sets another limit"}
}

// watchedBody is a reply with a limit on the time to read each piece. Time that the reader takes does not count.
type watchedBody struct {
	io.ReadCloser
	w           *watch
	idle        time.Duration
	method, url string
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.w.begin(b.idle)
	n, err := b.ReadCloser.Read(p)
	b.w.rest()
	if err != nil && err != io.EOF {
		err = b.w.silent(b.method, b.url, err)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.w.end()
	return b.ReadCloser.Close()
}

// watchedUpload restarts the clock with every piece that the gateway accepts. Time that the source takes does not
// count.
type watchedUpload struct {
	io.Reader
	w     *watch
	limit time.Duration
}

func (u watchedUpload) Read(p []byte) (int, error) {
	u.w.rest()
	n, err := u.Reader.Read(p)
	u.w.begin(u.limit)
	return n, err
}

// watched sends one request, with the limit wait until its reply starts and idle between its pieces.
func watched(ctx context.Context, method, url string, wait, idle time.Duration, send func(w *watch) (*Reply,
	error)) (*Reply, error) {
	w := newWatch(ctx)
	w.begin(wait)
	rep, err := send(w)
	w.rest()
	if err != nil {
		err = w.silent(method, url, err)
		w.end()
		return nil, err
	}
	rep.Body = &watchedBody{rep.Body, w, idle, method, url}
	return rep, nil
}

// Bounded returns a context that ends after the time limit of the client, if one is set. It is for calls of Do.
func (c *Client) Bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.set <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.set, errCallTimeout)
}
