package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/spec"
)

// What bounds a call to a gateway that says nothing. Options.Timeout sets all of them to itself.
const (
	callLimit     = time.Minute               // a whole ordinary call
	slowLimit     = 10 * time.Minute          // one whose answer a model writes, which takes minutes [L]
	queryLimit    = 2*time.Hour + time.Minute // until a query answers: the service itself ends one after two hours [D]
	idleLimit     = 15 * time.Minute          // between two pieces of a result, of a stream of events, or of an upload
	downloadLimit = time.Minute               // until a file begins, and between two pieces of it
)

// limits are those of one client.
type limits struct{ call, slow, query, idle, download time.Duration }

func newLimits(o Options) limits {
	l := limits{callLimit, slowLimit, queryLimit, idleLimit, downloadLimit}
	if t := o.Timeout; t > 0 {
		// Whoever bounds a query as a whole by the same time speaks first.
		l = limits{t, t, t + time.Second, t + time.Second, t}
	}
	if o.Patient && o.Timeout <= 0 { // after a first word everything is under way
		l.idle, l.download = 0, 0
	}
	return l
}

// whole is the limit of a call that is read to its end, 0 for none: a long upload is watched instead.
func (l limits) whole(op spec.Op, body any, explicit bool) time.Duration {
	if p, ok := body.(Payload); ok && p.Slow && !explicit {
		return 0
	}
	switch {
	case op.ID == spec.CompactLocal.ID: // as long as the files are large
		return l.query
	case op.Slow:
		return l.slow
	}
	return l.call
}

// first is how long an open reply may keep its caller waiting.
func (l limits) first(op spec.Op) time.Duration {
	if op.ID == spec.ExecuteQuery.ID {
		return l.query
	}
	return l.slow + time.Second // the limit of the whole call speaks first
}

// upload is how long an upload, and then its reply, may make no headway.
func (l limits) upload() time.Duration {
	if l.idle > 0 {
		return l.idle
	}
	return l.query
}

var errSilent = errors.New("nothing came for too long")

// watch ends a call whose counterpart says nothing for too long: ctx is cancelled, with the cause errSilent.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	d     time.Duration // that runs, or ran last
	t     *time.Timer
	turns int // of the clock; a timer of an earlier one does nothing
}

func newWatch(ctx context.Context) *watch {
	w := &watch{}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w
}

// begin starts the clock anew; 0 is no limit.
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

// end gives everything back.
func (w *watch) end() {
	w.rest()
	w.cancel(nil)
}

// silent words the error of a call that was ended by a limit; nil for another end.
func (w *watch) silent(method, url string) error {
	switch cause := context.Cause(w.ctx); {
	case errors.Is(cause, errCallTimeout):
		return transportError(w.ctx, method, url, cause)
	case !errors.Is(cause, errSilent):
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Error{Kind: KindTimeout, Method: method, URL: url, Err: errSilent,
		Message: fmt.Sprintf("%s has sent nothing for %v", hostOf(url), w.d), Hint: "try again; --timeout sets another limit"}
}

// watchedBody is a reply of which no piece may take longer than idle. Time that the reader takes does not count.
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
		if silent := b.w.silent(b.method, b.url); silent != nil {
			err = silent
		}
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.w.end()
	return b.ReadCloser.Close()
}

// watchedUpload starts the clock anew with every piece that the gateway takes. Time that the source takes does not count.
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

// watched sends one request and watches until its reply begins, for wait, and then between its pieces, for idle.
func watched(ctx context.Context, method, url string, wait, idle time.Duration, send func(w *watch) (*Reply, error)) (*Reply, error) {
	w := newWatch(ctx)
	w.begin(wait)
	rep, err := send(w)
	w.rest()
	if err != nil {
		if silent := w.silent(method, url); silent != nil {
			err = silent
		}
		w.end()
		return nil, err
	}
	rep.Body = &watchedBody{rep.Body, w, idle, method, url}
	return rep, nil
}

// Bounded returns a context that ends after the time limit that was set for the client, if one was. It is for calls by Do.
func (c *Client) Bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.set <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.set, errCallTimeout)
}
