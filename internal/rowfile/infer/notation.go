package infer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Notation is how the values of a file are written, if not in the way that their types have.
type Notation struct {
	Decimal   byte // the decimal separator; 0 is the point
	Thousands rune // the separator of groups of three digits; 0 for none
	Blanks    bool // blanks around a value that is not a text are left off

	units []string // beside numbers
	dates *dateFormat
}

// Any reports whether values may be written otherwise.
func (n *Notation) Any() bool {
	return n.Decimal != 0 || n.Thousands != 0 || n.Blanks || len(n.units) > 0 || n.dates != nil
}

// AddUnit adds a sign that may be next to a number.
func (n *Notation) AddUnit(unit string) error {
	unit = strings.TrimSpace(unit)
	if unit == "" || strings.ContainsAny(unit, "0123456789") {
		return fmt.Errorf("%q is not a sign beside numbers", unit)
	}
	n.units = append(n.units, unit)
	slices.SortFunc(n.units, func(a, b string) int { return len(b) - len(a) }) // the longest first
	return nil
}

// Canonical returns a value in the way that types have it: Text is then what its type is inferred from, and Raw the
// text of the file. What would be a number or a date, but not in this notation, is text. trimmed is set if blanks
// around the value are left off. The texts are appended to buf.
func (n *Notation) Canonical(v Value, buf []byte) (_ Value, _ []byte, trimmed bool) {
	if v.Kind != Field && v.Kind != String || len(v.Text) == 0 {
		return v, buf, false
	}
	text := v.Text
	if n.Blanks && v.Kind == Field {
		text = bytes.Trim(text, " \t\u00a0")
	}
	from := len(buf)
	ok := false
	if v.Kind == Field {
		buf, ok = n.number(buf, text)
	}
	if !ok {
		buf, ok = n.dates.canonical(buf[:from], text)
	}
	out := text
	if ok {
		out = buf[from:]
	} else {
		buf = buf[:from]
		switch classify(text).Kind {
		case Figure:
			if n.numbers() && v.Kind == Field {
				return Value{Text: v.Text, Kind: Opaque}, buf, false
			}
		case Date, Moment:
			if n.dates != nil && n.dates.yearFirst {
				return Value{Text: v.Text, Kind: Opaque}, buf, false
			}
		case Text:
			return v, buf, false
		}
	}
	if bytes.Equal(out, v.Text) {
		return v, buf, false
	}
	return Value{Text: out, Raw: v.Text, Kind: v.Kind}, buf, len(text) < len(v.Text)
}

// Number reports whether a text is a number in this notation.
func (n *Notation) Number(s []byte) bool {
	buf, ok := n.number(nil, s)
	return ok && classify(buf).Kind == Figure
}

// numbers reports whether numbers are written otherwise.
func (n *Notation) numbers() bool { return n.Decimal != 0 || n.Thousands != 0 || len(n.units) > 0 }

// number appends a number with a point and without separators and units. ok is false for what is none.
func (n *Notation) number(buf, s []byte) (_ []byte, ok bool) {
	if !n.numbers() {
		return buf, false
	}
	minus := len(s) > 0 && s[0] == '-'
	if minus {
		s = s[1:]
	}
	s = n.bare(s)
	if !minus && len(s) > 0 && s[0] == '-' {
		minus, s = true, s[1:]
	}
	if minus {
		buf = append(buf, '-')
	}
	point := n.Decimal
	if point == 0 {
		point = '.'
	}
	whole, rest := s, []byte(nil)
	if at := bytes.IndexAny(s, string(rune(point))+"eE"); at >= 0 {
		whole, rest = s[:at], s[at:]
	}
	if buf, ok = n.grouped(buf, whole); !ok || len(whole) == 0 && (len(rest) < 2 || rest[0] != point) {
		return buf, false
	}
	if len(rest) > 0 && rest[0] == point {
		buf, rest = append(buf, '.'), rest[1:]
		if len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
			return buf, false
		}
	}
	for i, c := range rest {
		if (c < '0' || c > '9') && c|0x20 != 'e' && !(i > 0 && rest[i-1]|0x20 == 'e' && (c == '-' || c == '+')) {
			return buf, false
		}
	}
	return append(buf, rest...), true
}

// bare removes a unit before or after a number.
func (n *Notation) bare(s []byte) []byte {
	for _, u := range n.units {
		if rest, ok := bytes.CutPrefix(s, []byte(u)); ok {
			return bytes.TrimLeft(rest, " \u00a0\u202f")
		}
		if rest, ok := bytes.CutSuffix(s, []byte(u)); ok {
			return bytes.TrimRight(rest, " \u00a0\u202f")
		}
	}
	return s
}

// grouped appends digits, without the separators of their groups of three.
func (n *Notation) grouped(buf, s []byte) (_ []byte, ok bool) {
	group, groups := 0, 0
	for len(s) > 0 {
		c, size := utf8.DecodeRune(s)
		switch {
		case c >= '0' && c <= '9':
			buf = append(buf, byte(c))
			group++
		case n.Thousands != 0 && n.separates(c):
			if groups == 0 && (group < 1 || group > 3) || groups > 0 && group != 3 {
				return buf, false
			}
			group, groups = 0, groups+1
		default:
			return buf, false
		}
		s = s[size:]
	}
	return buf, groups == 0 || group == 3
}

// separates reports whether a character is the separator of thousands. A blank is each of those that break no line.
func (n *Notation) separates(c rune) bool {
	return c == n.Thousands || n.Thousands == ' ' && (c == '\u00a0' || c == '\u202f')
}

