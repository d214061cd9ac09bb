package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

const masked = "****"

// keyForm is the form of the hosted zones' keys: the part before the dot is public and appears in exports [S][O].
var keyForm = late.Regexp(`^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$`)

// Key is an API key. It masks itself for every printer, encoder and logger; only Reveal returns the text. The text is
// behind a pointer so that printing a struct with a Key in an unexported field does not reveal it either.
type Key struct{ text *string }

// NewKey parses a key given by a user: surrounding white space is removed. Empty text, white space or control
// characters inside, non-ASCII characters and more than 4096 bytes are rejected, since none of them is valid in a
// header. The error never contains the text.
func NewKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Key{}, &Error{Kind: ErrUsage, Field: "key", Msg: "is empty"}
	case len(text) > 4096:
		return Key{}, &Error{Kind: ErrUsage, Field: "key",
			Msg: fmt.Sprintf("is %d bytes long; at most 4096 are accepted", len(text))}
	}
	for i, r := range text {
		if r <= ' ' || r > '~' {
			return Key{}, &Error{Kind: ErrUsage, Field: "key",
				Msg:  fmt.Sprintf("contains a character at byte %d that is not allowed in a header", i+1),
				hint: "give only the key, on one line"}
		}
	}
	return Key{text: &text}, nil
}

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k.text == nil }

// Reveal returns the text; only for the Authorization header and the key storage.
func (k Key) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// Fingerprint identifies the key at an address in local state. The key cannot be recovered from it.
func (k Key) Fingerprint(address string) string {
	sum := sha256.Sum256([]byte("dig key\x00" + address + "\x00" + k.Reveal()))
	return hex.EncodeToString(sum[:16])
}

// String returns the public prefix and asterisks, "abcd1234.****", for a key in the hosted form, only asterisks for
// another and "" for no key.
func (k Key) String() string {
	switch {
	case k.text == nil:
		return ""
	case keyForm().MatchString(*k.text):
		return (*k.text)[:9] + masked
	}
	return masked
}

// GoString returns String with the type's name.
func (k Key) GoString() string { return "config.Key(" + k.String() + ")" }

// Format masks the key for every verb, including those that would otherwise show fields.
func (k Key) Format(f fmt.State, verb rune) {
	s := k.String()
	switch {
	case verb == 'v' && f.Flag('#'):
		s = k.GoString()
	case verb == 'q':
		s = fmt.Sprintf("%q", s)
	}
	_, _ = io.WriteString(f, s)
}

// MarshalJSON writes the masked form.
func (k Key) MarshalJSON() ([]byte, error) { return []byte(`"` + k.String() + `"`), nil }

// MarshalText writes the masked form.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalYAML writes the masked form.
func (k Key) MarshalYAML() (any, error) { return k.String(), nil }

// LogValue logs the masked form.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// KeyHint returns a sentence if the zone is hosted and the key does not look like a key of the hosted zones, else "".
// It is only a hint: the form is documented by example, not by rule.
func KeyHint(z Zone, k Key) string {
	if k.IsZero() || z == Local || keyForm().MatchString(k.Reveal()) {
		return ""
	}
	return "the key does not look like a key of the hosted zones (8 letters or digits, a dot, 32 letters or digits)"
}
