package web

import (
	"io"
	"net/http"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/late"
)

// Limits are the resource limits of a caller of a served gateway. Zero values mean no limit.
type Limits struct {
	Statement time.Duration // longest a statement may run
	Upload    int64         // largest CSV document, in bytes after unpacking
	Silence   time.Duration // longest pause in the body of a request
	Stall     time.Duration // longest time that a reply waits for its reader to read anything
	// total size of the files of all exports, of which the oldest are removed; 0 for 64 GiB, negative for no limit
	Exports int64
}

// defaultExports is the default of the total size of export files.
const defaultExports = 64 << 30

// ExportBytes returns the effective limit; 0 for none.
func (l Limits) ExportBytes() int64 {
	if l.Exports == 0 {
		return defaultExports
	}
	return max(0, l.Exports)
}

// Limits that are not configurable.
const (
	MaxHeader  = 64 << 10         // size of a request's header
	HeaderTime = 10 * time.Second // until the header is complete
	IdleTime   = 2 * time.Minute  // between two requests on a connection
)

// maxBodyDepth limits the nesting of lists and objects in a request: each level is decoded once more for every level
// around it.
const maxBodyDepth = 100

// TimeoutOf returns the time limit of a statement: what the request specifies in seconds, but no more than the gateway
// allows. Nil and 0 specify nothing.
func (s *Mux) TimeoutOf(seconds *int64) time.Duration {
	most := s.Limits.Statement
	if seconds == nil || *seconds <= 0 || *seconds > int64(1<<62/time.Second) {
		return most
	}
	asked := time.Duration(*seconds) * time.Second
	if most > 0 && asked > most {
		return most
	}
	return asked
}

// patient gives every read of a request's body its own time limit: a large upload may take long, but a sender may not
// pause for long.
func (s *Mux) patient(w http.ResponseWriter, hr *http.Request) {
	if s.Limits.Stall > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // of the previous reply on this connection
	}
	if d := s.Limits.Silence; d > 0 && hr.Body != nil && hr.Body != http.NoBody {
		hr.Body = &patientBody{ReadCloser: hr.Body, conn: http.NewResponseController(w), d: d}
	}
}

type patientBody struct {
	io.ReadCloser
	conn *http.ResponseController
	d    time.Duration
	over bool
}

func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.conn.SetReadDeadline(time.Now().Add(b.d)) // not all transports have deadlines
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		// from here on the connection is read to detect whether the caller has disconnected
		_ = b.conn.SetReadDeadline(time.Time{})
	case fault.Silent(err):
		b.over = true
	}
	return n, err
}

// fellSilent reports whether reading the body of a request was abandoned. Its context is cancelled then, as if the
// caller had disconnected.
func fellSilent(hr *http.Request) bool {
	b, ok := hr.Body.(*patientBody)
	return ok && b.over
}

var literals = late.Regexp(`'(?:[^']|'')*'?|"(?:[^"]|"")*"?`)

// ForLog removes quoted parts from a text: values and names that belong to users.
func ForLog(text string) string { return literals().ReplaceAllString(text, "'...'") }

const (
	tidyQuiet = 5 * time.Second // time without calls before the state file is checked
)

// Called counts a call as active until end is called.
func (s *Mux) Called() (end func()) {
	s.calls.Add(1)
	return func() {
		s.lastCall.Store(s.Now().UnixNano())
		s.calls.Add(-1)
	}
}

// Active is the number of active calls.
func (s *Mux) Active() int64 { return s.calls.Load() }

// Quiet reports whether there are no active calls, and were none for a while.
func (s *Mux) Quiet(now time.Time) bool {
	return s.calls.Load() == 0 && now.Sub(time.Unix(0, s.lastCall.Load())).Abs() >= tidyQuiet
}
