// Package intake converts files of rows to the CSV text that an import accepts, and their inferred types to those of
// tables.
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
	"sync/atomic"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/tempfile"
)

// Document is a file of rows. It is read more than once: to detect its format, to determine its types and count its
// rows, and to send them. Input that cannot be read twice, such as standard input and pipes, is copied to an unnamed
// file.
type Document struct {
	*rowfile.File
	Path string // as given by the user
	Name string // the name to send it under
	// Whole has Learn read those columns of Parquet too whose types the metadata tell: it finds their damage.
	Whole bool

	opt    rowfile.Options
	file   *os.File
	copied *tempfile.Unnamed // file, if that is a copy; else nil
	at     os.FileInfo       // before the first read
	sum    hash.Hash
	typed  []bool       // columns of a table that are not varchar, for which empty strings are NULL
	empty  bool         // there are empty strings in such columns
	read   atomic.Int64 // bytes since Text opened the file
	made   atomic.Int64 // rows since then
	failed atomic.Pointer[error]
}

// Unread is why the rows of the document could not be sent to its end, nil if they were, or if its lines are sent.
func (d *Document) Unread() error {
	if err := d.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Open reads the beginning of a file, a pipe or other input. path is its name; in is closed with the document. Errors
// are about the file, except those of the context.
func Open(ctx context.Context, path string, in io.ReadCloser, o rowfile.Options) (*Document, error) {
	d := &Document{Path: path, opt: o}
	err := d.take(in)
	if err == nil {
		err = d.open(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Document) open(ctx context.Context) (err error) {
	d.opt.Samples = true
	name := ""
	if d.Name = "stdin.csv"; d.Path != "-" {
		name = filepath.Base(d.Path)
		d.Name = name
	}
	if d.File, err = rowfile.Open(ctx, (*counted)(d), d.at.Size(), name, d.opt); err != nil {
		return err
	}
	if d.Changed = d.unchanged; d.Packing != rowfile.NotPacked {
		d.Name = rowfile.Unpacked(d.Name)
	}
	if d.Sheet != "" {
		d.Remarks = append(d.Remarks, d.Sheet)
	}
	switch {
	case d.Format == rowfile.JSON || d.Format == rowfile.TSV || d.opt.Widens(): // columns are known at the end
		d.sum = sha256.New()
		d.Tee = d.sum
		defer func() { d.Tee = nil }()
		return d.File.Learn(ctx, true)
	case d.Format == rowfile.XLSX:
		return d.File.Learn(ctx, true)
	case d.Format == rowfile.Parquet:
		return d.File.Learn(ctx, false)
	}
	return nil
}

// take sets the file, copying input that cannot be read twice.
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
	u, err := tempfile.CreateUnnamed("", "dig-import-*")
	if err != nil {
		return err
	}
	d.file, d.copied = u.File, u
	if _, err = io.Copy(u, in); err == nil {
		d.at, err = u.Stat()
	}
	return err
}

// Close closes the file.
func (d *Document) Close() (err error) {
	if d.File != nil {
		err = d.File.Close()
	}
	switch {
	case d.copied != nil:
		err = errors.Join(err, d.copied.Close())
	case d.file != nil:
		err = errors.Join(err, d.file.Close())
	}
	return err
}

// counted counts the bytes that are read of the file.
type counted Document

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.file.ReadAt(p, at)
	c.read.Add(int64(n))
	return n, err
}

// Part is the fraction of the document that was read since Text opened it, from 0 to 1.
func (d *Document) Part() float64 {
	done, whole := d.read.Load(), d.at.Size()
	if d.Format == rowfile.Parquet || d.Format == rowfile.XLSX { // which are not read from their beginning to their end
		done, whole = d.made.Load(), d.Rows
	}
	return min(float64(done)/float64(max(whole, 1)), 1)
}

// unchanged returns an error if the file is no longer the one that was opened.
func (d *Document) unchanged() error {
	now, err := d.file.Stat()
	if err == nil && (now.Size() != d.at.Size() || !now.ModTime().Equal(d.at.ModTime())) {
		err = fmt.Errorf("%s has changed while it was read", d.Path)
	}
	return err
}

// Learn reads the document to its end, and counts its rows. With types it also determines the types of its columns, and
// an invalid record is an error, except in a column of Parquet whose type its metadata tell. Without types invalid
// records of CSV are left to the gateway, which lists all of them.
func (d *Document) Learn(ctx context.Context, types bool) error {
	if d.sum != nil { // open has read it to its end
		return d.unchanged()
	}
	d.sum = sha256.New()
	switch {
	case d.Format == rowfile.CSV && !types && d.unchangedText():
		pairs, sound, err := d.count(ctx)
		if err != nil || !pairs {
			return err
		}
		d.Loose = !sound
		defer func() { d.Loose = false }()
		return d.File.Learn(ctx, true) // it may have empty texts
	case d.Format == rowfile.CSV:
		d.Tee, d.Loose = d.sum, !types
		defer func() { d.Tee, d.Loose = nil, false }()
		return d.File.Learn(ctx, true)
	case d.Format == rowfile.Parquet && d.Whole:
		all := make([]int, d.Width)
		for i := range all {
			all[i] = i
		}
		if err := d.LearnValues(ctx, all); err != nil {
			return err
		}
	case d.Format == rowfile.Parquet && (types || d.Width == 1):
		if err := d.File.Learn(ctx, true); err != nil {
			return err
		}
	}
	r, err := d.Raw(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.CopyBuffer(d.sum, r, make([]byte, rowfile.Window))
	return errors.Join(err, d.unchanged())
}

// count counts the rows of CSV that is sent as it is. pairs is set if there may be empty texts in it, and sound if none
// of its records is invalid.
func (d *Document) count(ctx context.Context) (pairs, sound bool, err error) {
	if d.Width > 1 { // where blank lines are no rows
		d.Tee = d.sum
		empty, ok := d.Count(ctx)
		if d.Tee = nil; ok {
			return empty, true, d.unchanged()
		}
		d.sum.Reset()
	}
	r, err := d.Raw(ctx)
	if err != nil {
		return false, false, err
	}
	defer r.Close()
	count := &rowCounter{start: true}
	_, err = io.CopyBuffer(io.MultiWriter(count, d.sum), r, make([]byte, rowfile.Window))
	if d.Rows, d.Blank = count.end(), count.blank; err == nil && d.Header != nil && d.Rows > 0 {
		d.Rows--
	}
	return count.pairs, false, errors.Join(err, d.unchanged())
}

// Key is a hash of a fully read document and of how it is imported.
func (d *Document) Key(how []byte) string {
	sum := d.sum
	sum.Write(how)
	sum.Write([]byte(d.opt.Key()))
	key := hex.EncodeToString(sum.Sum(nil))
	d.sum = nil
	return key
}

// Stored reports whether n is the number of rows of the document.
func (d *Document) Stored(n int64) bool { return n >= d.Rows && n <= d.Rows+d.Blank }

// Choices are the types of the columns, after Learn. narrow is for a zone whose decimals have a precision and a scale.
func (d *Document) Choices(narrow bool) []Choice {
	out := make([]Choice, len(d.Columns))
	for i := range d.Columns {
		out[i] = choose(&d.Columns[i], d.Unit(), narrow)
	}
	return out
}

// FirstValue says what the first value of a column is and where, after Learn; "" if that is not known.
func (d *Document) FirstValue(column int) string {
	var first infer.Sample
	if column < len(d.Columns) && d.Columns[column].First != nil {
		for _, s := range d.Columns[column].First.Of {
			if first.At == 0 || s.At > 0 && s.At < first.At {
				first = s
			}
		}
	}
	if first.At == 0 {
		return ""
	}
	return fmt.Sprintf("%q in %s %d", clip.Bytes(first.Text, clipped), d.Unit(), first.At)
}

// Aim sets the types of the columns of the table that the columns of the file fill, "" for none. An empty string is
// NULL in a column whose type is not varchar: empty is how many each column has, after Learn.
func (d *Document) Aim(ctx context.Context, types []string) (empty []int64, err error) {
	empty, d.typed, d.empty = make([]int64, len(types)), make([]bool, len(types)), false
	var read []int
	for i, typ := range types {
		d.typed[i] = typ != "" && !strings.EqualFold(typ, Varchar) && i < len(d.Columns)
		if d.typed[i] && d.Declared(i).Alike.Kind == infer.Opaque {
			read = append(read, i)
		}
	}
	if err := d.LearnValues(ctx, read); err != nil {
		return nil, err
	}
	for i := range types {
		if d.typed[i] {
			empty[i] = d.Columns[i].Empty
			d.empty = d.empty || empty[i] > 0
		}
	}
	return empty, nil
}

// IsText reports whether the lines of the text that is sent are those of the file.
func (d *Document) IsText() bool {
	return !d.empty && d.unchangedText()
}

// unchangedText reports whether the text of the file is what the gateway reads.
func (d *Document) unchangedText() bool {
	return d.Format == rowfile.CSV && d.Delimiter == ',' && d.Coding == rowfile.UTF8 && !d.Returns &&
		!d.opt.Changes()
}

// Original is the file itself, nil if it was copied.
func (d *Document) Original() *os.File {
	if d.copied != nil {
		return nil
	}
	return d.file
}
