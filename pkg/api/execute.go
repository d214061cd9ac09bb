package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/spec"
)

// ExecuteRequest is one of the four forms of a query [S]: ExecuteByBuilder, ExecuteByID, ExecuteByName, ExecuteByStatement.
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

// Rows reads the document row by row. The Result must not be read in another way then.
func (r *Result) Rows() *Rows { return NewRows(r.Body, r.Format) }

// Close releases the connection; an unread result is given up.
func (r *Result) Close() error { return r.Body.Close() }

// Execute runs POST /data/projects/{projectId}/queries/execute and returns the open result. The client's
// timeout does not apply: give ctx a deadline to bound the whole. An empty format leaves the choice to the gateway
// (CELL_TYPED) [S].
func (s *QueriesService) Execute(ctx context.Context, project string, form ExecuteRequest, format Format) (*Result, error) {
	if st, ok := form.(ExecuteByStatement); ok && len(st.Bindings) > 0 && len(st.BindArgs) == 0 {
		return s.c.executeBound(ctx, project, st, format)
	}
	return s.c.execute(ctx, project, form, format)
}

// executeBound sends the values of a statement as bindings and, to a gateway that says that it got none, as bindArgs: the documents have
// both names [O]. A gateway that took the second is sent that one from then on.
func (c *Client) executeBound(ctx context.Context, project string, st ExecuteByStatement, format Format) (*Result, error) {
	other := st
	other.Bindings, other.BindArgs = nil, st.Bindings
	if c.bindArgs.Load() {
		return c.execute(ctx, project, other, format)
	}
	res, err := c.execute(ctx, project, st, format)
	if !unbound(err) {
		return res, err
	}
	again, err2 := c.execute(ctx, project, other, format)
	if err2 != nil {
		return nil, err // of the usual name
	}
	c.bindArgs.Store(true)
	return again, nil
}

// unbound recognizes the complaint that a statement has parameters and no values came for them.
func unbound(err error) bool {
	var ae *Error
	if !errors.As(err, &ae) || ae.Status != 400 {
		return false
	}
	msg := strings.ToLower(ae.Message)
	if !strings.Contains(msg, "parameter") {
		return false
	}
	for _, part := range []string{"found 0", "no value", "missing", "not set", "not bound", "unbound"} {
		if strings.Contains(msg, part) {
			return true
		}
	}
	return false
}

func (c *Client) execute(ctx context.Context, project string, body any, format Format) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	at := spec.ExecuteQuery.At(project).With("format", string(format))
	if how, _ := ctx.Value(readingKey{}).(string); how != "" {
		at = at.With("reading", how)
	}
	if dialect, _ := ctx.Value(dialectKey{}).(string); dialect != "" {
		at = at.With("dialect", dialect)
	}
	rep, err := c.open(ctx, at, body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if format == "" {
		format = CellTyped
	}
	return &Result{Format: format, Header: rep.Header, Body: &cancelBody{newAhead(rep.Body, aheadFrom, aheadSize), cancel}}, nil
}

type readingKey struct{}

// WithReading says where executions under ctx read tables of other catalogs: "live" at the source also where there is a cache,
// "stored" in caches and never at a source. Zone local alone knows it.
func WithReading(ctx context.Context, how string) context.Context {
	return context.WithValue(ctx, readingKey{}, how)
}

type dialectKey struct{}

// WithDialect says in which dialect the statements executed under ctx are written: "duckdb", or Trino's, which needs no saying. Zone
// local alone knows it.
func WithDialect(ctx context.Context, dialect string) context.Context {
	return context.WithValue(ctx, dialectKey{}, dialect)
}

// cancelBody ends the request's context when the body is closed, so that the gateway learns of it at once.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancelBody) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// ExecuteTimeout converts a limit to the whole seconds the request carries [O], rounding up; 0 means none.
func ExecuteTimeout(d time.Duration) *int64 {
	if d <= 0 {
		return nil
	}
	s := int64((d + time.Second - 1) / time.Second)
	return &s
}
