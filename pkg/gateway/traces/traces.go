// Package traces sends the requests and runs of a served gateway as spans to an OpenTelemetry collector.
package traces

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/post"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// The exporter of OpenTelemetry's own library would add 8 MB to the program and 2.5 ms to the start of every command,
// for gRPC and protocol buffers; the protocol has a form in JSON.

const (
	batch    = 512
	waiting  = 4096 // spans; further ones are left out
	every    = 5 * time.Second
	sendTime = 10 * time.Second // of one attempt
	repeats  = 3
	lastTime = 3 * time.Second
)

// Options say where spans are sent.
type Options struct {
	Endpoint   string // base address of a collector; "/v1/traces" is appended
	Headers    string // name=value,... as in OTEL_EXPORTER_OTLP_HEADERS
	Service    string
	Attributes string // name=value,... of the resource, as in OTEL_RESOURCE_ATTRIBUTES
	Version    string
	Log        *slog.Logger
	Now        func() time.Time
}

// Exporter sends spans in the background. It is safe for concurrent use.
type Exporter struct {
	o        Options
	url      string
	headers  http.Header
	resource []attribute
	client   *http.Client
	ctx      context.Context
	stop     context.CancelFunc
	done     sync.WaitGroup

	mu      sync.Mutex
	spans   []span
	lost    int
	closed  bool
	full    chan struct{}
	closing chan struct{}
}

// New checks the options. Nothing is sent before Start.
func New(o Options) (*Exporter, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("not an address such as http://localhost:4318")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1", "traces")
	}
	e := &Exporter{o: o, url: u.String(), headers: http.Header{
		"User-Agent": {"dig/" + o.Version}}, full: make(chan struct{}, 1), closing: make(chan struct{}),
		client: post.Client(nil)}
	e.client.Timeout = sendTime
	headers, err := pairs(o.Headers)
	if err != nil {
		return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value") // values may be secret
	}
	for _, h := range headers {
		e.headers.Set(h.Key, *h.Value.String)
	}
	e.resource = []attribute{text("service.name", o.Service), text("service.version", o.Version)}
	more, err := pairs(o.Attributes)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	e.resource = append(e.resource, more...)
	return e, nil
}

// pairs reads a list of name=value, in which values are escaped as in addresses.
func pairs(list string) (out []attribute, err error) {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if value, err = url.PathUnescape(strings.TrimSpace(value)); err != nil || !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("%q is not name=value", part)
		}
		out = append(out, text(strings.TrimSpace(name), value))
	}
	return out, nil
}

// Start begins to send what is added.
func (e *Exporter) Start() {
	e.ctx, e.stop = context.WithCancel(context.Background())
	safely.Wait(&e.done, func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for more := true; more; {
			select {
			case <-tick.C:
			case <-e.full:
			case <-e.closing:
				more = false
			}
			for e.send() {
			}
		}
	})
}

// Close sends what is left, within a few seconds.
func (e *Exporter) Close() {
	e.mu.Lock()
	was := e.closed
	e.closed = true
	e.mu.Unlock()
	if was || e.stop == nil {
		return
	}
	close(e.closing)
	late := safely.AfterFunc(lastTime, e.stop)
	e.done.Wait()
	late.Stop()
	e.stop()
}

func (e *Exporter) add(s span) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.spans) >= waiting {
		e.lost++
		return
	}
	if e.spans = append(e.spans, s); len(e.spans) >= batch {
		select {
		case e.full <- struct{}{}:
		default:
		}
	}
}

// send sends one batch, and reports whether another is full.
func (e *Exporter) send() (more bool) {
	e.mu.Lock()
	some := e.spans[:min(len(e.spans), batch)]
	e.spans = e.spans[len(some):]
	lost := e.lost
	e.lost = 0
	more = len(e.spans) >= batch || len(e.spans) > 0 && e.closed
	e.mu.Unlock()
	if lost > 0 {
		e.o.Log.Warn("spans are left out: the collector is too slow", "number", lost)
	}
	if len(some) == 0 {
		return false
	}
	raw, err := json.Marshal(document{[]resourceSpans{{resource{e.resource}, []scopeSpans{{scope{
		"github.com/dig-cli/dig", e.o.Version}, some}}}}})
	if err == nil {
		err = e.post(raw)
	}
	if err != nil {
		e.o.Log.Warn("spans cannot be sent", "number", len(some), "error", err.Error())
	}
	return more && e.ctx.Err() == nil
}

func (e *Exporter) post(raw []byte) (err error) {
	retry.Do(e.ctx, repeats, func() *retry.Failure {
		var no *post.Refused
		switch err = post.JSON(e.ctx, e.client, e.url, e.headers, raw); {
		case err == nil:
			return nil
		case errors.As(err, &no):
			return &retry.Failure{Status: no.Answer.StatusCode, Header: no.Answer.Header}
		}
		return &retry.Failure{Lost: true} // spans have ids: a collector knows those that arrive twice
	})
	return err
}

// Call adds a request. Those of watchers are left out, and those whose caller does not sample them.
func (e *Exporter) Call(c web.Call) {
	trace, parent, sampled := parse(c.Parent)
	if c.Op.ID == "" || !sampled {
		return
	}
	s := newSpan(c.Method+" "+c.Op.Path, kindServer, c.Start, c.Took)
	if trace != "" {
		s.TraceID, s.Parent = trace, parent
	}
	s.attributes("http.request.method", c.Method, "http.route", web.BasePath+c.Op.Path, "client.address", c.Remote,
		"dig.operation", c.Op.ID, "dig.project.id", c.Project, "dig.key.id", c.Key, "dig.request.id", c.ID)
	s.number("http.response.status_code", int64(c.Status))
	s.number("http.request.body.size", c.Received)
	s.number("http.response.body.size", c.Sent)
	s.number("dig.rows", c.Rows)
	if c.Status >= http.StatusInternalServerError || c.Aborted {
		s.Status = &status{Code: codeError}
	}
	e.add(s)
}

// Run adds a run.
func (e *Exporter) Run(r jobs.End) {
	s := newSpan("run "+r.Kind, kindInternal, e.o.Now().Add(-r.Took), r.Took)
	s.attributes("dig.run.kind", r.Kind, "dig.project.id", r.Project, "dig.object.id", r.Object, "dig.object.name",
		r.Name, "dig.run.mode", r.Mode, "dig.run.status", r.State(), "dig.run.scheduled",
		strconv.FormatBool(r.Scheduled))
	s.number("dig.rows", max(0, r.Rows))
	if r.Reason != "" {
		s.Status = &status{codeError, web.ForLog(r.Reason)}
	}
	e.add(s)
}

// parse reads a header traceparent. sampled is true without one.
func parse(header string) (trace, parent string, sampled bool) {
	f := strings.Split(header, "-")
	if len(f) < 4 || len(f[0]) != 2 || len(f[1]) != 32 || len(f[2]) != 16 || len(f[3]) != 2 || f[0] == "ff" {
		return "", "", true
	}
	for _, part := range f[:4] {
		if _, err := hex.DecodeString(part); err != nil || strings.ToLower(part) != part {
			return "", "", true
		}
	}
	if strings.Trim(f[1], "0") == "" || strings.Trim(f[2], "0") == "" {
		return "", "", true
	}
	flags, _ := hex.DecodeString(f[3]) // checked above
	return f[1], f[2], flags[0]&1 == 1
}

func id(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw) // it never fails
	return hex.EncodeToString(raw)
}
