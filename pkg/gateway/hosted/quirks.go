package hosted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Quirks is a selection of faults of the hosted zones that a served gateway reproduces. They are listed in
// docs/testing.md; a nil *Quirks has none.
type Quirks struct {
	on   map[string]float64 // the share of affected calls, by name
	free chan struct{}

	mu    sync.Mutex
	raw   map[string]http.HandlerFunc // handlers without quirks, by operation
	stale map[string][]byte           // statuses that are served again after a trigger, by id
	times map[string]int              // counts of events
	ghost []string                    // names of deleted catalogs
	once  sync.Once
}

// Quirk is one fault. wrap changes the reply of an operation; quirks without it are looked up by name where rows are
// produced.
type Quirk struct {
	Name string
	Set  QuirkSet
	ops  []spec.Op // nil: every operation
	wrap func(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc
}

// QuirkSet classifies quirks by their evidence. A Hosted quirk was measured and always applies. A Harsh quirk was
// measured occasionally, or is likely according to documents and clients of the service, and has a rate. HarshStaged is
// for a harsh quirk that calls strikes itself, because some of its operations only record state.
type QuirkSet int

const (
	Hosted QuirkSet = iota
	Harsh
	HarshStaged
)

const (
	HostedSet = "hosted"
	HarshSet  = "harsh"
)

// harshRate is the rate of the harsh set if none is given.
const harshRate = 0.5

// QuirkNames lists the quirks in the order of their numbers, which start with 1.
func QuirkNames() []string { return each.Map(AllQuirks(), func(k Quirk) string { return k.Name }) }

// ParseQuirks parses names of quirks, each optionally followed by =RATE; "hosted" and "harsh" stand for the quirks of a
// set. It returns nil if there are no names.
func ParseQuirks(names []string) (*Quirks, error) {
	if len(names) == 0 {
		return nil, nil
	}
	q := &Quirks{on: map[string]float64{}, free: make(chan struct{}), raw: map[string]http.HandlerFunc{},
		stale: map[string][]byte{}, times: map[string]int{}}
	all := AllQuirks()
	for _, n := range names {
		name, text, given := strings.Cut(n, "=")
		rate := 1.0
		if name == HarshSet {
			rate = harshRate
		}
		if given {
			var err error
			if rate, err = strconv.ParseFloat(text, 64); err != nil || !(rate > 0 && rate <= 1) {
				return nil, fmt.Errorf("%s: %q is not a rate above 0 and up to 1", name, text)
			}
		}
		found := false
		for _, k := range all {
			if name != k.Name && name != map[bool]string{true: HostedSet, false: HarshSet}[k.Set == Hosted] {
				continue
			}
			if found = true; given && k.Set == Hosted {
				return nil, fmt.Errorf("%s accepts no rate: it always occurs on the hosted zones", name)
			}
			q.on[k.Name] = rate
		}
		if !found {
			return nil, fmt.Errorf("%q is not one of hosted, harsh, %s", name, strings.Join(QuirkNames(), ", "))
		}
	}
	return q, nil
}

func (q *Quirks) has(name string) bool { return q != nil && q.on[name] > 0 }

// strikes reports whether a quirk applies this time. The affected calls are spread evenly and start with the first, so
// that every run is the same.
func (q *Quirks) strikes(name string) bool {
	if !q.has(name) {
		return false
	}
	rate, n := q.on[name], float64(q.count("strikes "+name))
	return math.Ceil((n+1)*rate) > math.Ceil(n*rate)
}

// Release releases blocked jobs.
func (q *Quirks) Release() {
	if q != nil {
		q.once.Do(func() { close(q.free) })
	}
}

// Quirked wraps the handler of an operation in the enabled quirks.
func (q *Quirks) Quirked(op spec.Op, next http.HandlerFunc) http.HandlerFunc {
	q.raw[op.ID] = next
	for _, k := range AllQuirks() {
		if k.wrap != nil && q.has(k.Name) && (len(k.ops) == 0 || slices.ContainsFunc(k.ops,
			func(o spec.Op) bool { return o.ID == op.ID })) {
			plain, struck := next, k.wrap(q, op, next)
			if next = struck; k.Set == Harsh {
				next = func(w http.ResponseWriter, hr *http.Request) {
					if q.strikes(k.Name) {
						struck(w, hr)
						return
					}
					plain(w, hr)
				}
			}
		}
	}
	return next
}

// count increments the count of an event and returns the previous value.
func (q *Quirks) count(what string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.times[what]
	q.times[what] = n + 1
	return n
}

// answer is a reply that can be inspected before it is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// answerOf runs a handler and records its reply.
func answerOf(next http.HandlerFunc, hr *http.Request) answer {
	rec := &keepWriter{header: http.Header{}}
	sw := &web.StatusWriter{ResponseWriter: rec}
	next(sw, hr)
	if sw.Status == 0 {
		sw.Status = http.StatusOK
	}
	return answer{sw.Status, rec.header, rec.body.Bytes()}
}

type keepWriter struct {
	header http.Header
	body   bytes.Buffer
}

func (w *keepWriter) Header() http.Header         { return w.header }
func (w *keepWriter) WriteHeader(int)             {}
func (w *keepWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

func (a answer) send(w http.ResponseWriter) {
	for k, vs := range a.header {
		w.Header()[k] = vs
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// value decodes the body; set stores the changed value.
func (a answer) value() any {
	v, err := jsontext.Decode(a.body)
	if err != nil {
		return nil
	}
	return v
}

func (a *answer) set(v any) {
	raw, err := json.Marshal(v)
	if err == nil {
		a.body = raw
	}
}

// refuse replaces the reply by an error in the shape of data routes.
func (a *answer) refuse(status int, message string) {
	a.status, a.header = status, http.Header{"Content-Type": {"application/json"}}
	a.set(map[string]any{"errorCode": 100, "message": message})
}

// edited returns a quirk that changes replies.
func edited(change func(q *Quirks, op spec.Op, hr *http.Request,
	a *answer)) func(*Quirks, spec.Op, http.HandlerFunc) http.HandlerFunc {
	return func(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, hr *http.Request) {
			a := answerOf(next, hr)
			change(q, op, hr, &a)
			a.send(w)
		}
	}
}

// failed returns a quirk that changes replies with an error status; others are streamed.
func failed(change func(op spec.Op, a *answer)) func(*Quirks, spec.Op, http.HandlerFunc) http.HandlerFunc {
	return func(_ *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, hr *http.Request) {
			sw, ok := w.(*web.StatusWriter)
			if !ok {
				next(w, hr)
				return
			}
			f := &failureWriter{ResponseWriter: sw.ResponseWriter}
			sw.ResponseWriter = f
			next(sw, hr)
			sw.ResponseWriter = f.ResponseWriter
			if f.status != 0 {
				a := answer{f.status, f.Header(), f.body.Bytes()}
				change(op, &a)
				a.send(f.ResponseWriter)
				sw.Status = a.status
			}
		}
	}
}

// failureWriter records replies with an error status.
type failureWriter struct {
	http.ResponseWriter
	status int // 0 until there is an error
	body   bytes.Buffer
}

func (w *failureWriter) WriteHeader(status int) {
	if status < 400 {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status = status
}

func (w *failureWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(p)
	}
	return w.body.Write(p)
}

func (w *failureWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// asked returns a quirk that changes requests: change gets the decoded body and may return another one.
func asked(change func(q *Quirks, op spec.Op, body any) any) func(*Quirks, spec.Op, http.HandlerFunc) http.HandlerFunc {
	return func(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, hr *http.Request) {
			if v := bodyOf(hr); v != nil {
				if raw, err := json.Marshal(change(q, op, v)); err == nil {
					hr.Body = io.NopCloser(bytes.NewReader(raw))
				}
			}
			next(w, hr)
		}
	}
}

// bodyOf decodes the body of a request and restores it for reading; nil if it is not JSON.
func bodyOf(hr *http.Request) any {
	raw, err := io.ReadAll(io.LimitReader(hr.Body, web.MaxBody+1))
	hr.Body = io.NopCloser(io.MultiReader(bytes.NewReader(raw), hr.Body))
	if err != nil {
		return nil
	}
	return answer{body: raw}.value()
}

// Sticks blocks a refresh of a table that the hosted zones never finish, until the gateway stops, and reports whether
// it did.
func (q *Quirks) Sticks(ctx context.Context, table string) bool {
	if !q.has(quirkStuckCache) || !slices.Contains([]string{"terminal_configurations", "owners", "pipelines",
		"products", "feedback_submissions"}, table) {
		return false
	}
	select {
	case <-ctx.Done():
	case <-q.free:
	}
	return true
}
