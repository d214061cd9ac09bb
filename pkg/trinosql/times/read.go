package times

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
)

// reader collects the fields of a string.
type reader struct {
	text   string
	fields []setting
	zone   string
}

// setting is the value of a field. The rank orders fields from the longest to the shortest.
type setting struct {
	rank  int
	name  string
	value int64
	set   func(millis, value int64) (int64, error)
	unit  func(millis int64) int64 // truncates to the unit
}

// Read parses a string. It returns the local time in milliseconds, and the zone, "" if the string has none.
func (p Pattern) Read(text string) (shown int64, zone string, err error) {
	r := &reader{text: text}
	at := 0
	for _, e := range p {
		if at = r.element(e, at); at < 0 {
			return 0, "", r.malformed(^at)
		}
	}
	if at < len(text) {
		return 0, "", r.malformed(at)
	}
	shown, err = r.millis()
	return shown, r.zone, err
}

// zoneOr returns the zone, or UTC if there is none.
func zoneOr(zone string) (string, error) {
	if strings.HasPrefix(zone, "!") {
		return "", &Fault{"NOT_SUPPORTED", "Time zone not supported: " + zone[1:]}
	}
	return cmp.Or(zone, "UTC"), nil
}

// ReadInstant parses a string. It returns the instant in milliseconds and its zone, UTC if the string has none.
func (p Pattern) ReadInstant(text string) (millis int64, zone string, err error) {
	shown, zone, err := p.Read(text)
	if err != nil {
		return 0, "", err
	}
	if zone, err = zoneOr(zone); err != nil {
		return 0, "", err
	}
	l, ok := Location(zone)
	if !ok {
		return 0, "", fmt.Errorf("time zone '%s' is not supported on zone local", zone)
	}
	millis, skipped := FirstInstant(l, shown)
	if skipped {
		return 0, "", says("Cannot parse \"%s\": Illegal instant due to time zone offset transition (%s)", text, zone)
	}
	return packed(millis, zone, "INVALID_FUNCTION_ARGUMENT")
}

var isoDay = late.Regexp(`^(\d{4})-(\d\d)-(\d\d)$`)

// DateParse implements date_parse. The result is in milliseconds.
func DateParse(text, pattern string) (int64, error) {
	if m := isoDay().FindStringSubmatch(text); m != nil && pattern == "%Y-%m-%d" { // parsed by Java itself, not Joda
		y, _ := strconv.ParseInt(m[1], 10, 64)
		month, _ := strconv.Atoi(m[2])
		d, _ := strconv.Atoi(m[3])
		switch {
		case month < 1 || month > 12:
			return 0, says("Invalid value for MonthOfYear (valid values 1 - 12): %d", month)
		case d < 1 || d > 31:
			return 0, says("Invalid value for DayOfMonth (valid values 1 - 28/31): %d", d)
		case d > MonthDays(y, month) && d == 29:
			return 0, says("Invalid date 'February 29' as '%d' is not a leap year", y)
		case d > MonthDays(y, month):
			return 0, says("Invalid date '%s %d'", strings.ToUpper(time.Month(month).String()), d)
		}
		return Days(y, month, d) * day, nil
	}
	p, err := MySQL(pattern)
	if err != nil {
		return 0, err
	}
	shown, _, err := p.Read(text)
	return shown, err
}

