// Package protocol speaks Trino's HTTP protocol: a statement is posted, and its pages are read one after another until
// there is no next one.
//
// It uses no driver. Of a million rows of ten columns Go's client for database/sql took four times the time and,
// because it decodes each cell to an interface value, more than twice the memory; and what is needed here besides rows
// (the place of an error, cancelling by the address of the next page, types with their precision) it does not pass on.
package protocol

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/retry"
)

// Options are how a cluster is reached.
type Options struct {
	URL          string // of the coordinator, or of what stands before it
	User         string
	PasswordFile string // sent with User over TLS; read for every statement, so that it may change
	TokenFile    string // a JSON web token, likewise
	CAFile       string // of certificates that are trusted instead of those of the system
	CertFile     string // of the client
	KeyFile      string
	Version      string // of the program, for User-Agent
}

// Client sends statements to a cluster. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
	// of Alien
	alien    bool
	password string
}

// Alien is the client of somebody who has the address only, or knows no better than to try a password. The cluster must
// refuse it.
func (c *Client) Alien(password string) *Client {
	t := c.http.Transport.(*http.Transport).Clone()
	t.TLSClientConfig.Certificates = nil
	o := c.o
	o.PasswordFile, o.TokenFile = "", ""
	return &Client{o: o, base: c.base, http: &http.Client{Transport: t, CheckRedirect: c.http.CheckRedirect},
		alien: true, password: password}
}

// New checks the options. Nothing is sent.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil {
		return nil, err
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" {
		return nil, fmt.Errorf("%q is not the address of a coordinator, such as https://trino.example.com:8443", o.URL)
	}
	if base.Scheme == "http" && (o.PasswordFile != "" || o.TokenFile != "" || o.CertFile != "" || o.CAFile != "") {
		return nil, errors.New("a password, a token and certificates need an address that begins with https://")
	}
	if o.PasswordFile != "" && o.TokenFile != "" {
		return nil, errors.New("a password and a token are mutually exclusive")
	}
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		// A page is small, and waiting for it is what the coordinator does for a second at most.
		ResponseHeaderTimeout: 2 * time.Minute,
		DisableCompression:    true, // it costs more than it saves where the coordinator is near
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12}}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", o.CAFile)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, errors.New("a client certificate and its key are given together or not at all")
	}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	c := &Client{o: o, base: base, http: &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	_, err = c.credential()
	return c, err
}

// Close closes the connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// credential is what authenticates a request.
func (c *Client) credential() (func(*http.Request), error) {
	if c.password != "" {
		return func(r *http.Request) { r.SetBasicAuth(c.o.User, c.password) }, nil
	}
	name := c.o.PasswordFile + c.o.TokenFile
	if name == "" {
		return func(*http.Request) {}, nil
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	secret := strings.TrimRight(string(raw), "\r\n")
	if secret == "" {
		return nil, fmt.Errorf("%s is empty", name)
	}
	if c.o.TokenFile != "" {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }, nil
	}
	return func(r *http.Request) { r.SetBasicAuth(c.o.User, secret) }, nil
}

// Request is a statement.
type Request struct {
	SQL     string
	User    string            // whose rights count, "" for Options.User, who must be admitted to act as that user
	Tags    []string          // for resource groups
	Session map[string]string // properties
	Once    bool              // it changes something: it is not sent again if it may have arrived
}

// Error is an error that the cluster reports of a statement.
type Error struct {
	Message  string `json:"message"`
	Name     string `json:"errorName"`
	Type     string `json:"errorType"`
	Location *struct {
		Line   int `json:"lineNumber"`
		Column int `json:"columnNumber"`
	} `json:"errorLocation"`
}

func (e *Error) Error() string { return e.Message }

// ErrNotAdmitted is wrapped by the error of a request whose credential the cluster refuses.
var ErrNotAdmitted = errors.New("not admitted")

// UnreachableError is the error of a cluster that does not answer, or not with what the protocol says.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return "the cluster cannot be used: " + e.Err.Error() }
func (e *UnreachableError) Unwrap() error { return e.Err }

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Page is a part of a result.
type Page struct {
	ID      string
	Columns []Column // nil while they are not known
	Data    []byte   // an array of rows, each an array of values; nil for none; valid until the next page
	Count   int64    // of the rows that a statement has changed, -1 for none
	next    string
}

// patience is how long a request is repeated to which the cluster does not reply.
const patience = 20 * time.Second

// maxPage is the size of a page that is read: a cluster sends a few megabytes, and one row more than that.
const maxPage = 1 << 30

// Query is a statement that was sent.
type Query struct {
	c      *Client
	auth   func(*http.Request)
	ID     string
	buf    bytes.Buffer
	Agreed []Column // the columns, once known

	mu   sync.Mutex
	next string // the address of the next page
}

// turn sets the address of the next page, and returns that of the current one.
func (q *Query) turn(to string) (from string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	from, q.next = q.next, to
	return from
}

// Start sends a statement. It must be ended with Close.
func (c *Client) Start(ctx context.Context, r Request) (*Query, error) {
	auth, err := c.credential()
	if err != nil {
		return nil, err
	}
	q := &Query{c: c, auth: auth}
	err = q.exchange(ctx, http.MethodPost, c.base.JoinPath("/v1/statement").String(), r.SQL, r.Once,
		func(h http.Header) {
			h.Set("X-Trino-User", cmp.Or(r.User, c.o.User))
			h.Set("X-Trino-Source", "dig")
			h.Set("X-Trino-Client-Capabilities", "PARAMETRIC_DATETIME")
			h.Set("X-Trino-Time-Zone", "UTC")
			if len(r.Tags) > 0 {
				h.Set("X-Trino-Client-Tags", strings.Join(r.Tags, ","))
			}
			for k, v := range r.Session {
				h.Add("X-Trino-Session", k+"="+url.QueryEscape(v))
			}
		})
	if err != nil {
		return nil, err
	}
	p, err := q.page()
	if err != nil {
		q.Close()
		return nil, err
	}
	q.ID = p.ID
	q.turn(p.next)
	return q, nil
}

