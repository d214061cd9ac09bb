package javafn

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func doubles(a []string) ([]float64, error) {
	out := make([]float64, len(a))
	for i, s := range a {
		var err error
		if out[i], err = parseDouble(s, 64); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// widthBucket is the number of the bucket of a value, with n buckets of equal width between two bounds.
func widthBucket(a []string) (string, bool, error) {
	f, err := doubles(a[:3])
	if err != nil {
		return "", false, err
	}
	n, err := strconv.ParseInt(a[3], 10, 64)
	if err != nil {
		return "", false, err
	}
	x, first, second := f[0], f[1], f[2]
	switch {
	case n <= 0:
		return "", false, says("bucketCount must be greater than 0")
	case math.IsNaN(x):
		return "", false, says("operand must not be NaN")
	case math.IsNaN(first) || math.IsInf(first, 0):
		return "", false, says("first bound must be finite")
	case math.IsNaN(second) || math.IsInf(second, 0):
		return "", false, says("second bound must be finite")
	case first == second:
		return "", false, says("bounds cannot equal each other")
	}
	lower, upper := min(first, second), max(first, second)
	var bucket int64
	switch {
	case x < lower:
	case x >= upper && n == math.MaxInt64:
		return "", false, says("Bucket for value %s is out of range", doubleText(x))
	case x >= upper:
		bucket = n + 1
	default:
		if d := float64(n)*(x-lower)/(upper-lower) + 1; d < math.MaxInt64 {
			bucket = int64(d)
		} else { // as Java casts
			bucket = math.MaxInt64
		}
	}
	if first > second {
		bucket = n - bucket + 1
	}
	return strconv.FormatInt(bucket, 10), true, nil
}

// widthBin is the number of the bin of a value. The bins are a list in DuckDB's format.
func widthBin(a []string) (string, bool, error) {
	x, err := parseDouble(a[0], 64)
	if err != nil {
		return "", false, err
	}
	list := strings.Trim(a[1], "[]")
	if list == "" {
		return "", false, says("Bins cannot be an empty array")
	}
	bins, err := doubles(strings.Split(strings.ReplaceAll(list, "NULL", "0"), ", ")) // as Trino treats NULL
	if err != nil {
		return "", false, err
	}
	if math.IsNaN(x) {
		return "", false, says("Operand cannot be NaN")
	}
	lower, upper := 0, len(bins)
	for lower < upper {
		if bins[lower] > bins[upper-1] {
			return "", false, says("Bin values are not sorted in ascending order")
		}
		i := (lower + upper) / 2
		if math.IsNaN(bins[i]) || math.IsInf(bins[i], 0) {
			return "", false, says("Bin value must be finite, got %s", doubleText(bins[i]))
		}
		if x < bins[i] {
			upper = i
		} else {
			lower = i + 1
		}
	}
	return strconv.Itoa(lower), true, nil
}

// doubleText formats a double as Java's Double.toString does.
func doubleText(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	if a := math.Abs(x); a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(x, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	return doubleVarchar(strconv.FormatFloat(x, 'g', -1, 64))
}

// wilson is a bound of the Wilson score interval: sign -1 gives the lower one, 1 the upper.
func wilson(sign float64) func(a []string) (string, bool, error) {
	return func(a []string) (string, bool, error) {
		f, err := doubles(a)
		if err != nil {
			return "", false, err
		}
		successes, n, z := f[0], f[1], f[2]
		switch {
		case successes < 0:
			return "", false, says("number of successes must not be negative")
		case n <= 0:
			return "", false, says("number of trials must be positive")
		case successes > n:
			return "", false, says("number of successes must not be larger than number of trials")
		case !(z >= 0):
			return "", false, says("z-score must not be negative")
		}
		// The conversion rounds each product: Java does not fuse multiplication and addition.
		p, zz := successes/n, float64(z*z)
		root := math.Sqrt(float64(p*(1-p))/n + zz/float64(float64(4*n)*n))
		x := (p + zz/float64(2*n) + sign*float64(z*root)) / (1 + zz/n)
		return strconv.FormatFloat(x, 'g', -1, 64), true, nil
	}
}

func luhnCheck(s string) (string, bool, error) {
	if s == "" {
		return "false", true, nil
	}
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i]) - '0'
		if d < 0 || d > 9 {
			return "", false, says("Input contains non-digit character")
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return strconv.FormatBool(sum%10 == 0), true, nil
}

// ligatures are letters that become several letters in upper case.
var ligatures = map[rune]string{'ß': "SS", 'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL",
	'ﬅ': "ST", 'ﬆ': "ST"}

// soundex implements the American rules: H and W do not separate equal digits.
func soundex(s string) (string, bool, error) {
	var letters []rune
	for _, r := range s {
		switch s, ok := ligatures[r]; {
		case ok:
			letters = append(letters, []rune(s)...)
		case unicode.IsLetter(r) && r <= 0xffff: // other letters are surrogate pairs in Java, which are not letters
			letters = append(letters, unicode.ToUpper(r))
		}
	}
	if len(letters) == 0 {
		return "", true, nil
	}
	digit := func(r rune) (byte, error) {
		if r < 'A' || r > 'Z' {
			return 0, says("The character is not mapped: %c (index=%d)", r, r-'A')
		}
		return "01230120022455012623010202"[r-'A'], nil
	}
	out := string(letters[0])
	last, err := digit(letters[0])
	if err != nil {
		return "", false, err
	}
	for _, r := range letters[1:] {
		if r == 'H' || r == 'W' {
			continue
		}
		if len(out) == 4 {
			break
		}
		d, err := digit(r)
		if err != nil {
			return "", false, err
		}
		if d != '0' && d != last {
			out += string(d)
		}
		last = d
	}
	return out + strings.Repeat("0", 4-len(out)), true, nil
}

// strposInstance is the position of the n-th occurrence of a string, from the end if n is negative; occurrences may
// overlap.
func strposInstance(a []string) (string, bool, error) {
	text, part := a[0], a[1]
	n, err := strconv.ParseInt(a[2], 10, 64)
	if err != nil {
		return "", false, err
	}
	switch {
	case n == 0 || n == math.MinInt64:
		return "", false, says("'instance' must be a positive or negative number.")
	case part == "":
		return "1", true, nil
	}
	at := -1
	for n > 0 {
		i := strings.Index(text[at+1:], part)
		if i < 0 {
			return "0", true, nil
		}
		at, n = at+1+i, n-1
	}
	end := len(text)
	for n < 0 {
		if at = strings.LastIndex(text[:end], part); at < 0 {
			return "0", true, nil
		}
		end, n = at+len(part)-1, n+1
	}
	return strconv.Itoa(utf8.RuneCountInString(text[:at]) + 1), true, nil
}

// utf8With decodes UTF-8, with a replacement for each invalid sequence.
func utf8With(b []byte, replacement string) string {
	var out strings.Builder
	for len(b) > 0 {
		if r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1 {
			out.Write(b[:n])
			b = b[n:]
			continue
		}
		out.WriteString(replacement)
		b = b[invalidLength(b):]
	}
	return out.String()
}

// invalidLength is the length of one invalid sequence: a first byte and its continuation bytes.
func invalidLength(b []byte) int {
	want := 1
	switch c := b[0]; {
	case c >= 0xfe || c < 0xc0:
	case c >= 0xfc:
		want = 6
	case c >= 0xf8:
		want = 5
	case c >= 0xf0:
		want = 4
	case c >= 0xe0:
		want = 3
	default:
		want = 2
	}
	n := 1
	for n < want && n < len(b) && b[n]&0xc0 == 0x80 {
		n++
	}
	return n
}
