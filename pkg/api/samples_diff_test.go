package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
)

func decodeStrict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// exact decodes JSON with numbers as they are written.
func exact(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// difference names the first place where two JSON documents differ, "" for none.
func difference(want, got []byte) (string, error) {
	w, err := exact(want)
	if err != nil {
		return "", err
	}
	g, err := exact(got)
	if err != nil {
		return "", err
	}
	return differ("$", w, g), nil
}

func differ(at string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: want an object, got %v", at, got)
		}
		names := map[string]bool{}
		for k := range w {
			names[k] = true
		}
		for k := range g {
			names[k] = true
		}
		sorted := make([]string, 0, len(names))
		for k := range names {
			sorted = append(sorted, k)
		}
		sort.Strings(sorted)
		for _, k := range sorted {
			wv, in := w[k]
			gv, out := g[k]
			if in != out {
				return fmt.Sprintf("%s.%s: in the sample %v, after the round trip %v", at, k, in, out)
			}
			if d := differ(at+"."+k, wv, gv); d != "" {
				return d
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: want %d elements, got %v", at, len(w), got)
		}
		for i := range w {
			if d := differ(fmt.Sprintf("%s[%d]", at, i), w[i], g[i]); d != "" {
				return d
			}
		}
	default:
		if want != got {
			return fmt.Sprintf("%s: want %v (%T), got %v (%T)", at, want, want, got, got)
		}
	}
	return ""
}
