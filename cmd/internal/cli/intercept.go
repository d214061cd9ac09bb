package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// interceptor prints a request instead of sending it, for --dry-run and --explain. Look-ups that a command needs before
// its own request are still sent.
type interceptor struct {
	env  *Env
	next http.RoundTripper
	base string // the path of the base address
	seen journal.Seen
}

// operation returns the operation of a request, if it is known, and its path relative to the base address.
func (t *interceptor) operation(req *http.Request) (op spec.Op, path string) {
	path = strings.TrimPrefix(req.URL.EscapedPath(), t.base)
	op, _ = spec.Of(req.Method, path)
	return op, path
}

// ownKey carries the operation of a command to the interceptor: a RoundTripper gets nothing but the request.
type ownKey struct{}

// OwnRequest returns a context under which requests of op are those of the command itself, not look-ups before them.
func OwnRequest(ctx context.Context, op spec.Op) context.Context {
	return context.WithValue(ctx, ownKey{}, op)
}

// lookUpKey marks statements that are look-ups.
type lookUpKey struct{}

// LookUp returns a context whose statements that read are look-ups before the own request of the command.
func LookUp(ctx context.Context) context.Context { return context.WithValue(ctx, lookUpKey{}, true) }

// RoundTrip sends the request or, if it is the request to show, prints it and returns ErrDone.
func (t *interceptor) RoundTrip(req *http.Request) (*http.Response, error) {
	t.hide(req)
	f := &t.env.Run.Flags
	own := req.Context().Value(shownKey{}) != nil
	if op, ok := req.Context().Value(ownKey{}).(spec.Op); ok {
		own = own || op.Method == req.Method && Matches(op.Path, req.URL.EscapedPath())
	}
	lookUp := req.Context().Value(lookUpKey{}) != nil && t.reads(req) && !t.writes(req)
	switch {
	case lookUp:
	case f.Explain && (own || req.Method != http.MethodGet):
		return nil, outcome.Unsent(t.explain(req))
	case f.DryRun && (req.Method != http.MethodGet || !t.reads(req)):
		return nil, outcome.Unsent(t.dryRun(req))
	}
	writes := t.writes(req)
	if t.reads(req) && !writes {
		resp, err := t.next.RoundTrip(req)
		if err == nil && t.env.Run.command.changing && req.Method == http.MethodGet {
			_, path := t.operation(req)
			t.seen.Watch(path, resp)
		}
		return resp, err
	}
	if !writes { // a statement that the gateway rejects as wrong has changed nothing
		t.env.Run.said.changed.Store(true)
	}
	if t.env.Run.Settings.JournalBytes() == 0 {
		return t.next.RoundTrip(req)
	}
	c := t.change(req)
	if writes {
		c.Body = journal.Statement(bodyOf(req))
	}
	t.env.record(c)
	resp, err := t.next.RoundTrip(req)
	now := t.env.Now()
	end := func(err error) { t.env.ended(c.End(now, resp, err, t.env.Run.Mask.Masked)) }
	if err != nil || outcome.OfStatus(resp.StatusCode) != outcome.Done || !outcome.OnEnd(req.Context(), end) {
		end(err)
	}
	return resp, err
}

// reads reports whether a request changes nothing.
func (t *interceptor) reads(req *http.Request) bool {
	op, _ := t.operation(req)
	if op.ID == "" {
		return req.Method == http.MethodGet || req.Method == http.MethodHead
	}
	return !op.Changes()
}

// writes reports whether a request runs a statement that does not only read. The gateways of today refuse such
// statements.
func (t *interceptor) writes(req *http.Request) bool {
	if op, _ := t.operation(req); op.ID != spec.ExecuteQuery.ID {
		return false
	}
	var body struct {
		Statement string `json:"statement"`
	}
	if json.Unmarshal(bodyOf(req), &body) != nil {
		return false
	}
	return !plainlyReads(body.Statement) && sqlstmt.Changes(body.Statement) != ""
}

// plainlyReads recognizes most statements that read, without parsing them.
func plainlyReads(sql string) bool {
	first, several, ended := "", false, false
	sqltext.Scan(sql, true, func(from, to int) {
		switch w := sql[from:to]; {
		case w == ";":
			ended = true
		case ended:
			several = true
		case first == "" && w != "(":
			first = strings.ToLower(w)
		}
	})
	switch first {
	case "select", "with", "values", "table", "show", "describe", "desc":
		return !several
	}
	return first == ""
}

