package term

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/secret"
)

// Masker hides the secrets that are known in a run: the current key, and secrets given in it. A gateway may repeat them
// in a message, a list or a page of any kind. Notes and other texts are masked by text; results, whose data may contain
// what somebody uses as a password, by field.
type Masker struct {
	mu      sync.Mutex
	secrets [][]byte // with their encodings, the longest first
	keys    [][]byte // those that are in no data by chance
}

const (
	maskedText = "****"
	leastMask  = 6 // shorter strings occur by chance
)

// Hide adds a secret, including its JSON and URL encodings.
func (m *Masker) Hide(text string) {
	text = strings.TrimSpace(text)
	if m == nil || len(text) < leastMask {
		return
	}
	forms := []string{text, url.QueryEscape(text), url.PathEscape(text)}
	for _, html := range []bool{false, true} {
		once := inJSON(text, html)
		forms = append(forms, once, inJSON(once, html)) // a message may contain a document
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.secrets = withForms(m.secrets, append(forms, encoded(text)...))
	if secret.Evident(text) {
		m.keys = withForms(m.keys, forms)
	}
}

func withForms(secrets [][]byte, forms []string) [][]byte {
	for _, f := range forms {
		if !slices.ContainsFunc(secrets, func(s []byte) bool { return string(s) == f }) {
			secrets = append(secrets, []byte(f))
		}
	}
	slices.SortStableFunc(secrets, func(a, b []byte) int { return len(b) - len(a) })
	return secrets
}

// encoded returns the hex and base64 encodings of a secret, for any offset within the base64 input: a Basic header has
// a name before it.
func encoded(secret string) []string {
	low := hex.EncodeToString([]byte(secret))
	out := []string{low, strings.ToUpper(low)}
	for before := range 3 {
		// The characters that depend only on the secret.
		from, to := (before*8+5)/6, (before+len(secret))*8/6
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			out = append(out, e.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))[from:to])
		}
	}
	return out
}

// inJSON returns a string as it appears between the quotes of a JSON string.
func inJSON(text string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(text) != nil {
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// Masked returns a text with the secrets hidden.
func (m *Masker) Masked(text string) string {
	if m == nil {
		return text
	}
	return m.without(text, func() [][]byte { return m.secrets })
}

// Result returns a document, a result of the run, without the secrets: within members that are named like secrets all
// of them, elsewhere those that are in no data by chance, such as the key.
func (m *Masker) Result(document string) string {
	if m == nil || m.Masked(document) == document {
		return document
	}
	return secret.Result(document, m.Masked, func(text string) string {
		return m.without(text,
			func() [][]byte { return m.keys })
	})
}

func (m *Masker) without(text string, secrets func() [][]byte) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range secrets() {
		text = strings.ReplaceAll(text, string(s), maskedText)
	}
	return text
}

// Writer wraps w, to which text is written that is not a result, with the masker.
func (m *Masker) Writer(w io.Writer) *MaskWriter {
	if m == nil {
		m = &Masker{}
	}
	return &MaskWriter{m: m, w: w}
}

// MaskWriter is a writer that masks by a Masker. It holds back a possible beginning of a secret until the following
// bytes are known.
type MaskWriter struct {
	m    *Masker
	w    io.Writer
	mu   sync.Mutex
	held []byte
}

// Unwrap returns the underlying writer.
func (w *MaskWriter) Unwrap() io.Writer { return w.w }

func (w *MaskWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.m.mu.Lock()
	secrets := w.m.secrets
	w.m.mu.Unlock()
	if len(secrets) == 0 && len(w.held) == 0 {
		return w.w.Write(b)
	}
	text := b
	if len(w.held) > 0 {
		text = append(w.held, b...)
		w.held = nil
	}
	clean := true
	for _, s := range secrets {
		if bytes.Contains(text, s) {
			text, clean = bytes.ReplaceAll(text, s, []byte(maskedText)), false
		}
	}
	if n := beginning(text, secrets); n > 0 {
		w.held = bytes.Clone(text[len(text)-n:])
		text, clean = text[:len(text)-n], false
	}
	if clean && len(text) == len(b) {
		return w.w.Write(b)
	}
	if len(text) > 0 {
		if _, err := w.w.Write(text); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// beginning returns the length of the longest suffix of text that is a prefix of a secret.
func beginning(text []byte, secrets [][]byte) int {
	most := 0
	for _, s := range secrets {
		for n := min(len(s)-1, len(text)); n > most; n-- {
			if bytes.HasSuffix(text, s[:n]) {
				most = n
				break
			}
		}
	}
	return most
}

// Flush writes the bytes held back, which are not a secret if nothing follows.
func (w *MaskWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		return nil
	}
	held := w.held
	w.held = nil
	_, err := w.w.Write(held)
	return err
}
