// Package metrics counts what a served gateway does, and serves that to Prometheus.
package metrics

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Metrics are the counters of one process. Set Gateway before it is served.
type Metrics struct {
	Gateway  *gateway.Gateway
	Replaced int // number of serving processes before this one
	Log      *slog.Logger
	Now      func() time.Time

	requests, took, received, sent family
	statements, ran, rows          family
	runs, lasted                   family

	disk disk
	mu   sync.Mutex // one look at the state at a time
}

// New returns counters that are zero.
func New(log *slog.Logger, now func() time.Time) *Metrics {
	return &Metrics{
		Log: log, Now: now,
		requests: family{name: "dig_requests_total", kind: counter,
			help: "Requests by operation and status."},
		took: family{name: "dig_request_duration_seconds", kind: histogram,
			help: "Time of requests, to the end of the reply."},
		received:   family{name: "dig_request_bytes_total", kind: counter, help: "Bytes of bodies of requests."},
		sent:       family{name: "dig_response_bytes_total", kind: counter, help: "Bytes of bodies of replies."},
		statements: family{name: "dig_statements_total", kind: counter, help: "Statements by outcome."},
		ran: family{name: "dig_statement_duration_seconds", kind: histogram,
			help: "Time of statements, to their last row."},
		rows: family{name: "dig_rows_total", kind: counter,
			help: "Rows that were returned by statements, imported, or stored by runs."},
		runs: family{name: "dig_runs_total", kind: counter,
			help: "Ended runs of caches, materialized queries, exports and metadata refreshes."},
		lasted: family{name: "dig_run_duration_seconds", kind: histogram, help: "Time of runs."},
	}
}

// Call counts a request.
func (m *Metrics) Call(c web.Call) {
	op := c.Op.ID
	if op == "" {
		op = "none" // refused before an operation was found, a file, or one of the addresses for watchers
	}
	m.requests.add(1, "operation", op, "code", strconv.Itoa(c.Status))
	m.took.observe(c.Took.Seconds(), "operation", op)
	m.received.add(float64(c.Received))
	m.sent.add(float64(c.Sent))
	switch op {
	case spec.ExecuteQuery.ID:
		m.statements.add(1, "outcome", outcome(c))
		m.ran.observe(c.Took.Seconds())
		m.rows.add(float64(c.Rows), "of", "results")
	case spec.ImportCsv.ID, spec.ImportBi.ID:
		m.rows.add(float64(c.Rows), "of", "imports")
	}
}

func outcome(c web.Call) string {
	switch {
	case c.Aborted:
		return "aborted"
	case c.Status < http.StatusBadRequest:
		return "succeeded"
	case c.Status < http.StatusInternalServerError:
		return "refused"
	}
	return "failed"
}

// Run counts the end of a run.
func (m *Metrics) Run(e jobs.End) {
	m.runs.add(1, "kind", e.Kind, "status", e.State())
	m.lasted.observe(e.Took.Seconds(), "kind", e.Kind)
	if e.Rows > 0 {
		m.rows.add(float64(e.Rows), "of", e.Kind)
	}
}

// stateTime is how long the state file may take to answer.
const stateTime = 5 * time.Second

// ServeHTTP writes all metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	ctx, cancel := context.WithTimeout(hr.Context(), stateTime)
	defer cancel()
	var out bytes.Buffer
	for _, f := range []*family{&m.requests, &m.took, &m.received, &m.sent, &m.statements, &m.ran, &m.rows, &m.runs,
		&m.lasted} {
		f.write(&out)
	}
	m.mu.Lock()
	for _, f := range append(m.state(ctx), m.process()...) {
		f.write(&out)
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(out.Bytes()) // a caller that has gone asks again
}
