package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// Mux is the HTTP side of the gateway: the routes, who may call them, and the limits of a request and a reply.
type Mux struct {
	Store     *store.Store
	Engine    engine.Engine
	Now       func() time.Time
	Log       *slog.Logger
	Limits    Limits
	Routes    map[string]Route
	local     []Route                     // in addition to the service's operations
	Files     map[string]http.HandlerFunc // by path prefix: files that need no key because their links are signed
	Handler   http.Handler
	Observe   func(Call)             // called after every request, if set
	Origins   Origins                // of web pages that may call
	Metrics   http.Handler           // nil for none
	servedKey atomic.Pointer[[]byte] // hash of a key that is valid for the lifetime of this process
	stopping  atomic.Bool
	calls     atomic.Int64 // number of active calls
	lastCall  atomic.Int64 // end of the last call, in nanoseconds
	replies   replies

	Wrap     func(op spec.Op, next http.HandlerFunc) http.HandlerFunc // wraps each handler, if set
	WrapFile func(next http.HandlerFunc) http.HandlerFunc             // wraps the handler of files, if set
}

// BasePath is the version prefix of every address [S].
const BasePath = "/api/v1"

// documentPath is the path of the OpenAPI document, which needs no key.
const documentPath = "/openapi.json"

// MaxBody is the maximum size of a JSON request body.
const MaxBody = 32 << 20

// Request is a call as seen by a handler: typed body, path parameters, query, and the caller.
type Request[B any] struct {
	Op      spec.Op
	Body    B
	Scope   Scope
	Project store.Project // set when the path has {projectId}: it exists and the caller may use it
	HTTP    *http.Request
	engine  engine.Engine
}

// Param returns a path parameter by its name in the specification.
func (r *Request[B]) Param(name string) string { return r.HTTP.PathValue(name) }

// Query returns a query parameter, "" if absent.
func (r *Request[B]) Query(name string) string { return r.HTTP.URL.Query().Get(name) }

// Bool returns a boolean query parameter.
func (r *Request[B]) Bool(name string, def bool) (bool, error) {
	v := r.Query(name)
	if v == "" {
		return def, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return def, fault.Framework(400, "query parameter %s: %q is neither true nor false", name, v)
	}
	return b, nil
}

// Int returns an integer query parameter that is at least least.
func (r *Request[B]) Int(name string, def, least int) (int, error) {
	v := r.Query(name)
	if v == "" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least {
		return def, fault.Framework(400, "query parameter %s: %q is not an integer of at least %d", name, v, least)
	}
	return n, nil
}

// Data opens the rows of the request's project.
func (r *Request[B]) Data(ctx context.Context) (engine.Project, error) {
	return r.engine.Project(ctx, r.Project.ID)
}

// None is the body of a request that has none, and the reply that is 200 with an empty body.
type None struct{}

// Reply carries a value with a status other than 200; a nil Value has no body.
type Reply struct {
	Status int
	Value  any
}

// Stream writes its own reply. It must not have written anything if it returns a *Fault.
type Stream func(w http.ResponseWriter) error

// Route is one registered operation.
type Route struct {
	op    spec.Op
	serve http.HandlerFunc
}

// Handle registers the handler of an operation. B is the type of the JSON body, None for none, io.Reader for the raw
// body; T is the reply: any JSON value, None, Reply or Stream.
func Handle[B, T any](g *Mux, op spec.Op, fn func(ctx context.Context, r *Request[B]) (T, error)) {
	if _, dup := g.Routes[op.ID]; dup {
		panic("two handlers for " + op.ID)
	}
	g.Routes[op.ID] = newRoute(g, op, fn)
}

// HandleLocal registers the handler of an operation that the service does not have.
func HandleLocal[B, T any](g *Mux, op spec.Op, fn func(ctx context.Context, r *Request[B]) (T, error)) {
	g.local = append(g.local, newRoute(g, op, fn))
}

