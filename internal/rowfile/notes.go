package rowfile

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/objects"
)

// sampled is the number of rows that are looked at for the notes about the shape of a file.
const sampled = 100

// note adds what may be wrong with the shape of the file as it was read, with the options for another reading.
func (f *File) note(about string, options ...setting) {
	f.Notes = append(f.Notes, about+": "+f.opt.Way.spell(options))
}

// noteShape notes, after all rows were read, what was mended, and what of the file is likely not to be a row or a
// value as it looks.
func (f *File) noteShape(ctx context.Context) {
	f.Notes = f.mended.notes()
	if f.opt.trial || f.Loose || f.Format == Parquet {
		return
	}
	tee := f.Tee
	f.Tee = nil // the rows were read before
	defer func() { f.Tee = tee }()
	rows, lines := f.firstRows(ctx)
	switch {
	case f.Format == JSON:
		f.noteEnvelope(rows)
		return
	case f.opt.delimiter == 0 && f.Width == 1 && f.Format == CSV:
		f.notePreamble(ctx)
	case f.Format == XLSX:
		f.noteTitle(rows, lines)
	}
	f.noteNumbers(rows)
	f.noteSecondHeader(rows)
	f.noteTotal()
}

// firstRows reads the first rows. Their numbers in the file are lines.
func (f *File) firstRows(ctx context.Context) (rows [][]infer.Value, lines []int64) {
	o := f.opt
	f.opt.trial = true
	defer func() { f.opt = o }()
	r, err := f.Open(ctx)
	if err != nil {
		return nil, nil // all rows were read before: this is about notes only
	}
	defer r.Close()
	for len(rows) < sampled {
		row, err := r.Next(ctx)
		if err != nil {
			break
		}
		row = slices.Clone(row)
		for i := range row {
			row[i].Text = bytes.Clone(row[i].Text)
		}
		rows, lines = append(rows, row), append(lines, r.At())
	}
	return rows, lines
}

// noteEnvelope names the list of objects in a document of one object.
func (f *File) noteEnvelope(rows [][]infer.Value) {
	if f.Rows != 1 || len(rows) != 1 || f.opt.path != nil {
		return
	}
	var paths [][]string
	for i, v := range rows[0] {
		if v.Kind != infer.Nested || i >= len(f.Header) {
			continue
		}
		text := fmt.Appendf(nil, "{%q:%s}", f.Header[i], v.Text)
		paths = append(paths, objects.Lists(text)...)
	}
	if len(paths) == 1 {
		f.note(fmt.Sprintf("the document is one record, and its member %s is a list of objects; this reads them",
			strings.Join(paths[0], ".")), setting{"path", pathText(paths[0])})
	}
}

// notePreamble looks for lines with delimiters below the first ones of a file that was read as one column.
func (f *File) notePreamble(ctx context.Context) {
	head, err := f.head(ctx, Window, f.plain)
	if err != nil || f.opt.headerLines != 0 {
		return
	}
	rest := head
	for line := f.opt.begin() + 2; line < f.opt.begin()+mostPreamble; line++ {
		at := bytes.IndexByte(rest, '\n') + 1
		if rest = rest[at:]; at == 0 || bytes.Count(rest, []byte{'\n'}) < 1 {
			return
		}
		first, _, _ := bytes.Cut(rest, []byte{'\n'})
		for _, c := range delimiters() {
			if bytes.IndexByte(first, c) >= 0 && f.widthOf(rest, c, len(head) < Window) > 1 {
				f.note(fmt.Sprintf("the file was read as one column, but from line %d on fields are separated by %s; "+
					"this reads them", line, delimiterName(c)), setting{"header-row", strconv.FormatInt(line, 10)})
				return
			}
		}
	}
}

// noteTitle looks for a row with names below the title of a sheet.
func (f *File) noteTitle(rows [][]infer.Value, lines []int64) {
	named := 0
	for _, name := range f.Header {
		if name != "" {
			named++
		}
	}
	if f.opt.headerLines != 0 || named != 1 || f.Width < 2 {
		return
	}
	for i, row := range rows {
		texts := 0
		for _, v := range row {
			if v.Kind == infer.String {
				texts++
			}
		}
		if texts > 1 && texts == len(row) && texts >= f.Width-1 {
			f.note(fmt.Sprintf("row %d looks like the header, below a title", lines[i]),
				setting{"header-row", strconv.FormatInt(lines[i], 10)})
			return
		}
	}
}

