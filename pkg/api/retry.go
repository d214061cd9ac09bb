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

// again makes a call until it succeeds, fails for good, or the tries are used up. What changes something is sent once: when no
// answer came, nobody knows whether it was done. Only 429 says for sure that it was not.
func (c *Client) again(ctx context.Context, op spec.Op, body any, try func() error) error {
	for n := 0; ; n++ {
		err := try()
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return err
		}
		if !op.Safe() {
			doubt(e)
		}
		_, once := body.(Payload)
		if n >= c.retries || once || !passing(e) || !op.Safe() && e.Status != http.StatusTooManyRequests {
			return err
		}
		pause := retry.Pause(n, retry.Longest)
		if asked, ok := retry.Requested(e.Header, time.Now()); ok {
			if pause = asked; pause > retry.Longest {
				return err
			}
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return err // the time would be over before the next try
		}
		if retry.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// passing reports whether the same call may well succeed in a moment: the gateway is overloaded or on its way up, or the
// connection broke. A 500 is not among them: the service answers it for good to some calls [L].
func passing(e *Error) bool {
	switch e.Status {
	case http.StatusBadGateway: // with a code it is the gateway's word on a source, which was asked again as its connection says
		return e.Code == ""
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0, http.StatusOK:
		return broke(e.Err)
	}
	return false
}

// broke reports whether a connection that stood was lost.
func broke(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// doubt words the hint of a failed change whose outcome is not known.
func doubt(e *Error) {
	lost := e.Status == 0 && (e.Kind == KindTimeout || broke(e.Err)) || e.Status >= 200 && e.Status < 300
	if lost || e.Status == http.StatusRequestTimeout || e.Status >= 500 && e.Status != http.StatusNotImplemented {
		e.Unsure = true
		e.Hint = "it may have been done all the same: look before you try again"
		if e.Status == http.StatusInsufficientStorage {
			e.Hint = "free some space, and look before you try again: it may have been done all the same"
		}
	}
}
