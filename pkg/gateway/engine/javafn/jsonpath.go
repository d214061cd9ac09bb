package javafn

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Functions over JSON. A document is read with its numbers as written and its keys in their order.

// member is a key of an object with its value; an object is a []member.
type member struct {
	key   string
	value any
}

// readJSON parses one document; ok is false if it is invalid.
func readJSON(text string) (v any, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, err := readValue(dec)
	if err != nil {
		return nil, false
	}
	_, err = dec.Token()
	return v, err == io.EOF
}

func readValue(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := readValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	case json.Delim('{'):
		object := []member{}
		for dec.More() {
			k, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := readValue(dec)
			if err != nil {
				return nil, err
			}
			object = append(object, member{k.(string), v})
		}
		_, err = dec.Token()
		return object, err
	}
	return t, nil
}

func writeJSON(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, x)
		}
		b.WriteByte(']')
	case []member:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, m.key)
			b.WriteByte(':')
			writeJSON(b, m.value)
		}
		b.WriteByte('}')
	case json.Number:
		if s := v.String(); strings.ContainsAny(s, ".eE") { // a double, as Java writes it
			b.WriteString(javaDouble(s, doubleType))
		} else {
			b.WriteString(s)
		}
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // a text, a number, a boolean or nil
		b.Truncate(b.Len() - 1)
	}
}

// step is one step of a path: a key, an index, or all elements.
type step struct {
	key   string
	index int
	what  byte // 'k', 'i', '*'
}

// readPath parses a path of Trino's json_extract: $.store.book[0]["title"], $[*].
func readPath(p string) ([]step, error) {
	bad := says("Invalid JSON path: '%s'", p)
	rest, ok := strings.CutPrefix(p, "$")
	if !ok {
		return nil, bad
	}
	var steps []step
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, ".."):
			return nil, says("JSON path '%s' is not supported on zone local", p)
		case rest[0] == '.':
			rest = rest[1:]
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, bad
			}
			key := rest[:end]
			rest = rest[end:]
			if strings.IndexFunc(key, func(r rune) bool {
				return r < 0x80 && !strings.ContainsRune("_:-$0123456789", r) && (r|0x20 < 'a' || r|0x20 > 'z')
			}) >= 0 {
				return nil, bad
			}
			steps = append(steps, step{what: 'k', key: key})
		case rest[0] == '[':
			if len(rest) > 1 && (rest[1] == '"' || rest[1] == '\'') {
				end := strings.Index(rest[2:], rest[1:2]+"]")
				if end < 0 {
					return nil, bad
				}
				steps = append(steps, step{what: 'k', key: rest[2 : 2+end]})
				rest = rest[2+end+2:]
				continue
			}
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, bad
			}
			inner := rest[1:end]
			rest = rest[end+1:]
			if inner == "*" {
				steps = append(steps, step{what: '*'})
				continue
			}
			if n, err := strconv.Atoi(inner); err == nil && n >= 0 {
				steps = append(steps, step{what: 'i', index: n, key: inner})
				continue
			}
			if strings.ContainsAny(inner, ":,?@()") || inner == "" {
				return nil, says("JSON path '%s' is not supported on zone local", p)
			}
			steps = append(steps, step{what: 'k', key: inner})
		default:
			return nil, bad
		}
	}
	return steps, nil
}

// walk follows a path; ok is false if there is no value.
func walk(v any, steps []step) (any, bool) {
	for i, s := range steps {
		switch x := v.(type) {
		case []member:
			if s.what == '*' {
				list := []any{}
				for _, m := range x {
					if r, ok := walk(m.value, steps[i+1:]); ok {
						list = append(list, r)
					}
				}
				return list, true
			}
			found := false
			for _, m := range x {
				if m.key == s.key {
					v, found = m.value, true
					break
				}
			}
			if !found {
				return nil, false
			}
		case []any:
			if s.what == '*' {
				list := []any{}
				for _, e := range x {
					if r, ok := walk(e, steps[i+1:]); ok {
						list = append(list, r)
					}
				}
				return list, true
			}
			if s.what != 'i' || s.index >= len(x) {
				return nil, false
			}
			v = x[s.index]
		default:
			return nil, false
		}
	}
	return v, true
}

// overPath returns a function of a document and a path; for an invalid document its result is NULL.
func overPath(name string, f func(v any) (string, bool)) Function {
	return Function{name, 2, func(a []string) (string, bool, error) {
		steps, err := readPath(a[1])
		if err != nil {
			return "", false, err
		}
		v, ok := readJSON(a[0])
		if !ok {
			return "", false, nil
		}
		if v, ok = walk(v, steps); !ok {
			return "", false, nil
		}
		s, ok := f(v)
		return s, ok, nil
	}}
}

func overDocument(name string, args int, f func(v any, a []string) (string, bool)) Function {
	return Function{name, args, func(a []string) (string, bool, error) {
		v, ok := readJSON(a[0])
		if !ok {
			return "", false, nil
		}
		s, ok := f(v, a)
		return s, ok, nil
	}}
}

