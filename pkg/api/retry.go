package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// again sends a call, and sends it again as internal/retry decides.
func (c *Client) again(ctx context.Context, op spec.Op, body any, try func() error) error {
	repeats := c.retries
	if _, once := body.(Payload); once {
		repeats = 0
	}
	return Again(ctx, repeats, !op.Safe() || runsChange(body), try)
}

// Again calls try, which sends a request, and calls it again as internal/retry decides. changes tells that the request
// may change something.
func Again(ctx context.Context, repeats int, changes bool, try func() error) (err error) {
	retry.Do(ctx, repeats, func() *retry.Failure {
		err = try()
		var e *Error
		if !errors.As(err, &e) {
			return nil
		}
		f := e.failure()
		if f.Changes = changes; changes {
			e.ofChange()
		}
		return f
	})
	return err
}

// runsChange reports whether a body runs a statement that may change something.
func runsChange(body any) bool {
	by, ok := body.(ExecuteByStatement)
	return ok && sqlstmt.Changes(by.Statement) != ""
}

// failure describes the error for internal/retry.
func (e *Error) failure() *retry.Failure {
	return &retry.Failure{Status: e.Status, Header: e.Header, Coded: e.Code != "", Lost: e.Outcome == outcome.Unknown &&
		e.Kind != KindTimeout}
}

// Transient reports whether the same call may succeed when repeated.
func (e *Error) Transient() bool { return e.failure().Transient() }

// ofChange marks the error of a call that changes something.
func ofChange(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.ofChange()
	}
	return err
}

// ofChange sets Unsure and the hint if it is unknown whether the change was made.
func (e *Error) ofChange() {
	if e.Outcome != outcome.Unknown {
		return
	}
	e.Unsure = true
	e.Hint = "it may have been done nevertheless: check before you try again"
	if e.Status == http.StatusInsufficientStorage {
		e.Hint = "free some space, and check before you try again: it may have been done nevertheless"
	}
}
