package api

import (
	"fmt"
	"io"
	"log/slog"
)

const hiddenText = "****"

// Secret is a string that may appear only on the wire, such as a token. It is masked for every format verb and logger,
// also inside structs; as JSON it is written unmasked, so a body that is shown to somebody must be masked.
type Secret string

// String returns "" for no secret, and asterisks for any other.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hiddenText
}

// GoString returns String with the type's name.
func (s Secret) GoString() string { return fmt.Sprintf("api.Secret(%q)", s.String()) }

// Format masks under every verb.
func (s Secret) Format(f fmt.State, verb rune) {
	switch {
	case verb == 'v' && f.Flag('#'):
		_, _ = io.WriteString(f, s.GoString())
	case verb == 'q':
		fmt.Fprintf(f, "%q", s.String())
	default:
		_, _ = io.WriteString(f, s.String())
	}
}

// LogValue logs the masked form.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Credential is the authentication data of a connection, by the fields of its type. Only the names of the fields are
// shown; as JSON it is written unmasked.
type Credential map[string]any

// Format masks the values under every verb.
func (c Credential) Format(f fmt.State, _ rune) {
	names := map[string]string{}
	for name := range c {
		names[name] = hiddenText
	}
	fmt.Fprint(f, names)
}

// LogValue logs the masked form.
func (c Credential) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }
