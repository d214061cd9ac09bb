package output

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
)

const (
	sheetRows    = 1 << 20
	sheetColumns = 1 << 14
	sheetText    = 32767 // UTF-16 units in a cell; a spreadsheet silently truncates longer text
	exactDigit   = 15    // significant digits of a number that every spreadsheet preserves
)

// xlsxWriter writes a workbook, row by row: only a buffer is kept. A result longer than a sheet continues in the next
// sheet; the parts that count the sheets come last.
//
// Unless Raw, numbers are stored as numbers if they have at most 15 significant digits, which is what a spreadsheet
// preserves, booleans as booleans, dates and timestamps without zone and with at most milliseconds as dates; everything
// else is text, digit by digit. NULL is a missing cell, the empty string a cell with empty text. Control characters
// cannot be stored: they are made visible, and a note says so.
type xlsxWriter struct {
	o       Options
	cols    []cell.Column
	letters []string // of the columns: A, B, ..., AA
	book    *xlsxBook
	line    int    // of the sheet, 1-based, the next to be written
	buf     []byte // rows of the sheet that are not compressed yet
	scratch []byte
	noted   bool
}

func writeXLSX(w io.Writer, rows api.RowReader, cols []cell.Column, o Options) (st Stats, err error) {
	if len(cols) > sheetColumns {
		return st, fmt.Errorf("%d columns do not fit into a sheet, which has %d", len(cols), sheetColumns)
	}
	out := &counter{w: w}
	x := &xlsxWriter{o: o, cols: cols, letters: columnLetters(len(cols))}
	if x.book, err = newXLSXBook(out); err != nil {
		return st, err
	}
	defer x.book.leave()
	err = x.begin()
	for err == nil && rows.Next() {
		st.Rows++
		if err = cell.CheckRow(st.Rows, rows.Row(), cols); err == nil {
			err = x.row(st.Rows, rows.Row())
		}
	}
	if err == nil {
		err = rows.Err()
	}
	if err == nil {
		err = x.end()
	}
	if err == nil {
		err = x.book.close()
	}
	st.Bytes, st.Shown = out.n, st.Rows
	return st, err
}

// columnLetters returns the names of n columns: A to Z, AA and so on.
func columnLetters(n int) []string {
	names := make([]string, n)
	for i := range names {
		name := ""
		for k := i + 1; k > 0; k = (k - 1) / 26 {
			name = string(rune('A'+(k-1)%26)) + name
		}
		names[i] = name
	}
	return names
}

// begin starts the next sheet with a heading that stays on screen.
func (x *xlsxWriter) begin() error {
	heading := !x.o.NoHeader && len(x.cols) > 0
	if err := x.book.sheet(heading); err != nil {
		return err
	}
	x.line = 1
	if !heading {
		return nil
	}
	x.openRow()
	for i := range x.cols {
		text, err := x.text(0, &x.cols[i], []byte(x.cols[i].Name))
		if err != nil {
			return err
		}
		x.appendText(i, styleBold, text)
	}
	return x.closeRow()
}

// end finishes the sheet.
func (x *xlsxWriter) end() error {
	if err := x.flush(); err != nil {
		return err
	}
	return x.book.endSheet()
}

func (x *xlsxWriter) flush() error {
	err := x.book.write(x.buf)
	x.buf = x.buf[:0]
	return err
}

func (x *xlsxWriter) openRow() {
	x.buf = append(x.buf, `<row r="`...)
	x.buf = strconv.AppendInt(x.buf, int64(x.line), 10)
	x.buf = append(x.buf, `">`...)
}

func (x *xlsxWriter) closeRow() error {
	x.buf = append(x.buf, `</row>`...)
	x.line++
	if len(x.buf) < 64<<10 {
		return nil
	}
	return x.flush()
}

func (x *xlsxWriter) row(n int64, cells []api.Cell) error {
	if x.line > sheetRows {
		if err := x.end(); err != nil {
			return err
		}
		if x.book.sheets == 1 && x.o.Notes != nil {
			fmt.Fprintf(x.o.Notes, "a sheet has space for %d rows: the result continues in the next sheet\n", sheetRows)
		}
		if err := x.begin(); err != nil {
			return err
		}
	}
	x.openRow()
	for i := range x.cols {
		if err := x.cell(n, i, cells[x.cols[i].Index]); err != nil {
			return err
		}
	}
	return x.closeRow()
}

func (x *xlsxWriter) cell(n int64, i int, c api.Cell) error {
	if c.IsNull() {
		return nil
	}
	col := &x.cols[i]
	if x.o.typed() && x.appendTyped(i, c) {
		return nil
	}
	var err error
	if x.scratch, err = textOf(x.scratch[:0], c, col.Class, x.o.Raw); err != nil {
		return cell.RowError(n, col, err)
	}
	t, err := x.text(n, col, x.scratch)
	if err == nil {
		x.appendText(i, stylePlain, t)
	}
	return err
}

// open starts a cell up to the end of its tag; kind is its type, "" for a number.
func (x *xlsxWriter) open(i int, style, kind string) {
	x.buf = append(append(x.buf, `<c r="`...), x.letters[i]...)
	x.buf = strconv.AppendInt(x.buf, int64(x.line), 10)
	if style != stylePlain {
		x.buf = append(append(x.buf, `" s="`...), style...)
	}
	if kind != "" {
		x.buf = append(append(x.buf, `" t="`...), kind...)
	}
	x.buf = append(x.buf, `">`...)
}