// hide masks the secrets of a request in all further output: a gateway may echo them.
func (t *interceptor) hide(req *http.Request) {
	for _, s := range append(secret.Document(string(bodyOf(req))).Found, secret.InQuery(req.URL.RawQuery)...) {
		t.env.Run.Mask.Hide(s)
	}
}

// bodyOf returns a copy of the body of a request if it is JSON of at most 1 MiB; nil otherwise.
func bodyOf(req *http.Request) []byte {
	if req.GetBody == nil || !strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") ||
		req.ContentLength > 1<<20 {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close()
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	return raw
}

// Matches reports whether an absolute path ends in the path of the operation.
func Matches(template, path string) bool {
	ts, ps := strings.Split(template, "/")[1:], strings.Split(path, "/")
	if len(ps) < len(ts) {
		return false
	}
	ps = ps[len(ps)-len(ts):]
	for i, t := range ts {
		if t != ps[i] && !strings.HasPrefix(t, "{") {
			return false
		}
	}
	return true
}

// requestBody returns the body of a request as it is shown.
func (t *interceptor) requestBody(req *http.Request) string {
	if req.Body == nil || req.Header.Get("Content-Type") == "" {
		return ""
	}
	if !strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		return "(" + req.Header.Get("Content-Type") + ")"
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return ""
	}
	return t.env.Run.Mask.Result(secret.Document(string(raw)).Text)
}

func (t *interceptor) dryRun(req *http.Request) error {
	if t.env.stepsAsData() {
		return t.env.keepStep(t.stepOf(req, t.requestBody(req)))
	}
	return t.env.step(func(w io.Writer, n int) error {
		var b bytes.Buffer
		if n > 1 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s\n", req.Method, openURL(req))
		if req.Header.Get("Authorization") != "" {
			fmt.Fprintf(&b, "Authorization: Bearer %s\n", t.env.Run.Settings.Key)
		}
		if body := t.requestBody(req); body != "" {
			fmt.Fprintf(&b, "Content-Type: %s\n\n", req.Header.Get("Content-Type"))
			if json.Indent(&b, []byte(body), "", "  ") != nil {
				b.WriteString(body)
			}
			b.WriteByte('\n')
		}
		fmt.Fprint(w, b.String())
		return nil
	})
}

// openURL is the address of a request without the secrets in its query string.
func openURL(req *http.Request) *url.URL {
	u := *req.URL
	u.RawQuery = secret.Query(u.RawQuery)
	return &u
}

// stepOf describes a request.
func (t *interceptor) stepOf(req *http.Request, body string) Step {
	op, path := t.operation(req)
	s := Step{Operation: op.ID, Method: req.Method, URL: openURL(req).String(), Path: path, Query: openURL(req).Query(),
		ContentType: req.Header.Get("Content-Type")}
	if json.Valid([]byte(body)) {
		s.Body = json.RawMessage(body)
	}
	return s
}

// curl writes a request as a command. The key is that of the variable.
func curl(req *http.Request, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "curl -sS -X %s %s", req.Method, shell.Quote(openURL(req).String()))
	if req.Header.Get("Authorization") != "" {
		b.WriteString(` -H "Authorization: Bearer $DIG_API_KEY"`)
	}
	if body != "" {
		fmt.Fprintf(&b, " -H 'Content-Type: %s' --data-binary %s", req.Header.Get("Content-Type"), shell.Quote(body))
	}
	return b.String()
}

func (t *interceptor) explain(req *http.Request) error {
	body := t.requestBody(req)
	if t.env.stepsAsData() {
		s := t.stepOf(req, body)
		s.Curl = curl(req, body)
		return t.env.keepStep(s)
	}
	return t.env.step(func(w io.Writer, n int) error {
		var b bytes.Buffer
		if n == 1 {
			for _, v := range t.env.Run.Settings.Explain() {
				fmt.Fprintf(&b, "%-15s %-40s %s\n", v.Name, v.Value, v.From)
			}
		}
		fmt.Fprintf(&b, "\n%s\n", curl(req, body))
		fmt.Fprint(w, b.String())
		return nil
	})
}
