package rowfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/objects"
	"golang.org/x/text/encoding/charmap"
)

// mostTried is the number of rows after which a file counts as read with other options.
const mostTried = 2_000_000

// mostFooter and mostPreamble are the number of lines at the end and at the beginning that may be left out.
const (
	mostFooter   = 20
	mostPreamble = 40
)

// advised adds to an error which options read the file: names and their values.
func (f *File) advised(err error, options ...string) error {
	var list []setting
	for pair := range slices.Chunk(options, 2) {
		list = append(list, setting{pair[0], pair[1]})
	}
	return fmt.Errorf("%w; %s reads the file", err, f.opt.Way.spell(list))
}

// advise adds to an error of the content which options read the file, if there are any: they are tried.
func (f *File) advise(ctx context.Context, err error) error {
	var width *widthError
	var text *textError
	var form *csv.Error
	switch {
	case f.opt.trial || f.Loose || ctx.Err() != nil:
		return err
	case errors.Is(err, errNoResult):
		return f.advised(err, "empty-formulas", "true")
	case errors.Is(err, objects.ErrUTF8) && f.Coding == UTF8:
		return f.adviseCoding(ctx, err, nil)
	case errors.As(err, &text) && f.Coding == UTF8 && !utf8.Valid(text.text):
		return f.adviseCoding(ctx, err, text.text)
	case errors.As(err, &width), errors.As(err, &form):
		if list := f.tried(ctx, nil); list != nil {
			return fmt.Errorf("%w; %s reads the file", err, f.opt.Way.spell(list))
		}
	}
	return err
}

// adviseCoding proposes an encoding for a text that is not UTF-8.
func (f *File) adviseCoding(ctx context.Context, err error, text []byte) error {
	list := []setting{{"encoding", "windows-1252"}}
	if f.reads(ctx, list) != nil {
		if list = f.tried(ctx, list); list == nil {
			return fmt.Errorf("%w; %s names the encoding, such as windows-1252 or latin-1", err,
				f.opt.Way.name("encoding"))
		}
	}
	shown := ""
	for _, c := range text {
		shown += string(charmap.Windows1252.DecodeByte(c))
	}
	if shown != "" {
		shown = fmt.Sprintf("it is %q in windows-1252 and, mostly, latin-1: ", shown)
	}
	return fmt.Errorf("%w; %s%s reads the file", err, shown, f.opt.Way.spell(list))
}

// reads returns an error if the file is not read with more options.
func (f *File) reads(ctx context.Context, more []setting) error {
	o, err := f.opt.with(more...)
	if err != nil {
		return err
	}
	o.trial = true
	t, err := Open(ctx, f.in, f.size, f.name, o)
	if err != nil {
		return err
	}
	defer t.Close()
	r, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for n := range mostTried {
		_, err := r.Next(ctx)
		if n > 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tried returns the first of the likely combinations of options that reads the file; nil if none does.
func (f *File) tried(ctx context.Context, with []setting) []setting {
	l, err := f.layout(ctx)
	if err != nil {
		return nil
	}
	var begin, end [][]setting
	if l.comment {
		begin = append(begin, []setting{{"comment", "#"}})
	}
	if l.named && l.header > f.opt.begin()+1 && f.opt.headerLines == 0 {
		begin = append(begin, []setting{{"header-row", strconv.FormatInt(l.header, 10)}})
	}
	if l.footer > 0 && f.opt.footer == 0 {
		end = append(end, []setting{{"footer", strconv.Itoa(l.footer)}})
	}
	begin, end = append(begin, nil), append(end, nil)
	lenient := [][]setting{nil, {{"lenient", "true"}}}
	for _, mend := range lenient {
		for _, first := range begin {
			for _, last := range slices.Backward(end) {
				list := slices.Concat(with, first, last, mend)
				if len(list) > len(with) && f.reads(ctx, list) == nil {
					return list
				}
			}
		}
	}
	return nil
}

// layout is where the rows of a text are likely to be.
type layout struct {
	comment bool  // some of the lines before the rows begin with a #
	header  int64 // the first line with as many fields as most
	named   bool  // that line is likely to be of names, and not a row below a header of another width
	footer  int   // lines after the last such line, if none of them begins like a row
}

// layout finds the records of the usual width.
func (f *File) layout(ctx context.Context) (l layout, err error) {
	comma := f.Delimiter
	if f.opt.delimiter == 0 {
		head, err := f.head(ctx, Window, f.plain)
		if err != nil {
			return l, err
		}
		comma = f.usualDelimiter(head, comma)
	}
	usual := 0
	most := int64(0)
	widths := map[int]int64{}
	err = f.eachWidth(ctx, comma, func(fields []csv.Field, _ int64) {
		n := len(fields)
		if widths[n]++; widths[n] > most || widths[n] == most && n > usual {
			usual, most = n, widths[n]
		}
	})
	if err != nil || usual < 2 {
		return l, err
	}
	wide := false            // a line before the header has several fields
	var figures []bool       // columns whose values below the header are numbers
	digits, rows := false, 0 // how the last usual line begins, and the lines after it that begin in the same way
	err = f.eachWidth(ctx, comma, func(fields []csv.Field, line int64) {
		n, first := len(fields), fields[0].Text
		begins := len(first) > 0 && '0' <= first[0] && first[0] <= '9'
		switch {
		case n == usual:
			l.footer, digits, rows = 0, begins, 0
			if l.header == 0 {
				l.header, l.named = line, areNames(fields)
				figures = slices.Repeat([]bool{l.named}, n)
				break
			}
			for i, field := range fields {
				figures[i] = figures[i] && numberLike(field.Text)
			}
		case l.header == 0:
			wide = wide || n > 1
			l.comment = l.comment || bytes.HasPrefix(first, []byte{'#'})
		default:
			l.footer++
			if n > 1 && len(first) > 0 && begins == digits {
				rows++
			}
		}
	})
	l.named = l.named && (!wide || slices.Contains(figures, true))
	if l.footer > mostFooter || rows > 0 {
		l.footer = 0
	}
	return l, err
}

// areNames reports whether a record may be a header: no field is empty or a number.
func areNames(fields []csv.Field) bool {
	return !slices.ContainsFunc(fields, func(f csv.Field) bool { return len(f.Text) == 0 || numberLike(f.Text) })
}

// usualDelimiter is the candidate with which most records of the beginning have the same number of fields.
func (f *File) usualDelimiter(head []byte, fallback byte) byte {
	best := 0
	for _, c := range delimiters() {
		widths := map[int]int{}
		r := f.reader(bytes.NewReader(head), c, Window)
		r.SetDialect(&csv.Dialect{Quote: '"', Lenient: true})
		for r.Read() == nil {
			if n := len(r.Fields); n > 1 {
				if widths[n]++; widths[n] > best {
					best, fallback = widths[n], c
				}
			}
		}
	}
	return fallback
}

// eachWidth passes the fields of each record that is not blank, and its line.
func (f *File) eachWidth(ctx context.Context, comma byte, each func(fields []csv.Field, line int64)) error {
	t, err := f.text(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	r := f.reader(t, comma, f.window())
	d := csv.Dialect{Quote: '"', Lenient: true}
	if r.Dialect() != nil {
		d = *r.Dialect()
		d.Lenient = true
	}
	r.SetDialect(&d)
	for {
		err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !r.Blank() {
			each(r.Fields, r.Line)
		}
	}
}
