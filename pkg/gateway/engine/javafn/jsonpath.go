package javafn

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Functions over JSON.

// step is one step of a path: a key, or an index of an array if it is one.
type step struct {
	key   string
	index int // -1 for none
}

// readPath parses a path of Trino's json_extract: $.store.book[0]["title"].
func readPath(p string) ([]step, error) {
	bad := says("Invalid JSON path: '%s'", p)
	rest, ok := strings.CutPrefix(p, "$")
	if !ok {
		return nil, bad
	}
	var steps []step
	for rest != "" {
		kind := rest[0]
		rest = rest[1:]
		s := step{index: -1}
		switch {
		case kind == '.':
			s.key, rest = pathWord(rest, ":")
			if s.key == "" {
				return nil, bad
			}
		case kind == '[' && strings.HasPrefix(rest, `"`):
			s.key, rest, ok = pathQuoted(rest[1:])
			if !ok {
				return nil, bad
			}
		case kind == '[':
			s.key, rest = pathWord(rest, "")
			if n, err := strconv.Atoi(s.key); err == nil {
				s.index = n
			}
			if rest, ok = strings.CutPrefix(rest, "]"); !ok || s.key == "" {
				return nil, bad
			}
		default:
			return nil, bad
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// pathWord is the unquoted prefix of a path: letters, digits, underscores and the characters of others.
func pathWord(s, others string) (word, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && !strings.ContainsRune(others, r) && (r > 0xffff || !unicode.IsLetter(r) &&
			!unicode.IsDigit(r))
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// pathQuoted is a quoted key, without its opening quote, and the rest of the path after ].
func pathQuoted(s string) (key, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case c == '\\':
			return "", "", false
		case c == '"':
			rest, ok = strings.CutPrefix(s[i+1:], "]")
			return b.String(), rest, ok
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// walk follows a path; ok is false if there is no value.
func walk(v any, steps []step) (any, bool) {
	for _, s := range steps {
		switch x := v.(type) {
		case []member:
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
			if s.index < 0 || s.index >= len(x) {
				return nil, false
			}
			v = x[s.index]
		default:
			return nil, false
		}
	}
	return v, whole(v)
}

// overPath returns a function of a document and a path; it is NULL for an invalid document.
func overPath(name string, f func(v any) (string, bool)) Function {
	return Function{name, 2, func(a []string) (string, bool, error) {
		steps, err := readPath(a[1])
		if err != nil {
			return "", false, err
		}
		if jsontext.Unpaired(a[0]) >= 0 {
			return "", false, errHalfPair
		}
		v, ok := walk(readStart(a[0]), steps)
		if !ok {
			return "", false, nil
		}
		s, ok := f(v)
		return s, ok, nil
	}}
}

func overDocument(name string, args int, f func(v any, a []string) (string, bool)) Function {
	return Function{name, args, func(a []string) (string, bool, error) {
		if jsontext.Unpaired(a[0]) >= 0 {
			return "", false, errHalfPair
		}
		s, ok := f(readStart(a[0]), a)
		return s, ok, nil
	}}
}

func jsonText(v any) string {
	var b bytes.Buffer
	writeJSON(&b, v)
	return b.String()
}

// scalarText is the text of a value that is neither an array nor an object.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case broken:
		return "", false
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
			return strconv.Itoa(len(list)), ok && whole(list)
		}),
		overDocument("json_array_get", 2, func(v any, a []string) (string, bool) {
			list, ok := v.([]any)
			n, err := strconv.Atoi(a[1])
			if n < 0 {
				if n += len(list); !whole(list) {
					return "", false
				}
			}
			if !ok || err != nil || n < 0 || n >= len(list) || list[n] == nil || !whole(list[n]) {
				return "", false
			}
			if s, ok := scalarText(list[n]); ok { // a number as written
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
	if f, err := strconv.ParseFloat(strings.TrimPrefix(a[1], "-"), 64); a[2] == "double" && err == nil &&
		(math.IsNaN(f) || math.IsInf(f, 0)) {
		return "false", true, nil // for any document
	}
	if jsontext.Unpaired(a[0]) >= 0 {
		return "", false, errHalfPair
	}
	list, ok := readStart(a[0]).([]any)
	for _, x := range list {
		if sameScalar(x, a[1], a[2]) {
			return "true", true, nil
		}
	}
	return "false", ok && whole(list), nil
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
	name := a[1]
	if strings.HasPrefix(name, "decimal") {
		name = strings.ToUpper(name)
	}
	refused := says("Cannot cast '%s' to %s", a[0], name)
	if !ok {
		return "", false, refused
	}
	if v == nil {
		return "", false, nil
	}
	text, ok := scalarText(v)
	if !ok {
		if strings.HasPrefix(name, "varchar") { // without its length
			name = "varchar"
		}
		return "", false, says("Cannot cast '%s' to %s", a[0], name)
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
			text = doubleVarchar(javaDouble(n.String(), doubleType))
		}
		if utf8.RuneCountInString(text) > to.N {
			return "", false, says("Value [%s] does not fit in type %s", text, to)
		}
		return text, true, nil
	case to.Kind == types.Boolean && isText:
		s, err := castBoolean(text)
		return s, true, err
	case to.Kind == types.Boolean && !isBool:
		f, err := parseDouble(text, 64)
		if _, large := strconv.ParseInt(text, 10, 64); large != nil && !strings.ContainsAny(text, ".eE") {
			err = refused
		}
		return strconv.FormatBool(f != 0), true, err
	case to.Kind == types.Boolean:
		return text, true, nil
	case isBool:
		if text = "0"; v == true {
			text = "1"
		}
	case !isText && strings.ContainsAny(text, ".eE") && integerBits[to.Kind] > 0:
		f, err := parseDouble(text, 64)
		if err != nil || math.Abs(f) >= 1<<63 {
			if to.Kind == types.Bigint {
				return "", false, says("Unable to cast %s to bigint", javaDouble(text, doubleType))
			}
			return "", false, refused
		}
		text = strconv.FormatInt(int64(math.Round(f)), 10)
	}
	s, err := castValue(text, types.Of(types.Varchar), to)
	switch {
	case err != nil && to.Kind == types.Decimal:
		err = refused
		if _, no := strconv.ParseFloat(text, 64); no == nil {
			err = says("Cannot cast input json to %s", name)
		}
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

// jsonDouble formats a double, or with size 32 a real, as JSON: NaN and infinities are strings.
func jsonDouble(a []string) (string, bool, error) {
	size, err := strconv.Atoi(a[1])
	if err != nil {
		return "", false, err
	}
	f, err := parseDouble(a[0], size)
	text := string(doubletext.Append(nil, f, size))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text = strconv.Quote(text)
	}
	return text, true, err
}
