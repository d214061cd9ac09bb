package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/jsontext"
)

// Open returns a member of a credential without the secrets in it, and the path of the first secret: the member itself, or one
// within it; "" for none.
func Open(name string, raw json.RawMessage) (open any, path string, err error) {
	x, err := jsontext.Decode(raw)
	if err != nil {
		return nil, "", err
	}
	var w walk
	open = w.at(name, name, x)
	return open, w.first, nil
}

// Within returns the strings in a member of a credential that look like secrets.
func Within(name string, x any) []string {
	var w walk
	w.at(name, name, x)
	return w.found
}

// walk collects the secrets of a member.
type walk struct {
	first string // path
	found []string
}

const hidden = "***"

func (w *walk) note(path string, secrets ...string) {
	if w.first == "" {
		w.first = path
	}
	w.found = append(w.found, secrets...)
}

// at returns a value without its secrets. name is the name of the member, "" for an element of a list.
func (w *walk) at(path, name string, x any) any {
	if _, on := x.(bool); on || x == nil || x == "" {
		return x // it only says whether there is a secret
	}
	text, isText := x.(string)
	if Named(name) {
		if w.note(path); isText {
			w.note(path, text)
		}
		return hidden
	}
	switch x := x.(type) {
	case string:
		if !Address(text) {
			return w.document(path, text)
		}
		w.note(path, InText(text)...)
		w.note(path, parameters(text)...)
		if open := Hide(text); open != text {
			return open
		}
		return hidden
	case []any:
		out := make([]any, len(x))
		for i, y := range x {
			out[i] = w.at(fmt.Sprintf("%s[%d]", path, i), "", y)
		}
		return out
	case map[string]any:
		if name == "types" { // of columns, by column name
			return x
		}
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out[k] = w.at(path+"."+k, k, x[k])
		}
		return out
	}
	return x
}

// document examines a string that is a JSON document, such as the tables of a connection of type rest, whose fixed parameters
// may be keys.
func (w *walk) document(path, text string) any {
	if inner := strings.TrimSpace(text); inner == "" || inner[0] != '{' && inner[0] != '[' || !json.Valid([]byte(inner)) {
		return text
	}
	x, err := jsontext.Decode([]byte(text))
	if err != nil {
		w.note(path, text) // it cannot be examined
		return hidden
	}
	before := len(w.found)
	first := w.first
	w.first = ""
	open := w.at(path, "", x)
	changed := w.first != "" || len(w.found) > before
	if first != "" {
		w.first = first
	}
	if !changed {
		return text
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(open); err != nil {
		return hidden
	}
	return strings.TrimSpace(b.String())
}
