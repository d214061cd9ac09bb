package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A reply is taken for an answer only when it has what the operation promises: members marked reply:"must" in its type, which are
// those that the documents show in every example and that mean something without the others. Documents and service disagree on the
// rest. A type without such members promises nothing: several operations answer 200 without a body [L].

// missing names a promised member that v, decoded from raw, does not have; "" for none. raw is looked at for what a Go value cannot
// tell from an absent one.
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

// promises reports whether a reply of this type has members that must be there.
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

// errNoAnswer is wrapped by the errors of replies that lack what they promise.
var errNoAnswer = errors.New("it is not the answer")

// answers reports, as an error, why raw is no answer of type T although it came with a success.
func answers[T any](raw []byte, out T) error {
	v := reflect.ValueOf(out)
	if lost := missing(v, raw); lost != "" {
		return fmt.Errorf("%w: %q is missing", errNoAnswer, lost)
	}
	return nil
}

// quiet reports, as an error, why raw is no reply of an operation that promises nothing: it is neither empty nor an object, or it
// is the object of an error.
func quiet(raw []byte) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case raw[0] != '{':
		return fmt.Errorf("%w: it is neither empty nor an object", errNoAnswer)
	case !json.Valid(raw):
		return json.Unmarshal(raw, new(json.RawMessage))
	case errorBody(raw) != nil:
		return fmt.Errorf("%w: it tells of an error", errNoAnswer)
	}
	return nil
}

// errorBody reads raw, or the one object in it, as the body of an error; nil when it has the shape of none.
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
