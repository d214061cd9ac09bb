package rowfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/csv"
)

// Mark is the byte order mark that some programs write before UTF-8.
const Mark = "\xef\xbb\xbf"

// endsWithReturns reports whether the first line that ends outside quotes ends with a carriage return alone.
func endsWithReturns(head []byte) bool {
	quoted := false
	for i, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			return i+1 < len(head) && head[i+1] != '\n'
		}
	}
	return false
}

// delimiterName is a delimiter as shown in messages.
func delimiterName(c byte) string {
	if c == '\t' {
		return "tabs"
	}
	return fmt.Sprintf("%q", string(rune(c)))
}

// delimiters are those that are detected.
func delimiters() []byte { return []byte{',', '\t', ';', '|'} }

// delimiter detects the delimiter: the character that splits the beginning of a document into records with the same
// number of fields, the largest number if there are several candidates. If there are none, it is the first candidate in
// the first line, or else a comma.
func (f *File) delimiter(head []byte, whole bool) byte {
	candidates := delimiters()
	best, most := byte(0), 1
	for _, c := range candidates {
		if n := f.widthOf(head, c, whole); n > most {
			best, most = c, n
		}
	}
	if best == 0 { // the numbers of fields differ: the header decides
		first, _, _ := bytes.Cut(head, []byte("\n"))
		for _, c := range candidates {
			if bytes.IndexByte(first, c) >= 0 {
				return c
			}
		}
		return candidates[0]
	}
	return best
}

// widthOf is the number of fields of all records of the beginning of a document, 0 if it varies or there are no
// records.
func (f *File) widthOf(head []byte, comma byte, whole bool) int {
	r := f.reader(bytes.NewReader(head), comma, csv.Window)
	if err := r.SkipBOM(); err != nil {
		return 0
	}
	n, last := 0, 0
	for records := 0; ; records++ {
		err := r.Read()
		var form *csv.Error
		if errors.Is(err, io.EOF) || !whole && records > 1 && errors.As(err, &form) {
			if !whole && records > 1 { // the last record is incomplete
				return n
			}
			if last != 0 && last != n {
				return 0
			}
			return n
		}
		if err != nil || last != 0 && last != n {
			return 0
		}
		if r.Blank() {
			continue
		}
		if n == 0 {
			n = len(r.Fields)
		}
		last = len(r.Fields)
	}
}

// checkSeparatorLine refuses a document that begins with the line sep=; of Excel, which is neither a header nor a row.
func (f *File) checkSeparatorLine(head []byte) error {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte(Mark)), []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == len("sep=;") && bytes.EqualFold(line[:4], []byte("sep=")) && bytes.IndexByte([]byte(",;|\t"),
		line[4]) >= 0 {
		return f.advised(fmt.Errorf("line 1: %q tells Excel the delimiter and is not part of the data", line),
			"skip", "1", "delimiter", strings.ReplaceAll(string(line[4]), "\t", "tab"))
	}
	return nil
}

// reader reads the records of a text in the dialect of the options.
func (f *File) reader(src io.Reader, comma byte, window int) *csv.Reader {
	r := csv.NewReader(src, comma, window)
	r.CR = f.Returns
	r.From(f.opt.begin() + 1)
	o := &f.opt
	if o.quote == 0 && !o.noQuote && (o.escape == "" || o.escape == None) && o.comment == 0 && !o.lenient {
		return r
	}
	d := &csv.Dialect{Quote: o.quote, Comment: o.comment, Lenient: o.lenient}
	if d.Quote == 0 && !o.noQuote {
		d.Quote = '"'
	}
	switch o.escape {
	case "", None:
	case backslash:
		d.Escape = '\\'
	default:
		d.Escape = o.escape[0]
	}
	r.SetDialect(d)
	return r
}