// SetDates sets how dates or timestamps are written, by the conversions of strptime.
func (n *Notation) SetDates(format string) (err error) {
	n.dates, err = parseDateFormat(format)
	return err
}

// dateFormat is a parsed format of dates.
type dateFormat struct {
	steps     []step
	clock     bool // it has a time
	yearFirst bool
}

// step is a conversion, or a text if verb is 0.
type step struct {
	verb byte
	text string
}

func parseDateFormat(format string) (*dateFormat, error) {
	f := &dateFormat{}
	has := map[byte]bool{}
	for rest := format; rest != ""; {
		at := strings.IndexByte(rest, '%')
		switch {
		case at < 0:
			at = len(rest)
			fallthrough
		case at > 0:
			f.steps, rest = append(f.steps, step{text: rest[:at]}), rest[at:]
			continue
		case len(rest) == 1:
			return nil, errors.New("a % at its end")
		}
		verb := rest[1]
		rest = rest[2:]
		switch verb {
		case 'F':
			rest = "%Y-%m-%d" + rest
			continue
		case 'T':
			rest = "%H:%M:%S" + rest
			continue
		case '%':
			f.steps = append(f.steps, step{text: "%"})
			continue
		case 'Y', 'y', 'm', 'd', 'b', 'B', 'H', 'I', 'M', 'S', 'f', 'p':
		default:
			return nil, fmt.Errorf("%%%c is not one of %%Y %%y %%m %%b %%B %%d %%H %%I %%p %%M %%S %%f %%F %%T; "+
				"months are %%m, minutes %%M", verb)
		}
		if has[verb] {
			return nil, fmt.Errorf("%%%c is given twice", verb)
		}
		f.yearFirst = f.yearFirst || len(has) == 0 && (verb == 'Y' || verb == 'y')
		has[verb] = true
		f.steps = append(f.steps, step{verb: verb})
	}
	f.clock = has['H'] || has['I']
	switch {
	case !has['d'] || !has['m'] && !has['b'] && !has['B'] || !has['Y'] && !has['y']:
		return nil, fmt.Errorf("%q has no day, month and year, as in %%d.%%m.%%Y", format)
	case (has['M'] || has['S'] || has['p'] || has['f']) && !f.clock || has['S'] && !has['M'] || has['f'] && !has['S']:
		return nil, fmt.Errorf("%q has a part of a time without the greater ones", format)
	case has['I'] != has['p']:
		return nil, fmt.Errorf("%q has one of %%I and %%p, and needs both", format)
	}
	return f, nil
}

// canonical appends a date as 2006-01-02, or a timestamp as 2006-01-02 15:04:05 with its decimal places.
func (f *dateFormat) canonical(buf, s []byte) (_ []byte, ok bool) {
	if f == nil {
		return buf, false
	}
	var year, month, day, hour, minute, second int
	fraction, half := []byte(nil), byte(0)
	for _, st := range f.steps {
		switch st.verb {
		case 0:
			s, ok = bytes.CutPrefix(s, []byte(st.text))
		case 'b', 'B':
			month, s, ok = monthOf(s, st.verb == 'B')
		case 'f':
			n := 0
			for n < len(s) && n < 6 && s[n] >= '0' && s[n] <= '9' {
				n++
			}
			fraction, s, ok = s[:n], s[n:], n > 0
		case 'p':
			if ok = len(s) >= 2 && s[1]|0x20 == 'm'; ok {
				half, s = s[0]|0x20, s[2:]
				ok = half == 'a' || half == 'p'
			}
		default:
			to, most := &day, 2
			switch st.verb {
			case 'Y', 'y':
				to = &year
				if st.verb == 'Y' {
					most = 4
				}
			case 'm':
				to = &month
			case 'H', 'I':
				to = &hour
			case 'M':
				to = &minute
			case 'S':
				to = &second
			}
			n := 0
			for ; n < len(s) && n < most && s[n] >= '0' && s[n] <= '9'; n++ {
				*to = *to*10 + int(s[n]-'0')
			}
			ok = n > 0 && (n == most || st.verb != 'Y' && st.verb != 'y' && st.verb != 'M' && st.verb != 'S')
			s = s[n:]
			switch {
			case st.verb == 'y' && year < 69: // as in POSIX
				year += 2000
			case st.verb == 'y':
				year += 1900
			case st.verb == 'I':
				ok = ok && hour >= 1 && hour <= 12
			}
		}
		if !ok {
			return buf, false
		}
	}
	if half != 0 {
		hour %= 12
		if half == 'p' {
			hour += 12
		}
	}
	from := len(buf)
	buf = fmt.Appendf(buf, "%04d-%02d-%02d", year, month, day)
	if len(s) > 0 || !isDate(buf[from:]) || hour > 23 || minute > 59 || second > 59 {
		return buf, false
	}
	if f.clock {
		buf = fmt.Appendf(buf, " %02d:%02d:%02d", hour, minute, second)
		if len(fraction) > 0 {
			buf = append(append(buf, '.'), fraction...)
		}
	}
	return buf, true
}

// monthOf reads the English name of a month, or its first three letters.
func monthOf(s []byte, long bool) (month int, rest []byte, ok bool) {
	for i, name := range [...]string{"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December"} {
		if !long {
			name = name[:3]
		}
		if len(s) >= len(name) && strings.EqualFold(string(s[:len(name)]), name) {
			return i + 1, s[len(name):], true
		}
	}
	return 0, s, false
}