// eachColumn passes the values of each column of the sample that are not NULL.
func (f *File) eachColumn(rows [][]infer.Value, each func(column int, values []infer.Value)) {
	for c := range f.Columns {
		var values []infer.Value
		for _, row := range rows {
			if c < len(row) && row[c].Kind != infer.Null && len(row[c].Text) > 0 {
				values = append(values, row[c])
			}
		}
		if len(values) > 0 {
			each(c, values)
		}
	}
}

func noNumber(v infer.Value) bool { return !numberLike(v.Text) }

// numberLike reports whether a text is a number in some notation, or a date.
func numberLike(text []byte) bool {
	return len(text) > 0 && (unicode.IsDigit(rune(text[len(text)-1])) || text[len(text)-1] == '%') &&
		bytes.IndexAny(text, "0123456789") <= 2 && len(bytes.Trim(text, "0123456789.,:-+/ eE$%T")) == 0
}

// noteNumbers names the notation of numbers that were read as texts.
func (f *File) noteNumbers(rows [][]infer.Value) {
	if f.Format == XLSX || f.opt.notation.Decimal != 0 || f.opt.notation.Thousands != 0 {
		return
	}
	var comma, point infer.Notation
	comma.Decimal, comma.Thousands = ',', '.'
	point.Thousands = ','
	f.eachColumn(rows, func(c int, values []infer.Value) {
		if len(f.Notes) > 0 || f.Columns[c].Type() != "varchar" || f.Columns[c].Strings {
			return
		}
		commas, groups, points, thousands := true, true, false, false
		for i, v := range values {
			if i == 0 && len(values) > 1 && !numberLike(v.Text) {
				continue // a second line of the header
			}
			commas = commas && comma.Number(v.Text)
			groups = groups && point.Number(v.Text)
			points = points || bytes.IndexByte(v.Text, '.') >= 0
			thousands = thousands || bytes.IndexByte(v.Text, ',') >= 0
		}
		name := strconv.Itoa(c + 1)
		if c < len(f.Header) && f.Header[c] != "" {
			name = strconv.Quote(f.Header[c])
		}
		switch {
		case !thousands:
		case groups:
			f.note(fmt.Sprintf("the numbers of column %s have separators of thousands and are texts; this reads them",
				name), setting{"thousands", ","})
		case commas && points:
			f.note(fmt.Sprintf("the numbers of column %s have a decimal comma and are texts; this reads them", name),
				setting{"decimal", ","}, setting{"thousands", "."})
		case commas:
			f.note(fmt.Sprintf("the numbers of column %s have a decimal comma and are texts; this reads them", name),
				setting{"decimal", ","})
		}
	})
}

// noteSecondHeader looks for a first row that has texts above numbers.
func (f *File) noteSecondHeader(rows [][]infer.Value) {
	if f.opt.headerLines != 0 || len(rows) < 3 || f.Width < 2 {
		return
	}
	for _, v := range rows[0] {
		if numberLike(v.Text) || len(v.Text) > 40 {
			return
		}
	}
	switched := 0
	f.eachColumn(rows, func(c int, values []infer.Value) {
		if c < len(rows[0]) && len(rows[0][c].Text) > 0 && len(values) > 2 &&
			!slices.ContainsFunc(values[1:], noNumber) {
			switched++
		}
	})
	if switched > 1 {
		f.note("the first row looks like a second line of the header; this joins the two",
			setting{"header-row", fmt.Sprintf("%d-%d", f.headerAt, f.headerAt+1)})
	}
}

// lastValue is the first value of the last row, if that is cheap to find.
func (f *File) lastValue() []byte {
	if f.Format != CSV || f.Packing != NotPacked || f.Coding != UTF8 && f.Coding[0] == 'u' {
		return f.lastText
	}
	tail := make([]byte, min(f.size, 4<<10))
	if n, err := f.in.ReadAt(tail, f.size-int64(len(tail))); n < len(tail) && err != nil {
		return nil
	}
	r := f.reader(bytes.NewReader(tail[lastLines(tail, 1):]), f.Delimiter, len(tail))
	if r.Read() != nil || len(r.Fields) == 0 {
		return nil
	}
	return r.Fields[0].Text
}

// totals are the words that a row of sums begins with.
var totals = []string{"total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "insgesamt", "somme",
	"suma", "totale", "итого"}

// noteTotal looks for a row of sums at the end.
func (f *File) noteTotal() {
	if f.opt.footer > 0 || f.Rows < 3 || f.Width < 2 {
		return
	}
	text := strings.TrimSpace(string(f.lastValue()))
	if slices.Contains(totals, strings.ToLower(strings.TrimRight(text, ": "))) {
		f.note(fmt.Sprintf("the last row begins with %q; this leaves it out", text), setting{"footer", "1"})
	}
}