func newRoute[B, T any](g *Mux, op spec.Op, fn func(ctx context.Context, r *Request[B]) (T, error)) Route {
	serve := func(w http.ResponseWriter, hr *http.Request) {
		call := callOf(hr.Context())
		call.Op = op
		r := &Request[B]{Op: op, Scope: ScopeOf(hr.Context()), HTTP: hr, engine: g.Engine}
		out, err := func() (out T, err error) {
			if err = g.Authorize(hr.Context(), op, r.Scope, hr.PathValue("projectId"), &r.Project); err != nil {
				return
			}
			call.Project = r.Project.ID
			if err = readBody(hr, &r.Body); err != nil {
				return
			}
			return fn(hr.Context(), r)
		}()
		if err != nil && fellSilent(hr) {
			w.Header().Set("Connection", "close")
			err = os.ErrDeadlineExceeded
		}
		if err != nil {
			g.Fail(w, hr, err)
			return
		}
		g.reply(w, hr, any(out))
	}
	if hook := g.Wrap; hook != nil {
		serve = hook(op, serve)
	}
	return Route{op, serve}
}

func (s *Mux) reply(w http.ResponseWriter, hr *http.Request, out any) {
	status := http.StatusOK
	switch v := out.(type) {
	case None:
		w.WriteHeader(status)
		return
	case Stream:
		if err := v(w); err != nil {
			s.Fail(w, hr, err)
		}
		return
	case Reply:
		if v.Value == nil {
			w.WriteHeader(v.Status)
			return
		}
		status, out = v.Status, v.Value
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		s.Fail(w, hr, fmt.Errorf("reply: %w", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(bytes.TrimRight(buf.Bytes(), "\n"))
}

func readBody(hr *http.Request, into any) error {
	switch b := into.(type) {
	case *None:
		return nil
	case *io.Reader:
		*b = hr.Body
		return nil
	}
	raw, err := io.ReadAll(http.MaxBytesReader(nil, hr.Body, MaxBody))
	if err != nil {
		var tooBig *http.MaxBytesError
		if errors.As(err, &tooBig) {
			return fault.Framework(413, "the request body is larger than %d MiB", MaxBody>>20)
		}
		if fault.Silent(err) {
			return err
		}
		return fault.Framework(400, "cannot read the request body: %v", err)
	}
	return DecodeBody(raw, into)
}

// DecodeBody decodes strictly: a misspelt field would otherwise silently get its default.
func DecodeBody(raw []byte, into any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return fault.Framework(400, "the request body is missing")
	}
	if !utf8.Valid(raw) { // the decoder would substitute another character
		at := 0
		for r, n := utf8.DecodeRune(raw); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(raw[at:]) {
			at += n
		}
		return fault.Framework(400, "the request body is not UTF-8 at byte %d", at+1)
	}
	if at := jsontext.Deeper(raw, maxBodyDepth); at >= 0 {
		return fault.Framework(400, "the request body nests deeper than %d levels at byte %d", maxBodyDepth, at+1)
	}
	if at := jsontext.Unpaired(string(raw)); at >= 0 {
		return fault.Framework(400, "the request body contains an unpaired surrogate at byte %d (%s)",
			at+1, raw[at:at+6])
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); err == io.EOF {
			return nil
		}
		return fault.Framework(400, "the request body contains more than one JSON value")
	}
	var (
		te *json.UnmarshalTypeError
		se *json.SyntaxError
	)
	switch {
	case errors.As(err, &te) && te.Field == "":
		return fault.Framework(400, "the request body must be %s, not %s", jsonName(te.Type), te.Value)
	case errors.As(err, &te):
		return fault.Framework(400, "the request body: field %q must be %s, not %s", te.Field,
			jsonName(te.Type), te.Value)
	case errors.As(err, &se):
		return fault.Framework(400, "the request body is not valid JSON at byte %d: %v", se.Offset, se)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return fault.Framework(400, "the request body has an unknown field %s", strings.TrimPrefix(err.Error(),
			"json: unknown field "))
	}
	return fault.Framework(400, "the request body is not valid JSON: %v", err)
}

func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonName(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}
