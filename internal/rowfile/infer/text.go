package infer

import (
	"errors"
	"unicode/utf8"
)

// CheckText refuses what no column of strings holds.
func CheckText(s []byte) error {
	if !utf8.Valid(s) {
		return errors.New("invalid UTF-8")
	}
	return nil
}

// Form is how a timestamp is written. A conversion to a timestamp loses it.
type Form uint8

// The parts of a form.
const (
	formT       Form = 1 << iota // a T between date and time, not a blank
	FormZ                        // a Z after the time
	formSeconds                  // seconds after the minutes
)

// isDate reports whether a text is a date as in 2024-02-29.
func isDate(s []byte) bool { return len(s) == 10 && date(s) }

// timestamp returns the form of a timestamp: a date, a blank or a T, a time, and optionally a Z. The time has hours and
// minutes, optionally seconds, and at most six decimal places. ok is false for any other text.
func timestamp(s []byte) (f Form, ok bool) {
	if len(s) < len("2006-01-02 15:04") || s[10] != ' ' && s[10] != 'T' || !date(s[:10]) {
		return 0, false
	}
	if s[10] == 'T' {
		f |= formT
	}
	s = s[11:]
	if s[len(s)-1] == 'Z' {
		f |= FormZ
		s = s[:len(s)-1]
	}
	if len(s) < 5 || s[2] != ':' || !below(s, 24) || !below(s[3:], 60) {
		return 0, false
	}
	if s = s[5:]; len(s) == 0 {
		return f, true
	}
	if len(s) < 3 || s[0] != ':' || !below(s[1:], 60) {
		return 0, false
	}
	f |= formSeconds
	if s = s[3:]; len(s) == 0 {
		return f, true
	}
	return f, s[0] == '.' && len(s) <= 7 && allDigits(s[1:])
}

// below parses two digits and compares them with a limit.
func below(s []byte, limit int) bool {
	n, ok := two(s)
	return ok && n < limit
}

func two(s []byte) (int, bool) {
	a, b := s[0]-'0', s[1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}

// date checks ten bytes.
func date(s []byte) bool {
	if s[4] != '-' || s[7] != '-' {
		return false
	}
	century, ok1 := two(s)
	year, ok2 := two(s[2:])
	month, ok3 := two(s[5:])
	day, ok4 := two(s[8:])
	if year += century * 100; !ok1 || !ok2 || !ok3 || !ok4 || year == 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return day <= 29
		}
		return day <= 28
	case 4, 6, 9, 11:
		return day <= 30
	}
	return day <= 31
}
