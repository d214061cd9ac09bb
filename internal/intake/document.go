// Package intake converts files of rows to the CSV text that an import accepts: their format, compression and encoding,
// and the names and types of their columns.
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
	"sync/atomic"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"  // the text format of PostgreSQL's COPY: backslash escapes instead of quotes
	JSON    Format = "json" // objects in one list or consecutive, such as one per line
	Parquet Format = "parquet"
	XLSX    Format = "xlsx"
)

// Document is a file of rows. It is read more than once: to detect its format, to determine its types and count its
// rows, and to send them. Input that cannot be read twice, such as standard input and pipes, is copied to an unnamed
// file.
type Document struct {
	Path string // as given by the user
	Name string // the name to send it under

	Format    Format
	Delimiter byte     // the delimiter of CSV
	Header    []string // the column names in the file; nil without a header
	Remarks   []string // detected properties that may be wrong

	Rows  int64 // set by Learn
	Blank int64 // blank lines, which are rows if there is one column

	opt     Options
	file    *os.File
	copied  *tempfile.Unnamed // file, if that is a copy; else nil
	at      os.FileInfo       // before the first read
	packing rowfile.Packing
	coding  rowfile.Coding
	returns bool // lines end with a carriage return alone
	plain   bool // the text of the file is sent unchanged
	sum     hash.Hash
	columns []column
	width   int // number of fields of the first record of CSV without a header
	book    *rowfile.Book
	unit    string       // of positions in the file
	read    atomic.Int64 // bytes, or rows if these are not read in order, since the file was last opened
}

