// Package intake reads files of rows as the CSV text that an import takes: what a file is, how it is packed and encoded,
// what its columns are called and which types they have.
package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Format is what a file contains.
type Format string

// The formats.
const (
	CSV Format = "csv"
)

// Options are how a file is to be read. Zero values are found out.
type Options struct {
	Delimiter byte // between the fields of CSV
	NoHeader  bool // the first record is a row
	Nulls     []string
}

// Document is a file of rows. It is read more than once: to find out what it is, to learn its types and its rows, and to
// send them. Input that cannot be read twice, such as standard input and pipes, is copied to an unnamed file.
type Document struct {
	Path string // as given by the user
	Name string // the name to send it under

	Format    Format
	Delimiter byte     // between the fields of CSV
	Header    []string // the names of its columns, as they stand in the file; nil without a header
	Remarks   []string // what was found out, and may be wrong

	Rows  int64 // after Learn
	Blank int64 // blank lines, which are rows in a document of one column

	opt     Options
	file    *os.File
	temp    bool
	at      os.FileInfo // before the first byte was read
	packing packing
	coding  coding
	returns bool // a carriage return alone ends a line
	plain   bool // the text of the file is the text to send
	sum     hash.Hash
	columns []column
	unit    string // of places in the file
}

// Open reads the beginning of a file, a pipe or other input. path is its name; in is closed with the document. Errors but
// those of the context are about the file.
func Open(path string, in io.ReadCloser, o Options) (*Document, error) {
	d := &Document{Path: path, Name: filepath.Base(path), Format: CSV, opt: o, unit: "line"}
	if path == "-" {
		d.Name = "stdin.csv"
	}
	err := d.take(in)
	if err == nil {
		err = d.detect()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// take sets the file, which can be read twice.
func (d *Document) take(in io.ReadCloser) error {
	f, ok := in.(*os.File)
	if ok {
		st, err := f.Stat()
		if err != nil || st.Mode().IsRegular() {
			d.file, d.at = f, st
			return err
		}
	}
	defer in.Close()
	f, err := os.CreateTemp("", "dig-import-*")
	if err != nil {
		return err
	}
	d.file, d.temp = f, true
	_ = os.Remove(f.Name()) // where the system allows it, so that nothing remains
	if _, err = io.Copy(f, in); err == nil {
		d.at, err = f.Stat()
	}
	return err
}

// Close closes the file.
func (d *Document) Close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if d.temp {
		if rm := os.Remove(d.file.Name()); !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	return err
}

// detect finds out what the file is, from its first bytes.
func (d *Document) detect() error {
	if err := d.unpack(); err != nil {
		return err
	}
	if err := d.decode(); err != nil {
		return err
	}
	return d.openCSV()
}

// unchanged returns an error if the file is no longer the one that was opened.
func (d *Document) unchanged() error {
	now, err := d.file.Stat()
	if err == nil && (now.Size() != d.at.Size() || !now.ModTime().Equal(d.at.ModTime())) {
		err = fmt.Errorf("%s has changed while it was read", d.Path)
	}
	return err
}

// Learn reads the document to its end, and counts its rows. With types it also learns the types of its columns; a record
// that cannot be a row is an error then, else it is left to the gateway, which lists all of them.
func (d *Document) Learn(ctx context.Context, types bool) error {
	d.sum = sha256.New()
	return d.learnCSV(ctx, types)
}

// Key is a hash of a document that was read to its end and of how it is imported.
func (d *Document) Key(how []byte) string {
	sum := d.sum
	sum.Write(how)
	for _, n := range d.opt.Nulls {
		fmt.Fprintf(sum, "null %q\n", n)
	}
	key := hex.EncodeToString(sum.Sum(nil))
	d.sum = nil
	return key
}

// Stored reports whether n is the number of rows of the document.
func (d *Document) Stored(n int64) bool { return n >= d.Rows && n <= d.Rows+d.Blank }

// Choices are the types of the columns, after Learn.
func (d *Document) Choices() []Choice {
	out := make([]Choice, len(d.columns))
	for i := range d.columns {
		out[i] = d.columns[i].choose(d.unit)
	}
	return out
}

// File is the file itself, nil if it was copied.
func (d *Document) File() *os.File {
	if d.temp {
		return nil
	}
	return d.file
}

func (d *Document) remark(format string, args ...any) {
	d.Remarks = append(d.Remarks, fmt.Sprintf(format, args...))
}

func (d *Document) ext() string {
	name := strings.ToLower(d.Name)
	for _, s := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, s)
	}
	return filepath.Ext(name)
}
