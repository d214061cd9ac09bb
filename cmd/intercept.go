package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// interceptor prints a request instead of sending it, for --dry-run and --explain. Look-ups that a command needs before its
// own request still go through.
type interceptor struct {
	env  *Env
	next http.RoundTripper
}

type opKey struct{}

// RoundTrip sends the request or, when it is the one asked about, prints it and answers errDone.
func (t *interceptor) RoundTrip(req *http.Request) (*http.Response, error) {
	f := &t.env.run.flags
	own := false
	if op, ok := req.Context().Value(opKey{}).(spec.Op); ok {
		own = op.Method == req.Method && matches(op.Path, req.URL.EscapedPath())
	}
	switch {
	case f.explain && (own || req.Method != http.MethodGet):
		return nil, t.explain(req)
	case f.dryRun && req.Method != http.MethodGet:
		return nil, t.dryRun(req)
	}
	return t.next.RoundTrip(req)
}

// matches reports whether an absolute path ends in the operation's template.
func matches(template, path string) bool {
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
	w := t.env.Out
	fmt.Fprintf(w, "%s %s\n", req.Method, req.URL)
	if req.Header.Get("Authorization") != "" {
		fmt.Fprintf(w, "Authorization: Bearer %s\n", t.env.run.settings.Key)
	}
	if b := requestBody(req); b != "" {
		fmt.Fprintf(w, "Content-Type: %s\n\n", req.Header.Get("Content-Type"))
		var buf bytes.Buffer
		if json.Indent(&buf, []byte(b), "", "  ") == nil {
			b = buf.String()
		}
		fmt.Fprintln(w, b)
	}
	fmt.Fprintln(t.env.Err, "dry run: nothing was sent")
	return errDone
}

func (t *interceptor) explain(req *http.Request) error {
	w := t.env.Out
	for _, v := range t.env.run.settings.Explain() {
		fmt.Fprintf(w, "%-10s %-40s %s\n", v.Name, v.Value, v.From)
	}
	fmt.Fprintf(w, "\ncurl -sS -X %s %s", req.Method, shellQuote(req.URL.String()))
	if req.Header.Get("Authorization") != "" {
		fmt.Fprint(w, ` -H "Authorization: Bearer $DIG_API_KEY"`)
	}
	if body := requestBody(req); body != "" {
		fmt.Fprintf(w, " -H 'Content-Type: %s' --data-binary %s", req.Header.Get("Content-Type"), shellQuote(body))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t.env.Err, "explained: nothing was sent")
	return errDone
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (e *Env) trace(x api.Exchange) {
	if x.Err != nil {
		fmt.Fprintf(e.Err, "debug: %s %s: %v\n", x.Method, x.URL, x.Err)
		return
	}
	fmt.Fprintf(e.Err, "debug: %s %s: %d in %v\n", x.Method, x.URL, x.Status, x.Elapsed.Round(100_000))
}