// Open reads the beginning of a file, a pipe or other input. path is its name; in is closed with the document. Errors
// are about the file, except those of the context.
func Open(ctx context.Context, path string, in io.ReadCloser, o Options) (*Document, error) {
	d := &Document{Path: path, Name: filepath.Base(path), opt: o, unit: "line"}
	if path == "-" {
		d.Name = "stdin.csv"
	}
	err := d.take(in)
	if err == nil {
		err = d.detect(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
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
func (d *Document) Close() error {
	if d.file == nil {
		return nil
	}
	return d.closer().Close()
}

// closer is the file that is read: the one given by the caller, or the copy.
func (d *Document) closer() io.Closer {
	if d.copied != nil {
		return d.copied
	}
	return d.file
}

// detect detects the format of the file from its first bytes and its name.
func (d *Document) detect(ctx context.Context) error {
	if err := d.unpack(); err != nil {
		return err
	}
	head, err := d.head(4, d.raw)
	if err != nil {
		return err
	}
	d.Format = d.opt.Format
	switch form := rowfile.FormOf(head); {
	case form == rowfile.OldWorkbook && d.Format != CSV:
		return rowfile.ErrOldWorkbook
	case d.Format == "" && form == rowfile.Parquet:
		d.Format = Parquet
	case d.Format == "" && form == rowfile.Workbook:
		d.Format = XLSX
	case d.Format == "" && rowfile.Ending(d.Name) == "parquet":
		return errors.New("not a Parquet file; --file-format sets the format")
	case d.Format == "" && rowfile.Ending(d.Name) == "xlsx":
		return errors.New("not a workbook; --file-format sets the format")
	}
	if d.Format == "" || d.Format == CSV || d.Format == JSON {
		if err := d.decode(); err != nil {
			return err
		}
	}
	if d.Format == "" {
		text, err := d.head(1<<10, d.text)
		if err != nil {
			return err
		}
		switch ending := rowfile.Ending(d.Name); {
		case ending == "json", (ending == "" || d.Path == "-") && rowfile.LooksLikeJSON(text):
			d.Format = JSON
		default:
			d.Format = CSV
		}
	}
	if d.opt.Delimiter != 0 && d.Format != CSV {
		return optionf("--delimiter: the file is %s, which has no delimiter", d.Format)
	}
	if d.opt.Escape == EscapeBackslash && d.Format != CSV {
		return optionf("--escape: the file is %s, which has no escapes of its own", d.Format)
	}
	if d.opt.Sheet != "" && d.Format != XLSX {
		return optionf("--sheet: the file is %s, which has no sheets", d.Format)
	}
	if d.opt.NoHeader && (d.Format == JSON || d.Format == Parquet) {
		return optionf("--no-csv-header: the file is %s, which names its columns", d.Format)
	}
	if d.Format == CSV {
		return d.openCSV(ctx)
	}
	return d.openRows(ctx)
}

// unpack detects the compression of the file.
func (d *Document) unpack() error {
	head := make([]byte, 4)
	n, err := d.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	d.packing = rowfile.PackingOf(head[:n])
	if d.packing != rowfile.NotPacked {
		d.Name = rowfile.Unpacked(d.Name)
	}
	return nil
}

// raw returns the uncompressed bytes of the file, from its beginning.
func (d *Document) raw() (io.ReadCloser, error) {
	d.read.Store(0)
	return d.packing.Open(&counted{io.NewSectionReader(d.file, 0, d.at.Size()), d})
}

// counted counts the bytes that are read of the file.
type counted struct {
	io.Reader
	d *Document
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.d.read.Add(int64(n))
	return n, err
}

// Part is the fraction of the document that was read since Text opened it, from 0 to 1.
func (d *Document) Part() float64 {
	whole := d.at.Size()
	if d.byRows() {
		whole = d.Rows + d.Blank
	}
	return float64(d.read.Load()) / float64(max(whole, 1))
}

// byRows reports whether the rows of the format are not read from the beginning of the file to its end.
func (d *Document) byRows() bool { return d.Format == Parquet || d.Format == XLSX }

// decode detects the encoding of the text.
func (d *Document) decode() error {
	head, err := d.head(64, d.raw)
	if err != nil {
		return err
	}
	guessed := false
	if d.coding, guessed = rowfile.CodingOf(head); guessed {
		d.remark("read as %s", d.coding)
	}
	return nil
}

// head reads the first n bytes.
func (d *Document) head(n int, open func() (io.ReadCloser, error)) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	return rowfile.Head(r, n)
}

// text returns the text of the file in UTF-8, from its beginning, without a byte order mark if it was UTF-16.
func (d *Document) text() (io.ReadCloser, error) {
	r, err := d.raw()
	if err != nil {
		return nil, err
	}
	return d.coding.Decode(r), nil
}

// openRows prepares a document that is not CSV. The names of the columns of JSON, and the number of columns of a sheet,
// are known only at its end.
func (d *Document) openRows(ctx context.Context) error {
	if d.Format != TSV {
		d.unit = "row"
	}
	if err := d.spread(); err != nil {
		return err
	}
	if d.Format == XLSX {
		var err error
		if d.book, err = rowfile.OpenWorkbook(ctx, d.file, d.at.Size(), d.opt.Sheet); err != nil {
			return err
		}
		if read := d.book.Selected(); d.opt.Sheet == "" && read != "" {
			d.remark("%s; --sheet names another", read)
		}
	}
	if d.Format == Parquet {
		r, err := d.rows(ctx)
		if err != nil {
			return err
		}
		d.Header = r.names()
		d.columns = make([]column, len(d.Header))
		return r.Close()
	}
	return d.learnRows(ctx)
}

// rows opens the rows of a document that is not CSV.
func (d *Document) rows(ctx context.Context) (rowSource, error) {
	switch d.Format {
	case Parquet:
		return d.parquetRows(ctx)
	case XLSX:
		return d.sheetRows(ctx)
	case TSV:
		return d.escapedRows(ctx)
	}
	return d.jsonRows(ctx)
}

// spread decompresses a file that needs random access.
func (d *Document) spread() error {
	if d.packing == rowfile.NotPacked || d.Format == JSON || d.Format == TSV {
		return nil
	}
	r, err := d.raw()
	if err != nil {
		return err
	}
	packed := d.closer()
	if err = d.take(r); err == nil {
		d.packing = rowfile.NotPacked
	}
	return errors.Join(err, packed.Close())
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
// an invalid record is an error. Without types invalid records are left to the gateway, which lists all of them.
func (d *Document) Learn(ctx context.Context, types bool) error {
	d.sum = sha256.New()
	if d.Format == CSV {
		return d.learnCSV(ctx, types)
	}
	if d.Format == Parquet {
		if err := d.learnRows(ctx); err != nil {
			return err
		}
	}
	r, err := d.raw()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.CopyBuffer(d.sum, withContext{ctx, r}, make([]byte, rowfile.Window))
	return errors.Join(err, d.unchanged())
}

// Key is a hash of a fully read document and of how it is imported.
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

// NoColumns is the error for a document whose columns are asked for and that has none.
func (d *Document) NoColumns() error {
	if d.Format == CSV || d.Format == TSV {
		return files.ErrEmpty
	}
	return files.NoColumns(d.Rows)
}

// Width is the number of columns of the file, 0 for an empty one without a header.
func (d *Document) Width() int {
	if d.Header == nil && d.Format == CSV {
		return d.width
	}
	return max(len(d.Header), len(d.columns))
}

// File is the file itself, nil if it was copied.
func (d *Document) File() *os.File {
	if d.copied != nil {
		return nil
	}
	return d.file
}

func (d *Document) remark(format string, args ...any) {
	d.Remarks = append(d.Remarks, fmt.Sprintf(format, args...))
}
