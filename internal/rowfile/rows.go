package rowfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/objects"
)

// Rows reads the rows of a file, once.
type Rows interface {
	// Next reads a row, and returns io.EOF after the last. It may have fewer values than the file has columns: the
	// others are NULL. The values are valid until the next call.
	Next(ctx context.Context) ([]infer.Value, error)
	// At is the number of the row in the file, or of its first line, from 1.
	At() int64
	// Names are the names of the columns so far, nil if the file has no header.
	Names() []string
	Close() error
}

// Open opens the rows of the file.
func (f *File) Open(ctx context.Context) (Rows, error) {
	r, err := f.open(ctx)
	if err != nil {
		return nil, f.advise(ctx, err)
	}
	return &ending{Rows: r, f: f}, nil
}

func (f *File) open(ctx context.Context) (Rows, error) {
	switch f.Format {
	case Parquet:
		p, err := f.parquet(ctx)
		if err != nil {
			return nil, err
		}
		return p.Values(f.declared)
	case XLSX:
		r, err := f.sheetRows(ctx)
		if err == nil && f.opt.footer > 0 {
			r = holdBack(r, f.opt.footer)
		}
		return r, err
	}
	t, err := f.text(ctx)
	if err != nil {
		return nil, err
	}
	f.mended = mended{}
	var r Rows
	switch f.Format {
	case JSON:
		r, err = openObjects(t, f.opt.path)
	case TSV:
		r, err = f.openLines(ctx, t)
	default:
		r, err = f.openRecords(ctx, t)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return r, nil
}

// ending are rows that end without an error only if the file is as it was, with the NULLs and the notation of the
// options.
type ending struct {
	Rows
	f    *File
	part bool // of a divided file, whose errors are found again by a reader of the whole
	buf  []byte
}

func (r *ending) Next(ctx context.Context) ([]infer.Value, error) {
	row, err := r.Rows.Next(ctx)
	if err != nil {
		return nil, r.fault(ctx, err)
	}
	if len(r.f.opt.nulls) > 0 {
		for i, v := range row {
			if r.f.nullGiven(string(v.Text)) {
				row[i] = infer.Value{}
			}
		}
	}
	if n := &r.f.opt.notation; n.Any() {
		r.buf = r.buf[:0]
		for i, v := range row {
			var trimmed bool
			if r.f.Format == XLSX && v.Kind == infer.Field { // the workbook says what it is
				continue
			}
			if row[i], r.buf, trimmed = n.Canonical(v, r.buf); trimmed {
				r.f.mended.trimmed.Add(r.At())
			}
		}
	}
	return row, nil
}

// fault is the error at the end of the rows.
func (r *ending) fault(ctx context.Context, err error) error {
	var packed *PackedError
	switch {
	case errors.Is(err, io.EOF) && r.f.Changed != nil:
		if err := r.f.Changed(); err != nil {
			return err
		}
	case errors.As(err, &packed):
		return fmt.Errorf("after %s %d: %w", r.f.Unit(), r.At(), err)
	}
	if r.part {
		return err
	}
	return r.f.advise(ctx, err)
}

// objectRows are the rows of a JSON document.
type objectRows struct {
	*text
	objectReader
}

type objectReader interface {
	Next() ([]infer.Value, error)
	Names() []string
	At() int64
}

func openObjects(t *text, path []string) (Rows, error) {
	if path != nil {
		r, err := objects.OpenAt(t.Reader, path)
		return &objectRows{t, r}, err
	}
	r, err := objects.Open(t.Reader)
	if err != nil {
		return nil, err
	}
	result, err := r.Result()
	if err != nil {
		return nil, err
	}
	if result != nil {
		return &objectRows{t, result}, nil
	}
	return &objectRows{t, r}, nil
}

func (r *objectRows) Next(ctx context.Context) ([]infer.Value, error) {
	r.gate.ctx = ctx
	row, err := r.objectReader.Next()
	if canceled := ctx.Err(); err != nil && canceled != nil {
		err = canceled
	}
	return row, err
}

func (r *objectRows) Names() []string {
	if names := r.objectReader.Names(); names != nil {
		return names
	}
	return []string{}
}

// records are the records of a text with delimiters.
type records struct {
	*text
	in    *csv.Reader
	names []string
	width int
	loose bool
	blank int64 // lines that are no rows
	row   []infer.Value

	from  *Divided // whose blocks are read, nil for all of the text
	block block
	need  []int // the columns whose values are used, nil for all

	mended *mended // nil if a record of another width is an error
}

func (f *File) openRecords(ctx context.Context, t *text) (Rows, error) {
	r := &records{text: t, in: f.reader(t, f.Delimiter, f.window()), loose: f.Loose}
	if f.opt.lenient {
		f.mended.dialect, r.mended = r.in.Dialect(), &f.mended
	}
	if f.opt.NoHeader() {
		return r, nil
	}
	return r, f.header(ctx, r, &r.names, &r.width)
}

// errEmpty is the error for a text without a line.
var errEmpty = errors.New("the file is empty; its first line must name the columns")

// header reads the names of the columns. Those of several lines are joined.
func (f *File) header(ctx context.Context, r Rows, names *[]string, width *int) error {
	for line := range max(f.opt.headerLines, 1) {
		*width = 0 // that of the last line counts
		row, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return errEmpty
		}
		if err != nil {
			return err
		}
		f.headerAt = r.At()
		for i, v := range row {
			switch text := string(v.Text); {
			case i == len(*names):
				*names = append(*names, text)
			case line > 0 && (*names)[i] != "" && text != "" && (*names)[i] != text:
				(*names)[i] += " " + text
			case text != "":
				(*names)[i] = text
			}
		}
	}
	return nil
}

