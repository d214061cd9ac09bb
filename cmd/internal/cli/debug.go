package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
)

// debugBody is the maximum length of a body that --debug shows.
const debugBody = 4 << 10

// trace prints an exchange for --debug: headers and the beginnings of bodies, without keys and other secrets.
func (e *Env) trace(x api.Exchange) {
	var b bytes.Buffer
	switch {
	case x.BodyOnly:
		if x.Body != "" {
			debugLines(&b, "<", shownBody(x.Body, x.Bytes, x.Header))
		}
	case x.Err != nil:
		fmt.Fprintf(&b, "debug: %s %s: %s\n", x.Method, secret.Hide(x.URL), secret.Hide(x.Err.Error()))
	default:
		fmt.Fprintf(&b, "debug: %s %s: %d in %v\n", x.Method, secret.Hide(x.URL), x.Status, x.Elapsed.Round(100_000))
	}
	if !x.BodyOnly {
		debugHeader(&b, ">", x.Sent)
		if x.SentBody != "" {
			debugLines(&b, ">", shownBody(x.SentBody, int64(len(x.SentBody)), x.Sent))
		}
		debugHeader(&b, "<", x.Header)
	}
	_, _ = e.Err.Write(b.Bytes())
}

func debugHeader(w io.Writer, way string, h http.Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := strings.Join(h[name], ", ")
		if secret.Named(name) {
			value = "****"
		}
		debugLines(w, way, name+": "+secret.Hide(value))
	}
}

func debugLines(w io.Writer, way, text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(w, "debug: %s %s\n", way, line)
	}
}

// shownBody returns the beginning of a body of a readable content type.
func shownBody(text string, size int64, h http.Header) string {
	if kind := h.Get("Content-Type"); kind != "" && !strings.Contains(kind, "json") &&
		!strings.HasPrefix(kind, "text/") {
		return fmt.Sprintf("(%d bytes of %s)", size, kind)
	}
	cut := int64(len(text)) < size
	if text = secret.Document(text).Text; len(text) > debugBody {
		text, cut = strings.ToValidUTF8(text[:debugBody], ""), true
	}
	if cut {
		text += fmt.Sprintf(" ... (%d bytes)", size)
	}
	return text
}

// noteLines is stderr when errors are JSON objects: every other line becomes an object too, {"note": "..."}, so that a
// script can parse stderr line by line.
type noteLines struct {
	e  *Env
	w  io.Writer
	mu sync.Mutex
	// the last line, while incomplete
	line []byte
}

func (n *noteLines) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.e.JSONErrors() {
		return n.w.Write(p)
	}
	n.line = append(n.line, p...)
	for {
		line, rest, ok := bytes.Cut(n.line, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		err := n.put(line)
		n.line = bytes.Clone(rest)
		if err != nil {
			return 0, err
		}
	}
}

func (n *noteLines) put(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]string{"note": strings.TrimPrefix(string(line), "note: ")}); err != nil {
		return err
	}
	_, err := n.w.Write(buf.Bytes())
	return err
}

// Flush ends the last line.
func (n *noteLines) Flush() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	line := n.line
	n.line = nil
	if len(line) == 0 {
		return nil
	}
	return n.put(line)
}

// asIs writes JSON objects to stderr unchanged.
func (e *Env) asIs() io.Writer {
	n, ok := e.Err.(*noteLines)
	if !ok {
		return e.Err
	}
	_ = n.Flush()
	return n.w
}
