package outcome

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
)

// Transport sends requests by Send.
type Transport struct{ Transport *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return Send(t.Transport, req)
}

// Send sends a request through a transport of net/http. Its error is marked as Unsent if there was no connection: it
// could not be dialled, the proxy did not connect it, or the TLS handshake failed. The errors of net/http do not tell:
// each kind of connection has others, and some occur before a request as well as after it.
//
// net/http repeats requests of HTTP/2 that were sent: after REFUSED_STREAM and some GOAWAY, by which a server says that
// it has not begun, but also after PROTOCOL_ERROR, which may end any request, and without a limit. Send has it repeat
// only those that read, and these a few times.
func Send(t http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, stop := context.WithCancelCause(req.Context())
	w := way{stop: stop}
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		w.most = mostRepeats
	}
	resp, err := t.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			w.repeats()
			// otherwise net/http asks for another connection only after one on which nothing was sent
			if !declaredRepeatable(req) {
				w.begun.Store(false)
			}
		},
		GotConn: func(c httptrace.GotConnInfo) {
			w.repeats()
			w.begun.Store(true)
			w.reused.Store(c.Reused)
			over, ok := c.Conn.(interface{ ConnectionState() tls.ConnectionState })
			w.http2.Store(ok && over.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { w.wrote.Store(w.http2.Load()) },
	})))
	if err == nil {
		return resp, nil // the context ends with that of the request: the body is read under it
	}
	defer stop(nil)
	if req.Context().Err() == nil && errors.Is(context.Cause(ctx), errReset) {
		return nil, errReset
	}
	if !w.sent(err) {
		err = Unsent(err)
	}
	return nil, err
}

// errReset is the error of a request that would have been sent again. net/http does not tell why.
var errReset = errors.New("the stream was reset")

// mostRepeats is how often net/http may repeat a request that reads.
const mostRepeats = 3

// way records how far a request has got.
type way struct {
	stop                        context.CancelCauseFunc
	begun, reused, http2, wrote atomic.Bool
	most, times                 int
}

// repeats is called when a request of HTTP/2 may be about to be sent again. One that is stopped here is not sent:
// before it writes the header, net/http looks whether the context has ended.
func (w *way) repeats() {
	if !w.wrote.Swap(false) {
		return
	}
	if w.times++; w.times > w.most {
		w.stop(errReset)
	}
}

// sent reports whether the request was begun. With TLS 1.3 a server rejects the certificate of a client after the
// client has completed its part of the handshake and has sent the request.
func (w *way) sent(err error) bool {
	return w.begun.Load() && (w.reused.Load() || !certificateAlert(err))
}

// declaredRepeatable reports whether net/http may repeat a request of HTTP/1.1 that was sent.
func declaredRepeatable(req *http.Request) bool {
	return req.Header["Idempotency-Key"] != nil || req.Header["X-Idempotency-Key"] != nil
}

// certificateAlerts are the alerts of RFC 8446 by which a server rejects the certificate of a client, or its absence.
func certificateAlerts() []tls.AlertError { return []tls.AlertError{42, 43, 44, 45, 46, 48, 49, 116} }

// certificateAlert reports whether the server ended the connection by such an alert.
func certificateAlert(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" || op.Err == nil {
		return false
	}
	return slices.ContainsFunc(certificateAlerts(), func(a tls.AlertError) bool { // crypto/tls does not export the type
		return a.Error() == op.Err.Error()
	})
}