func (r *records) At() int64       { return r.in.Line }
func (r *records) Names() []string { return r.names }

// Close closes the text, unless other readers read it too.
func (r *records) Close() error {
	if r.from != nil {
		return nil
	}
	return r.text.Close()
}

func (r *records) read(ctx context.Context) error {
	if r.text != nil {
		r.gate.ctx = ctx
	}
	for {
		err := r.in.Read()
		if err == nil || r.from == nil || !errors.Is(err, io.EOF) {
			return err
		}
		if r.block, err = r.from.next(ctx, r.block); err != nil {
			return err
		}
		r.in.Reset(r.block.text, r.block.line)
	}
}

func (r *records) Next(ctx context.Context) ([]infer.Value, error) {
	for {
		if err := r.read(ctx); err != nil {
			return nil, err
		}
		if !r.in.Blank() || r.width == 1 {
			break
		}
		r.blank++
	}
	r.block.rows++
	fields := r.in.Fields
	switch {
	case r.width == 0:
		r.width = len(fields)
	case len(fields) != r.width && r.mended == nil && !r.loose:
		return nil, &widthError{r.in.Line, len(fields), r.width}
	}
	if r.in.Broken && !r.loose {
		for i, f := range fields {
			if err := checkText(f.Text, r.in.Line, i, r.names); err != nil {
				return nil, err
			}
		}
	}
	if cap(r.row) < len(fields) {
		r.row = make([]infer.Value, len(fields))
	}
	r.row = r.row[:len(fields)]
	if r.need == nil {
		for i := range fields {
			r.row[i] = r.value(&fields[i])
		}
	}
	for _, i := range r.need {
		if i < len(fields) {
			r.row[i] = r.value(&fields[i])
		}
	}
	if len(fields) != r.width && r.mended != nil {
		r.row = r.mended.ragged(r.row, r.width, r.in.Line)
	}
	return r.row, nil
}

func (r *records) value(f *csv.Field) infer.Value {
	if f.Null(r.width) {
		return infer.Value{}
	}
	return infer.Value{Text: f.Text, Kind: infer.Field}
}

// NoColumns is the error for a file whose columns are asked for and that has none.
func (f *File) NoColumns() error {
	switch rows := f.Rows + f.Blank; {
	case rows == 0:
		return errors.New("it has no columns, because it has no records")
	default:
		return errors.New("it has no columns: they are the members of its records, and it has " +
			phrase.Plural(int(rows), "1 record", "%d records") + " without members")
	}
}

// Distinct are the names of the columns: each has one, and none differs from another in case alone. changed describes
// the renamed columns.
func (f *File) Distinct() (names, changed []string) {
	if f.Header == nil { // they are numbered
		names, _ = Names(make([]string, f.Width), math.MaxInt, Same, func(string) bool { return true })
		return names, nil
	}
	return Names(f.Header, math.MaxInt, Same, func(string) bool { return true })
}
