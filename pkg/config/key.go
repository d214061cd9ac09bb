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

// keyForm is the form of the hosted zones' keys: the part before the dot is public, exports show it [S][O].
var keyForm = late.Regexp(`^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$`)

// Key is the text of an API key. It shows itself masked to every printer, encoder and logger; only Reveal gives the text.
// The text sits behind a pointer so that printing a struct that holds a Key in an unexported field does not show it either.
type Key struct{ text *string }

// NewKey takes a key as a user gave it: surrounding white space is dropped. Empty text, white space or control characters
// inside, anything but printable ASCII and more than 4096 bytes are refused, since none of them can stand in a header.
// The error never repeats the text.
func NewKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Key{}, &Error{Kind: ErrUsage, Field: "key", Msg: "is empty"}
	case len(text) > 4096:
		return Key{}, &Error{Kind: ErrUsage, Field: "key", Msg: fmt.Sprintf("is %d bytes long; at most 4096 are accepted", len(text))}
	}
	for i, r := range text {
		if r <= ' ' || r > '~' {
			return Key{}, &Error{Kind: ErrUsage, Field: "key", Msg: fmt.Sprintf("holds a character at byte %d that a header cannot carry", i+1),
				hint: "give the key alone, on one line"}
		}
	}
	return Key{text: &text}, nil
}

// IsZero says whether there is no key.
func (k Key) IsZero() bool { return k.text == nil }

// Reveal gives the text, for the Authorization header and the key storage and nothing else.
func (k Key) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// Fingerprint stands for the key at an address where something is noted about it. The text cannot be had back from it.
func (k Key) Fingerprint(address string) string {
	sum := sha256.Sum256([]byte("dig key\x00" + address + "\x00" + k.Reveal()))
	return hex.EncodeToString(sum[:16])
}

// String is the public prefix and asterisks, "abcd1234.****", for a key in the hosted form, asterisks alone for another
// and "" for no key.
func (k Key) String() string {
	switch {
	case k.text == nil:
		return ""
	case keyForm().MatchString(*k.text):
		return (*k.text)[:9] + masked
	}
	return masked
}

// GoString is String within the type's name.
func (k Key) GoString() string { return "config.Key(" + k.String() + ")" }

// Format masks under every verb, those that would otherwise show fields included.
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

// KeyHint is a sentence when the key does not look like a key of the hosted zones and the zone is one of them, else "".
// It is advice only: the form is documented by example, not by rule.
func KeyHint(z Zone, k Key) string {
	if k.IsZero() || z == Local || keyForm().MatchString(k.Reveal()) {
		return ""
	}
	return "the key does not look like a key of the hosted zones (8 letters or digits, a dot, 32 letters or digits)"
}
