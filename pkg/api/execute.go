package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/spec"
)

// ExecuteRequest is one of the four forms of a query [S]: ExecuteByBuilder, ExecuteByID, ExecuteByName,
// ExecuteByStatement.
type ExecuteRequest interface{ executeForm() }

func (ExecuteByBuilder) executeForm()   {}
func (ExecuteByID) executeForm()        {}
func (ExecuteByName) executeForm()      {}
func (ExecuteByStatement) executeForm() {}

// Result is an open result: the document as it comes off the wire.
type Result struct {
	Format Format
	Header http.Header
	Body   io.ReadCloser // the gateway's own bytes; closing early tells the gateway to stop
}

// Rows reads the document row by row. The Result must not be read in any other way then.
func (r *Result) Rows() *Rows { return NewRows(r.Body, r.Format) }

// Close releases the connection; an unread result is abandoned.
func (r *Result) Close() error { return r.Body.Close() }

// ExecuteOptions are the options of one execution besides the request body. The zero value leaves all to the gateway.
type ExecuteOptions struct {
	Format Format // of the rows; if empty the gateway chooses CELL_TYPED [S]
	// which rows of other catalogs are read: "live" at the source despite a cache, "stored" from caches only; zone
	// local only
	Reading string
}

// Execute runs POST /data/projects/{projectId}/queries/execute and returns the open result. The client's timeout does
// not apply: use a deadline of ctx to limit the whole.
func (s *QueriesService) Execute(ctx context.Context, project string, form ExecuteRequest,
	opt ExecuteOptions) (*Result, error) {
	if st, ok := form.(ExecuteByStatement); ok && len(st.Bindings) > 0 && len(st.BindArgs) == 0 {
		return s.c.executeBound(ctx, project, st, opt)
	}
	return s.c.execute(ctx, project, form, opt)
}

// executeBound sends the values of a statement as bindings and, to a gateway that rejects them, as bindArgs: the
// documents have both names [O]. The name that a gateway accepts is used from then on.
func (c *Client) executeBound(ctx context.Context, project string, st ExecuteByStatement,
	opt ExecuteOptions) (*Result, error) {
	other := st
	other.Bindings, other.BindArgs = nil, st.Bindings
	if c.bindArgs.Load() {
		return c.execute(ctx, project, other, opt)
	}
	res, err := c.execute(ctx, project, st, opt)
	if !unbound(err, len(st.Bindings)) {
		return res, err
	}
	again, err2 := c.execute(ctx, project, other, opt)
	if err2 != nil {
		return nil, err // of the usual name
	}
	c.bindArgs.Store(true)
	return again, nil
}

// unbound reports whether a gateway may have rejected a statement for want of values. Its words for that are not
// known; Trino's count the values that it was given.
func unbound(err error, given int) bool {
	var ae *Error
	return errors.As(err, &ae) && ae.Status == http.StatusBadRequest &&
		aboutValues().MatchString(ae.Message) && !strings.Contains(ae.Message, fmt.Sprintf("but found %d", given))
}

var aboutValues = late.Regexp(`(?i)parameter|\bbind|argument`)

func (c *Client) execute(ctx context.Context, project string, body any, opt ExecuteOptions) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	at := spec.ExecuteQuery.At(project).With("format", string(opt.Format))
	if opt.Reading != "" {
		at = at.With("reading", opt.Reading)
	}
	rep, err := c.open(ctx, at, body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if opt.Format == "" {
		opt.Format = CellTyped
	}
	return &Result{Format: opt.Format, Header: rep.Header, Body: &cancelBody{newAhead(rep.Body, aheadFrom, aheadSize),
		cancel}}, nil
}

// cancelBody cancels the request's context when the body is closed, so that the gateway is notified immediately.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancelBody) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// ExecuteTimeout converts a limit to the whole seconds that the request carries [O], rounding up; 0 means none.
func ExecuteTimeout(d time.Duration) *int64 {
	if d <= 0 {
		return nil
	}
	s := int64((d + time.Second - 1) / time.Second)
	return &s
}
