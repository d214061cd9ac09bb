package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/spec"
)

// again sends a call, and sends it again as internal/retry decides.
func (c *Client) again(ctx context.Context, op spec.Op, body any, try func() error) (err error) {
	repeats := c.retries
	if _, once := body.(Payload); once {
		repeats = 0
	}
	retry.Do(ctx, repeats, !op.Safe(), func() *retry.Failure {
		err = try()
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return nil
		}
		if !op.Safe() {
			markUncertain(e)
		}
		return &retry.Failure{Status: e.Status, Header: e.Header, Coded: e.Code != "", Err: e.Err}
	})
	return err
}

// markUncertain sets the hint of a failed change with an unknown outcome.
func markUncertain(e *Error) {
	lost := e.Status == 0 && (e.Kind == KindTimeout || retry.Broke(e.Err)) || e.Status >= 200 && e.Status < 300
	if lost || e.Status == http.StatusRequestTimeout || e.Status >= 500 && e.Status != http.StatusNotImplemented && e.Kind != KindDamaged {
		e.Unsure = true
		e.Hint = "it may have been done nevertheless: check before you try again"
		if e.Status == http.StatusInsufficientStorage {
			e.Hint = "free some space, and check before you try again: it may have been done nevertheless"
		}
	}
}
