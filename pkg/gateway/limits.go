package gateway

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/dig-cli/dig/pkg/late"
)

// Limits bound what one caller can take of a served gateway. Zero values are no limit.
type Limits struct {
	Statement time.Duration // longest a statement may run
	Upload    int64         // largest CSV document, in bytes after unpacking
	Silence   time.Duration // longest pause in the body of a request
	Stall     time.Duration // longest that a reply waits for its reader to take any of it
	Exports   int64         // bytes of the files of all exports together, of which the oldest go; 0 for DefaultExports, below 0 for any
}

// DefaultExports is how many bytes the files of exports may take if nothing else is set.
const DefaultExports = 64 << 30

// exports is the bound that holds; 0 is none.
func (l Limits) exports() int64 {
	if l.Exports == 0 {
		return DefaultExports
	}
	return max(0, l.Exports)
}

// The bounds that are not settings.
const (
	maxHeader  = 64 << 10         // bytes of a request's header
	headerTime = 10 * time.Second // until the header is complete
	idleTime   = 2 * time.Minute  // between two requests of a connection
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

// timeoutOf is the time a statement may take: what the request asks for in seconds, but no more than the gateway allows. Nil and 0
// ask for nothing.
func (g *webService) timeoutOf(seconds *int64) time.Duration {
	most := g.limits.Statement
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
func (g *webService) patient(w http.ResponseWriter, hr *http.Request) {
	if g.limits.Stall > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // of the reply before on this connection
	}
	if d := g.limits.Silence; d > 0 && hr.Body != nil && hr.Body != http.NoBody {
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
	case silent(err):
		b.over = true
	}
	return n, err
}

// fellSilent reports whether the body of a request was given up. Its context is cancelled then, as if the caller had gone.
func fellSilent(hr *http.Request) bool {
	b, ok := hr.Body.(*patientBody)
	return ok && b.over
}

// silent reports whether a body was given up because nothing came any more.
func silent(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

var literals = late.Regexp(`'(?:[^']|'')*'?|"(?:[^"]|"")*"?`)

// forLog takes out of a text what is quoted: values and names that belong to users.
func forLog(text string) string { return literals().ReplaceAllString(text, "'...'") }
