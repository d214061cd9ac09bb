package rowfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// character reads the value of an option that is one ASCII character. words are those that stand for one.
func character(value string, words map[string]byte) (byte, error) {
	if c, ok := words[strings.ToLower(value)]; ok {
		return c, nil
	}
	if len(value) != 1 || value[0] >= utf8.RuneSelf || strings.ContainsAny(value, "\r\n\x00") {
		text := fmt.Sprintf("%q is not one ASCII character", value)
		for _, w := range []string{"tab", backslash, None} {
			if _, ok := words[w]; ok {
				text += ", or " + w
			}
		}
		return 0, errors.New(text)
	}
	return value[0], nil
}

func setFormat(o *Options, value string) error {
	switch v := strings.ToLower(value); v {
	case "csv", "json", "parquet", "xlsx":
		o.Format = Format(v)
	case "ndjson", "jsonl": // which of the two it is, is detected when the file is read
		o.Format = JSON
	default:
		return fmt.Errorf("%q is not one of csv, json, ndjson, parquet, xlsx", value)
	}
	return nil
}

func setEncoding(o *Options, value string) (err error) {
	o.encoded = true
	o.coding, o.utf16, err = codingNamed(value)
	return err
}

func setDelimiter(o *Options, value string) (err error) {
	if value == `"` {
		return errors.New("a quote is no delimiter")
	}
	o.delimiter, err = character(value, map[string]byte{"tab": '\t', `\t`: '\t'})
	return err
}

func setQuote(o *Options, value string) (err error) {
	o.quote, err = character(value, map[string]byte{None: 0})
	o.noQuote = o.quote == 0
	return err
}

func setEscape(o *Options, value string) error {
	c, err := character(value, map[string]byte{backslash: '\\', None: 0})
	switch {
	case c == 0:
		o.escape = None
	case c == '\\':
		o.escape = backslash
	default:
		o.escape = value
	}
	return err
}

func setComment(o *Options, value string) (err error) {
	o.comment, err = character(value, nil)
	return err
}

// count reads the value of an option that is a number of lines.
func count(value string, least int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < least || n > 1<<40 {
		return 0, fmt.Errorf("%q is not a number from %d", value, least)
	}
	return n, nil
}

func setSkip(o *Options, value string) (err error) {
	o.skip, err = count(value, 0)
	return err
}

func setFooter(o *Options, value string) error {
	n, err := count(value, 0)
	if err == nil && n > 1000 {
		err = fmt.Errorf("%d is more than 1000 lines", n)
	}
	o.footer = int(n)
	return err
}

func setHeaderRow(o *Options, value string) (err error) {
	if strings.EqualFold(value, None) {
		o.headerLines = -1
		return nil
	}
	from, to, several := strings.Cut(value, "-")
	if !several {
		to = from
	}
	o.headerFrom, err = count(from, 1)
	last, err2 := count(to, o.headerFrom)
	if err != nil || err2 != nil || last-o.headerFrom > 9 {
		return fmt.Errorf("%q is neither the number of a line, nor of the first and last line of the header, such as "+
			"2-3, nor none", value)
	}
	o.headerLines = int(last-o.headerFrom) + 1
	return nil
}

func setBool(to *bool, value string) (err error) {
	if *to, err = strconv.ParseBool(value); err != nil {
		err = fmt.Errorf("%q is neither true nor false", value)
	}
	return err
}

func setDecimal(o *Options, value string) error {
	c, err := character(value, nil)
	if err == nil && c != '.' && c != ',' {
		err = fmt.Errorf("%q is neither a comma nor a point", value)
	}
	o.notation.Decimal = c
	return err
}

func setThousands(o *Options, value string) error {
	c, n := utf8.DecodeRuneInString(value)
	if n == 0 || n != len(value) || !slices.Contains([]rune(".,'’_ \u00a0\u202f"), c) {
		return fmt.Errorf("%q is not a comma, a point, an apostrophe, an underscore or a blank", value)
	}
	o.notation.Thousands = c
	return nil
}

