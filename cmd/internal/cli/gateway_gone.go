package cli

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/dig-cli/dig/pkg/outcome"
)

// errServerGone is the error of a request that was not sent because no server is listening any more.
var errServerGone = errors.New("the gateway has stopped")

// sendUnlessGone sends a request over a socket. After errServerGone the request is unchanged and can be sent elsewhere.
func sendUnlessGone(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	if req.Body == nil || req.Body == http.NoBody {
		resp, err := rt.RoundTrip(req)
		return resp, goneFrom(req, err)
	}
	body := &unsentBody{body: req.Body}
	sent := req.Clone(req.Context())
	sent.Body = body
	resp, err := rt.RoundTrip(sent)
	err = goneFrom(req, err)
	if closing := body.settle(errors.Is(err, errServerGone)); closing != nil && err != nil {
		err = errors.Join(err, closing)
	}
	return resp, err
}

func goneFrom(req *http.Request, err error) error {
	if outcome.Of(err) == outcome.NotSent && req.Context().Err() == nil {
		return errServerGone
	}
	return err
}

// unsentBody delays the Close of a body that was not read, until it is known whether the request will be sent
// elsewhere.
type unsentBody struct {
	body io.ReadCloser

	mu               sync.Mutex
	read, settled    bool
	closed, shutBody bool
}

func (b *unsentBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	b.read = true
	b.mu.Unlock()
	return b.body.Read(p)
}

func (b *unsentBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if !b.read && !b.settled {
		return nil
	}
	return b.shut()
}

// settle performs the delayed Close, unless the body will be used again.
func (b *unsentBody) settle(reuse bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settled = true
	if reuse || !b.closed {
		return nil
	}
	return b.shut()
}

func (b *unsentBody) shut() error {
	if b.shutBody {
		return nil
	}
	b.shutBody = true
	return b.body.Close()
}
