// Package api is the typed client of the gateway: one service per group of endpoints, one method per operation, and a
// streaming reader for results. It does not depend on terminals or files.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/internal/loopback"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/go-resty/resty/v2"
)

// maxReply limits an ordinary (not streamed) reply after decompression; results of SQL are streamed and have no limit.
const maxReply = 256 << 20

// Options configure a Client.
type Options struct {
	BaseURL   string // address up to and including /api/v1, without a trailing slash
	Key       string // sent as "Authorization: Bearer <key>" [S]; empty sends no header
	UserAgent string // empty: "dig"
	// nil: one of Network; one that fails without sending marks its errors with outcome.Unsent
	Transport http.RoundTripper
	Network   Network       // how connections are made; links to files use its Roots even if Transport is set
	Timeout   time.Duration // for one call, and for pauses within a streamed one; 0 for the limits of limits.go
	Patient   bool          // no limit on pauses once a reply has started: for a gateway in the same process
	// the gateway is known to preserve %2F and %5C within a path segment; otherwise, names that contain them are
	// rejected
	Slashes  bool
	Retries  int   // number of retries of a call that changes nothing, see retry.go; 0 for none
	MaxReply int64 // maximum size of an ordinary reply after decompression; 0: 256 MiB
	// hosts from which files of exports may be downloaded, with their subdomains, besides the gateway's own site and
	// known stores
	LinkHosts []string
	Trace     func(Exchange) // called after every exchange, nil for none

	// Lacks is called with what is missing from a successful answer, if not nil; its error ends the call.
	Lacks func(Omission) error

	// Before is called before a call of an operation is sent, if not nil; its error ends the call. The time it takes
	// counts toward no limit.
	Before func(ctx context.Context, op spec.Op) error

	// Permit, if not nil, is called before a request is sent that changes something or may do so, with a description of
	// it such as "deleteQuery changes something". Its error ends the call.
	Permit func(ctx context.Context, what string) error
}

// Exchange describes a call for Options.Trace: once when the header of the reply was received, and again, with
// BodyOnly, when its body was read. It never contains the key; masking secrets in bodies is up to the receiver.
type Exchange struct {
	Method, URL string
	Status      int // 0 if no reply was received
	Elapsed     time.Duration
	Err         error

	Sent     http.Header // the request header, without the key
	SentBody string      // its JSON body; other bodies are omitted
	Header   http.Header // the reply header
	Body     string      // the beginning of a text body, at most 4 KiB
	Bytes    int64       // number of bytes read from the body
	BodyOnly bool        // the exchange was reported before; this adds its body
}

// Client calls the gateway. It is safe for concurrent use.
type Client struct {
	http    *resty.Client
	base    string
	limits  limits
	set     time.Duration // Options.Timeout
	retries int
	most    int64
	slashes bool
	trace   func(Exchange)
	before  func(context.Context, spec.Op) error
	lacks   func(Omission) error
	links   links
	files   http.RoundTripper // for links to other hosts than the gateway

	bindArgs atomic.Bool // the gateway accepts the bindings of a statement under this name only

	Services
}

// New returns a client. It does not connect.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("base address %q is not an http or https URL", o.BaseURL)
	}
	if o.UserAgent == "" {
		o.UserAgent = "dig"
	}
	if o.MaxReply == 0 {
		o.MaxReply = maxReply
	}
	if o.Transport == nil {
		t := NewTransport(o.Network)
		// gzip triples the CPU time of a result; it pays off on a slow link only
		t.DisableCompression = loopback.Is(u.Hostname())
		o.Transport = t
	}
	if t, plain := o.Transport.(*http.Transport); plain {
		o.Transport = outcome.Transport{Transport: t}
	}
	if o.Permit != nil {
		o.Transport = &guarded{next: o.Transport, base: strings.TrimRight(u.EscapedPath(), "/"), permit: o.Permit}
	}
	h := resty.NewWithClient(&http.Client{Transport: o.Transport}).
		SetHeader("User-Agent", o.UserAgent).
		SetRedirectPolicy(resty.RedirectPolicyFunc(func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		})).
		SetLogger(silent{}).
		SetDisableWarn(true).
		SetPreRequestHook(streamBody)
	if o.Key != "" {
		h.SetHeader("Authorization", "Bearer "+o.Key)
	}
	c := &Client{http: h, base: strings.TrimRight(o.BaseURL, "/"), limits: newLimits(o), set: o.Timeout,
		retries: o.Retries, most: o.MaxReply, slashes: o.Slashes, trace: o.Trace, before: o.Before, lacks: o.Lacks}
	c.links = links{base: c.base, hosts: o.LinkHosts}
	c.files = newFileTransport(c.links, o.Network)
	c.Services = newServices(c)
	return c, nil
}

