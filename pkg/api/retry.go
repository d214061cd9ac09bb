package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/spec"
)

// again repeats a call until it succeeds, fails permanently, or the attempts are used up. A call that changes something
// is sent once: without an answer it is unknown whether the change was made. Only 429 guarantees that it was not.
func (c *Client) again(ctx context.Context, op spec.Op, body any, try func() error) error {
	for n := 0; ; n++ {
		err := try()
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return err
		}
		if !op.Safe() {
			markUncertain(e)
		}
		_, once := body.(Payload)
		if n >= c.retries || once || !transient(e) || !op.Safe() && e.Status != http.StatusTooManyRequests {
			return err
		}
		pause := retry.Pause(n, retry.Longest)
		if asked, ok := retry.Requested(e.Header, time.Now()); ok {
			if pause = asked; pause > retry.Longest {
				return err
			}
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return err // the deadline is before the next attempt
		}
		if retry.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// transient reports whether the same call may succeed when repeated: the gateway is overloaded or starting up, or the
// connection broke. A 500 is not included: the service answers some calls with it permanently [L].
func transient(e *Error) bool {
	switch e.Status {
	case http.StatusBadGateway: // with a code it is about a source, which the gateway has retried already, as configured in the connection
		return e.Code == ""
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0, http.StatusOK:
		return broke(e.Err)
	}
	return false
}

// broke reports whether an established connection was lost.
func broke(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// markUncertain sets the hint of a failed change with an unknown outcome.
func markUncertain(e *Error) {
	lost := e.Status == 0 && (e.Kind == KindTimeout || broke(e.Err)) || e.Status >= 200 && e.Status < 300
	if lost || e.Status == http.StatusRequestTimeout || e.Status >= 500 && e.Status != http.StatusNotImplemented {
		e.Unsure = true
		e.Hint = "it may have been done nevertheless: check before you try again"
		if e.Status == http.StatusInsufficientStorage {
			e.Hint = "free some space, and check before you try again: it may have been done nevertheless"
		}
	}
}
