package output

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/xuri/excelize/v2"
)

const (
	sheetRows  = excelize.TotalRows
	sheetText  = excelize.TotalCellChars // UTF-16 units in a cell; excelize would cut longer text without a word
	exactDigit = 15                      // significant digits of a number that every spreadsheet keeps
)

// xlsxWriter writes a workbook. Rows go to a temporary file (the format puts a directory at its end), so memory is bounded by
// excelize's chunk of 16 MiB. A result longer than a sheet goes on in the next sheet.
//
// Unless Raw, numbers become numbers when they have at most 15 significant digits, which is what a spreadsheet keeps, booleans
// become booleans, dates and timestamps without zone and with at most milliseconds become dates; all else stays text, digit by
// digit. NULL is a cell that is not there, the empty string a cell with empty text. Control characters cannot be stored: they
// are made visible, and a remark says so.
type xlsxWriter struct {
	o       Options
	cols    []column
	f       *excelize.File
	sw      *excelize.StreamWriter
	sheet   int
	line    int // of the sheet, 1-based, the next to be written
	bold    int
	day     int
	stamp   int
	values  []any
	scratch []byte
	noted   bool
}

func writeXLSX(w io.Writer, rows api.RowReader, cols []column, o Options) (st Stats, err error) {
	if len(cols) > excelize.MaxColumns {
		return st, fmt.Errorf("%d columns do not fit into a sheet, which has %d", len(cols), excelize.MaxColumns)
	}
	x := &xlsxWriter{o: o, cols: cols, f: excelize.NewFile(), values: make([]any, len(cols))}
	defer func() { err = errors.Join(err, x.f.Close()) }()
	if err = x.styles(); err == nil {
		err = x.begin()
	}
	for err == nil && rows.Next() {
		st.Rows++
		if err = checkRow(st.Rows, rows.Row(), cols); err == nil {
			err = x.row(st.Rows, rows.Row())
		}
	}
	if err == nil {
		err = rows.Err()
	}
	if err == nil {
		err = x.sw.Flush()
	}
	if err != nil {
		return st, err
	}
	st.Shown = st.Rows
	out := &counter{w: w}
	// excelize builds the archive in memory; this one goes where it belongs, and the buffer of excelize stays empty.
	x.f.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(out) })
	err = x.f.Write(io.Discard)
	st.Bytes = out.n
	return st, err
}

func (x *xlsxWriter) styles() (err error) {
	format := func(s string) *excelize.Style { return &excelize.Style{CustomNumFmt: &s} }
	if x.bold, err = x.f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err != nil {
		return err
	}
	if x.day, err = x.f.NewStyle(format("yyyy-mm-dd")); err != nil {
		return err
	}
	x.stamp, err = x.f.NewStyle(format("yyyy-mm-dd hh:mm:ss.000"))
	return err
}

// begin starts the next sheet with a heading that stays on screen.
func (x *xlsxWriter) begin() error {
	x.sheet++
	name := "Sheet1"
	if x.sheet > 1 {
		name = "Sheet" + strconv.Itoa(x.sheet)
		if err := x.sw.Flush(); err != nil {
			return err
		}
		if _, err := x.f.NewSheet(name); err != nil {
			return err
		}
	}
	var err error
	if x.sw, err = x.f.NewStreamWriter(name); err != nil {
		return err
	}
	x.line = 1
	if x.o.NoHeader || len(x.cols) == 0 {
		return nil
	}
	if err := x.sw.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	for i := range x.cols {
		text, err := x.text(0, &x.cols[i], []byte(x.cols[i].name))
		if err != nil {
			return err
		}
		x.values[i] = excelize.Cell{StyleID: x.bold, Value: text}
	}
	return x.put()
}

func (x *xlsxWriter) put() error {
	err := x.sw.SetRow("A"+strconv.Itoa(x.line), x.values)
	x.line++
	return err
}

