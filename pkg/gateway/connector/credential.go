package connector

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/secret"
)

// Credential holds the members of a connection's credential by field name: strings, float64 and bool. Its values are
// never printed.
type Credential map[string]any

// String masks the values.
func (Credential) String() string { return "(credential)" }

// GoString masks the values.
func (Credential) GoString() string { return "(credential)" }

// Local reports whether the source is a file or folder of this machine.
func (t Type) Local() bool {
	return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Local })
}

// Check normalizes a credential according to its type: only known fields, required ones present, numbers and booleans
// also accepted as text.
func (t Type) Check(c Credential) (Credential, error) {
	out := Credential{}
	known := map[string]bool{}
	for _, f := range t.Fields {
		known[f.Name] = true
		v, ok := c[f.Name]
		if s, isText := v.(string); !ok || v == nil || isText && s == "" {
			if f.Required {
				return nil, fmt.Errorf("credential field %q is required", f.Name)
			}
			continue
		}
		v, err := coerce(f, v)
		if err != nil {
			return nil, err
		}
		out[f.Name] = v
	}
	var extra []string
	for k := range c {
		if !known[k] {
			extra = append(extra, strconv.Quote(k))
		}
	}
	if len(extra) > 0 {
		sort.Strings(extra)
		return nil, fmt.Errorf("%s is not a credential field of type %s", strings.Join(extra, ", "), t.Key)
	}
	return out, nil
}

func coerce(f Field, v any) (any, error) {
	switch f.Kind {
	case "number":
		switch x := v.(type) {
		case float64:
			return x, nil
		case json.Number:
			if n, err := x.Float64(); err == nil {
				return n, nil
			}
		case string:
			if n, err := strconv.ParseFloat(strings.TrimSpace(x), 64); err == nil && !math.IsInf(n, 0) &&
				!math.IsNaN(n) {
				return n, nil
			}
		}
		return nil, fmt.Errorf("credential field %q must be a number", f.Name)
	case "boolean":
		switch x := v.(type) {
		case bool:
			return x, nil
		case string:
			if b, err := strconv.ParseBool(x); err == nil {
				return b, nil
			}
		}
		return nil, fmt.Errorf("credential field %q must be true or false", f.Name)
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	if f.JSON {
		switch v.(type) {
		case map[string]any, []any:
			raw, err := json.Marshal(v)
			return string(raw), err
		}
	}
	return nil, fmt.Errorf("credential field %q must be text", f.Name)
}

// Text returns a text member, "" if absent.
func (c Credential) Text(name string) string {
	s, _ := c[name].(string)
	return s
}

// Flag returns a boolean member, false if absent.
func (c Credential) Flag(name string) bool {
	b, _ := c[name].(bool)
	return b
}

// Port returns a number member that is a TCP port, def if absent.
func (c Credential) Port(name string, def uint16) (uint16, error) {
	v, ok := c[name].(float64)
	if !ok {
		return def, nil
	}
	if v != math.Trunc(v) || v < 1 || v > 65535 {
		return 0, fmt.Errorf("credential field %q must be a port, 1 to 65535", name)
	}
	return uint16(v), nil
}

// Public returns the members that may be shown.
func (t Type) Public(c Credential) map[string]any {
	out := map[string]any{}
	for _, f := range t.Fields {
		if v, ok := c[f.Name]; ok && !f.Secret {
			out[f.Name] = v
		}
	}
	return out
}

// Redact removes the secrets of a credential from a text, such as a driver's error: the values of secret members, and
// secrets that are contained in other members, such as the password of an address. It also finds them as escaped in
// addresses and in JSON.
func (t Type) Redact(c Credential, text string) string {
	var secrets []string
	for _, f := range t.Fields {
		if f.Secret {
			secrets = append(secrets, c.Text(f.Name))
		} else {
			secrets = append(secrets, secret.Within(f.Name, c[f.Name])...)
		}
	}
	for _, s := range secrets {
		if len(s) <= 3 { // it would mask parts of other words
			continue
		}
		quoted := strconv.Quote(s)
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s), quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, form, "***")
		}
	}
	return text
}

// ambiguous is an ErrAmbiguous that lists the names.
type ambiguous struct{ text string }

func (a ambiguous) Error() string { return a.text }
func (ambiguous) Unwrap() error   { return ErrAmbiguous }

// Pick finds name among names ignoring case: an exact match takes precedence, several other matches are an error that
// lists them. The boolean reports whether there is a match.
func Pick(kind, name string, names []string) (string, bool, error) {
	var hits []string
	for _, n := range names {
		if n == name {
			return n, true, nil
		}
		if strings.EqualFold(n, name) {
			hits = append(hits, n)
		}
	}
	switch len(hits) {
	case 0:
		return "", false, nil
	case 1:
		return hits[0], true, nil
	}
	sort.Strings(hits) // servers list names in any order
	return "", false, ambiguous{fmt.Sprintf("the source has the %ss %q, which differ from %q in case only",
		kind, hits, name)}
}
