package web

import (
	"io"
	"net/http"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/late"
)

// Limits bound what one caller can take of a served gateway. Zero values are no limit.
type Limits struct {
	Statement time.Duration // longest a statement may run
	Upload    int64         // largest CSV document, in bytes after unpacking
	Silence   time.Duration // longest pause in the body of a request
	Stall     time.Duration // longest that a reply waits for its reader to take any of it
	Exports   int64         // bytes of the files of all exports together, of which the oldest go; 0 for 64 GiB, below 0 for any
}

// defaultExports is how many bytes the files of exports may take if nothing else is set.
const defaultExports = 64 << 30

// ExportBytes is the bound that holds; 0 is none.
func (l Limits) ExportBytes() int64 {
	if l.Exports == 0 {
		return defaultExports
	}
	return max(0, l.Exports)
}

// The bounds that are not settings.
const (
	MaxHeader  = 64 << 10         // bytes of a request's header
	HeaderTime = 10 * time.Second // until the header is complete
	IdleTime   = 2 * time.Minute  // between two requests of a connection
)

// maxBodyDepth bounds how deep lists and objects of a request nest: each level is decoded once more for every level around it.
const maxBodyDepth = 100

// deepAt is the place where a JSON text nests too deep, or -1. The text need not be JSON.
func deepAt(raw []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxBodyDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// TimeoutOf is the time a statement may take: what the request asks for in seconds, but no more than the gateway allows. Nil and 0
// ask for nothing.
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

// patient gives every read of a request's body its own time limit: a large upload may take long, a sender that fell silent may not.
func (s *Mux) patient(w http.ResponseWriter, hr *http.Request) {
	if s.Limits.Stall > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // of the reply before on this connection
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
		_ = b.conn.SetReadDeadline(time.Time{}) // from here on the connection is read to see whether the caller is still there
	case fault.Silent(err):
		b.over = true
	}
	return n, err
}

// fellSilent reports whether the body of a request was given up. Its context is cancelled then, as if the caller had gone.
func fellSilent(hr *http.Request) bool {
	b, ok := hr.Body.(*patientBody)
	return ok && b.over
}

var literals = late.Regexp(`'(?:[^']|'')*'?|"(?:[^"]|"")*"?`)

// ForLog takes out of a text what is quoted: values and names that belong to users.
func ForLog(text string) string { return literals().ReplaceAllString(text, "'...'") }

const (
	tidyQuiet = 5 * time.Second // without a call, before the state file is looked at
)

// Called counts a call until the returned function is called.
func (s *Mux) Called() (end func()) {
	s.calls.Add(1)
	return func() {
		s.lastCall.Store(s.Now().UnixNano())
		s.calls.Add(-1)
	}
}

// Quiet reports whether no call goes on, and none did for a while.
func (s *Mux) Quiet(now time.Time) bool {
	return s.calls.Load() == 0 && now.Sub(time.Unix(0, s.lastCall.Load())).Abs() >= tidyQuiet
}
