// Package javafn implements functions of Trino that are written in Java: regular expressions, URLs, formats, dates,
// JSON. It does not depend on an engine.
package javafn

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Function computes a string from strings. If an argument is NULL the result is NULL without a call.
type Function struct {
	Name string
	Args int
	// Call returns the result; ok false is NULL.
	Call func(a []string) (out string, ok bool, err error)
}

// Functions are the functions of this package, for an engine to register.
func Functions() []Function {
	one := func(name string, f func(a string) (string, bool, error)) Function {
		return Function{name, 1, func(a []string) (string, bool, error) { return f(a[0]) }}
	}
	return slices.Concat(byteFunctions(), jsonFunctions(), sqlJSONFunctions(), nestedFunctions(),
		timeFunctions(), []Function{
			{"divide", 3, divide},
			{"decimal", 4, decimal},
			{"like_escape", 3, likeEscape},
			{"replace", 3, replaceAll},
			{"lpad", 3, func(a []string) (string, bool, error) { return pad("lpad", a) }},
			{"rpad", 3, func(a []string) (string, bool, error) { return pad("rpad", a) }},
			one("format_number", formatNumber),
			one("cbrt", func(a string) (string, bool, error) {
				f, err := parseDouble(a, 64)
				return strconv.FormatFloat(cbrt(f), 'g', -1, 64), true, err
			}),
			{"cast", 3, cast},
			{"json_nested", 2, jsonNested},
			{"json_of", 2, jsonOf},
			{"round_decimal", 4, roundDecimal},
			{"shift", 4, shift},
			{"bit_count", 2, bitCount},
			one("uuid", uuidText),
			one("from_utf8", fromHexText(func(b []byte) string { return utf8With(b, "\ufffd") })),
			bytesFunction("from_utf8_with", 2, func(b ...[]byte) (string, error) {
				return utf8With(b[0], string(b[1])),
					nil
			}),
			{"width_bucket", 4, widthBucket},
			{"width_bin", 2, widthBin},
			{"wilson_lower", 3, wilson(-1)},
			{"wilson_upper", 3, wilson(1)},
			one("luhn_check", luhnCheck),
			one("soundex", soundex),
			{"levenshtein", 2, levenshtein},
			{"hamming", 2, hamming},
			{"strpos_instance", 3, strposInstance},
			{"format", 3, func(a []string) (string, bool, error) {
				s, err := javaFormat(a[0], a[1], a[2])
				return s, true,
					err
			}},
			{"from_base", 2, fromBase},
			{"to_base", 2, toBase},
			{"split", 3, splitLimit},
			{"regexp_like", 2, regexpLike},
			{"regexp_extract", 3, regexpExtract},
			{"regexp_extract_all", 3, regexpExtractAll},
			{"regexp_split", 2, regexpSplit},
			{"regexp_replace", 3, regexpReplace},
			{"regexp_count", 2, regexpCount},
			{"regexp_position", 2, func(a []string) (string, bool, error) {
				return regexpPosition([]string{a[0],
					a[1], "1", "1"})
			}},
			{"regexp_position_from", 4, regexpPosition},
			{"regexp_pieces", 2, regexpPieces},
			one("url_host", urlPart(func(u uri) string { return u.host })),
			one("url_path", urlPart(func(u uri) string { return unescaped(u.path) })),
			one("url_protocol", urlPart(func(u uri) string { return u.scheme })),
			one("url_query", urlPart(func(u uri) string { return unescaped(u.query) })),
			one("url_fragment", urlPart(func(u uri) string { return unescaped(u.fragment) })),
			one("url_port", func(a string) (string, bool, error) {
				if u, ok := readURI(a); ok && u.port >= 0 {
					return strconv.Itoa(u.port), true, nil
				}
				return "", false, nil
			}),
			{"url_parameter", 2, urlParameter},
			one("url_encode", func(a string) (string, bool, error) { return urlEncode(a), true, nil }),
			one("url_decode", urlDecode),
			one("crc32", fromHexText(func(b []byte) string {
				return strconv.FormatUint(uint64(crc32.ChecksumIEEE(b)),
					10)
			})),
			one("sha512", fromHexText(func(b []byte) string {
				h := sha512.Sum512(b)
				return hex.EncodeToString(h[:])
			})),
			one("json_parse", jsonParse),
			one("json_text", func(a string) (string, bool, error) {
				var b bytes.Buffer
				quote(&b, a)
				return b.String(), true, nil
			}),
			{"like", 2, func(a []string) (string, bool, error) {
				return strconv.FormatBool(like(a[0], a[1])), true,
					nil
			}},
		})
}

// said is an error with Trino's message.
type said string

func (s said) Error() string { return string(s) }

// Refusal is an error that TRY does not catch: for an input that this package does not support, or one of a few kinds
// of Trino's errors.
type Refusal string

func (r Refusal) Error() string { return string(r) }

func refuses(format string, a ...any) error { return Refusal(fmt.Sprintf(format, a...)) }

func says(format string, a ...any) error { return said(fmt.Sprintf(format, a...)) }

func asJSON(list any) (string, bool, error) {
	b, err := json.Marshal(list)
	return string(b), true, err
}

func splitLimit(a []string) (string, bool, error) {
	n, err := strconv.Atoi(a[2])
	if err != nil || n <= 0 {
		return "", false, says("Limit must be positive")
	}
	if n > math.MaxInt32 {
		return "", false, says("Limit is too large")
	}
	if a[1] == "" {
		return "", false, says("The delimiter may not be the empty string")
	}
	return asJSON(strings.SplitN(a[0], a[1], n))
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
