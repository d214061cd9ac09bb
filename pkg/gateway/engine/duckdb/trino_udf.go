//go:build cgo

package duckdb

import (
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// udfs are the functions that the rules call where DuckDB has nothing that gives Trino's answer. Texts in, a text out; NULL in
// gives NULL out without a call.
func udfs() []udf {
	one := func(name string, f func(a string) (string, bool, error)) udf {
		return udf{name, 1, func(a []string) (string, bool, error) { return f(a[0]) }}
	}
	return []udf{
		{"~divide", 3, divide},
		{"~fixed", 2, func(a []string) (string, bool, error) { s, err := fixed(a[0], a[1]); return s, true, err }},
		one("~cbrt", func(a string) (string, bool, error) {
			f, err := strconv.ParseFloat(a, 64)
			return strconv.FormatFloat(math.Cbrt(f), 'g', -1, 64), true, err
		}),
		one("~double", func(a string) (string, bool, error) { return doubleVarchar(a), true, nil }),
		{"~format", 3, func(a []string) (string, bool, error) { s, err := javaFormat(a[0], a[1], a[2]); return s, true, err }},
		{"~from_base", 2, fromBase},
		{"~to_base", 2, toBase},
		{"~split", 3, splitLimit},
		{"~regexp_like", 2, regexpLike},
		{"~regexp_extract", 3, regexpExtract},
		{"~regexp_extract_all", 3, regexpExtractAll},
		{"~regexp_split", 2, regexpSplit},
		{"~regexp_replace", 3, regexpReplace},
		{"~regexp_count", 2, regexpCount},
		{"~regexp_position", 2, regexpPosition},
		one("~url_host", urlPart(func(u *url.URL) string { return u.Hostname() })),
		one("~url_path", urlPart(func(u *url.URL) string { return u.Path })),
		one("~url_protocol", urlPart(func(u *url.URL) string { return u.Scheme })),
		one("~url_query", urlPart(func(u *url.URL) string { q, _ := url.PathUnescape(u.RawQuery); return q })),
		one("~url_fragment", urlPart(func(u *url.URL) string { return u.Fragment })),
		one("~url_port", func(a string) (string, bool, error) {
			if u, ok := parseURL(a); ok && u.Port() != "" {
				return u.Port(), true, nil
			}
			return "", false, nil
		}),
		{"~url_parameter", 2, urlParameter},
		one("~url_encode", func(a string) (string, bool, error) { return urlEncode(a), true, nil }),
		one("~url_decode", func(a string) (string, bool, error) { s, err := url.QueryUnescape(a); return s, true, err }),
		one("~crc32", fromHexText(func(b []byte) string { return strconv.FormatUint(uint64(crc32.ChecksumIEEE(b)), 10) })),
		one("~sha512", fromHexText(func(b []byte) string { h := sha512.Sum512(b); return hex.EncodeToString(h[:]) })),
		one("~json_parse", jsonParse),
		{"~json_number", 2, jsonNumber},
		one("~shallow", shallow),
		{"~like", 2, func(a []string) (string, bool, error) { return strconv.FormatBool(like(a[0], a[1])), true, nil }},
		one("~iso_date", isoDate),
		one("~iso_day", isoDay),
		one("~iso_clock", isoClock),
		one("~iso_timestamp", isoTimestamp),
		{"~date_format", 3, func(a []string) (string, bool, error) { return dateFormat(a[0], a[1]) }},
		{"~format_datetime", 3, func(a []string) (string, bool, error) { return jodaFormat(a[0], a[1], a[2]) }},
		{"~date_parse", 2, func(a []string) (string, bool, error) { return dateParse(a[0], a[1]) }},
		{"~parse_datetime", 2, func(a []string) (string, bool, error) { return jodaParse(a[0], a[1]) }},
	}
}

// said is an error in Trino's words.
type said string

func (s said) Error() string { return string(s) }

func says(format string, a ...any) error { return said(fmt.Sprintf(format, a...)) }

// divide divides decimals, rounded half up to a scale.
func divide(a []string) (string, bool, error) {
	x, ok1 := new(big.Rat).SetString(a[0])
	y, ok2 := new(big.Rat).SetString(a[1])
	scale, err := strconv.Atoi(a[2])
	if !ok1 || !ok2 || err != nil {
		return "", false, fmt.Errorf("cannot divide %s by %s", a[0], a[1])
	}
	if y.Sign() == 0 {
		return "", false, says("Division by zero")
	}
	return x.Quo(x, y).FloatString(scale), true, nil
}

// fixed rounds a number, written in any form, half up to so many digits after the point.
func fixed(text, digits string) (string, error) {
	d, err := strconv.Atoi(digits)
	x, ok := new(big.Rat).SetString(text)
	if !ok || err != nil { // NaN, Infinity
		return text, nil // as it is
	}
	if d = max(d, -400); d < 0 { // no number has as many digits
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d)), nil))
		return new(big.Rat).Mul(mustRat(x.Quo(x, scale).FloatString(0)), scale).FloatString(0), nil
	}
	return x.FloatString(min(d, 400)), nil
}

