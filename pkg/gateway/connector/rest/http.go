package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// client sends requests to one host, with rate limiting and retries.
type client struct {
	base           *url.URL
	doc            *document
	header, secret string
	http           *http.Client
	pace           pace
	now            func() time.Time
	sleep          func(context.Context, time.Duration) error
}

func newClient(base *url.URL, doc *document, header, secret string, reach connector.Reach) *client {
	c := &client{base: base, doc: doc, header: header, secret: secret, now: time.Now, sleep: retry.Sleep}
	c.http = &http.Client{
		Transport: &http.Transport{ // no proxy: the dialled addresses are those of the source
			DialContext: reach.Dialer(10 * time.Second), TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: doc.timeout(), MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: 1 << 20,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if err := sameOrigin(base, req.URL); err != nil {
				return &finalError{fmt.Errorf("the source redirects to another address: %w", err)}
			}
			if len(via) > 5 {
				return &finalError{errors.New("the source redirects more than 5 times")}
			}
			return nil
		},
	}
	return c
}

func (c *client) close() { c.http.CloseIdleConnections() }

// sameOrigin rejects every host, port and scheme other than those of the base address.
func sameOrigin(base, u *url.URL) error {
	if !strings.EqualFold(u.Scheme, base.Scheme) || !strings.EqualFold(u.Hostname(), base.Hostname()) ||
		port(u) != port(base) || u.User != nil {
		return fmt.Errorf("%s://%s is not %s://%s, the only address this connection may access", u.Scheme, u.Host,
			base.Scheme, base.Host)
	}
	return nil
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// finalError is an error that a retry cannot fix.
type finalError struct{ error }

func (e *finalError) Unwrap() error        { return e.error }
func (e *finalError) Is(target error) bool { return target == engine.ErrUnusable }

// get requests an address until it answers 200, and returns the body, which must be closed, and the header. Errors
// contain paths without their queries, which may contain private data.
func (c *client) get(ctx context.Context, u *url.URL) (io.ReadCloser, http.Header, error) {
	for try := 0; ; try++ {
		if err := c.pace.wait(ctx, c.doc.RequestsPerSecond, c.now, c.sleep); err != nil {
			return nil, nil, err
		}
		body, header, wait, err := c.once(ctx, u)
		if err == nil {
			return body, header, nil
		}
		err = fmt.Errorf("GET %s: %w", u.EscapedPath(), err)
		var final *finalError
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if errors.As(err, &final) {
			return nil, nil, err
		}
		if try >= *c.doc.Retries {
			if try > 0 {
				err = fmt.Errorf("%w (tried %d times)", err, try+1)
			}
			return nil, nil, err
		}
		if wait < 0 {
			wait = retry.Pause(try, c.doc.maxWait())
		} else if wait > c.doc.maxWait() {
			return nil, nil, fmt.Errorf("%w; the source asks to wait %v, longer than maxWait %v", err, wait,
				c.doc.maxWait())
		}
		if err := c.sleep(ctx, wait); err != nil {
			return nil, nil, err
		}
	}
}

// once sends one request. After a failure, wait is how long the source asks to wait, or negative.
func (c *client) once(ctx context.Context, u *url.URL) (_ io.ReadCloser, _ http.Header, wait time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer func() {
		if err != nil {
			cancel(nil)
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, -1, &finalError{err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "dig")
	if c.secret != "" {
		req.Header.Set(c.header, c.secret)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, nil, -1, c.plain(err)
	}
	if resp.StatusCode == http.StatusOK {
		return newBody(resp.Body, cancel, c.doc), resp.Header, -1, nil
	}
	said := c.excerpt(resp)
	resp.Body.Close()
	err = fmt.Errorf("the source returned %d %s%s", resp.StatusCode, http.StatusText(resp.StatusCode), said)
	if code := resp.StatusCode; code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout {
		err = &finalError{err}
	}
	wait, asked := retry.Requested(resp.Header, c.now())
	if !asked {
		wait = -1
	}
	return nil, nil, wait, err
}

// plain formats a network error without the address, since its query may contain private values.
func (c *client) plain(err error) error {
	var final *finalError
	if errors.As(err, &final) {
		return final
	}
	var refused *connector.RefusedError
	var cert *tls.CertificateVerificationError
	if errors.As(err, &refused) {
		return &finalError{refused}
	}
	if errors.As(err, &cert) {
		return &finalError{fmt.Errorf("the certificate of %s is not trusted: %w", c.base.Host, cert.Err)}
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("no response within %v", c.doc.timeout())
	}
	return err
}

// excerpt returns the beginning of an error's body, in one line and without the key.
func (c *client) excerpt(resp *http.Response) string {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 2048))
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(raw), "")), " ")
	for _, word := range append([]string{c.secret}, strings.Fields(c.secret)...) {
		if len(word) > 3 {
			s = strings.ReplaceAll(s, word, "***")
		}
	}
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "..."
	}
	if s == "" || strings.HasPrefix(s, "<") {
		return ""
	}
	return ": " + s
}

// pace spaces requests evenly.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

func (p *pace) wait(ctx context.Context, perSecond float64, now func() time.Time, sleep func(context.Context,
	time.Duration) error) error {
	if perSecond <= 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	t := now()
	at := p.next
	if at.Before(t) {
		at = t
	}
	p.next = at.Add(time.Duration(float64(time.Second) / perSecond))
	p.mu.Unlock()
	if at.Equal(t) {
		return ctx.Err()
	}
	return sleep(ctx, at.Sub(t))
}

// body limits the size of a response, and the time between two reads of it.
type body struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
	left   int64
	max    int64
	slow   error
	mu     sync.Mutex
}

func newBody(in io.ReadCloser, cancel context.CancelCauseFunc, doc *document) *body {
	b := &body{ReadCloser: in, cancel: cancel, limit: doc.timeout(), left: doc.MaxResponseMiB << 20,
		max: doc.MaxResponseMiB}
	b.timer = safely.AfterFunc(time.Hour, func() {
		b.mu.Lock()
		b.slow = fmt.Errorf("the source sent nothing for %v in the middle of a response", b.limit)
		b.mu.Unlock()
		cancel(nil)
	})
	b.timer.Stop()
	return b
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 { // one more byte is one too many
		p = p[:min(1, len(p))]
	} else if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	b.timer.Reset(b.limit) // time between two reads, which the reader takes, does not count
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	if n > 0 {
		if b.left == 0 {
			return 0, fmt.Errorf("the response is longer than %d MiB; use smaller pages or raise maxResponseMiB", b.max)
		}
		b.left -= int64(n)
	}
	if err != nil && err != io.EOF {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.slow != nil {
			err = b.slow
		}
	}
	return n, err
}

func (b *body) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
