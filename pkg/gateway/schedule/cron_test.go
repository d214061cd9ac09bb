package schedule

import (
	"strings"
	"testing"
	"time"
)

// TestClockChanges has, for each zone, moments around a change of its clocks as `zdump -v` lists them: Berlin skips
// 02:00 to 03:00 on 2026-03-29 and has it twice on 2026-10-25, New York likewise on 03-08 and 11-01, Lord Howe moves by
// half an hour on 04-05 and 10-04, Santiago changes at midnight on 04-05 and 09-06, Kolkata never.
func TestClockChanges(t *testing.T) {
	for _, c := range []struct{ expr, zone, after, want string }{
		// a named time in the gap falls due when the clock goes on, once
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z 2026-03-30T00:30:00Z"},
		{"15,45 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z 2026-03-30T00:15:00Z"},
		{"0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			"2026-03-29T01:00:00Z 2026-03-30T00:00:00Z 2026-03-30T01:00:00Z"},
		{"30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", "2026-03-08T07:00:00Z 2026-03-09T06:30:00Z"},
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z 2026-10-04T15:15:00Z"},
		{"0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", "2026-09-06T04:00:00Z 2026-09-07T03:00:00Z"},
		// a named time that comes twice falls due the first time
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z 2026-10-26T01:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", "2026-10-26T01:30:00Z"},
		{"0,30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z",
			"2026-11-01T05:00:00Z 2026-11-01T05:30:00Z 2026-11-02T06:00:00Z"},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", "2026-04-04T14:45:00Z 2026-04-05T15:15:00Z"},
		{"30 23 * * *", "America/Santiago", "2026-04-04T12:00:00Z", "2026-04-05T02:30:00Z 2026-04-06T03:30:00Z"},
		{"0 3 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:00:00Z 2026-10-26T02:00:00Z"},
		// any hour: by the time that passes
		{"30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z",
			"2026-03-29T00:30:00Z 2026-03-29T01:30:00Z 2026-03-29T02:30:00Z"},
		{"30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z",
			"2026-10-25T00:30:00Z 2026-10-25T01:30:00Z 2026-10-25T02:30:00Z"},
		{"0 */6 * * *", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T05:00:00Z 2026-10-25T11:00:00Z"},
		{"30 2 * * *", "Asia/Kolkata", "2026-03-28T21:00:00Z", "2026-03-29T21:00:00Z"},
	} {
		z, err := ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseCron(c.expr, z)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		now, want := at(t, c.after), strings.Fields(c.want)
		var got []string
		for range want {
			now = s.Next(now)
			got = append(got, now.Format(time.RFC3339))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s after %s:\n got %v\nwant %s", c.expr, c.zone, c.after, got, c.want)
		}
	}
}

// TestCronErrors name the field and its values, not the function that failed.
func TestCronErrors(t *testing.T) {
	for expression, want := range map[string]string{
		"x":                         "five fields",
		"99 * * * *":                `the minute "99" is not valid: it is *, 0 to 59,`,
		"*/x * * * *":               `the minute "*/x"`,
		"-1 * * * *":                `the minute "-1"`,
		"*/0 * * * *":               `the minute "*/0"`,
		"1-0 * * * *":               `the minute "1-0"`,
		"99999999999999999 * * * *": `the minute "99999999999999999"`,
		"* 24 * * *":                `the hour "24"`,
		"* 1-2-3 * * *":             `the hour "1-2-3"`,
		"* * 0 * *":                 `the day of month "0"`,
		"* * * 1/2/3 *":             `the month "1/2/3"`,
		"* * * jux *":               `the month "jux" is not valid: it is *, 1 to 12, or JAN to DEC,`,
		"* * * * MONX":              `the day of week "MONX"`,
		"* * * * 8":                 `the day of week "8"`,
		"0 0 31 2 *":                "is never due",
	} {
		_, err := ParseCron(expression, time.UTC)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "strconv") ||
			strings.Contains(err.Error(), "parse int") {
			t.Errorf("%q: %v, want %s", expression, err, want)
		}
	}
}

// TestWeekdays compares spellings of the same days over two weeks from Thursday 2026-01-01.
func TestWeekdays(t *testing.T) {
	days := func(field string) string {
		t.Helper()
		s, err := ParseCron("0 0 * * "+field, time.UTC)
		if err != nil {
			t.Errorf("%s: %v", field, err)
			return ""
		}
		var out []string
		for now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Second); ; {
			if now = s.Next(now); now.Day() > 14 {
				return strings.Join(out, " ")
			}
			out = append(out, now.Format("02Mon"))
		}
	}
	for _, c := range []struct{ field, want string }{
		{"7", "04Sun 11Sun"}, {"0", "04Sun 11Sun"}, {"sun", "04Sun 11Sun"}, {"7/2", "04Sun 11Sun"},
		{"6-7", "03Sat 04Sun 10Sat 11Sun"}, {"sat-sun", "03Sat 04Sun 10Sat 11Sun"},
		{"SAT,7", "03Sat 04Sun 10Sat 11Sun"},
		{"5-7/2", "02Fri 04Sun 09Fri 11Sun"}, {"3,7", "04Sun 07Wed 11Sun 14Wed"}, {"mon", "05Mon 12Mon"},
	} {
		if got := days(c.field); got != c.want {
			t.Errorf("%s: %s, want %s", c.field, got, c.want)
		}
	}
	if all := days("*"); days("0-7") != all || days("1-7") != all || days("0-6") != all {
		t.Errorf("a whole week is %s, not %s", all, days("1-7"))
	}
	for _, bad := range []string{"8", "7-1", "6-8", "7-8", "-7", "7/0", "7-", "1-7/x"} {
		if _, err := ParseCron("0 0 * * "+bad, time.UTC); err == nil {
			t.Errorf("day of week %q is taken", bad)
		}
	}
}
