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
}

// The bounds that are not settings.
const (
	maxHeader  = 64 << 10         // bytes of a request's header
	headerTime = 10 * time.Second // until the header is complete
	idleTime   = 2 * time.Minute  // between two requests of a connection
)

// timeoutOf is the time a statement may take: what the request asks for in seconds, but no more than the gateway allows. Nil and 0
// ask for nothing.
func (g *Gateway) timeoutOf(seconds *int64) time.Duration {
	most := g.options.Limits.Statement
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
func (g *Gateway) patient(w http.ResponseWriter, hr *http.Request) {
	if d := g.options.Limits.Silence; d > 0 && hr.Body != nil && hr.Body != http.NoBody {
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
