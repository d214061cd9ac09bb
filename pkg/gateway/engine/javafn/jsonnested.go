package javafn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Casts between JSON and arrays, maps and rows. Between this package and the engine a value is encoded as JSON in
// another form: rows are objects with the keys f1, f2 and so on, all other values strings or null, and maps that come
// from JSON are lists of {"k", "v"}.

// jsonNested converts JSON to a value of a type.
func jsonNested(a []string) (string, bool, error) {
	t, err := types.Parse(a[1])
	if err != nil {
		return "", false, err
	}
	v, ok := readJSON(a[0])
	if !ok {
		return "", false, says("Cannot cast '%s' to %s", a[0], t)
	}
	if v == nil {
		return "", false, nil
	}
	var b bytes.Buffer
	if err := shape(&b, v, t); err != nil {
		return "", false, says("Cannot cast to %s. %s\n%s", t, err, a[0])
	}
	return b.String(), true, nil
}

// token is the token of a document that was not expected, for an error.
func token(v any) string {
	switch v.(type) {
	case []any:
		return "["
	case []member:
		return "{"
	}
	text, _ := scalarText(v)
	return text
}

func shape(b *bytes.Buffer, v any, t *types.Type) error {
	if v == nil {
		b.WriteString("null")
		return nil
	}
	switch t.Kind {
	case types.Array:
		list, ok := v.([]any)
		if !ok {
			return says("Expected a json array, but got %s", token(v))
		}
		b.WriteByte('[')
		for i, x := range list {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := shape(b, x, t.Args[0]); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case types.Map:
		return shapeMap(b, v, t)
	case types.Row:
		return shapeRow(b, v, t)
	case types.JSON:
		var doc bytes.Buffer
		writeJSON(&doc, v)
		quote(b, doc.String())
		return nil
	}
	switch v.(type) {
	case []any, []member:
		name, _, _ := strings.Cut(t.String(), "(")
		if t.Kind == types.Decimal {
			name = strings.ToUpper(t.Signature())
		}
		return says("Unexpected token when cast to %s: %s", name, token(v))
	}
	doc := jsonText(v)
	if n, ok := v.(json.Number); ok && t.Kind == types.Decimal { // with the digits as written
		doc = n.String()
	}
	text, ok, err := jsonCast([]string{doc, t.String()})
	if err != nil {
		return err
	}
	if !ok {
		b.WriteString("null")
		return nil
	}
	quote(b, text)
	return nil
}

func shapeMap(b *bytes.Buffer, v any, t *types.Type) error {
	object, ok := v.([]member)
	if !ok {
		return says("Expected a json object, but got %s", token(v))
	}
	seen := map[string]bool{}
	b.WriteByte('[')
	for i, m := range object {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"k":`)
		from := b.Len()
		if err := shape(b, m.key, t.Args[0]); err != nil {
			return err
		}
		key := b.String()[from:]
		if seen[key] {
			return says("Duplicate keys are not allowed")
		}
		seen[key] = true
		b.WriteString(`,"v":`)
		if err := shape(b, m.value, t.Args[1]); err != nil {
			return err
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return nil
}

func shapeRow(b *bytes.Buffer, v any, t *types.Type) error {
	fields := make([]any, len(t.Args))
	switch v := v.(type) {
	case []any:
		if len(v) > len(fields) {
			return says("Expected json array ending, but got %s", token(v[len(fields)]))
		}
		if len(v) < len(fields) {
			name, _, _ := strings.Cut(t.Args[len(v)].String(), "(")
			return says("Unexpected token when cast to %s: ]", name)
		}
		copy(fields, v)
	case []member:
		for i := range fields {
			if t.FieldName(i) == "" {
				return says("Cannot cast a JSON object to anonymous row type. Input must be a JSON array.")
			}
		}
		given := make([]bool, len(fields))
		for _, m := range v {
			key := strings.ToLower(m.key)
			for i := range fields {
				// as in Trino, a field name that is not in lower case is not found
				if t.FieldName(i) != key || key == "" {
					continue
				}
				if given[i] {
					return says("Duplicate field: %s", key)
				}
				fields[i], given[i] = m.value, true
			}
		}
	default:
		return says("Expected a json array or object, but got %s", token(v))
	}
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `"f%d":`, i+1)
		if err := shape(b, f, t.Args[i]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// jsonOf formats a value of a type, whose parts are strings, as JSON.
func jsonOf(a []string) (string, bool, error) {
	v, ok := readJSON(a[0])
	if !ok {
		return "", false, says("Value is not JSON: %s", a[0])
	}
	t, err := types.Parse(a[1])
	if err != nil {
		return "", false, err
	}
	var b bytes.Buffer
	if err := form(&b, v, t); err != nil {
		return "", false, err
	}
	return b.String(), true, nil
}

func form(b *bytes.Buffer, v any, t *types.Type) error {
	if v == nil {
		b.WriteString("null")
		return nil
	}
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := form(b, x, t.Args[0]); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case []member:
		if t.Kind == types.Map {
			return formMap(b, v, t)
		}
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(b, t.FieldName(i))
			b.WriteByte(':')
			if err := form(b, m.value, t.Args[i]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	}
	text, _ := v.(string)
	switch t.Kind {
	case types.Boolean, types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.JSON:
		b.WriteString(text)
	case types.Decimal:
		b.WriteString(bigDecimal(zeroBeforePoint(text)))
	case types.Real, types.Double:
		f, err := parseDouble(text, 64)
		if err != nil {
			return err
		}
		s := string(doubletext.Append(nil, f, sizes[t.Kind]))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			s = strconv.Quote(s)
		}
		b.WriteString(s)
	case types.Timestamp:
		quote(b, digits(text, t.N))
	default:
		quote(b, text)
	}
	return nil
}

var sizes = map[types.Kind]int{types.Real: 32, types.Double: 64}

// formMap writes a map with sorted keys.
func formMap(b *bytes.Buffer, entries []member, t *types.Type) error {
	for i, m := range entries {
		switch t.Args[0].Kind {
		case types.Real, types.Double:
			f, err := parseDouble(m.key, 64)
			if err != nil {
				return err
			}
			entries[i].key = string(doubletext.Append(nil, f, sizes[t.Args[0].Kind]))
		case types.Decimal:
			entries[i].key = zeroBeforePoint(m.key)
		}
	}
	slices.SortStableFunc(entries, func(x, y member) int { return strings.Compare(x.key, y.key) })
	b.WriteByte('{')
	for i, m := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		quote(b, m.key)
		b.WriteByte(':')
		if err := form(b, m.value, t.Args[1]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// bigDecimal formats a decimal as Java's BigDecimal does: with an exponent where more than five zeros follow the point.
func bigDecimal(s string) string {
	sign, digits := "", s
	if strings.HasPrefix(s, "-") {
		sign, digits = "-", s[1:]
	}
	fraction, ok := strings.CutPrefix(digits, "0.")
	if !ok {
		return s
	}
	rest := strings.TrimLeft(fraction, "0")
	zeros := len(fraction) - len(rest)
	switch {
	case rest == "" && len(fraction) > 6:
		return sign + "0E-" + strconv.Itoa(len(fraction))
	case rest == "" || zeros < 6:
		return s
	case len(rest) > 1:
		rest = rest[:1] + "." + rest[1:]
	}
	return sign + rest + "E-" + strconv.Itoa(zeros+1)
}

// zeroBeforePoint adds the zero that the engine omits in decimals like .50.
func zeroBeforePoint(s string) string {
	switch {
	case strings.HasPrefix(s, "."):
		return "0" + s
	case strings.HasPrefix(s, "-."):
		return "-0" + s[1:]
	}
	return s
}

// digits formats a time with n fractional digits.
func digits(s string, n int) string {
	clock, fraction, _ := strings.Cut(s, ".")
	if n == 0 {
		return clock
	}
	for len(fraction) < n {
		fraction += "0"
	}
	return clock + "." + fraction[:n]
}

// quote writes a JSON string as Jackson, Java's library, does: code points beyond the basic plane as surrogate pairs;
// only control characters, quotes and backslashes are escaped.
func quote(b *bytes.Buffer, s string) {
	const short = "btn\x00fr" // of the control characters from 8 on
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 8 && r <= 13 && r != 11:
			b.WriteByte('\\')
			b.WriteByte(short[r-8])
		case r < ' ':
			fmt.Fprintf(b, `\u%04X`, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04X\u%04X`, high, low)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
