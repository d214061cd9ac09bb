// Package post sends JSON documents to addresses that an operator or a caller has named: hooks, callbacks, collectors.
package post

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
)

// Refused is the error of an answer other than success.
type Refused struct {
	Host   string
	Answer *http.Response // without its body
}

func (r *Refused) Error() string { return r.Host + " answered " + r.Answer.Status }

// Client returns a client that does not follow redirects: a document is for the given address alone. rt is nil for the
// usual transport.
func Client(rt http.RoundTripper) *http.Client {
	return &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// JSON sends a document. Errors name only the host of the address, which may contain a password.
func JSON(ctx context.Context, client *http.Client, to string, header http.Header, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address is not valid")
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		if ue := (*url.Error)(nil); errors.As(err, &ue) {
			err = ue.Err
		}
		return fmt.Errorf("%s: %w", req.URL.Host, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection is used again
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return &Refused{req.URL.Host, res}
	}
	return nil
}
