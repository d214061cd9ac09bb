package output

import (
	"fmt"
	"html"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
)

// markdownFormat writes a table of GitHub Flavored Markdown. Special characters are escaped, a line break within a
// value is <br>. NULL is the word NULL unless Options.Null is set.
type markdownFormat struct {
	cols    []cell.Column
	null    []byte
	raw     bool
	scratch []byte
}

func newMarkdown(cols []cell.Column, o Options) *markdownFormat {
	return &markdownFormat{cols: cols, null: []byte(nullWord(o)), raw: o.Raw}
}

func nullWord(o Options) string {
	if o.Null != "" {
		return o.Null
	}
	return "NULL"
}

func (f *markdownFormat) head(dst []byte) []byte {
	if len(f.cols) == 0 {
		return dst
	}
	dst = append(dst, '|')
	for i := range f.cols {
		dst = append(appendMarkdown(append(dst, ' '), []byte(f.cols[i].Name)), " |"...)
	}
	dst = append(dst, "\n|"...)
	for i := range f.cols {
		if f.cols[i].Class.Number() {
			dst = append(dst, " ---: |"...)
		} else {
			dst = append(dst, " --- |"...)
		}
	}
	return append(dst, '\n')
}

func (f *markdownFormat) row(dst []byte, n int64, cells []api.Cell) ([]byte, error) {
	dst = append(dst, '|')
	for i := range f.cols {
		col := &f.cols[i]
		dst = append(dst, ' ')
		if c := cells[col.Index]; c.IsNull() {
			dst = appendMarkdown(dst, f.null)
		} else {
			from := len(dst)
			var err error
			if dst, err = textOf(dst, c, col.Class, f.raw); err != nil {
				return dst, cell.RowError(n, col, err)
			}
			if !harmless(dst[from:]) {
				f.scratch = append(f.scratch[:0], dst[from:]...)
				dst = appendMarkdown(dst[:from], f.scratch)
			}
		}
		dst = append(dst, " |"...)
	}
	return append(dst, '\n'), nil
}

func (f *markdownFormat) tail(dst []byte, _ int64) []byte { return dst }

// textOf returns the text of a value that is not NULL, readable unless raw.
func textOf(dst []byte, c api.Cell, cl cell.Class, raw bool) ([]byte, error) {
	if raw {
		return cell.AppendText(dst, c)
	}
	return cell.AppendReadable(dst, c, cl)
}

func appendMarkdown(dst, t []byte) []byte {
	done := 0 // the bytes before it were appended
	for i := 0; i < len(t); {
		if plainByte(t[i]) {
			i++
			continue
		}
		r, n := utf8.DecodeRune(t[i:])
		by := ""
		switch {
		case r == '\n':
			by = "<br>"
		case r == '\r' && i+1 < len(t) && t[i+1] == '\n':
		case r == '&':
			by = "&amp;"
		case r == '<':
			by = "&lt;"
		case control(r, n):
			by = signOf(r)
		case r == '\\' || r == '|' || r == '`' || r == '*' || r == '[' || r == ']' || r == '~' || r == '_' &&
			!within(t, i):
			by = "\\" + string(r)
		default:
			i += n
			continue
		}
		dst = append(append(dst, t[done:i]...), by...)
		i += n
		done = i
	}
	return append(dst, t[done:]...)
}

// harmless reports whether text has no special characters of either markup.
func harmless(t []byte) bool {
	for _, c := range t {
		if !plainByte(c) {
			return false
		}
	}
	return true
}

// plainByte reports whether a byte is a letter, a digit, a space or one of + , - . / and the colon.
func plainByte(c byte) bool {
	const low, high = 1<<' ' | 0xffff<<'+', 0x3ffffff<<('A'-64) | 0x3ffffff<<('a'-64)
	if c < 64 {
		return uint64(low)>>c&1 != 0
	}
	return c < 128 && uint64(high)>>(c-64)&1 != 0
}

// control reports whether markup cannot contain a rune of n bytes: C0, C1 and invalid UTF-8.
func control(r rune, n int) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && n == 1
}

