package translate

import "strings"

// Where it can, DuckDB evaluates a function of this program over the dictionary of a column, including values of rows
// that the statement does not read: a function that fails on some values would end the statement for values that a
// condition excludes. It does not do so if it considers an argument able to fail. array_slice is such a function: in
// each call one argument that is not constant is therefore sliced from its beginning to its end.

// failing are the functions that fail on some values.
var failing = map[string]bool{"error": true, "cast": true, "date_of": true, "timestamp_of": true, "time_of": true,
	"instant_of": true, "try_date_of": true,
	"try_timestamp_of": true, "try_instant_of": true, "iso_date_of": true, "iso_instant_of": true, "mysql_parse": true,
	"joda_parse": true, "mysql_format": true,
	"joda_format": true, "parse_duration": true, "from_base": true, "to_base": true, "json_parse": true,
	"url_decode": true, "human_readable_seconds": true,
	"divide": true, "decimal": true, "split_to_map": true, "split_to_multimap": true, "format": true,
	"interval_times": true, "strpos_instance": true,
	"regexp_position_from": true, "soundex": true, "luhn_check": true, "width_bucket": true, "width_bin": true,
	"wilson_lower": true, "wilson_upper": true,
	"from_base32": true, "from_base64": true, "from_base64url": true, "from_hex": true, "replace": true,
	"lpad": true, "rpad": true,
	"sqljson_exists": true, "sqljson_item": true, "sqljson_query": true, "sqljson_fault": true}

// openCall is a call of a failing function whose arguments are being read.
type openCall struct {
	depth int // of parentheses within it
	from  int // where the argument begins in the output, -1 if one is sliced
}

const slice = "array_slice(CAST("

// sliced returns a text with one argument sliced in each call of a failing function.
func sliced(sql string) string {
	if !strings.Contains(sql, `"(`) {
		return sql
	}
	out := make([]byte, 0, len(sql)+len(sql)/8)
	var calls []openCall
	depth := 0
	end := func() { // of an argument
		c := &calls[len(calls)-1]
		if c.from < 0 || constantText(out[c.from:]) {
			return
		}
		if arg := string(out[c.from:]); !strings.HasPrefix(arg, slice) { // a saved query has been sliced before
			out = append(out[:c.from], slice+arg+" AS VARCHAR), 1, -1)"...)
		}
		c.from = -1
	}
	for i := 0; i < len(sql); i++ {
		c := sql[i]
		switch c {
		case '\'', '"':
			n := i + 1
			for n < len(sql) && sql[n] != c { // a doubled quote is read as two strings
				n++
			}
			name := sql[i:min(n+1, len(sql))]
			out = append(out, name...)
			i += len(name) - 1
			if c == '"' && strings.HasPrefix(name, `"~`) && failing[strings.Trim(name, `"~`)] &&
				strings.HasPrefix(sql[i+1:], "(") {
				out = append(out, '(')
				i++
				calls = append(calls, openCall{depth: depth, from: len(out)})
				depth++
			}
			continue
		case '(', '[':
			depth++
		case ')', ']':
			depth--
			if len(calls) > 0 && calls[len(calls)-1].depth == depth {
				end()
				calls = calls[:len(calls)-1]
			}
		case ',':
			if len(calls) > 0 && calls[len(calls)-1].depth == depth-1 {
				end()
				out = append(out, ',')
				if last := &calls[len(calls)-1]; last.from >= 0 {
					last.from = len(out)
				}
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// constantText reports whether an argument is a string literal or NULL.
func constantText(arg []byte) bool {
	s := strings.TrimSpace(string(arg))
	if len(s) < 2 || s[0] != '\'' {
		return s == "" || s == "NULL"
	}
	return s[len(s)-1] == '\'' && !strings.Contains(strings.ReplaceAll(s[1:len(s)-1], "''", ""), "'")
}
