package javafn

import (
	"math"
	"testing"
)

// TestFunctions calls the functions with the examples of Trino's documentation and answers of a Trino server.
func TestFunctions(t *testing.T) {
	calls := map[string]Function{}
	for _, f := range Functions() {
		if calls[f.Name].Call != nil {
			t.Errorf("%s stands twice", f.Name)
		}
		calls[f.Name] = f
	}
	args := func(a ...string) []string { return a }
	seen := map[string]bool{}
	for _, c := range []struct {
		name string
		args []string
		want string // "NULL", or "error: " and its text
	}{
		{"divide", args("10", "4", "2"), "2.50"},
		{"divide", args("1", "0", "2"), "error: Division by zero"},
		{"fixed", args("1234.565", "2"), "1234.57"},
		{"fixed", args("1250", "-2"), "1300"},
		{"cbrt", args("27"), "3"},
		{"double", args("-0"), "-0E0"},
		{"double", args("1.5e+10"), "1.5E10"},
		{"double", args("0.001"), "1.0E-3"},
		{"format", args(",.2f", "decimal", "1234567.891"), "1,234,567.89"},
		{"format", args("s", "double", "1.0E0"), "1.0"},
		{"format", args("5d", "bigint", "42"), "   42"},
		{"format", args("x", "integer", "-1"), "ffffffff"},
		{"format", args("d", "double", "1.5"), "error: Invalid format string: %d (d != double)"},
		{"from_base", args("ff", "16"), "255"},
		{"from_base", args("8", "8"), "error: Not a valid base-8 number: 8"},
		{"to_base", args("255", "2"), "11111111"},
		{"to_base", args("1", "37"), "error: Radix must be between 2 and 36"},
		{"split", args("a,b,c", ",", "2"), `["a","b,c"]`},
		{"regexp_like", args("1a 2b 14m", `\d+b`), "true"},
		{"regexp_extract", args("1a 2b 14m", `(\d+)([a-z]+)`, "2"), "a"},
		{"regexp_extract", args("x", `\d`, "0"), "NULL"},
		{"regexp_extract_all", args("1a 2b 14m", `(\d+)([a-z]+)`, "2"), `["a","b","m"]`},
		{"split_to_map", args("a=1,b=2,", ",", "="), `{"a":"1","b":"2"}`},
		{"split_to_map", args("", ",", "="), `{}`},
		{"split_to_map", args("a=1,a=2", ",", "="), "error: Duplicate keys (a) are not allowed"},
		{"split_to_map", args("a", ",", "="), "error: Key-value delimiter must appear exactly once in each entry. Bad input: 'a'"},
		{"split_to_map", args("a=1", ",", ","), "error: entryDelimiter and keyValueDelimiter must not be the same"},
		{"split_to_multimap", args("b=1,a=2,b=3", ",", "="), `{"b":["1","3"],"a":["2"]}`},
		{"split_to_multimap", args("a=1=2", ",", "="), "error: Key-value delimiter must appear exactly once in each entry. Bad input: a=1=2"},
		{"combinations", args("4", "2"), `[[1,2],[1,3],[2,3],[1,4],[2,4],[3,4]]`},
		{"combinations", args("3", "0"), `[[]]`},
		{"combinations", args("3", "3"), `[[1,2,3]]`},
		{"combinations", args("2", "3"), `[]`},
		{"combinations", args("9", "6"), "error: combination size must not exceed 5: 6"},
		{"combinations", args("200", "4"), "error: combinations exceed max size"},
		{"regexp_split", args("1a 2b 14m", `\s*[a-z]+\s*`), `["1","2","14",""]`},
		{"regexp_replace", args("1a 2b 14m", `(\d+)([ab]) `, "3c$2 "), "3ca 3cb 14m"},
		{"regexp_replace", args("1a", `(?<n>\d)`, `\$${n}`), "$1a"},
		{"regexp_replace", args("1a", `\d`, "$3"), "error: Illegal replacement sequence: unknown group"},
		{"regexp_count", args("1a 2b 14m", `\s*[a-z]+\s*`), "3"},
		{"regexp_position", args("I have 23 apples, 5 pears and 13 oranges", `\b\d+\b`), "8"},
		{"regexp_position", args("no digits", `\d`), "-1"},
		{"url_host", args("https://example.com:8080/a%20b?k=1&l=%20#frag"), "example.com"},
		{"url_path", args("https://example.com:8080/a%20b?k=1&l=%20#frag"), "/a b"},
		{"url_protocol", args("https://example.com/a"), "https"},
		{"url_query", args("https://example.com/?k=1&l=%20#frag"), "k=1&l= "},
		{"url_fragment", args("https://example.com/#frag"), "frag"},
		{"url_port", args("https://example.com:8080/"), "8080"},
		{"url_port", args("https://example.com/"), "NULL"},
		{"url_parameter", args("https://example.com/?k=1&k=2", "k"), "1"},
		{"url_parameter", args("not a url", "k"), "NULL"},
		{"url_encode", args("a b*~/é"), "a+b*%7E%2F%C3%A9"},
		{"url_decode", args("a+b%2F"), "a b/"},
		{"crc32", args("61"), "3904355907"},
		{"sha512", args(""), "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"},
		{"json_parse", args(`{"b" : 1.50, "a": [true, null]}`), `{"a":[true,null],"b":1.5}`},
		{"json_parse", args(`{`), "error: Cannot convert value to JSON: '{'"},
		{"json_number", args(`{"a": [1, 2.50]}`, `$."a"[1]`), "2.50"},
		{"json_number", args(`{"a": 1}`, `$."b"`), "NULL"},
		{"shallow", args("[[1]]"), "[[1]]"},
		{"like", args("10%", "1_%"), "true"},
		{"like", args("abc", "b%"), "false"},
		{"iso_date", args("2020-W53-5"), "2021-01-01"},
		{"iso_date", args("2021-366"), "error: Invalid format: \"2021-366\""},
		{"iso_day", args(" 2020-02-30"), "error: Value cannot be cast to date:  2020-02-30"},
		{"iso_clock", args("2020-02-29 01:02"), "2020-02-29 01:02"},
		{"iso_timestamp", args("2020-02-29T01:02Z"), "2020-02-29 01:02:00+00"},
		{"date_format", args("2022-10-20 05:10:00", "%m-%d-%Y %H", ""), "10-20-2022 05"},
		{"format_datetime", args("2022-10-20 05:10:00", "EEEE, MMM d, yyyy h:mm a", ""), "Thursday, Oct 20, 2022 5:10 AM"},
		{"date_parse", args("2022/10/20/05", "%Y/%m/%d/%H"), "2022-10-20 05:00:00.000"},
		{"parse_datetime", args("2022-10-20 05:10", "yyyy-MM-dd HH:mm"), "2022-10-20 05:10:00.000+00"},
	} {
		f := calls[c.name]
		if f.Call == nil || f.Args != len(c.args) {
			t.Errorf("there is no function %s of %d arguments", c.name, len(c.args))
			continue
		}
		seen[c.name] = true
		got, ok, err := f.Call(c.args)
		if err != nil {
			got = "error: " + err.Error()
		} else if !ok {
			got = "NULL"
		}
		if got != c.want {
			t.Errorf("%s%q is %s, want %s", c.name, c.args, got, c.want)
		}
	}
	for name := range calls {
		if !seen[name] {
			t.Errorf("%s has no test", name)
		}
	}
}

// TestAppendDouble compares with Double.toString and Float.toString of Java 19 and later.
func TestAppendDouble(t *testing.T) {
	for want, f := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "0.001": 1e-3, "9.999E-4": 9.999e-4, "9999999.0": 9999999, "1.0E7": 1e7, "-1.25E7": -1.25e7,
		"4.9E-324": math.SmallestNonzeroFloat64, "1.7976931348623157E308": math.MaxFloat64, "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if got := string(AppendDouble(nil, f, 64)); got != want {
			t.Errorf("%v is written %s, want %s", f, got, want)
		}
	}
	for want, f := range map[string]float32{"0.1": 0.1, "1.4E-45": math.SmallestNonzeroFloat32, "3.4028235E38": math.MaxFloat32, "1.0E10": 1e10} {
		if got := string(AppendDouble(nil, float64(f), 32)); got != want {
			t.Errorf("the float %v is written %s, want %s", f, got, want)
		}
	}
}