func (x *xlsxWriter) appendText(i int, style string, t []byte) {
	x.open(i, style, "inlineStr")
	x.buf = append(x.buf, `<is><t xml:space="preserve">`...)
	x.buf = appendSheetText(x.buf, t)
	x.buf = append(x.buf, `</t></is></c>`...)
}

func (x *xlsxWriter) appendNumber(i int, style string, f float64) bool {
	x.open(i, style, "")
	x.buf = append(x.buf, `<v>`...)
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		x.buf = strconv.AppendFloat(x.buf, f, 'E', -1, 64)
	} else {
		x.buf = strconv.AppendFloat(x.buf, f, 'f', -1, 64)
	}
	x.buf = append(x.buf, `</v></c>`...)
	return true
}

func (x *xlsxWriter) appendBool(i int, v bool) bool {
	x.open(i, stylePlain, "b")
	digit := byte('0')
	if v {
		digit = '1'
	}
	x.buf = append(append(append(x.buf, `<v>`...), digit), `</v></c>`...)
	return true
}

// appendTyped appends a value by its type; false if it can only be stored as text.
func (x *xlsxWriter) appendTyped(i int, c api.Cell) bool {
	col := &x.cols[i]
	switch c.Kind() {
	case api.CellBool:
		return x.appendBool(i, c[0] == 't')
	case api.CellNumber:
		f, ok := number(c)
		return ok && x.appendNumber(i, stylePlain, f)
	case api.CellString:
	default:
		return false
	}
	t, ok := c.PlainText()
	if !ok {
		return false
	}
	switch {
	case col.Class == cell.ClassBool && string(t) == "true":
		return x.appendBool(i, true)
	case col.Class == cell.ClassBool && string(t) == "false":
		return x.appendBool(i, false)
	case col.Class == cell.ClassDouble || col.Class == cell.ClassReal:
		f, err := strconv.ParseFloat(string(t), 64)
		return err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && cell.ValidNumber(t) &&
			x.appendNumber(i, stylePlain, f)
	case col.Class.Number():
		f, ok := number(t)
		return ok && x.appendNumber(i, stylePlain, f)
	case col.Type == "date":
		days, ok := serial([]byte(day(string(t))), "2006-01-02")
		return ok && x.appendNumber(i, styleDay, days)
	case strings.HasPrefix(col.Type, "timestamp") && !strings.HasSuffix(col.Type, "with time zone"):
		days, ok := serial(t, "2006-01-02 15:04:05.999")
		return ok && x.appendNumber(i, styleStamp, days)
	}
	return false
}

// number returns a number in the form of the format; false if a spreadsheet would lose digits of it.
func number(t []byte) (float64, bool) {
	if !cell.ValidNumber(t) {
		return 0, false
	}
	mantissa := t
	if e := bytes.IndexAny(t, "eE"); e >= 0 {
		mantissa = t[:e]
	}
	digits, zeros, point := 0, 0, false // without leading zeros, and without trailing zeros in a fraction
	for _, c := range mantissa {
		switch {
		case c == '.':
			point, digits, zeros = true, digits+zeros, 0
		case c == '0' && digits+zeros == 0:
		case c == '0':
			zeros++
		case c != '-':
			digits, zeros = digits+zeros+1, 0
		}
	}
	if !point {
		digits += zeros
	}
	if digits > exactDigit {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(t), 64)
	if err != nil || f == 0 && digits > 0 {
		return 0, false
	}
	return f, true
}

// serial returns a date as the number of days that a spreadsheet counts. Before March 1900 its calendar is wrong, and
// text with more than milliseconds would lose precision: false for both.
func serial(t []byte, layout string) (float64, bool) {
	at, err := time.Parse(layout, string(t))
	if err != nil || at.Nanosecond()%int(time.Millisecond) != 0 || at.Year() > 9999 {
		return 0, false
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) {
		return 0, false
	}
	ms := at.UnixMilli() - epoch.UnixMilli()
	return float64(ms) / float64(24*time.Hour/time.Millisecond), true
}

// text returns the stored form of a text in a cell.
func (x *xlsxWriter) text(n int64, col *cell.Column, t []byte) ([]byte, error) {
	if !utf8.Valid(t) {
		t = bytes.ToValidUTF8(t, []byte(string(utf8.RuneError)))
	}
	units, controls := 0, false
	for i := 0; i < len(t); {
		r, size := utf8.DecodeRune(t[i:])
		units += utf16.RuneLen(r)
		controls = controls || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff
		i += size
	}
	if units > sheetText {
		return nil, cell.RowError(n, col, fmt.Errorf("%d characters do not fit into a cell of a sheet, the limit is %d",
			units, sheetText))
	}
	if !controls {
		return t, nil
	}
	if !x.noted {
		x.noted = true
		x.o.note("row %d, column %q: control characters cannot be stored in xlsx and are written as visible symbols", n,
			col.Name)
	}
	var out []byte
	for i := 0; i < len(t); {
		r, size := utf8.DecodeRune(t[i:])
		switch {
		case r < ' ' && r != '\n' && r != '\t' && r != '\r':
			out = utf8.AppendRune(out, 0x2400+r)
		case r == 0xfffe || r == 0xffff:
			out = utf8.AppendRune(out, utf8.RuneError)
		default:
			out = append(out, t[i:i+size]...)
		}
		i += size
	}
	return out, nil
}
