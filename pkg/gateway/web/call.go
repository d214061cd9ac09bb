package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/spec"
)

// Call is a request that has ended, as its line in the log and its observers have it. It holds nothing secret.
type Call struct {
	ID       string
	Op       spec.Op // zero if the request reached no operation
	Method   string
	Path     string
	Parent   string // the header traceparent
	Project  string // once the caller may use it
	Key      string // ID of the caller's key; empty for the owner of the data directory
	Source   string // where it was received, see Scope.Source
	Remote   string // address of the caller, without the port
	Start    time.Time
	Took     time.Duration
	Status   int
	Aborted  bool  // the reply was aborted after its start
	Received int64 // bytes of the request's body
	Sent     int64 // bytes of the reply's body
	Rows     int64 // of the result of a statement, or that an import has stored
}

type callKey struct{} // the Call of a request that is being handled

// callOf returns the record of the request; outside of one it returns a record that nobody reads.
func callOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// CountRows adds to the rows of the request's result or import.
func CountRows(ctx context.Context, n int64) { callOf(ctx).Rows += n }

// shownPath is the path for the log. A caller with a wrong address may have put its key there.
func (c *Call) shownPath() string {
	path := c.Path
	if c.Op.ID == "" || strings.ContainsAny(path, ".=") { // looking costs a third of a short statement, ids need none
		path = secret.Hide(clip.Bytes(path, 4<<10))
	}
	return clip.Runes(path, 500)
}

// line is what the log has of a call.
func (c *Call) line() []slog.Attr {
	out := []slog.Attr{slog.String("id", c.ID), slog.String("method", clip.Runes(c.Method, 20)),
		slog.String("path", c.shownPath()),
		slog.Int("status", c.Status), slog.Int64("bytes", c.Sent), slog.Int64("ms", c.Took.Milliseconds())}
	for _, a := range []slog.Attr{slog.String("op", c.Op.ID), slog.String("project", c.Project),
		slog.String("key", c.Key), slog.String("source", c.Source), slog.String("remote", c.Remote)} {
		if a.Value.String() != "" {
			out = append(out, a)
		}
	}
	if c.Received > 0 {
		out = append(out, slog.Int64("received", c.Received))
	}
	if c.Aborted {
		out = append(out, slog.Bool("aborted", true))
	}
	if c.Rows > 0 {
		out = append(out, slog.Int64("rows", c.Rows))
	}
	return out
}

// ended logs a call and tells its observer. What asks whether the gateway is healthy, every few seconds, is logged only
// if it is not.
func (s *Mux) ended(c *Call) {
	level := slog.LevelInfo
	if probes(c.Path) && c.Status < http.StatusBadRequest && !c.Aborted {
		level = slog.LevelDebug
	}
	s.Log.LogAttrs(context.Background(), level, "request", c.line()...)
	if s.Observe != nil {
		s.Observe(*c)
	}
}

// countedBody counts the bytes of a request's body.
type countedBody struct {
	io.ReadCloser
	call *Call
}

func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.call.Received += int64(n)
	return n, err
}