func jsonText(v any) string {
	var b bytes.Buffer
	writeJSON(&b, v)
	return b.String()
}

// scalarText is a value that is neither array nor object as text.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

func jsonFunctions() []Function {
	return []Function{
		overPath("json_extract", func(v any) (string, bool) { return jsonText(v), true }),
		overPath("json_extract_scalar", scalarText),
		overPath("json_size", func(v any) (string, bool) {
			switch v := v.(type) {
			case []any:
				return strconv.Itoa(len(v)), true
			case []member:
				return strconv.Itoa(len(v)), true
			}
			return "0", true
		}),
		overDocument("json_array_length", 1, func(v any, _ []string) (string, bool) {
			list, ok := v.([]any)
			return strconv.Itoa(len(list)), ok
		}),
		overDocument("json_array_get", 2, func(v any, a []string) (string, bool) {
			list, ok := v.([]any)
			n, err := strconv.Atoi(a[1])
			if n < 0 {
				n += len(list)
			}
			if !ok || err != nil || n < 0 || n >= len(list) || list[n] == nil {
				return "", false
			}
			if s, ok := list[n].(string); ok {
				return s, true
			}
			return jsonText(list[n]), true
		}),
		{"json_array_contains", 3, jsonArrayContains},
		{"json_cast", 2, jsonCast},
		{"json_double", 2, jsonDouble},
		{"is_json_scalar", 1, func(a []string) (string, bool, error) {
			v, ok := readJSON(a[0])
			if !ok {
				return "", false, says("Invalid JSON value: %s", a[0])
			}
			switch v.(type) {
			case []any, []member:
				return "false", true, nil
			}
			return "true", true, nil
		}},
	}
}

func jsonArrayContains(a []string) (string, bool, error) {
	if f, err := strconv.ParseFloat(a[1], 64); a[2] == "double" && err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return "false", true, nil // whatever the document is
	}
	v, _ := readJSON(a[0])
	list, ok := v.([]any)
	for _, x := range list {
		if sameScalar(x, a[1], a[2]) {
			return "true", true, nil
		}
	}
	return "false", ok, nil
}

func sameScalar(x any, text, kind string) bool {
	switch x := x.(type) {
	case string:
		return kind == "varchar" && x == text
	case bool:
		return kind == "boolean" && strconv.FormatBool(x) == text
	case json.Number:
		if kind == "bigint" {
			return x.String() == text
		}
		f, err1 := x.Float64()
		g, err2 := strconv.ParseFloat(text, 64)
		return kind == "double" && err1 == nil && err2 == nil && f == g && strings.ContainsAny(x.String(), ".eE")
	}
	return false
}

// jsonCast extracts a scalar from a document, as CAST(json AS type) does.
func jsonCast(a []string) (string, bool, error) {
	v, ok := readJSON(a[0])
	refused := says("Cannot cast '%s' to %s", a[0], a[1])
	if !ok {
		return "", false, refused
	}
	if v == nil {
		return "", false, nil
	}
	text, ok := scalarText(v)
	if !ok {
		return "", false, refused
	}
	to, err := types.Parse(a[1])
	if err != nil {
		return "", false, err
	}
	_, isText := v.(string)
	_, isBool := v.(bool)
	switch {
	case to.Kind == types.Varchar:
		if n, ok := v.(json.Number); ok && strings.ContainsAny(text, ".eE") {
			return doubleVarchar(n.String()), true, nil
		}
		return text, true, nil
	case to.Kind == types.Boolean && isText:
		s, err := castBoolean(text)
		return s, true, err
	case to.Kind == types.Boolean && !isBool:
		f, err := strconv.ParseFloat(text, 64)
		return strconv.FormatBool(f != 0), true, err
	case to.Kind == types.Boolean:
		return text, true, nil
	case isBool:
		if text = "0"; v == true {
			text = "1"
		}
	case !isText && strings.ContainsAny(text, ".eE") && integerBits[to.Kind] > 0:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(f) >= 1<<63 {
			return "", false, refused
		}
		text = strconv.FormatInt(int64(math.Round(f)), 10)
	}
	s, err := castValue(text, types.Of(types.Varchar), to)
	switch {
	case err != nil && to.Kind == types.Decimal:
		err = says("Cannot cast '%s' to %s", a[0], strings.ToUpper(a[1]))
	case err != nil && !isText:
		err = refused
	}
	return s, true, err
}

func castBoolean(s string) (string, error) {
	switch strings.ToLower(s) {
	case "true", "t", "1":
		return "true", nil
	case "false", "f", "0":
		return "false", nil
	}
	return "", says("Cannot cast '%s' to BOOLEAN", s)
}

// jsonDouble writes a double, or of size 32 a real, as JSON: NaN and infinities are texts.
func jsonDouble(a []string) (string, bool, error) {
	size, err := strconv.Atoi(a[1])
	if err != nil {
		return "", false, err
	}
	f, err := strconv.ParseFloat(a[0], size)
	text := string(AppendDouble(nil, f, size))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text = strconv.Quote(text)
	}
	return text, true, err
}
