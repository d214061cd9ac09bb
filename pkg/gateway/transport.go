package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// LocalBaseURL is the base address under which the in-process transport serves; its host is never looked up.
const LocalBaseURL = "http://localhost" + basePath

// Transport serves requests inside the process: the reply streams through a pipe, no port is opened.
func (g *Gateway) Transport() http.RoundTripper { return &processTransport{g.web.handler} }

type processTransport struct{ handler http.Handler }

// RoundTrip runs the handler in a goroutine of its own and returns when it has written the header.
func (t *processTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	ctx = context.WithValue(ctx, sourceKey{}, sourceProcess)
	hr := req.Clone(ctx)
	if hr.Body == nil {
		hr.Body = http.NoBody
	}
	hr.RequestURI = req.URL.RequestURI()
	pr, pw := io.Pipe()
	w := &pipeWriter{header: http.Header{}, pw: pw, ready: make(chan struct{})}
	safely.Go(func() {
		defer cancel()
		defer hr.Body.Close()
		defer func() {
			err := io.EOF
			if p := recover(); p != nil { // the handler cut its reply: http.ErrAbortHandler, or a bug already logged
				if err = io.ErrUnexpectedEOF; w.why != "" {
					err = cutError(w.why)
				}
			}
			w.begin(http.StatusOK)
			pw.CloseWithError(err)
		}()
		t.handler.ServeHTTP(w, hr)
	})
	select {
	case <-w.ready:
	case <-req.Context().Done():
		cancel()
		pr.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &processBody{pr, cancel}, ContentLength: -1, Request: req,
	}, nil
}

type processBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close tells the handler that nobody listens any more.
func (b *processBody) Close() error {
	b.cancel()
	return b.PipeReader.CloseWithError(errClosed)
}

var errClosed = errors.New("the reader closed the reply")

type pipeWriter struct {
	header http.Header
	sent   http.Header
	status int
	pw     *io.PipeWriter
	once   sync.Once
	ready  chan struct{}
	why    string // a reply that has begun is cut
	last   *time.Timer
}

// breakOff ends the pipe after a while with the reason, also while nobody reads it.
func (w *pipeWriter) breakOff(after time.Duration, why string) {
	w.last = safely.AfterFunc(after, func() { w.pw.CloseWithError(cutError(why)) })
}

// cutError is the end of a reply that was cut, with the reason; over a network nothing but the end would travel.
type cutError string

func (e cutError) Error() string { return string(e) }
func (cutError) Unwrap() error   { return io.ErrUnexpectedEOF }

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) begin(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}

func (w *pipeWriter) WriteHeader(status int) { w.begin(status) }

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.pw.Write(p)
}

// Flush satisfies http.Flusher; a pipe holds nothing back.
func (w *pipeWriter) Flush() { w.begin(http.StatusOK) }