// malformed is Joda's error for a position in the string.
func (r *reader) malformed(at int) error {
	sample := r.text
	if len(sample) > at+35 {
		sample = sample[:at+32] + "..."
	}
	switch {
	case at <= 0:
		return says("Invalid format: \"%s\"", sample)
	case at >= len(r.text):
		return says("Invalid format: \"%s\" is too short", sample)
	}
	return says("Invalid format: \"%s\" is malformed at \"%s\"", sample, sample[at:])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number parses at most `most` digits, with an optional sign if signed. The end is negative, ^position, if there are
// none.
func (r *reader) number(at, most int, signed bool) (value int64, end int) {
	limit := min(most, len(r.text)-at)
	i, negative := 0, false
	if signed && limit > 1 && (r.text[at] == '-' || r.text[at] == '+') && isDigit(r.text[at+1]) {
		if negative = r.text[at] == '-'; negative {
			i = 1
		} else {
			at++
		}
		limit = min(limit+1, len(r.text)-at)
	}
	start := i
	for i < limit && isDigit(r.text[at+i]) {
		i++
	}
	if i == start {
		return 0, ^at
	}
	value, _ = strconv.ParseInt(r.text[at+start:at+i], 10, 64)
	if negative {
		value = -value
	}
	return value, at + i
}

// element parses one element. It returns the position of the next one, or ^position of an error.
func (r *reader) element(e element, at int) int {
	put := func(field byte, value int64, end int) int {
		if end >= 0 {
			r.fields = append(r.fields, settings[field](value))
		}
		return end
	}
	switch e.field {
	case 0:
		if len(r.text)-at < len(e.text) || !strings.EqualFold(r.text[at:at+len(e.text)], e.text) {
			return ^at
		}
		return at + len(e.text)
	case 'G':
		v, end := r.word(at, []string{"BC", "AD", "BCE", "CE"})
		return put('G', int64(v%2), end)
	case 'a':
		v, end := r.word(at, []string{"AM", "PM"})
		return put('a', int64(v), end)
	case monthText, monthShort:
		v, end := r.word(at, monthWords)
		return put('M', int64(v/2+1), end)
	case weekdayText, weekdayShort:
		v, end := r.word(at, weekdayWords)
		return put('e', int64(v/2+1), end)
	case 'C':
		v, end := r.number(at, e.most, true)
		return put('C', v, end)
	case 'y', 'x':
		v, end := r.number(at, e.most, true)
		return put(e.field, v, end)
	case twoDigits, leniently, weekTwo, weekLenient:
		v, end := r.shortYear(at, e)
		if e.field == weekTwo || e.field == weekLenient {
			return put('x', v, end)
		}
		return put('y', v, end)
	case 'S':
		end := at
		for end < len(r.text) && end-at < e.most && isDigit(r.text[end]) {
			end++
		}
		if end == at {
			return ^at
		}
		v, _ := strconv.ParseInt((r.text[at:end] + "00")[:3], 10, 64)
		return put('S', v, end)
	case 'z', zoneName:
		return r.zoneShort(at)
	case zoneOffset, zoneOffset2:
		return r.offset(at)
	case zoneID:
		return r.zoneLong(at)
	}
	v, end := r.number(at, e.most, false)
	return put(e.field, v, end)
}

// word matches the longest of some words, as spelled, in lower or in upper case.
func (r *reader) word(at int, words []string) (index, end int) {
	end = ^at
	for i, w := range words {
		if len(r.text)-at < len(w) || len(w) <= end-at {
			continue
		}
		if s := r.text[at : at+len(w)]; s == w || s == strings.ToLower(w) || s == strings.ToUpper(w) {
			index, end = i, at+len(w)
		}
	}
	return index, end
}

var monthWords, weekdayWords = func() (m, w []string) {
	for i := time.January; i <= time.December; i++ {
		m = append(m, i.String(), i.String()[:3])
	}
	for i := 1; i <= 7; i++ {
		w = append(w, weekdayName(i), weekdayName(i)[:3])
	}
	return m, w
}()

// shortYear parses a two-digit year, which is within the century around the pivot.
func (r *reader) shortYear(at int, e element) (int64, int) {
	if e.field == leniently || e.field == weekLenient {
		v, end := r.number(at, 20, true)
		if end < 0 || end-at != 2 || !isDigit(r.text[at]) {
			return v, end
		}
	}
	if len(r.text)-at < 2 || !isDigit(r.text[at]) || !isDigit(r.text[at+1]) {
		return 0, ^at
	}
	year := int64(r.text[at]-'0')*10 + int64(r.text[at+1]-'0')
	low := int64(e.most) - 50
	t := low % 100
	if year < t {
		low += 100
	}
	return year + low - t, at + 2
}

func (r *reader) offset(at int) int {
	rest := r.text[at:]
	if rest != "" && rest[0]|0x20 == 'z' {
		r.zone = "UTC"
		return at + 1
	}
	if len(rest) < 3 || rest[0] != '+' && rest[0] != '-' || !isDigit(rest[1]) || !isDigit(rest[2]) {
		return ^at
	}
	h, _ := strconv.ParseInt(rest[1:3], 10, 64)
	if h > 23 {
		return ^(at + 1)
	}
	end, m := 3, int64(0)
	colon := len(rest) > 3 && rest[3] == ':'
	if colon {
		end++
	}
	if len(rest) >= end+2 && isDigit(rest[end]) && isDigit(rest[end+1]) {
		if m, _ = strconv.ParseInt(rest[end:end+2], 10, 64); m > 59 {
			return ^(at + end)
		}
		end += 2
	} else if colon {
		return ^(at + end)
	}
	if r.zone = OffsetName(sign(rest[:1]) * (h*60 + m)); h*60+m > 14*60 {
		r.zone = "!" + r.zone
	}
	return at + end
}

var shortZones = map[string]string{"UT": "UTC", "UTC": "UTC", "GMT": "UTC", "EST": "America/New_York",
	"EDT": "America/New_York", "CST": "America/Chicago",
	"CDT": "America/Chicago", "MST": "America/Denver", "MDT": "America/Denver", "PST": "America/Los_Angeles",
	"PDT": "America/Los_Angeles"}

func (r *reader) zoneShort(at int) int {
	for n := 3; n >= 2; n-- {
		if len(r.text)-at >= n {
			if z := shortZones[r.text[at:at+n]]; z != "" {
				r.zone = z
				return at + n
			}
		}
	}
	return ^at
}

func (r *reader) zoneLong(at int) int {
	end := at
	for end < len(r.text) && end-at < 40 && (isDigit(r.text[end]) || strings.IndexByte("/_+-", r.text[end]) >= 0 ||
		r.text[end]|0x20 >= 'a' && r.text[end]|0x20 <= 'z') {
		end++
	}
	for ; end > at; end-- {
		if name, err := ZoneName(r.text[at:end]); err == nil && !offsetPattern().MatchString(r.text[at:end]) &&
			r.text[at:end] != "Z" {
			r.zone = name
			return end
		}
	}
	return ^at
}

// millis combines the fields, as Joda does: from the longest to the shortest, twice.
func (r *reader) millis() (int64, error) {
	if len(r.fields) == 0 {
		return 0, nil
	}
	sort.SliceStable(r.fields, func(i, j int) bool { return r.fields[i].rank < r.fields[j].rank })
	if first := r.fields[0].rank; first >= rankMonth && first <= rankDay {
		r.fields = append([]setting{settings['y'](2000)}, r.fields...)
	}
	var t int64
	var err error
	for _, f := range r.fields {
		if t, err = f.set(t, f.value); err != nil {
			return 0, says("Cannot parse \"%s\": %s", r.text, err)
		}
		t = f.unit(t)
	}
	for i, f := range r.fields {
		if t, err = f.set(t, f.value); err != nil {
			return 0, says("Cannot parse \"%s\": %s", r.text, err)
		}
		if i == len(r.fields)-1 {
			t = f.unit(t)
		}
	}
	return t, nil
}