// Next reads the next page; io.EOF is the end of the statement. The pages of one that is being planned are empty.
func (q *Query) Next(ctx context.Context) (*Page, error) {
	q.mu.Lock()
	at := q.next
	q.mu.Unlock()
	if at == "" {
		return nil, io.EOF
	}
	if err := q.exchange(ctx, http.MethodGet, at, "", false, func(http.Header) {}); err != nil {
		return nil, err
	}
	p, err := q.page()
	if err != nil {
		return nil, err
	}
	q.turn(p.next)
	if p.Columns != nil {
		q.Agreed = p.Columns
	}
	return p, nil
}

// Close ends the statement unless it has ended: one that is neither read to its end nor ended keeps its memory for
// minutes. It can be called while Next runs.
func (q *Query) Close() {
	if next := q.turn(""); next != "" {
		q.c.cancel(next, q.auth)
	}
}

// cancel ends the statement of a page.
func (c *Client) cancel(page string, auth func(*http.Request)) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, page, nil)
	if err != nil {
		return
	}
	auth(req)
	if resp, err := c.http.Do(req); err == nil {
		resp.Body.Close()
	}
}

// exchange sends a request and reads the reply into the buffer. A page can be requested again: the cluster keeps the
// last one.
func (q *Query) exchange(ctx context.Context, method, to, body string, once bool, headers func(http.Header)) error {
	var last error
	begun := time.Now()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		sent, err := q.try(ctx, method, to, body, headers)
		var again *againError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.As(err, &again) || once && sent:
			return err
		}
		if last = again.err; time.Since(begun) > patience {
			return &UnreachableError{last}
		}
		if retry.Sleep(ctx, wait) != nil {
			return context.Cause(ctx)
		}
	}
}

// againError is the error of a request that may succeed when it is sent again.
type againError struct{ err error }

func (e *againError) Error() string { return "the cluster cannot be used: " + e.err.Error() }
func (e *againError) Unwrap() error { return e.err }

func (q *Query) try(ctx context.Context, method, to, body string, headers func(http.Header)) (sent bool, err error) {
	req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header.Set("User-Agent", "dig/"+q.c.o.Version)
	headers(req.Header)
	q.auth(req)
	resp, err := q.c.http.Do(req)
	if err != nil {
		if alert := (*net.OpError)(nil); q.c.alien && errors.As(err, &alert) && alert.Op == "remote error" {
			return false, &UnreachableError{errors.Join(ErrNotAdmitted, err)} // it asks for a certificate
		}
		var certificate *tls.CertificateVerificationError
		if errors.As(err, &certificate) {
			return false, &UnreachableError{err}
		}
		return !errors.Is(err, syscall.ECONNREFUSED), &againError{err}
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests:
		return resp.StatusCode == http.StatusGatewayTimeout, &againError{errors.New(resp.Status)}
	case http.StatusUnauthorized, http.StatusForbidden:
		return false, &UnreachableError{fmt.Errorf("%s: user %q is %w", resp.Status, q.c.o.User, ErrNotAdmitted)}
	case http.StatusNotFound, http.StatusGone:
		if method == http.MethodGet {
			return true, &LostError{}
		}
		fallthrough
	default:
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return true, &UnreachableError{fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(text))}
	}
	q.buf.Reset()
	n, err := q.buf.ReadFrom(io.LimitReader(resp.Body, maxPage+1))
	if err == nil && n > maxPage {
		return true, &UnreachableError{fmt.Errorf("a page has more than %d bytes", maxPage)}
	}
	if err != nil {
		return true, &againError{err}
	}
	return true, nil
}

// LostError is the error of a statement that the coordinator does not know: it was restarted.
type LostError struct{}

func (*LostError) Error() string {
	return "the coordinator no longer knows the statement: it was restarted"
}

// page reads the page in the buffer. The rows are left as they are.
func (q *Query) page() (*Page, error) {
	var doc struct {
		ID      string          `json:"id"`
		Next    string          `json:"nextUri"`
		Columns []Column        `json:"columns"`
		Data    json.RawMessage `json:"data"`
		Count   *int64          `json:"updateCount"`
		Error   *Error          `json:"error"`
	}
	data, rest := cut(q.buf.Bytes())
	if err := json.Unmarshal(rest, &doc); err != nil {
		return nil, &UnreachableError{fmt.Errorf("the reply is not a page of a result: %w", err)}
	}
	p := &Page{ID: doc.ID, Columns: doc.Columns, Data: data, Count: -1}
	if doc.Count != nil {
		p.Count = *doc.Count
	}
	if doc.Next != "" {
		next, err := q.c.own(doc.Next)
		if err != nil {
			return nil, err
		}
		p.next = next
	}
	if doc.Error != nil {
		q.turn("")
		return nil, doc.Error
	}
	return p, nil
}

// own is the address of a page at the address of the coordinator that was given: the coordinator's own may be one that
// only the cluster can reach, and no other host gets the credential.
func (c *Client) own(next string) (string, error) {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(u.Path, "/v1/statement/") {
		return "", &UnreachableError{fmt.Errorf("the reply has a next page %q", next)}
	}
	to := c.base.JoinPath(u.Path)
	to.RawQuery = u.RawQuery
	return to.String(), nil
}
