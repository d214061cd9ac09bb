package connector

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Credential holds the members of a connection's credential by field name: strings, float64 and bool. It never prints itself.
type Credential map[string]any

// String hides the values.
func (Credential) String() string { return "(credential)" }

// GoString hides the values.
func (Credential) GoString() string { return "(credential)" }

// Check brings a credential into the form its type describes: known fields only, required ones present, numbers and booleans
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
		return nil, fmt.Errorf("%s is no credential field of type %s", strings.Join(extra, ", "), t.Key)
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
			if n, err := strconv.ParseFloat(strings.TrimSpace(x), 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
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

// Text is a text member, "" when absent.
func (c Credential) Text(name string) string {
	s, _ := c[name].(string)
	return s
}

// Flag is a boolean member, false when absent.
func (c Credential) Flag(name string) bool {
	b, _ := c[name].(bool)
	return b
}

// Port is a number member that is a TCP port, def when absent.
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

// Public are the members that may be shown.
func (t Type) Public(c Credential) map[string]any {
	out := map[string]any{}
	for _, f := range t.Fields {
		if v, ok := c[f.Name]; ok && !f.Secret {
			out[f.Name] = v
		}
	}
	return out
}

// Redact removes the secret members of a credential from a text, such as a driver's error.
func (t Type) Redact(c Credential, text string) string {
	for _, f := range t.Fields {
		if s := c.Text(f.Name); f.Secret && len(s) > 3 {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}

// ambiguous is an ErrAmbiguous that says which names.
type ambiguous struct{ text string }

func (a ambiguous) Error() string { return a.text }
func (ambiguous) Unwrap() error   { return ErrAmbiguous }

// Pick finds name among names without regard to case: an exact match wins, several others are an error that says so. The
// boolean tells whether anything was found.
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
	return "", false, ambiguous{fmt.Sprintf("the source has the %ss %q, which differ from %q in case only", kind, hits, name)}
}
