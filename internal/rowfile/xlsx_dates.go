package rowfile

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// dateStyle is the part of a timestamp that the number format of a cell shows.
type dateStyle uint8

const (
	noDate  dateStyle = iota
	day               // a date without a time
	moment            // a date with a time
	daytime           // a time without a date, or a duration
)

// readStyles finds the cell formats for dates and times.
func (b *Book) readStyles(ctx context.Context, name string) error {
	var s struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			ID int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := b.decode(ctx, name, &s); err != nil {
		return err
	}
	codes := map[int]string{}
	for _, f := range s.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range s.Cells {
		code, own := codes[c.ID]
		style := noDate
		switch {
		case own:
			style = styleOf(code)
		case c.ID >= 14 && c.ID <= 17, c.ID >= 27 && c.ID <= 31, c.ID == 36, c.ID >= 50 && c.ID <= 54,
			c.ID == 57, c.ID == 58:
			style = day
		case c.ID == 22:
			style = moment
		case c.ID >= 18 && c.ID <= 21, c.ID >= 32 && c.ID <= 35, c.ID >= 45 && c.ID <= 47, c.ID == 55, c.ID == 56:
			style = daytime
		}
		b.styles = append(b.styles, style)
	}
	return nil
}

// styleOf parses a number format. Only its first section counts, without quoted strings, escaped characters and
// colours.
func styleOf(code string) dateStyle {
	var date, clock, month bool
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				end = len(code) - i - 2
			}
			i += end + 1
		case '\\', '_', '*':
			i++
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				end = len(code) - i - 1
			}
			switch strings.ToLower(strings.Trim(code[i:i+end], "[")) {
			case "h", "hh", "m", "mm", "s", "ss": // elapsed time
				clock = true
			}
			i += end
		case ';':
			i = len(code)
		case 'y', 'Y', 'd', 'D':
			date = true
		case 'h', 'H', 's', 'S':
			clock = true
		case 'm', 'M':
			month = true // or minutes, next to hours or seconds
		case 'G', 'g':
			if strings.HasPrefix(strings.ToLower(code[i:]), "general") {
				i += len("general") - 1
			}
		}
	}
	switch {
	case date && clock:
		return moment
	case date, month && !clock:
		return day
	case clock:
		return daytime
	}
	return noDate
}

// dateText converts a serial date, in days since the end of 1899 or 1904, with millisecond precision, the finest unit
// that a format shows. The time of day is kept even if the format does not show it.
func (b *Book) dateText(text string, style dateStyle) (string, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return "", fmt.Errorf("%q is not the serial number of a date", text)
	}
	if math.IsNaN(f) || math.Abs(f) > 3e6 || f < 0 && style != daytime {
		return text, nil // not a valid date: a spreadsheet shows ####
	}
	const perDay = 24 * 60 * 60 * 1000
	millis := int64(math.Round(f * perDay))
	if style == daytime {
		sign := ""
		if millis < 0 {
			sign, millis = "-", -millis
		}
		s := fmt.Sprintf("%s%02d:%02d:%02d", sign, millis/3600000, millis/60000%60, millis/1000%60)
		if ms := millis % 1000; ms != 0 {
			s += fmt.Sprintf(".%03d", ms)
		}
		return s, nil
	}
	days, rest := millis/perDay, millis%perDay
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case b.from1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days == 60: // 1900-02-29, which spreadsheets treat as a date
		if style == day && rest == 0 {
			return "1900-02-29", nil
		}
		return "1900-02-29" + epoch.Add(time.Duration(rest)*time.Millisecond).Format("T15:04:05.999"), nil
	case days < 60:
		days++
	}
	t := epoch.AddDate(0, 0, int(days)).Add(time.Duration(rest) * time.Millisecond)
	if style == day && rest == 0 {
		return t.Format(time.DateOnly), nil
	}
	return t.Format("2006-01-02T15:04:05.999"), nil
}