func mustRat(s string) *big.Rat {
	x, _ := new(big.Rat).SetString(s)
	return x
}

// doubleVarchar writes a double as CAST(... AS varchar) does: 1.5E0.
func doubleVarchar(s string) string {
	switch strings.ToLower(s) {
	case "nan":
		return "NaN"
	case "inf", "infinity":
		return "Infinity"
	case "-inf", "-infinity":
		return "-Infinity"
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return s
	}
	if x.Sign() == 0 {
		if s[0] == '-' {
			return "-0E0"
		}
		return "0E0"
	}
	mantissa, exp, _ := strings.Cut(strings.ToLower(s), "e")
	e, _ := strconv.Atoi(exp)
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := whole + frac
	e += len(whole) - 1
	for digits[0] == '0' {
		digits = digits[1:]
		e--
	}
	digits = strings.TrimRight(digits, "0")
	if len(digits) < 2 {
		digits += "0"
	}
	return sign + digits[:1] + "." + digits[1:] + "E" + strconv.Itoa(e)
}

// javaFormat writes one value by one part of a Java format. spec is what follows the percent sign.
func javaFormat(spec, typ, text string) (string, error) {
	verb := spec[len(spec)-1]
	body := strings.TrimLeft(spec[:len(spec)-1], "-+ 0,(#")
	flags := spec[:len(spec)-1-len(body)]
	width, prec, hasPrec := strings.Cut(body, ".")
	bad := func() (string, error) {
		return "", says("Invalid format string: %%%s (%c != %s)", spec, verb, typ)
	}
	number := func(s string) string {
		neg := strings.HasPrefix(s, "-")
		s = strings.TrimPrefix(s, "-")
		if strings.Contains(flags, ",") {
			whole, frac, dot := strings.Cut(s, ".")
			for i := len(whole) - 3; i > 0; i -= 3 {
				whole = whole[:i] + "," + whole[i:]
			}
			if s = whole; dot {
				s += "." + frac
			}
		}
		sign := ""
		switch {
		case neg && strings.Contains(flags, "("):
			return "(" + s + ")"
		case neg:
			sign = "-"
		case strings.Contains(flags, "+"):
			sign = "+"
		case strings.Contains(flags, " "):
			sign = " "
		}
		if w, _ := strconv.Atoi(width); strings.Contains(flags, "0") && w > 0 {
			s = strings.Repeat("0", max(w-len(s)-len(sign), 0)) + s
		}
		return sign + s
	}
	out := text
	integer := typ == "tinyint" || typ == "smallint" || typ == "integer" || typ == "bigint"
	switch {
	case text == "null":
	case verb == 's':
		out = javaText(typ, text)
		if p, err := strconv.Atoi(prec); hasPrec && err == nil && utf8.RuneCountInString(out) > p {
			out = string([]rune(out)[:p])
		}
	case verb == 'b':
	case verb == 'd':
		if !integer {
			return bad()
		}
		out = number(text)
	case verb == 'x' || verb == 'X':
		n, err := strconv.ParseInt(text, 10, 64)
		if !integer || err != nil {
			return bad()
		}
		bits := map[string]uint64{"tinyint": 1<<8 - 1, "smallint": 1<<16 - 1, "integer": 1<<32 - 1, "bigint": 1<<64 - 1}[typ]
		if out = number(strconv.FormatUint(uint64(n)&bits, 16)); verb == 'X' {
			out = strings.ToUpper(out)
		}
	case verb == 'f' || verb == 'e' || verb == 'E':
		if integer || typ == "varchar" {
			return bad()
		}
		if prec == "" {
			prec = "6"
		}
		if verb == 'f' {
			s, err := fixed(text, prec)
			if err != nil {
				return "", err
			}
			out = number(s)
			break
		}
		f, err := strconv.ParseFloat(text, 64)
		p, err2 := strconv.Atoi(prec)
		if err != nil || err2 != nil {
			return bad()
		}
		out = number(strconv.FormatFloat(f, verb, p, 64))
	default:
		return bad()
	}
	w, _ := strconv.Atoi(width)
	if pad := w - utf8.RuneCountInString(out); pad > 0 {
		if strings.Contains(flags, "-") {
			return out + strings.Repeat(" ", pad), nil
		}
		return strings.Repeat(" ", pad) + out, nil
	}
	return out, nil
}

