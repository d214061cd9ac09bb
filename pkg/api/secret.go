package api

import (
	"fmt"
	"io"
	"log/slog"
)

const hiddenText = "****"

// Secret is a text that only the wire may carry, such as a token. It shows itself masked under every verb and to loggers, inside
// structs too; as JSON it is written as it is, so a body that is shown to somebody has to be masked.
type Secret string

// String is "" for no secret, and asterisks for any other.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hiddenText
}

// GoString is String within the type's name.
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

// Credential is what a connection proves itself with, by the fields of its type. It shows the names of the fields alone; as JSON it is
// written as it is.
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
