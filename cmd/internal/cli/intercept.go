package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/spec"
)

// interceptor prints a request instead of sending it, for --dry-run and --explain. Look-ups that a command needs before
// its own request are still sent.
type interceptor struct {
	env  *Env
	next http.RoundTripper
}

// ownKey carries the operation of a command to the interceptor: a RoundTripper gets nothing but the request.
type ownKey struct{}

// OwnRequest returns a context under which requests of op are those of the command itself, not look-ups before them.
func OwnRequest(ctx context.Context, op spec.Op) context.Context {
	return context.WithValue(ctx, ownKey{}, op)
}

// RoundTrip sends the request or, if it is the request to show, prints it and returns ErrDone.
func (t *interceptor) RoundTrip(req *http.Request) (*http.Response, error) {
	t.hide(req)
	f := &t.env.Run.Flags
	own := req.Context().Value(askedKey{}) != nil
	if op, ok := req.Context().Value(ownKey{}).(spec.Op); ok {
		own = own || op.Method == req.Method && Matches(op.Path, req.URL.EscapedPath())
	}
	switch {
	case f.Explain && (own || req.Method != http.MethodGet):
		return nil, t.explain(req)
	case f.DryRun && req.Method != http.MethodGet:
		return nil, t.dryRun(req)
	}
	if !reads(req) {
		atomic.StoreInt32(&t.env.Run.changed, 1)
	}
	return t.next.RoundTrip(req)
}

// hide masks the secrets of a request in all further output: a gateway may echo them.
func (t *interceptor) hide(req *http.Request) {
	if req.GetBody == nil || !strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") || req.ContentLength > 1<<20 {
		return
	}
	body, err := req.GetBody()
	if err != nil {
		return
	}
	defer body.Close()
	if raw, err := io.ReadAll(body); err == nil {
		for _, s := range secretsOf(string(raw)) {
			t.env.Run.Mask.Hide(s)
		}
	}
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

func requestBody(req *http.Request) string {
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
	return maskSecrets(string(raw))
}

func (t *interceptor) dryRun(req *http.Request) error {
	return t.env.step(func(w io.Writer, n int) error {
		var b bytes.Buffer
		if n > 1 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s\n", req.Method, req.URL)
		if req.Header.Get("Authorization") != "" {
			fmt.Fprintf(&b, "Authorization: Bearer %s\n", t.env.Run.Settings.Key)
		}
		if body := requestBody(req); body != "" {
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

func (t *interceptor) explain(req *http.Request) error {
	return t.env.step(func(w io.Writer, n int) error {
		var b bytes.Buffer
		if n == 1 {
			for _, v := range t.env.Run.Settings.Explain() {
				fmt.Fprintf(&b, "%-10s %-40s %s\n", v.Name, v.Value, v.From)
			}
		}
		fmt.Fprintf(&b, "\ncurl -sS -X %s %s", req.Method, shell.Quote(req.URL.String()))
		if req.Header.Get("Authorization") != "" {
			b.WriteString(` -H "Authorization: Bearer $DIG_API_KEY"`)
		}
		if body := requestBody(req); body != "" {
			fmt.Fprintf(&b, " -H 'Content-Type: %s' --data-binary %s", req.Header.Get("Content-Type"), shell.Quote(body))
		}
		b.WriteByte('\n')
		fmt.Fprint(w, b.String())
		return nil
	})
}