// signOf is the visible form of a control character (see Sanitize), safe within markup.
func signOf(r rune) string {
	if r >= 0x80 && r < 0xa0 {
		return fmt.Sprintf("&lt;U+%04X>", r)
	}
	return string(term.Sanitize(nil, string(r)))
}

// within reports whether the underscore at i is between letters or digits, where it is not markup.
func within(t []byte, i int) bool {
	before, _ := utf8.DecodeLastRune(t[:i])
	after, _ := utf8.DecodeRune(t[i+1:])
	word := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	return i > 0 && i+1 < len(t) && word(before) && word(after)
}

// htmlFormat writes a complete page with one table. NULL cells have the class null, numbers the class num.
type htmlFormat struct {
	cols    []cell.Column
	null    string
	header  bool
	raw     bool
	scratch []byte
}

func newHTML(cols []cell.Column, o Options) *htmlFormat {
	return &htmlFormat{cols: cols, null: html.EscapeString(nullWord(o)), header: !o.NoHeader, raw: o.Raw}
}

const htmlHead = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>result</title><style>
body{font:14px system-ui,sans-serif}
table{border-collapse:collapse}
th,td{border-bottom:1px solid #ccc;padding:.25em .75em;text-align:left;vertical-align:top;white-space:pre-wrap}
td.num{text-align:right;font-variant-numeric:tabular-nums}
td.null{color:#999;font-style:italic}
</style></head><body>
<table>
`

func (f *htmlFormat) head(dst []byte) []byte {
	dst = append(dst, htmlHead...)
	if f.header {
		dst = append(dst, "<thead><tr>"...)
		for i := range f.cols {
			dst = append(appendHTML(append(dst, "<th>"...), []byte(f.cols[i].Name)), "</th>"...)
		}
		dst = append(dst, "</tr></thead>\n"...)
	}
	return append(dst, "<tbody>\n"...)
}

func (f *htmlFormat) row(dst []byte, n int64, cells []api.Cell) ([]byte, error) {
	dst = append(dst, "<tr>"...)
	for i := range f.cols {
		col := &f.cols[i]
		c := cells[col.Index]
		switch {
		case c.IsNull():
			dst = append(append(dst, `<td class="null">`...), f.null...)
		default:
			if col.Class.Number() {
				dst = append(dst, `<td class="num">`...)
			} else {
				dst = append(dst, "<td>"...)
			}
			from := len(dst)
			var err error
			if dst, err = textOf(dst, c, col.Class, f.raw); err != nil {
				return dst, cell.RowError(n, col, err)
			}
			if !harmless(dst[from:]) {
				f.scratch = append(f.scratch[:0], dst[from:]...)
				dst = appendHTML(dst[:from], f.scratch)
			}
		}
		dst = append(dst, "</td>"...)
	}
	return append(dst, "</tr>\n"...), nil
}

func (f *htmlFormat) tail(dst []byte, _ int64) []byte {
	return append(dst, "</tbody></table>\n</body></html>\n"...)
}

// appendHTML escapes special characters of HTML. Control characters, which are invalid in HTML, are made visible as in
// Sanitize.
func appendHTML(dst, t []byte) []byte {
	done := 0 // the bytes before it were appended
	for i := 0; i < len(t); {
		if plainByte(t[i]) {
			i++
			continue
		}
		r, n := utf8.DecodeRune(t[i:])
		by := ""
		switch {
		case r == '&':
			by = "&amp;"
		case r == '<':
			by = "&lt;"
		case r == '>':
			by = "&gt;"
		case r == '\r':
			by = "&#13;"
		case r == '\n' && i == 0: // a parser may drop the first line break of an element
			by = "&#10;"
		case r != '\n' && r != '\t' && control(r, n):
			by = signOf(r)
		default:
			i += n
			continue
		}
		dst = append(append(dst, t[done:i]...), by...)
		i += n
		done = i
	}
	return append(dst, t[done:]...)
}
