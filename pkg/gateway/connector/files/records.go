package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// records reads the rows of a text file one by one, each as the texts of its fields; nil is NULL. For JSON the fields
// are found by name and quoted distinguishes strings from other values.
type records interface {
	// header returns the field names of a CSV file or a sheet; nil for JSON.
	header() []string
	next(ctx context.Context) (record, error)
	Close() error
}

// record is valid until the next one is read.
type record struct {
	line    int
	fields  []*string      // CSV and XLSX, in order
	kinds   []rowfile.Kind // of the fields of XLSX
	members []jsonMember   // JSON, in order
}

// readers are a file and its decompressor. The file is nil if it belongs to the caller.
type readers struct {
	io.Reader
	file *os.File
	as   described
}

func (r readers) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// end returns the error at the end of the records: io.EOF if the file has not changed since their beginning.
func (r readers) end(err error) error {
	if r.file == nil {
		return err
	}
	if changed := r.as.still(r.file); changed != nil {
		return changed
	}
	return err
}

// openFile opens a file, which must not have changed since it was described.
func (f *folder) openFile(t file, d described) (*os.File, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.openFile(t, d)
}

// The file is checked before it is opened: closing a file that this process has also open elsewhere would release its
// locks.
func (p *place) openFile(t file, d described) (*os.File, error) {
	info, err := p.stat(t.path)
	if err == nil {
		err = p.f.own.Refuse(p.held, info)
	}
	if err != nil {
		return nil, Bare(err)
	}
	p.f.looks.Add(1)
	h, err := p.Open(t.path)
	if err != nil {
		return nil, Bare(err)
	}
	if err = d.still(h); err == nil {
		var opened fs.FileInfo
		if opened, err = h.Stat(); err == nil {
			err = p.f.own.Refuse(p.held, opened)
		}
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Bare removes the path from an error to which the file name will be added.
func Bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (f *folder) records(ctx context.Context, t file, d described) (records, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.records(ctx, t, d)
}

func (p *place) records(ctx context.Context, t file, d described) (records, error) {
	h, err := p.openFile(t, d)
	if err != nil {
		return nil, err
	}
	r, err := newRecords(ctx, readers{h, h, d}, t, d)
	if err != nil {
		h.Close()
	}
	return r, err
}

func newRecords(ctx context.Context, in readers, t file, d described) (records, error) {
	if t.form == formXLSX {
		head := make([]byte, 4)
		n, err := in.file.ReadAt(head, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err := rowfile.Misnamed(head[:n], rowfile.Workbook); err != nil {
			return nil, err
		}
		return newSheet(ctx, in, d)
	}
	b, err := rowfile.OpenText(in.Reader, t.packed, window(t, d))
	if err != nil {
		return nil, err
	}
	in.Reader = b
	if t.form == formJSON {
		return newJSONDocument(ctx, in, b)
	}
	if t.form == formCSV {
		start, _ := b.Peek(len("sep=;\r\n")) // the error for a truncated file is returned by later reads
		if err := rowfile.CheckSeparatorLine(start); err != nil {
			return nil, err
		}
	}
	text := &gate{in: b, ctx: ctx}
	r := &csvRecords{readers: in, form: d.csv, text: text}
	if r.form.Delimiter == 0 {
		start, _ := b.Peek(b.Size()) // the error for a truncated file is returned by later reads
		r.form.Returns = rowfile.EndsWithReturns(start)
		if r.form.Delimiter = '\t'; t.form == formCSV {
			r.form.Delimiter = rowfile.Delimiter(start, len(start) < b.Size(), r.form.Returns, false)
		}
	}
	r.csv = &csvReader{in: csv.NewReader(text, r.form.Delimiter, window(t, d))}
	r.csv.in.CR = r.form.Returns
	r.names, _, err = r.csv.next()
	if err == io.EOF {
		err = ErrEmpty
	}
	return r, err
}

// csvForm is the delimiter and the line ending of a CSV file.
type csvForm struct {
	Delimiter byte
	Returns   bool
}

// gate reads until a context ends.
type gate struct {
	in  io.Reader
	ctx context.Context //nolint:containedctx // that of the call in which it is read
}

func (g *gate) Read(p []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	return g.in.Read(p)
}

type csvRecords struct {
	readers
	text  *gate
	form  csvForm
	csv   *csvReader
	names []string
}

func (r *csvRecords) header() []string { return r.names }

// next reads a record. An empty field that is not quoted is NULL.
func (r *csvRecords) next(ctx context.Context) (record, error) {
	r.text.ctx = ctx
	fields, line, err := r.csv.next()
	if err != nil {
		return record{}, r.end(err)
	}
	out := record{line: int(line), fields: make([]*string, len(fields))}
	for i := range fields {
		if fields[i] != "" || r.csv.quoted[i] {
			out.fields[i] = &fields[i]
		}
	}
	return out, nil
}

// window is the size of a read from a file.
func window(t file, d described) int {
	const most = 256 << 10
	if t.packed {
		return most
	}
	return int(min(most, max(d.size+1, 4<<10)))
}

// A batch of large rows ends early, to limit its memory.
const (
	batchRows  = 2048
	batchBytes = 16 << 20
)

// batches converts records to rows of the requested columns.
type batches struct {
	recs   records
	file   file
	cols   []column
	object *object // of JSON
	limit  int64
	done   bool
}

func (b *batches) Next(ctx context.Context) ([][]any, error) {
	var out [][]any
	for size := 0; !b.done && len(out) < batchRows && size < batchBytes && b.limit != 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := b.recs.next(ctx)
		if err == io.EOF {
			b.done = true
			break
		}
		if err != nil {
			return nil, &FileError{File: b.file.path, Err: err}
		}
		row := make([]any, len(b.cols))
		if b.object != nil {
			if err := b.object.record(rec); err != nil {
				return nil, &FileError{File: b.file.path, Err: err}
			}
			for i, m := range rec.members {
				if at := b.object.at[i]; at < len(b.cols) && m.kind != 0 {
					size += len(m.value)
					if row[at], err = valueOf(string(m.value), b.cols[at]); err != nil {
						return nil, &FileError{b.file.path, fmt.Sprintf(", line %d, column %q", rec.line,
							b.cols[at].Name), err}
					}
				}
			}
		}
		for i, c := range b.cols {
			if rec.fields == nil {
				break
			}
			if row[i], err = cellOf(rec.fields, c); err != nil {
				return nil, &FileError{b.file.path, fmt.Sprintf(", line %d, column %q", rec.line, c.Name), err}
			}
			if s, ok := row[i].(string); ok {
				size += len(s)
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
