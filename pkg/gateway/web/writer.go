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

// StatusWriter records what was written, for the log line and to know whether a reply has started, and aborts the reply
// to a reader that has stopped reading, since its statement may hold a connection and a lock on the project.
type StatusWriter struct {
	http.ResponseWriter
	Status int
	bytes  int64
	stall  time.Duration // longest time that one write may wait for its reader, 0 for no limit
	lacks  *engine.Omissions

	mu    sync.Mutex
	until time.Time // deadline of the current write; zero without one
	why   error     // why the reply is aborted; nil if it is not
	ended bool      // the connection belongs to the next request
}

var _ engine.Breaker = (*StatusWriter)(nil)

// lastWrite is how long a write may take after its statement has ended: the results computed before are still useful.
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

// arm starts the deadline of a write.
func (w *StatusWriter) arm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stall > 0 && w.why == nil {
		w.until = time.Now().Add(w.stall)
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(w.until) // not all transports have deadlines
	}
}

// Break aborts the reply: a write that waits for its reader, and any further write, fails soon.
func (w *StatusWriter) Break(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || w.why != nil {
		return
	}
	if errors.Is(why, context.Canceled) && !w.until.IsZero() && !time.Now().Before(w.until) {
		why = stalledError{w.stall} // the server cancels a request after a failed write, which has not returned yet
	}
	w.why = why
	if pw, ok := w.ResponseWriter.(*PipeWriter); ok {
		pw.breakOff(lastWrite, fault.Of(why).Error())
		return
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(lastWrite))
}

// giveUp is called when the deadline of a write has passed, and returns the error. It is stored, because the handler
// may only return the error of the request's context.
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

// end is called when the handler has returned: the deadline of the last write applies to what is still buffered, and
// the next request on the connection sets its own.
func (w *StatusWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
}

func (w *StatusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Breaker returns the writer that can abort the reply, unwrapping the writers of faults and quirks around it; nil if
// there is none.
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

// stalledError is the error of a reply that was aborted because nobody read it.
type stalledError struct{ after time.Duration }

func (e stalledError) Error() string {
	return fmt.Sprintf("the client read nothing of the reply for %s (--max-stall)", e.after)
}

// Breaking is a writer of a reply that can be aborted.
type Breaking struct {
	io.Writer
	B engine.Breaker
}

func (w Breaking) Break(why error) {
	if w.B != nil {
		w.B.Break(why)
	}
}
