package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A reply is accepted as an answer only if it has the members that the operation requires: those marked reply:"must" in
// its type, which the documents show in every example and which are essential. Documents and service disagree on the
// others. A type without such members requires nothing: several operations answer 200 without a body [L].

// missing returns the name of a required member that is missing from v, decoded from raw; "" for none. raw is checked
// because a Go value cannot distinguish absent members.
func missing(v reflect.Value, raw []byte) string {
	switch v.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Tag.Get("reply") != "must" {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			field := v.Field(i)
			switch field.Kind() {
			case reflect.String:
				if field.Len() == 0 {
					return name
				}
				continue
			case reflect.Slice, reflect.Map, reflect.Pointer:
				if field.IsNil() {
					return name
				}
			}
			if members == nil && json.Unmarshal(raw, &members) != nil {
				return name
			}
			if m := bytes.TrimSpace(members[name]); len(m) == 0 || string(m) == "null" {
				return name
			} else if lost := missing(field, m); lost != "" {
				return name + "." + lost
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct || !promises(v.Type().Elem()) {
			return ""
		}
		var each []json.RawMessage
		if json.Unmarshal(raw, &each) != nil || len(each) != v.Len() {
			return "[]"
		}
		for i := range each {
			if lost := missing(v.Index(i), each[i]); lost != "" {
				return fmt.Sprintf("[%d].%s", i, lost)
			}
		}
	}
	if own, ok := v.Interface().(interface{ missing() string }); ok {
		return own.missing()
	}
	return ""
}

// promises reports whether a reply of this type has required members.
func promises(t reflect.Type) bool {
	if t.Implements(reflect.TypeFor[interface{ missing() string }]()) {
		return true
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("reply") == "must" {
				return true
			}
		}
	}
	return false
}

func (d ConnectionDetail) missing() string {
	if jsonText(d["type"]) == "" {
		return "type"
	}
	return ""
}

// errNoAnswer is wrapped by the errors of replies that lack required members.
var errNoAnswer = errors.New("it is not the answer")

// answers returns an error if raw is not an answer of type T although its status is a success.
func answers[T any](raw []byte, out T) error {
	v := reflect.ValueOf(out)
	if lost := missing(v, raw); lost != "" {
		return fmt.Errorf("%w: %q is missing", errNoAnswer, lost)
	}
	return nil
}

// quiet returns an error if raw is not a valid reply of an operation without required members: it is neither empty nor
// an object, or it is an error object.
func quiet(raw []byte) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case raw[0] != '{':
		return fmt.Errorf("%w: it is neither empty nor an object", errNoAnswer)
	case !json.Valid(raw):
		return json.Unmarshal(raw, new(json.RawMessage))
	case errorBody(raw) != nil:
		return fmt.Errorf("%w: it describes an error", errNoAnswer)
	}
	return nil
}

// errorBody parses raw, or the only object in it, as the body of an error; nil if it has no known shape.
func errorBody(raw []byte) *Error {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		var one []json.RawMessage
		if json.Unmarshal(raw, &one) != nil || len(one) == 0 {
			return nil
		}
		raw = bytes.TrimSpace(one[0])
	}
	var members map[string]json.RawMessage
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	name, code := jsonText(members["error"]), jsonText(members["errorCode"])
	if name == "" && code == "" {
		return nil
	}
	e := &Error{}
	e.read(raw)
	return e
}
