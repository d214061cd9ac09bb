package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// csvDocument is the CSV document of an import. It is read completely before it is sent, to hash it and to count its
// rows; input that cannot be read twice, such as standard input and pipes, is copied to an unnamed file.
type csvDocument struct {
	path string        // as given by the user
	name string        // the name to send it under
	head *bufio.Reader // the unpacked text, from its start until it has been measured

	file *os.File      // the part that can be read twice
	in   io.ReadCloser // the reader: file itself, or the stream that fills it
	temp bool

	key         string // hash of the unpacked text and of the options for reading it
	rows, blank int64  // records after the header, and blank lines, which are rows in a document of one column
}

// openDocument opens a file, a pipe or stdin and unpacks gzip.
func openDocument(e *cli.Env, path string) (*csvDocument, error) {
	d := &csvDocument{path: path, name: "stdin.csv"}
	if path == "-" {
		d.in = io.NopCloser(e.Data())
	} else {
		f, err := os.Open(e.Abs(path))
		if err != nil {
			return nil, cli.Usagef("%v", err)
		}
		st, err := f.Stat()
		if err != nil || st.IsDir() {
			f.Close()
			return nil, cli.Usagef("%s is not a file", path)
		}
		d.in, d.name = f, filepath.Base(path)
		if st.Mode().IsRegular() {
			d.file = f
		}
	}
	src := io.Reader(d.in)
	if d.file == nil {
		if err := d.putAside(); err != nil {
			d.in.Close()
			return nil, err
		}
		src = io.TeeReader(d.in, d.file)
	}
	var err error
	if d.head, err = unpacked(src, &d.name); err != nil {
		d.Close()
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, cli.Usagef("%s: %v", path, err)
	}
	return d, nil
}

// putAside creates the file for the contents of a stream. Where the system allows it has no name, so that nothing
// remains of it.
func (d *csvDocument) putAside() error {
	f, err := os.CreateTemp("", "dig-import-*")
	if err != nil {
		return err
	}
	d.file, d.temp = f, true
	_ = os.Remove(f.Name())
	return nil
}

// unpacked reads text that may be compressed with gzip, and removes .gz from its name.
func unpacked(src io.Reader, name *string) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(src, 1<<20)
	m, err := b.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(m) < 2 || m[0] != 0x1f || m[1] != 0x8b {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	*name = strings.TrimSuffix(*name, ".gz")
	return bufio.NewReaderSize(z, 1<<20), nil
}

func (d *csvDocument) Close() error {
	err := d.in.Close()
	if d.temp {
		err = errors.Join(err, d.file.Close())
		if rm := os.Remove(d.file.Name()); !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	return err
}

// measure reads the document to its end and returns a reader from its start. req is the request that will be sent with
// it.
func (d *csvDocument) measure(req api.ImportRequest) (io.Reader, error) {
	count, sum := &rowCounter{start: true}, sha256.New()
	if _, err := io.Copy(io.MultiWriter(count, sum), d.head); err != nil {
		return nil, err
	}
	d.rows, d.blank = count.end(), count.blank
	if req.ContainsHeader && d.rows > 0 {
		d.rows--
	}
	if err := json.NewEncoder(sum).Encode(req); err != nil {
		return nil, err
	}
	d.key = hex.EncodeToString(sum.Sum(nil))
	return d.again()
}

// again returns a reader from the start of a measured document.
func (d *csvDocument) again() (io.Reader, error) {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return unpacked(d.file, new(string))
}

// stored reports whether n is the number of rows of the document.
func (d *csvDocument) stored(n int64) bool { return n >= d.rows && n <= d.rows+d.blank }

// oldKey is the key of a file in releases with a ledger in the cache directory: its size and its first and last MiB.
func (d *csvDocument) oldKey(req api.ImportRequest) string {
	st, err := d.file.Stat()
	if err != nil || d.temp {
		return ""
	}
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(req); err != nil {
		return ""
	}
	const part = 1 << 20
	fmt.Fprintln(h, st.Size())
	for _, at := range []int64{0, max(0, st.Size()-part)} {
		if _, err := io.Copy(h, io.NewSectionReader(d.file, at, part)); err != nil {
			return ""
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// rowCounter counts the records of the CSV text written to it. A quote opens a field only at its start.
type rowCounter struct {
	records, blank int64
	quoted         bool
	start          bool  // the next byte starts a field
	length         int64 // of the record so far
	last           byte
}

func (c *rowCounter) Write(p []byte) (int, error) {
	n := len(p)
	if c.records == 0 && c.blank == 0 && c.length == 0 {
		p = bytes.TrimPrefix(p, []byte("\xef\xbb\xbf"))
	}
	for len(p) > 0 {
		if c.quoted {
			at := bytes.IndexByte(p, '"')
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

// end counts a record without a line ending and returns the total.
func (c *rowCounter) end() int64 {
	if c.length > 0 {
		c.finish()
	}
	return c.records
}

// csvHeader reads the first record without consuming it.
func csvHeader(b *bufio.Reader) ([]string, error) {
	for n := 4 << 10; ; n *= 4 {
		raw, err := b.Peek(n)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		whole := err != nil // the document ends here
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))))
		rec, rerr := r.Read()
		if rerr == nil && (whole || r.InputOffset() < int64(len(raw)-8)) {
			return rec, nil // Peek reports the end of the file itself
		}
		if whole || n >= 1<<20 {
			if errors.Is(rerr, io.EOF) {
				return nil, errors.New("the file is empty and has no header")
			}
			if rerr == nil {
				rerr = errors.New("longer than 1 MiB")
			}
			return nil, errors.New("cannot read the header: " + rerr.Error())
		}
	}
}
