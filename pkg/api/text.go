package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// ErrNotUTF8 is wrapped by the error for a request with a text that is not UTF-8. Encoded as JSON, its invalid bytes
// would become U+FFFD, and the gateway would search for or store another text than the given one.
var ErrNotUTF8 = errors.New("not text in UTF-8")

// marshalRequest encodes the body of a request.
func marshalRequest(v any) ([]byte, error) {
	raw, err := Marshal(v)
	// the escape for an invalid byte; a valid U+FFFD is not escaped
	if err == nil && bytes.Contains(raw, []byte(`\ufffd`)) {
		err = faultIn("", reflect.ValueOf(v))
	}
	if err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	return raw, nil
}

// validJSON rejects a document that is not UTF-8.
func validJSON(raw []byte) error {
	if utf8.Valid(raw) {
		return nil
	}
	return fmt.Errorf("request body: %w", notUTF8(string(raw)))
}

// notUTF8 returns an error with the position of the first byte that is not UTF-8; nil if there is none.
func notUTF8(text string) error {
	line, at := 1, 1
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("%w: line %d, column %d has the byte 0x%02x", ErrNotUTF8, line, at, rest[0])
		}
		if at++; r == '\n' {
			line, at = line+1, 1
		}
		rest = rest[size:]
	}
	return nil
}

// TextFault returns an error with the position of the first byte that is not UTF-8; nil if there is none.
func TextFault(text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	return notUTF8(string(text))
}

// faultIn returns the error for the first text in a value that is not UTF-8; name is the name of the member with the
// value.
func faultIn(name string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		if err := notUTF8(v.String()); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimPrefix(name, "."), err)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return faultIn(name, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == "" {
				tag = f.Name
			}
			if err := faultIn(name+"."+tag, v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if err := faultIn(name, k); err != nil {
				return err
			}
			if err := faultIn(name+"."+fmt.Sprint(k), v.MapIndex(k)); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			if err := TextFault(v.Bytes()); err != nil {
				return fmt.Errorf("%s: %w", strings.TrimPrefix(name, "."), err)
			}
			return nil
		}
		for i := range v.Len() {
			if err := faultIn(name, v.Index(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// OrEmpty returns the text of an optional member, "" if it is absent or null.
func OrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
