package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// open sends a bound operation, with retries, and returns the open reply of a success. Errors are *Error.
func (c *Client) open(ctx context.Context, b spec.Bound, body any) (rep *Reply, err error) {
	ctx, end := outcome.Await(ctx)
	defer func() { rep.ends(end, err) }()
	if err := c.ready(ctx, b); err != nil {
		return nil, err
	}
	err = c.again(ctx, b.Op, body, func() error {
		rep, err = c.openOnce(ctx, b, body)
		return err
	})
	return rep, err
}

// ready checks a bound operation before it is sent for the first time.
func (c *Client) ready(ctx context.Context, b spec.Bound) error {
	switch {
	case b.Err != nil:
		return outcome.Unsent(b.Err)
	case b.Slash != nil && !c.slashes:
		return outcome.Unsent(b.Slash)
	case c.before != nil:
		return outcome.Unsent(c.before(ctx, b.Op))
	}
	return nil
}

func (c *Client) openOnce(ctx context.Context, b spec.Bound, body any) (*Reply, error) {
	wait, idle := c.limits.first(b.Op), c.limits.idle
	if _, ok := body.(Payload); ok {
		wait = c.limits.upload()
	}
	rep, err := c.do(ctx, b.Op.Method, b.Path, b.Query, nil, body, wait, idle)
	if err != nil {
		return nil, err
	}
	if kind := rep.Header.Get("Content-Type"); rep.Status == http.StatusOK && strings.HasPrefix(kind, "text/html") {
		defer rep.Body.Close()
		raw, _ := io.ReadAll(io.LimitReader(rep.Body, 64<<10)) // not an answer of the gateway, whatever its status
		return nil, c.unreadable(b, append([]byte("<html"), raw...), errors.New("a web page"))
	}
	if rep.Status < 200 || rep.Status > 299 {
		defer rep.Body.Close()
		return nil, ReadError(b.Op.Method, c.base+b.Path, rep)
	}
	return rep, nil
}

// fetch sends a bound operation and reads its whole reply, under the client's timeout.
func (c *Client) fetch(ctx context.Context, b spec.Bound, body any) (raw []byte, h http.Header, err error) {
	if err := c.ready(ctx, b); err != nil {
		return nil, nil, err
	}
	if d := c.limits.whole(b.Op, body, c.set > 0); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, errCallTimeout)
		defer cancel()
	}
	err = c.again(ctx, b.Op, body, func() (err error) {
		raw, h, err = c.fetchOnce(ctx, b, body)
		return err
	})
	return raw, h, err
}

func (c *Client) fetchOnce(ctx context.Context, b spec.Bound, body any) ([]byte, http.Header, error) {
	rep, err := c.openOnce(ctx, b, body)
	if err != nil {
		return nil, nil, err
	}
	defer rep.Body.Close()
	raw, err := rep.ReadAll()
	if errors.Is(err, ErrTooLarge) {
		return nil, nil, fmt.Errorf("%s: %w", b.Op.ID, err)
	}
	return raw, rep.Header, err
}

// fetchFile runs an operation that returns a document other than JSON; is checks its header and its first bytes.
func (c *Client) fetchFile(ctx context.Context, b spec.Bound, kind string, is func(h http.Header,
	raw []byte) bool) (raw []byte, err error) {
	ctx, end := outcome.Await(ctx)
	defer func() { end(err) }()
	raw, h, err := c.fetch(ctx, b, nil)
	if err == nil && !is(h, raw) {
		raw, err = nil, c.unreadable(b, raw, fmt.Errorf("%w: it is not %s", errNoAnswer, kind))
	}
	return raw, err
}

var errCallTimeout = errors.New("no complete answer within the time limit")

// call runs an operation that returns one JSON value. An empty reply results in the zero value if T has no required
// members and the operation is not a query, and in an error otherwise.
func call[T any](ctx context.Context, c *Client, b spec.Bound, body any) (out T, err error) {
	var none T
	ctx, end := outcome.Await(ctx)
	defer func() { end(err) }()
	raw, _, err := c.fetch(ctx, b, body)
	if err != nil {
		return out, err
	}
	raw = bytes.TrimSpace(raw)
	if !promises(reflect.TypeFor[T]()) {
		if err := quiet(raw); err != nil {
			return out, c.unreadable(b, raw, err)
		}
		if len(raw) == 0 || string(raw) == "null" {
			if b.Op.Safe() {
				return out, c.unreadable(b, raw, errNoAnswer)
			}
			return out, nil
		}
	}
	if err := decode(raw, &out); err != nil {
		return none, c.unreadable(b, raw, err)
	}
	if err := answers(raw, out); err != nil {
		return none, c.unreadable(b, raw, err)
	}
	capture(ctx, b.Op, raw)
	return out, nil
}

// numberIDs matches ids that are written as numbers.
var numberIDs = late.Regexp(`("(?:id|[A-Za-z]+Id)"\s*:\s*)(\d+)(\s*[,}])`)

// decode decodes one JSON value. This client represents ids as strings, without loss of digits; numeric ids are taken
// as written.
func decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) && te.Type.Kind() == reflect.String && strings.HasPrefix(te.Value, "number") {
		return json.Unmarshal(numberIDs().ReplaceAll(raw, []byte(`$1"$2"$3`)), into)
	}
	return err
}