func (x *xlsxWriter) row(n int64, cells []api.Cell) error {
	if x.line > sheetRows {
		if err := x.begin(); err != nil {
			return err
		}
	}
	for i := range x.cols {
		v, err := x.value(n, &x.cols[i], cells[x.cols[i].index])
		if err != nil {
			return err
		}
		x.values[i] = v
	}
	return x.put()
}

func (x *xlsxWriter) value(n int64, col *column, c api.Cell) (any, error) {
	if c.IsNull() {
		return nil, nil
	}
	if x.o.typed() {
		if v := x.typedValue(col, c); v != nil {
			return v, nil
		}
	}
	var err error
	if x.scratch, err = textOf(x.scratch[:0], c, col.class, x.o.Raw); err != nil {
		return nil, rowError(n, col, err)
	}
	return x.text(n, col, x.scratch)
}

// typedValue is nil when the value can only be kept as text.
func (x *xlsxWriter) typedValue(col *column, c api.Cell) any {
	switch c.Kind() {
	case api.CellBool:
		return c[0] == 't'
	case api.CellNumber:
		if v := number(c); v != nil {
			return v
		}
		return nil
	case api.CellString:
	default:
		return nil
	}
	t, ok := c.PlainText()
	if !ok {
		return nil
	}
	switch {
	case col.class == classBool && string(t) == "true":
		return true
	case col.class == classBool && string(t) == "false":
		return false
	case col.class == classDouble || col.class == classReal:
		if f, err := strconv.ParseFloat(string(t), 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && validNumber(t) {
			return f
		}
	case col.class.number():
		return number(t)
	case col.typ == "date":
		return x.serial(t, "2006-01-02", x.day)
	case strings.HasPrefix(col.typ, "timestamp") && !strings.HasSuffix(col.typ, "with time zone"):
		return x.serial(t, "2006-01-02 15:04:05.999", x.stamp)
	}
	return nil
}

// number is the text of a number as one, nil if a spreadsheet would lose digits of it.
func number(t []byte) any {
	if !validNumber(t) {
		return nil
	}
	mantissa, _, _ := bytes.Cut(bytes.ToLower(t), []byte("e"))
	digits := bytes.TrimLeft(bytes.ReplaceAll(bytes.TrimPrefix(mantissa, []byte("-")), []byte("."), nil), "0")
	if bytes.IndexByte(mantissa, '.') >= 0 {
		digits = bytes.TrimRight(digits, "0")
	}
	if len(digits) > exactDigit {
		return nil
	}
	f, err := strconv.ParseFloat(string(t), 64)
	if err != nil || f == 0 && len(digits) > 0 {
		return nil
	}
	return f
}

// serial is a date as the number of days that a spreadsheet counts. Before March 1900 its calendar is wrong, and text with more
// than milliseconds does not survive: nil for both.
func (x *xlsxWriter) serial(t []byte, layout string, style int) any {
	at, err := time.Parse(layout, string(t))
	if err != nil || at.Nanosecond()%int(time.Millisecond) != 0 || at.Year() > 9999 {
		return nil
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) {
		return nil
	}
	ms := at.UnixMilli() - epoch.UnixMilli()
	return excelize.Cell{StyleID: style, Value: float64(ms) / float64(24*time.Hour/time.Millisecond)}
}

func (x *xlsxWriter) text(n int64, col *column, t []byte) (string, error) {
	units, controls := 0, false
	for i := 0; i < len(t); {
		r, size := utf8.DecodeRune(t[i:])
		units += utf16.RuneLen(r)
		controls = controls || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff
		i += size
	}
	if units > sheetText {
		return "", rowError(n, col, fmt.Errorf("%d characters do not fit into a cell of a sheet, which holds %d", units, sheetText))
	}
	if !controls {
		return string(t), nil
	}
	if !x.noted {
		x.noted = true
		x.o.note("row %d, column %q: control characters cannot be kept in xlsx and are written as visible signs", n, col.name)
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
	return string(out), nil
}
