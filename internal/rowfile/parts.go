package rowfile

import (
	"bufio"
	"context"
	"io"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/objects"
)

// Part is a run of rows of a file, which is read beside others.
type Part struct {
	Rows      int64
	from, end int64 // bytes of the file
}

// noteBlocks keeps where the rows of a divided file begin, if they can be read from there.
func (f *File) noteBlocks(d *Divided, rows int64) {
	if f.Packing != NotPacked || f.Coding != UTF8 || f.opt.begin() > 0 || f.opt.footer > 0 {
		return
	}
	for _, b := range d.blocks {
		rows -= b.rows
	}
	if rows == 0 {
		f.start, f.blocks = d.start, d.blocks
	}
}

// Parts divides the rows that Learn has read into parts of at most a number of rows, or of one block, in their order.
// It returns nil for a file that has to be read from its beginning.
func (f *File) Parts(most int64) (out []Part) {
	p := Part{from: f.start, end: f.start}
	for _, b := range f.blocks {
		if p.Rows > 0 && p.Rows+b.rows > most {
			out = append(out, p)
			p = Part{from: p.end}
		}
		p.Rows, p.end = p.Rows+b.rows, b.end
	}
	if p.Rows > 0 {
		out = append(out, p)
	}
	return out
}

// OpenPart opens the rows of a part. Positions count from its beginning.
func (f *File) OpenPart(ctx context.Context, p Part) Rows {
	in := io.NewSectionReader(f.in, p.from, p.end-p.from)
	t := &text{gate: gate{ctx: ctx, in: in}, Closer: io.NopCloser(nil)}
	t.Reader = bufio.NewReaderSize(&t.gate, 0)
	d := &Divided{f: f, whole: csv.Whole, most: csv.MaxRecord, text: t, line: 1, names: f.Header, width: f.Width}
	if f.Format == JSON {
		d.whole, d.most = objects.Whole, objects.MaxObject
	}
	return d.Reader(nil)
}
