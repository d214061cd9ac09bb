package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// guarded calls permit before every request that changes something or may do so. All methods of the client, including
// Do, send their requests through it.
type guarded struct {
	next   http.RoundTripper
	base   string // the path of the base address
	permit func(ctx context.Context, what string) error
}

// RoundTrip sends the request if it only reads or is permitted.
func (t *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	what, err := t.changes(req)
	if err != nil {
		return nil, outcome.Unsent(err)
	}
	if what == "" {
		return t.next.RoundTrip(req)
	}
	err = t.permit(req.Context(), what)
	if err == nil {
		return t.next.RoundTrip(req)
	}
	if req.Body != nil {
		if err := req.Body.Close(); err != nil {
			return nil, outcome.Unsent(err)
		}
	}
	return nil, &Error{Kind: KindForbidden, Outcome: outcome.NotSent, Method: req.Method, URL: req.URL.Scheme + "://" +
		req.URL.Host + req.URL.EscapedPath(), Message: err.Error(), Err: err}
}

// changes describes the change of a request, or why that is unknown; "" for one that only reads.
func (t *guarded) changes(req *http.Request) (string, error) {
	at, below := strings.CutPrefix(req.URL.EscapedPath(), t.base)
	for name := range req.Header {
		if n := strings.ReplaceAll(strings.ToLower(name), "_", "-"); strings.Contains(n, "method") &&
			strings.HasPrefix(n, "x-") {
			return "the header " + name + " may turn it into another request", nil
		}
	}
	if req.URL.Query().Has("_method") {
		return "the parameter _method may turn it into another request", nil
	}
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return t.opens(req.URL.Path), nil
	}
	op, known := spec.Of(req.Method, at)
	switch {
	case !known || !below || !spec.Plain(at):
		return fmt.Sprintf("%s %s is not known to change nothing", req.Method, req.URL.EscapedPath()), nil
	case op.Changes():
		return op.ID + " changes something", nil
	case op.ID != spec.ExecuteQuery.ID:
		return "", nil
	}
	return statementChanges(req)
}

// opens recognizes the GET that changes something, in every spelling of its path.
func (t *guarded) opens(decoded string) string {
	op := spec.InitEmbeddedSessionLegacy
	for p := decoded; ; {
		if strings.EqualFold(strings.TrimRight(path.Clean(p), "/"), path.Clean(t.base+op.Path)) {
			return op.ID + " opens a session of the web studio"
		}
		next, err := url.PathUnescape(p)
		if err != nil || next == p {
			return ""
		}
		p = next
	}
}

// executeField reports whether a member belongs to one of the four forms of a query.
func executeField(name string) bool {
	switch name {
	case "statement", "bindings", "bindArgs", "timeout", "id", "qualifiedName", "columns", "from", "limit", "offset",
		"orderBy", "filters":
		return true
	}
	return false
}

// maxStatement limits the body that is read to find the statement in it.
const maxStatement = 64 << 20

// statementChanges reads the body of ExecuteQuery and puts it back. A saved query reads: the gateway stores no others.
func statementChanges(req *http.Request) (string, error) {
	const unread = "the statement cannot be read from the body"
	if kind := req.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") ||
		req.Header.Get("Content-Encoding") != "" || req.Body == nil {
		return unread, nil
	}
	raw, err := io.ReadAll(io.LimitReader(req.Body, maxStatement+1))
	if err != nil {
		return "", err
	}
	if err := req.Body.Close(); err != nil {
		return "", err
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	if len(raw) > maxStatement {
		return unread, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return unread, nil //nolint:nilerr // the reason does not matter
	}
	seen := map[string]bool{}
	statement, given := "", false
	for dec.More() {
		name, err := dec.Token()
		key, _ := name.(string)
		if err != nil || seen[key] || !executeField(key) {
			return unread, nil //nolint:nilerr // likewise
		}
		seen[key] = true
		if key == "statement" {
			given = true
			err = dec.Decode(&statement)
		} else {
			var other json.RawMessage
			err = dec.Decode(&other)
		}
		if err != nil {
			return unread, nil
		}
	}
	if _, err := dec.Token(); err != nil {
		return unread, nil //nolint:nilerr // likewise
	}
	if _, err := dec.Token(); err != io.EOF {
		return unread, nil //nolint:nilerr // likewise
	}
	if !given {
		return "", nil
	}
	return sqlstmt.Changes(statement), nil
}