// BaseURL returns the address the client calls.
func (c *Client) BaseURL() string { return c.base }

type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// Payload is a request body that is not JSON, such as a multipart upload. Reader is read once.
type Payload struct {
	ContentType string
	Reader      io.Reader
	// the call may take as long as the upload needs, unless Options.Timeout is set, but pauses in it are limited
	Slow bool
}

// Reply is an open answer; the caller closes Body.
type Reply struct {
	Status int
	Header http.Header
	Body   io.ReadCloser

	most   int64
	cut    func(error) error // explains why the body is not complete
	change bool              // the request was to change something
}

// ErrTooLarge is returned by ReadAll for a reply that is larger than the client accepts.
var ErrTooLarge = errors.New("the reply is too large")

// ReadAll reads the whole body. It fails with ErrTooLarge, wrapped, instead of using unlimited memory: a compressed
// reply may expand a thousandfold.
func (r *Reply) ReadAll() ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, r.most+1))
	if err != nil && r.cut != nil {
		err = r.cut(err)
	}
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > r.most {
		return nil, fmt.Errorf("%w: it has more than %d MiB", ErrTooLarge, r.most>>20)
	}
	return raw, nil
}

// ends has end called when the body of the reply was read or is closed, or at once with the error of a request without
// a reply.
func (r *Reply) ends(end func(error), err error) {
	if err != nil || r == nil {
		end(err)
		return
	}
	r.Body = &endingBody{r.Body, r.cut, end}
}

type endingBody struct {
	io.ReadCloser
	cut func(error) error
	end func(error)
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.end(nil)
	case err != nil:
		b.end(b.cut(err))
	}
	return n, err
}

func (b *endingBody) Close() error {
	b.end(nil)
	return b.ReadCloser.Close()
}

// payloadKey carries the reader of a Payload to streamBody. resty reads any body it knows of into memory, to be able to
// send it again, so this one is hidden from it.
type payloadKey struct{}

// noKey marks a request that must not contain the key. resty passes only the request to streamBody.
type noKey struct{}

func streamBody(_ *resty.Client, req *http.Request) error {
	if req.Context().Value(noKey{}) != nil {
		req.Header.Del("Authorization")
	}
	if r, ok := req.Context().Value(payloadKey{}).(io.Reader); ok {
		req.Body, req.GetBody, req.ContentLength = io.NopCloser(r), nil, -1
	}
	return nil
}

// Do sends a request to a path below the base address and returns the open reply whatever its status. body may be nil,
// a Payload, raw JSON ([]byte or json.RawMessage) or a value to be marshalled. All methods use it, and callers may use
// it for paths without a method. It has no time limit but ctx; see Bounded.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, header http.Header,
	body any) (*Reply, error) {
	ctx, end := outcome.Await(ctx)
	rep, err := c.do(ctx, method, path, query, header, body, c.limits.query, c.limits.idle)
	defer func() { rep.ends(end, err) }()
	if op, known := spec.Of(method, path); known && op.Safe() || !known && (method == http.MethodGet ||
		method == http.MethodHead) {
		return rep, err
	}
	if err == nil {
		rep.change, rep.cut = true, func(err error) error {
			return ofChange(transportError(ctx, method,
				c.base+path, err))
		}
	}
	return rep, ofChange(err)
}

