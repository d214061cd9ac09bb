package intake

import (
	"bytes"

	"github.com/dig-cli/dig/internal/rowfile"
)

// rowCounter counts the records of the CSV text written to it. A quote opens a field only at its start.
type rowCounter struct {
	records, blank int64
	quoted         bool
	start          bool  // the next byte begins a field
	length         int64 // of the current record
	last           byte
	pairs          bool // two quotes follow each other, as in an empty text
}

func (c *rowCounter) Write(p []byte) (int, error) {
	n := len(p)
	if c.records == 0 && c.blank == 0 && c.length == 0 {
		p = bytes.TrimPrefix(p, []byte(rowfile.Mark))
	}
	for len(p) > 0 {
		if c.quoted {
			at := bytes.IndexByte(p, '"')
			c.pairs = c.pairs || at == 0
			if at < 0 {
				c.take(p)
				break
			}
			c.take(p[:at+1])
			p = p[at+1:]
			c.quoted, c.start = false, true // a second quote reopens the field
			continue
		}
		at := bytes.IndexByte(p, '\n')
		line := p
		if at >= 0 {
			line = p[:at]
		}
		if q := c.opening(line); q >= 0 {
			c.take(line[:q+1])
			p = p[q+1:]
			c.quoted = true
			continue
		}
		c.take(line)
		if at < 0 {
			break
		}
		c.finish()
		p = p[at+1:]
	}
	return n, nil
}

// opening finds a quote at the start of a field.
func (c *rowCounter) opening(line []byte) int {
	for from := 0; ; {
		q := bytes.IndexByte(line[from:], '"')
		if q < 0 {
			return -1
		}
		if q += from; q == 0 && c.start || q > 0 && line[q-1] == ',' {
			return q
		}
		from = q + 1
	}
}

func (c *rowCounter) take(b []byte) {
	if len(b) > 0 {
		c.length += int64(len(b))
		c.last = b[len(b)-1]
		c.start = c.last == ','
	}
}

// finish ends a record.
func (c *rowCounter) finish() {
	if c.length == 0 || c.length == 1 && c.last == '\r' {
		c.blank++
	} else {
		c.records++
	}
	c.length, c.start = 0, true
}

// end counts a final record without a line ending and returns the total.
func (c *rowCounter) end() int64 {
	if c.length > 0 {
		c.finish()
	}
	return c.records
}
