package rowset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
)

// Readable lists the extensions of the files that Open reads. Those of packed files may follow. The format of other
// files is detected from their content.
func Readable() []string { return append(rowfile.Extensions(), "txt") }

// File is a result that is read from a file: rows with the names, types and values that a statement over the file would
// find.
type File struct {
	Notes []string // which sheet of a workbook is read, and which columns are renamed

	ctx   context.Context //nolint:containedctx // api.RowReader has none
	shown string
	in    io.Closer
	file  *rowfile.File
	rows  rowfile.Rows
	cols  []api.ResultColumn
	types []string
	row   []api.Cell
	arena []byte
	text  []byte // of a cell
	err   error
}

var _ api.RowReader = (*File)(nil)

// Open opens a file, and reads all of it for the types of its columns. Errors begin with shown, the name of the file
// for the user, except those of opening it.
func Open(ctx context.Context, path, shown string, o rowfile.Options) (*File, error) {
	h, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{ctx: ctx, shown: shown, in: h}
	if err := f.open(h, path, o); err != nil {
		return nil, errors.Join(f.of(err), f.Close())
	}
	return f, nil
}

func (f *File) open(h *os.File, path string, o rowfile.Options) error {
	st, err := h.Stat()
	if err == nil && !st.Mode().IsRegular() {
		if st.IsDir() {
			return errors.New("it is a directory")
		}
		h, st, err = f.copied(h) // a pipe, which is read once
	}
	if err != nil {
		return err
	}
	if f.file, err = rowfile.Open(f.ctx, h, st.Size(), path, o); err != nil {
		return err
	}
	if err := f.file.Learn(f.ctx, false); err != nil {
		return err
	}
	names, renamed := f.file.Distinct()
	if len(names) == 0 && f.file.Rows+f.file.Blank > 0 {
		return f.file.NoColumns()
	}
	if f.file.Sheet != "" {
		f.Notes = []string{f.file.Sheet}
	}
	f.Notes = slices.Concat(f.Notes, f.file.Notes, rowfile.Few(renamed))
	for i, name := range names {
		c := &f.file.Columns[i]
		typ := c.Type()
		f.types = append(f.types, typ)
		if typ == "varchar" && c.Declared == "" && (!c.Strings || c.Numbers() > 0) { // numbers compare as such
			typ = ""
		}
		f.cols = append(f.cols, api.ResultColumn{Name: name, DataType: typ})
	}
	f.row = make([]api.Cell, len(names))
	f.rows, err = f.file.Open(f.ctx)
	return err
}

func (f *File) copied(h *os.File) (*os.File, os.FileInfo, error) {
	u, err := tempfile.CreateUnnamed("", "dig-rows-*")
	if err != nil {
		return nil, nil, err
	}
	f.in = u
	_, err = io.Copy(u, h)
	st, serr := u.Stat()
	return u.File, st, errors.Join(err, serr, h.Close())
}

func (f *File) of(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", f.shown, err)
	}
	return err
}

// Columns lists the columns. A column that is varchar because of what its values look like has no type.
func (f *File) Columns() ([]api.ResultColumn, error) { return f.cols, nil }
func (f *File) Row() []api.Cell                      { return f.row }
func (f *File) Err() error                           { return f.of(f.err) }

// Close closes the file.
func (f *File) Close() (err error) {
	if f.rows != nil {
		err = f.rows.Close()
	}
	if f.file != nil {
		err = errors.Join(err, f.file.Close())
	}
	return errors.Join(err, f.in.Close())
}

// Next reads a row, whose cells are strings as a gateway sends them.
func (f *File) Next() bool {
	if f.err != nil {
		return false
	}
	values, err := f.rows.Next(f.ctx)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			f.err = err
		}
		return false
	}
	f.arena = f.arena[:0]
	for i := range f.row {
		v := infer.Value{}
		if i < len(values) {
			v = values[i]
		}
		from := len(f.arena) // earlier cells keep their part of a reallocated arena
		var ok bool
		if f.text, ok = infer.AppendWire(f.text[:0], f.types[i], v); !ok {
			f.row[i] = nil
			continue
		}
		f.arena = jsontext.AppendString(f.arena, f.text)
		f.row[i] = api.Cell(f.arena[from:len(f.arena):len(f.arena)])
	}
	return true
}