// do is Do with limits on the time until the reply starts, and on the pauses in it.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, header http.Header, body any, wait,
	idle time.Duration) (*Reply, error) {
	rep, err := watched(ctx, method, c.base+path, wait, idle, func(w *watch) (*Reply, error) {
		if p, ok := body.(Payload); ok {
			p.Reader = watchedUpload{p.Reader, w, wait}
			body = p
		}
		return c.send(w.ctx, method, path, query, header, body)
	})
	if err != nil {
		return nil, err
	}
	rep.cut = func(err error) error { return transportError(ctx, method, c.base+path, err) }
	if c.lacks == nil || rep.Status > 299 {
		return rep, nil
	}
	for _, o := range Omissions(rep.Header) {
		if err := c.lacks(o); err != nil {
			rep.Body.Close()
			return nil, err
		}
	}
	return rep, nil
}

func (c *Client) send(ctx context.Context, method, path string, query url.Values, header http.Header,
	body any) (*Reply, error) {
	req := c.http.R().SetContext(ctx).SetDoNotParseResponse(true)
	for k, vs := range header {
		for _, v := range vs {
			req.Header.Add(k, v)
		}
	}
	if len(query) > 0 {
		req.SetQueryParamsFromValues(query)
	}
	if req.Header.Get("Accept") == "" {
		req.SetHeader("Accept", "application/json, */*;q=0.5")
	}
	switch b := body.(type) {
	case nil:
	case Payload:
		req.SetHeader("Content-Type", b.ContentType).SetContext(context.WithValue(ctx, payloadKey{}, b.Reader))
	case []byte:
		if err := setJSON(req, b); err != nil {
			return nil, outcome.Unsent(err)
		}
	case json.RawMessage:
		if err := setJSON(req, b); err != nil {
			return nil, outcome.Unsent(err)
		}
	default:
		raw, err := marshalRequest(b)
		if err == nil {
			err = setJSON(req, raw)
		}
		if err != nil {
			return nil, outcome.Unsent(err)
		}
	}
	told := ""
	if c.trace != nil {
		if r, ok := req.Body.(*bytes.Reader); ok && strings.HasPrefix(req.Header.Get("Content-Type"),
			"application/json") {
			raw := make([]byte, r.Size())
			if _, err := r.ReadAt(raw, 0); err == nil {
				told = string(raw)
			}
		}
	}
	start := time.Now()
	res, err := req.Execute(method, c.base+path)
	ex := Exchange{Method: method, URL: c.base + path, Elapsed: time.Since(start), Err: err}
	if len(query) > 0 {
		ex.URL += "?" + hideSignature(query).Encode()
	}
	if err == nil {
		ex.Status = res.StatusCode()
	}
	if ue := (*url.Error)(nil); errors.As(err, &ue) { // its text contains the address with the query string
		ex.Err = ue.Err
	}
	if c.trace != nil {
		ex.Sent = req.Header.Clone()
		ex.Sent.Del("Authorization")
		if err == nil {
			ex.Header = res.Header()
		}
		ex.SentBody = told
		c.trace(ex)
	}
	if err != nil {
		return nil, transportError(ctx, method, c.base+path, err)
	}
	rep := &Reply{Status: res.StatusCode(), Header: res.Header(), Body: res.RawBody(), most: c.most}
	if c.trace != nil {
		rep.Body = &tracedBody{ReadCloser: rep.Body, ex: Exchange{Method: method, URL: ex.URL, Status: ex.Status,
			Header: ex.Header, BodyOnly: true}, tell: c.trace}
	}
	return rep, nil
}

// hideSignature removes the signature from a signed link, which gives access to a file like a key.
func hideSignature(q url.Values) url.Values {
	if !q.Has("signature") {
		return q
	}
	q = maps.Clone(q)
	q.Set("signature", "hidden")
	return q
}

func setJSON(req *resty.Request, raw []byte) error {
	if req.Header.Get("Content-Type") == "" {
		req.SetHeader("Content-Type", "application/json")
	}
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		if err := validJSON(raw); err != nil {
			return err
		}
	}
	req.SetBody(bytes.NewReader(raw))
	return nil
}

// Marshal encodes JSON without escaping <, > and &, which are frequent in SQL.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
