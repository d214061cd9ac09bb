package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/spool"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// LocalBaseURL is the base address under which the in-process transport serves; its host is never looked up.
const LocalBaseURL = zone.BaseURL

// Transport serves requests inside the process: the reply streams through a pipe, no port is opened.
func (g *Gateway) Transport() http.RoundTripper {
	return &processTransport{g.Web.Handler, spool.Options{Limit: g.Options.Spool, GiveUp: giveUp}}
}

// giveUp is how long a statement waits for a reader that reads nothing, after the limit of stored unread bytes is
// reached.
const giveUp = 5 * time.Minute

type processTransport struct {
	handler http.Handler
	spool   spool.Options
}

// RoundTrip runs the handler in a goroutine and returns when it has written the header.
func (t *processTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	ctx = context.WithValue(ctx, web.SourceKey{}, web.SourceProcess)
	if d := zone.DocumentOf(ctx); d != nil {
		d.Take()
	}
	hr := req.Clone(ctx)
	if hr.Body == nil {
		hr.Body = http.NoBody
	}
	hr.RequestURI = req.URL.RequestURI()
	pr, pw := spool.Pipe(t.spool)
	w := &web.PipeWriter{Head: http.Header{}, Pw: pw, Ready: make(chan struct{})}
	safely.Go(func() {
		defer cancel()
		defer hr.Body.Close()
		defer func() {
			err := io.EOF
			// the handler aborted its reply: http.ErrAbortHandler, or a bug that has been logged
			if p := recover(); p != nil {
				if err = io.ErrUnexpectedEOF; w.Why != "" {
					err = web.CutError(w.Why)
				}
			}
			w.Begin(http.StatusOK)
			pw.CloseWithError(err)
		}()
		t.handler.ServeHTTP(w, hr)
	})
	select {
	case <-w.Ready:
	case <-req.Context().Done():
		cancel()
		_ = pr.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	return &http.Response{
		Status: http.StatusText(w.Status), StatusCode: w.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.Sent, Body: &processBody{pr, cancel}, ContentLength: -1, Request: req,
	}, nil
}

type processBody struct {
	*spool.Reader
	cancel context.CancelFunc
}

// Close cancels the request and ends the pipe, so that the handler stops.
func (b *processBody) Close() error {
	b.cancel()
	return b.Reader.CloseWithError(errClosed)
}

var errClosed = errors.New("the reader closed the reply")
