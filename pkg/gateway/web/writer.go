package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// StatusWriter remembers what was written, for the log line and to know whether a reply has begun, and gives up a reader that has
// stopped: what it reads may hold a statement, a connection and a project.
type StatusWriter struct {
	http.ResponseWriter
	Status int
	bytes  int64
	stall  time.Duration // longest that one write may wait for its reader, 0 for any
	lacks  *engine.Omissions

	mu    sync.Mutex
	until time.Time // when the time of the write that runs is over; zero without one
	why   error     // the reply is given up
	ended bool      // the connection belongs to the next request
}

var _ engine.Breaker = (*StatusWriter)(nil)

// lastWrite is how long a write may still take when its statement has ended: what was computed before is worth having.
const lastWrite = time.Second

func (w *StatusWriter) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
		if w.lacks != nil {
			api.TellOmissions(w.Header(), w.lacks.Tell())
		}
		w.arm()
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *StatusWriter) Write(p []byte) (int, error) {
	if w.Status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.arm()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = w.giveUp()
	}
	w.mu.Lock()
	w.until = time.Time{}
	w.mu.Unlock()
	return n, err
}

// arm begins the time of a write.
func (w *StatusWriter) arm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stall > 0 && w.why == nil {
		w.until = time.Now().Add(w.stall)
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(w.until) // not all transports have deadlines
	}
}

// Break gives the reply up: a write that waits for its reader, and any that follows, fails soon.
func (w *StatusWriter) Break(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || w.why != nil {
		return
	}
	if errors.Is(why, context.Canceled) && !w.until.IsZero() && !time.Now().Before(w.until) {
		why = stalledError{w.stall} // the server cancels a request whose write failed, and the write is not back yet
	}
	w.why = why
	if pw, ok := w.ResponseWriter.(*PipeWriter); ok {
		pw.breakOff(lastWrite, fault.Of(why).Message)
		return
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(lastWrite))
}

// giveUp is called when the time of a write is over, and returns why. It is kept: the handler may come back with no more than the end
// of the request's context.
func (w *StatusWriter) giveUp() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.why == nil {
		w.why = stalledError{w.stall}
	}
	return w.why
}

func (w *StatusWriter) given() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}

// end is called when the handler has returned: the deadline of the last write is for what is still buffered, and the next request of
// the connection sets its own.
func (w *StatusWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
}

func (w *StatusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Breaker finds the writer that can give a reply up below those that faults and quirks put over it.
func Breaker(w http.ResponseWriter) engine.Breaker {
	for {
		if b, ok := w.(engine.Breaker); ok {
			return b
		}
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = u.Unwrap()
	}
}

// stalledError is a reply that was given up because nobody took it.
type stalledError struct{ after time.Duration }

func (e stalledError) Error() string {
	return fmt.Sprintf("the reader took nothing of the reply for %s (--max-stall)", e.after)
}

// Breaking is a writer of a reply that can be given up.
type Breaking struct {
	io.Writer
	B engine.Breaker
}

func (w Breaking) Break(why error) {
	if w.B != nil {
		w.B.Break(why)
	}
}