// setPath reads a path of members: $.a.b, or $["a"]["b"]. [*] at its end, which stands for the objects of a list, is
// the same as none.
func setPath(o *Options, value string) error {
	bad := fmt.Errorf(`%q is not a path of members such as $.items or $["a b"].items`, value)
	rest, ok := strings.CutPrefix(value, "$")
	if !ok {
		return bad
	}
	o.path = []string{}
	for rest = strings.TrimSuffix(rest, "[*]"); rest != ""; {
		switch {
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			if end == 1 {
				return bad
			}
			o.path, rest = append(o.path, rest[1:end]), rest[end:]
		case len(rest) > 2 && rest[0] == '[' && (rest[1] == '"' || rest[1] == '\''):
			end := strings.Index(rest[2:], rest[1:2]+"]")
			if end < 0 {
				return bad
			}
			o.path, rest = append(o.path, rest[2:2+end]), rest[2+end+2:]
		default:
			return bad
		}
	}
	return nil
}

// pathText writes a path as setPath reads it.
func pathText(path []string) string {
	out := "$"
	for _, name := range path {
		if plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"); plain == "" {
			out += "." + name
		} else {
			out += `["` + name + `"]`
		}
	}
	return out
}

func setRange(o *Options, value string) (err error) {
	o.area, err = parseArea(value)
	return err
}

// area are cells of a sheet, from 0 and 1. A last column or row of 0 is none.
type area struct {
	column, columns int // the first, and the number
	from, to        int64
}

// parseArea reads B3:F20, B3:F, B:F or 3:20.
func parseArea(value string) (a area, err error) {
	first, last, ok := strings.Cut(strings.ReplaceAll(strings.ToUpper(value), "$", ""), ":")
	end, until, ok2 := corner(last)
	a.column, a.from, err = 0, 0, nil
	begin, from, ok1 := corner(first)
	if !ok || !ok1 || !ok2 || begin < 0 && end >= 0 || end >= 0 && end < begin || until > 0 && until < from {
		return a, fmt.Errorf("%q is not a range of cells such as B3:F, B3:F20, B:F or 3:20", value)
	}
	a.column, a.from, a.to = max(begin, 0), from, until
	if end >= 0 {
		a.columns = end - a.column + 1
	}
	return a, nil
}

// corner reads a column and a row, of which one may be missing: -1 or 0.
func corner(s string) (column int, row int64, ok bool) {
	letters := strings.TrimRight(s, "0123456789")
	if column = -1; letters != "" {
		if column, ok = columnOf(letters); !ok {
			return 0, 0, false
		}
	}
	if len(letters) < len(s) {
		var err error
		if row, err = count(s[len(letters):], 1); err != nil {
			return 0, 0, false
		}
	}
	return column, row, s != ""
}

// Check refuses options that contradict each other.
func (o *Options) Check() error {
	n := o.notation
	switch {
	case n.Thousands == rune(cmp.Or(n.Decimal, '.')):
		return o.errorf("thousands", "it is the decimal separator, too")
	case o.headerFrom > 0 && o.headerFrom <= o.skip:
		return o.errorf("header-row", "line %d is one of the %d that are skipped", o.headerFrom, o.skip)
	case o.delimiter != 0 && (o.delimiter == o.quote || o.delimiter == o.comment):
		return o.errorf("delimiter", "it is the character of another option, too")
	case o.noQuote && o.escape != "" && o.escape != None && o.escape != backslash:
		return o.errorf("escape", "there are no quotes for it")
	}
	return nil
}

// begin is the number of lines or rows before the header or the first row.
func (o *Options) begin() int64 { return max(o.skip, o.headerFrom-1) }

// NoHeader reports whether the first record is a row.
func (o *Options) NoHeader() bool { return o.headerLines < 0 }