// callList runs an operation that returns a list. It accepts an array, one object, {"items": [...]} and {"result":
// [...]}, where the list in the envelope may be null: documents and service disagree on the envelope [O][L].
func callList[T any](ctx context.Context, c *Client, b spec.Bound, body any,
	envelopes ...string) (out []T, err error) {
	ctx, end := outcome.Await(ctx)
	defer func() { end(err) }()
	raw, _, err := c.fetch(ctx, b, body)
	if err != nil {
		return nil, err
	}
	norm, err := normalizeList(bytes.TrimSpace(raw), append(envelopes, "items", "result"))
	if err != nil {
		return nil, c.unreadable(b, raw, err)
	}
	out = []T{}
	if err := decode(norm, &out); err != nil {
		return nil, c.unreadable(b, raw, err)
	}
	if err := answers(norm, out); err != nil {
		return nil, c.unreadable(b, raw, err)
	}
	capture(ctx, b.Op, norm)
	return out, nil
}

// run executes an operation with a reply, if any, that the caller does not need. A body is still captured.
func run(ctx context.Context, c *Client, b spec.Bound, body any) (err error) {
	ctx, end := outcome.Await(ctx)
	defer func() { end(err) }()
	raw, _, err := c.fetch(ctx, b, body)
	if err != nil {
		return err
	}
	raw = bytes.TrimSpace(raw)
	if err := quiet(raw); err != nil {
		return c.unreadable(b, raw, err)
	}
	if len(raw) > 0 {
		capture(ctx, b.Op, raw)
	}
	return nil
}

func normalizeList(raw []byte, envelopes []string) ([]byte, error) {
	switch {
	case len(raw) == 0:
		return nil, fmt.Errorf("%w: it is empty", errNoAnswer)
	case raw[0] == '[':
		return raw, nil
	case raw[0] != '{':
		return nil, errors.New("neither a list nor an object")
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(raw, &obj); err != nil {
		return nil, err
	}
	for _, k := range envelopes {
		switch v := obj[k]; {
		case string(v) == "null":
			return []byte("[]"), nil
		case len(v) > 0 && v[0] == '[':
			return v, nil
		}
	}
	return append(append([]byte{'['}, raw...), ']'), nil
}

// Truncated is the error of a successful reply to Do whose body is not complete JSON.
func (c *Client) Truncated(method, path string, raw []byte) error {
	op, known := spec.Of(method, path)
	if !known {
		op = spec.Op{ID: method + " " + path, Method: method}
	}
	return c.unreadable(spec.Bound{Op: op, Path: path}, raw, io.ErrUnexpectedEOF)
}

// unreadable returns the error for a successful reply with a body that is not an answer of the operation: most often a
// wrong base address.
func (c *Client) unreadable(b spec.Bound, raw []byte, err error) error {
	e := &Error{Kind: KindProtocol, Status: 200, Method: b.Op.Method, URL: c.base + b.Path, Raw: raw, Err: err}
	defer func() {
		if !b.Op.Safe() {
			e.ofChange()
		}
	}()
	if told := errorBody(raw); told != nil {
		e.Code, e.Name, e.Message, e.Status = told.Code, told.Name, told.Message, http.StatusBadRequest
		if e.Message == "" {
			e.Message = "the gateway answered 200 with the error " + told.Code
		}
		if classify(e); e.Kind == KindInvalid {
			e.Kind = KindUnavailable // what failed behind the gateway is not known
		}
		e.Status = 200
		return e
	}
	head := strings.ToLower(string(raw[:min(len(raw), 64)]))
	switch {
	case strings.HasPrefix(head, "<!doctype") || strings.HasPrefix(head, "<html"):
		e.Message = "the address answers with a web page, not with the gateway's JSON"
		e.Hint = "check the base address; it usually ends in /api/v1"
	case len(raw) == 0 || string(raw) == "null":
		e.Kind, e.Message = KindUnavailable, "the reply to "+b.Op.ID+" is empty"
		e.Hint = "try again; if the error persists, a proxy before the gateway may drop its replies"
	case errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected end"):
		e.Kind, e.Message = KindUnavailable, fmt.Sprintf("the reply was truncated after %d bytes", len(raw))
		e.Hint = "try again; if the error persists, request fewer rows or export the data"
	default:
		e.Message = "the reply is not what " + b.Op.ID + " answers: " + err.Error()
	}
	return e
}

// captureKey carries a Capture past methods that return a typed value.
type captureKey struct{}

// Capture receives the gateway's own bytes of the replies to one operation, so that they can be printed unchanged,
// including fields unknown to this client.
type Capture struct {
	Op  spec.Op
	Raw json.RawMessage // the last reply; lists without their envelope
}

// WithCapture returns a context under which replies to c.Op are stored in c.
func WithCapture(ctx context.Context, c *Capture) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

func capture(ctx context.Context, op spec.Op, raw []byte) {
	if c, ok := ctx.Value(captureKey{}).(*Capture); ok && c.Op.ID == op.ID {
		c.Raw = raw
	}
}
