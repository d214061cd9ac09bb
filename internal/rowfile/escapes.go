package rowfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// readLine reads a line into buf, from its beginning. The line includes its line feed, except that the last line may
// lack one. It returns io.EOF at the end, and another error if a line has more than longest bytes.
func readLine(r *bufio.Reader, buf []byte, longest int) ([]byte, error) {
	buf = buf[:0]
	for {
		piece, err := r.ReadSlice('\n')
		buf = append(buf, piece...)
		switch {
		case err == nil || errors.Is(err, io.EOF) && len(buf) > 0:
			return buf, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return buf, err
		case len(buf) > longest:
			return buf, fmt.Errorf("it is longer than %d bytes", longest)
		}
	}
}

// escaped maps the letters that follow a backslash in the text format of PostgreSQL's COPY to the escaped characters.
var escaped = map[byte]byte{'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\', 'b': '\b', 'f': '\f', 'v': '\v'}

// unescape appends a field of the text format of PostgreSQL's COPY to dst. bad is the position of the first backslash
// that does not begin an escape, -1 if there is none; the character after such a backslash is copied.
func unescape(dst, field []byte) (out []byte, bad int) {
	bad = -1
	for i := 0; i < len(field); i++ {
		c := field[i]
		if c == '\\' {
			var known bool
			if i+1 < len(field) {
				if c, known = escaped[field[i+1]]; !known {
					c = field[i+1]
				}
			}
			if !known && bad < 0 {
				bad = i
			}
			i++
		}
		dst = append(dst, c)
	}
	return dst, bad
}

// hasBackslash reports whether a field contains a backslash.
func hasBackslash(field []byte) bool { return bytes.IndexByte(field, '\\') >= 0 }
