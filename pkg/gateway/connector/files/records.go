package files

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// records reads the rows of a text file one by one, each as the texts of its fields; nil is NULL. For JSON the fields are
// found by name and quoted tells texts from other values.
type records interface {
	// header names the fields of a CSV file; nil for JSON.
	header() []string
	next() (record, error)
	Close() error
}

type record struct {
	line   int
	fields []*string             // CSV, in order
	object map[string]jsonMember // JSON
	keys   []string              // of the object, in order
}

type jsonMember struct {
	raw  json.RawMessage
	text string // of a string
	kind byte   // s string, n number, b boolean, j object or list, 0 null
}

// readers are a file and what unpacks it.
type readers struct {
	io.Reader
	file *os.File
	as   described
}

func (r readers) Close() error { return r.file.Close() }

// end is the end of the records, if the file is still as it was at their beginning.
func (r readers) end(err error) error {
	if changed := r.as.still(r.file); changed != nil {
		return changed
	}
	return err
}

// openFile opens a file that must be as it was when it was described.
func (f *folder) openFile(t file, d described) (*os.File, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h, err := r.Open(t.path)
	if err != nil {
		return nil, bare(err)
	}
	if err := d.still(h); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// bare leaves the path out of an error that is about to name the file.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (f *folder) records(t file, d described) (records, error) {
	h, err := f.openFile(t, d)
	if err != nil {
		return nil, err
	}
	in := readers{h, h, d}
	if t.gzip {
		z, err := gzip.NewReader(bufio.NewReaderSize(h, 64<<10))
		if err != nil {
			h.Close()
			return nil, err
		}
		in.Reader = z
	}
	b := bufio.NewReaderSize(in.Reader, 256<<10)
	in.Reader = b
	head, _ := b.Peek(3)
	switch {
	case bytes.Equal(head, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3) // it was just seen
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		h.Close()
		return nil, errors.New("the file is in UTF-16; only UTF-8 is read")
	}
	if t.form == formJSON {
		return newJSONRecords(in, b)
	}
	c := &csvReader{in: b, comma: '\t'}
	if t.form == formCSV {
		c.comma = separator(b)
	}
	names, _, err := c.next()
	if err != nil {
		h.Close()
		if err == io.EOF {
			err = errors.New("the file is empty; its first line must name the columns")
		}
		return nil, err
	}
	return &csvRecords{in, c, names}, nil
}

type csvRecords struct {
	readers
	csv   *csvReader
	names []string
}

func (r *csvRecords) header() []string { return r.names }

// next reads a record. An empty field is NULL: CSV cannot tell it from an empty text.
func (r *csvRecords) next() (record, error) {
	fields, line, err := r.csv.next()
	if err != nil {
		return record{}, r.end(err)
	}
	out := record{line: line, fields: make([]*string, len(fields))}
	for i := range fields {
		if fields[i] != "" {
			out.fields[i] = &fields[i]
		}
	}
	return out, nil
}

type jsonRecords struct {
	readers
	dec   *json.Decoder
	array bool
	n     int
}

func newJSONRecords(in readers, b *bufio.Reader) (*jsonRecords, error) {
	r := &jsonRecords{readers: in}
	for {
		c, err := b.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			in.Close()
			return nil, err
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			r.array = c == '['
			_ = b.UnreadByte() // it was just read
			break
		}
	}
	r.dec = json.NewDecoder(b)
	if r.array {
		if _, err := r.dec.Token(); err != nil {
			in.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *jsonRecords) header() []string { return nil }

func (r *jsonRecords) next() (record, error) {
	if r.array && !r.dec.More() {
		if _, err := r.dec.Token(); err != nil {
			return record{}, fmt.Errorf("record %d: the list is not closed", r.n+1)
		}
		if _, err := r.dec.Token(); err != io.EOF {
			return record{}, errors.New("something follows the list of records")
		}
		return record{}, r.end(io.EOF)
	}
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		if err == io.EOF && !r.array {
			return record{}, r.end(io.EOF)
		}
		return record{}, fmt.Errorf("record %d: %w", r.n+1, err)
	}
	r.n++
	if !utf8.Valid(raw) {
		return record{}, fmt.Errorf("record %d is not valid UTF-8", r.n)
	}
	out := record{line: r.n, object: map[string]jsonMember{}}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return record{}, fmt.Errorf("record %d is not an object", r.n)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return record{}, err
		}
		name, _ := key.(string)
		var m jsonMember
		if err := dec.Decode(&m.raw); err != nil {
			return record{}, err
		}
		switch m.raw[0] {
		case '"':
			m.kind = 's'
			if err := json.Unmarshal(m.raw, &m.text); err != nil {
				return record{}, err
			}
			if strings.ContainsRune(m.text, '\uFFFD') && !bytes.ContainsRune(m.raw, '\uFFFD') && !bytes.Contains(bytes.ToLower(m.raw), []byte(`\ufffd`)) {
				return record{}, fmt.Errorf("record %d, member %q: half of a surrogate pair is no character", r.n, name)
			}
		case '{', '[':
			m.kind = 'j'
		case 't', 'f':
			m.kind = 'b'
		case 'n':
		default:
			m.kind = 'n'
		}
		if _, dup := out.object[name]; dup {
			return record{}, fmt.Errorf("record %d has the member %q twice", r.n, name)
		}
		out.object[name] = m
		out.keys = append(out.keys, name)
	}
	return out, nil
}

const batchRows = 2048

// batches turns records into rows of the columns asked for.
type batches struct {
	recs  records
	file  file
	cols  []column
	limit int64
	done  bool
}

func (b *batches) Next(ctx context.Context) ([][]any, error) {
	var out [][]any
	for !b.done && len(out) < batchRows && b.limit != 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := b.recs.next()
		if err == io.EOF {
			b.done = true
			break
		}
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", b.file.path, err)
		}
		row := make([]any, len(b.cols))
		for i, c := range b.cols {
			if row[i], err = cellOf(rec, c); err != nil {
				return nil, fmt.Errorf("file %s, line %d, column %q: %w", b.file.path, rec.line, c.Name, err)
			}
		}
		out = append(out, row)
		b.limit--
	}
	if len(out) == 0 {
		return nil, io.EOF
	}
	return out, nil
}

func (b *batches) Close() error { return b.recs.Close() }

var _ engine.Batches = (*batches)(nil)