func fromBase(a []string) (string, bool, error) {
	base, _ := strconv.Atoi(a[1])
	if base < 2 || base > 36 {
		return "", false, says("Radix must be between 2 and 36")
	}
	n, err := strconv.ParseInt(a[0], base, 64)
	if err != nil {
		return "", false, says("Not a valid base-%d number: %s", base, a[0])
	}
	return strconv.FormatInt(n, 10), true, nil
}

func toBase(a []string) (string, bool, error) {
	n, err := strconv.ParseInt(a[0], 10, 64)
	base, err2 := strconv.Atoi(a[1])
	if err != nil || err2 != nil || base < 2 || base > 36 {
		return "", false, says("Radix must be between 2 and 36")
	}
	return strconv.FormatInt(n, base), true, nil
}

func asJSON(list any) (string, bool, error) {
	b, err := json.Marshal(list)
	return string(b), true, err
}

func splitLimit(a []string) (string, bool, error) {
	n, err := strconv.Atoi(a[2])
	if err != nil || n <= 0 {
		return "", false, says("Limit must be positive")
	}
	if a[1] == "" {
		return "", false, says("The delimiter may not be the empty string")
	}
	return asJSON(strings.SplitN(a[0], a[1], n))
}

func urlPart(part func(*url.URL) string) func(string) (string, bool, error) {
	return func(a string) (string, bool, error) {
		if u, ok := parseURL(a); ok {
			return part(u), true, nil
		}
		return "", false, nil // NULL for what is no URL
	}
}

func urlParameter(a []string) (string, bool, error) {
	u, ok := parseURL(a[0])
	if !ok {
		return "", false, nil // NULL for what is no URL
	}
	for _, p := range strings.Split(u.RawQuery, "&") {
		k, v, _ := strings.Cut(p, "=")
		if name, err := url.QueryUnescape(k); err == nil && name == a[1] {
			v, err = url.QueryUnescape(v)
			return v, err == nil, nil
		}
	}
	return "", false, nil
}

// urlEncode leaves letters, digits and .-*_ and writes a blank as a plus sign.
func urlEncode(s string) string {
	s = url.QueryEscape(s)
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(s)
}

func fromHexText(f func([]byte) string) func(string) (string, bool, error) {
	return func(a string) (string, bool, error) {
		b, err := hex.DecodeString(a)
		if err != nil {
			return "", false, err
		}
		return f(b), true, nil
	}
}

// jsonParse writes JSON in the one form that Trino keeps: no blanks, keys in order.
func jsonParse(a string) (string, bool, error) {
	d := json.NewDecoder(strings.NewReader(a))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return "", false, says("Cannot convert value to JSON: '%s'", a)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(jsonNumbers(v)); err != nil {
		return "", false, err
	}
	return strings.TrimSuffix(b.String(), "\n"), true, nil
}

// jsonNumbers writes numbers with a point or an exponent as Java writes doubles.
func jsonNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = jsonNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = jsonNumbers(v[i])
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return json.RawMessage(appendDouble(nil, f, 64))
		}
	}
	return v
}

// shallow gives its argument back unless it nests so deep that a function that calls itself for each level could fill the stack.
func shallow(a string) (string, bool, error) {
	const most = 1000
	if jsonDepth(a) > most {
		return "", false, says("JSON nests deeper than %d levels", most)
	}
	return a, true, nil
}

// jsonDepth is how deep lists and objects nest in a text, which need not be JSON.
func jsonDepth(s string) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}
