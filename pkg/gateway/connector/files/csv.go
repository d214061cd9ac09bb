package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxRecord bounds a record of a CSV file, which a quote that is not closed would make as long as the file.
const maxRecord = 64 << 20

// csvReader splits CSV into records (RFC 4180). Line breaks within quotes stay as they are; encoding/csv would take carriage
// returns out of them. Blank lines are skipped.
type csvReader struct {
	in    *bufio.Reader
	comma byte
	width int // of the first record, 0 before it
	line  int // the last one read
	long  []byte
	rec   []byte
	ends  []int
}

// separator is the one a file is written with: a comma, or where its first line has none, semicolons or tabs.
func separator(in *bufio.Reader) byte {
	head, _ := in.Peek(in.Size())
	quoted, seen := false, map[byte]bool{}
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		} else if !quoted && c == '\n' {
			break
		} else if !quoted {
			seen[c] = true
		}
	}
	for _, c := range []byte{',', ';', '\t'} {
		if seen[c] {
			return c
		}
	}
	return ','
}

// next reads a record and the number of its first line.
func (r *csvReader) next() (fields []string, line int, err error) {
	text, err := r.readLine()
	for err == nil && len(trimBreak(text)) == 0 {
		text, err = r.readLine()
	}
	if err != nil {
		return nil, 0, err
	}
	line = r.line
	quoted := text[0] == '"'
	r.rec, r.ends = r.rec[:0], r.ends[:0]
	for more := true; more; {
		if text, more, err = r.field(text); err != nil {
			return nil, 0, err
		}
		r.ends = append(r.ends, len(r.rec))
	}
	if !utf8.Valid(r.rec) {
		return nil, 0, fmt.Errorf("line %d: a text is not valid UTF-8", line)
	}
	if r.width == 0 {
		r.width = len(r.ends)
	}
	if len(r.ends) != r.width {
		return nil, 0, fmt.Errorf("line %d has %d fields, the first line %d", line, len(r.ends), r.width)
	}
	if len(r.ends) == 1 && !quoted && string(r.rec) == `\N` { // how NULL is written in one column
		r.rec, r.ends[0] = r.rec[:0], 0
	}
	all, from := string(r.rec), 0
	fields = make([]string, len(r.ends))
	for i, to := range r.ends {
		fields[i], from = all[from:to], to
	}
	return fields, line, nil
}

// field takes one field off a line, or off several if it is quoted, and tells whether another follows.
func (r *csvReader) field(text []byte) (rest []byte, more bool, err error) {
	if len(text) == 0 || text[0] != '"' {
		i := bytes.IndexByte(text, r.comma)
		if more = i >= 0; more {
			rest = text[i+1:]
			text = text[:i]
		} else {
			text = trimBreak(text)
		}
		if bytes.IndexByte(text, '"') >= 0 {
			return nil, false, fmt.Errorf("line %d: a quote stands in a field that does not begin with one", r.line)
		}
		if bytes.IndexByte(text, '\r') >= 0 {
			return nil, false, fmt.Errorf("line %d: a carriage return stands without a line feed", r.line)
		}
		r.rec = append(r.rec, text...)
		return rest, more, nil
	}
	start := r.line
	for text = text[1:]; ; {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			r.rec = append(r.rec, text...)
			if len(r.rec) > maxRecord {
				return nil, false, fmt.Errorf("line %d: a record is longer than %d MiB; is a quote not closed?", start, maxRecord>>20)
			}
			if text, err = r.readLine(); err == io.EOF {
				err = fmt.Errorf("line %d: a quote is not closed", start)
			}
			if err != nil {
				return nil, false, err
			}
			continue
		}
		r.rec, text = append(r.rec, text[:i]...), text[i+1:]
		switch {
		case len(text) > 0 && text[0] == '"':
			r.rec, text = append(r.rec, '"'), text[1:]
		case len(text) > 0 && text[0] == r.comma:
			return text[1:], true, nil
		case len(trimBreak(text)) == 0:
			return nil, false, nil
		default:
			return nil, false, fmt.Errorf("line %d: a text follows a closing quote", r.line)
		}
	}
}

// readLine reads up to the next line feed, which is part of what it returns.
func (r *csvReader) readLine() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = append(r.long[:0], text...)
		for err == bufio.ErrBufferFull && len(r.long) <= maxRecord {
			text, err = r.in.ReadSlice('\n')
			r.long = append(r.long, text...)
		}
		text = r.long
		if err == bufio.ErrBufferFull {
			return nil, fmt.Errorf("line %d is longer than %d MiB", r.line+1, maxRecord>>20)
		}
	}
	if errors.Is(err, io.EOF) && len(text) > 0 {
		err = nil
	}
	if err == nil {
		r.line++
	}
	return text, err
}

func trimBreak(text []byte) []byte {
	if text, ok := bytes.CutSuffix(text, []byte("\n")); ok {
		return bytes.TrimSuffix(text, []byte("\r"))
	}
	return text
}
