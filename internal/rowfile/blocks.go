package rowfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/objects"
)

// blockSize is the usual number of bytes that a reader takes of a divided file at once: what stays in a processor's
// cache while it is parsed.
const blockSize = 256 << 10

func (f *File) blockSize() int { return cmp.Or(f.block, blockSize) }

// longestFirst limits the first record of a divided file: a larger one is often all of the file.
const longestFirst = 1 << 20

// Divided is a file whose rows are read by several readers at once. Each takes the next block of whole records, without
// parsing what others read. Rows before an error of the file are divided as File.Open reads them; which error is
// reported, and rows after it, may differ.
type Divided struct {
	f     *File
	whole func([]byte) int // the length of the whole records at the beginning of a text
	most  int              // bytes of the longest record
	names []string
	width int
	start int64 // where the first block begins in the text

	mu   sync.Mutex
	text *text
	rest []byte // what follows the last block
	line int64  // of its beginning
	err  error  // ends the blocks

	taken  int64 // bytes of the blocks so far
	read   int64 // bytes of those whose rows were returned
	blocks []extent
}

// Divide opens the rows of a file for several readers; nil for one that a single reader has to read.
func (f *File) Divide(ctx context.Context) (_ *Divided, err error) {
	if f.single || f.Loose || f.Returns || f.opt.serial() || f.Format != CSV && f.Format != JSON {
		return nil, nil
	}
	t, err := f.text(ctx)
	if err != nil {
		return nil, err
	}
	d := &Divided{f: f, whole: csv.Whole, most: csv.MaxRecord, text: t, line: 1}
	if f.Format == JSON {
		d.whole, d.most = objects.Whole, objects.MaxObject
	}
	most := d.most
	d.most = longestFirst
	b, err := d.next(ctx, block{})
	first, ok := b.text, err == nil
	if ok {
		if f.Format == JSON {
			ok = objects.Consecutive(first)
		} else {
			first, ok = d.header(ctx, first)
		}
	}
	if !ok { // a single reader reads it, or finds the error
		return nil, d.Close()
	}
	d.start = t.mark + d.taken - int64(len(first))
	d.rest, d.most, d.taken, d.blocks = append(first, d.rest...), most, 0, nil
	d.line -= int64(bytes.Count(first, []byte{'\n'}))
	return d, nil
}

// header reads the names and the number of the columns from the first block, and returns what follows them. ok is false
// if they are not in it.
func (d *Divided) header(ctx context.Context, block []byte) (_ []byte, ok bool) {
	r := d.records()
	r.in.Reset(bytes.Clone(block), 1)
	if d.f.opt.NoHeader() {
		_, err := r.Next(ctx)
		for range r.in.Line - 1 { // blank lines before the first record are no rows
			block = block[bytes.IndexByte(block, '\n')+1:]
		}
		d.width = r.width
		return block, err == nil
	}
	if err := d.f.header(ctx, r, &d.names, &r.width); err != nil {
		return nil, false
	}
	d.width = r.width
	rest, _ := r.in.Rest()
	return block[len(block)-len(rest):], true
}

// Readers is the number of readers that have something to read at once.
func (d *Divided) Readers() int {
	return int(min(int64(runtime.GOMAXPROCS(0)), d.f.size/int64(d.f.blockSize())+1))
}

// Close closes the file.
func (d *Divided) Close() error { return d.text.Close() }

// block is a text of whole records.
type block struct {
	text []byte
	line int64 // of its beginning
	n    int   // its number, from 0
	rows int64 // that were read of it
}

// extent is a block: where it ends in the text, and the number of its rows, once they were read.
type extent struct{ end, rows int64 }

// Complete reports whether all rows of the file were returned by its readers.
func (d *Divided) Complete() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Is(d.err, io.EOF) && len(d.rest) == 0 && d.read == d.taken
}

// next returns the block after one that has been read, in its memory if that is large enough.
func (d *Divided) next(ctx context.Context, last block) (block, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text.gate.ctx, d.read = ctx, d.read+int64(len(last.text))
	if last.rows > 0 {
		d.blocks[last.n].rows = last.rows
	}
	buf := append(last.text[:0], d.rest...)
	for size := max(d.f.blockSize(), len(buf)); ; size *= 2 {
		if d.err == nil && len(buf) < size {
			buf = slices.Grow(buf, size-len(buf))
			n, err := io.ReadFull(d.text, buf[len(buf):size])
			if buf, d.err = buf[:len(buf)+n], err; errors.Is(err, io.ErrUnexpectedEOF) {
				d.err = io.EOF
			}
		}
		end := len(buf)
		if !errors.Is(d.err, io.EOF) {
			end = d.whole(buf)
		}
		if end > 0 {
			b := block{text: buf[:end], line: d.line, n: len(d.blocks)}
			d.rest = append(d.rest[:0], buf[end:]...)
			d.line, d.taken = d.line+int64(bytes.Count(b.text, []byte{'\n'})), d.taken+int64(end)
			d.blocks = append(d.blocks, extent{end: d.start + d.taken})
			return b, nil
		}
		if d.err == nil && len(buf) >= d.most {
			d.err = fmt.Errorf("line %d: the record is longer than %d bytes, or its quotes are not closed", d.line,
				d.most)
		}
		if d.err != nil {
			return block{}, d.err
		}
	}
}

// Reader returns a reader of some of the rows: those of the blocks that it takes. need are the columns whose values are
// used, nil for all; the other values of a row are not set. A reader of JSON begins with the names in Form.Members.
func (d *Divided) Reader(need []int) Rows {
	if d.f.Format == JSON {
		rows := &objectBlocks{Reader: objects.NewReader(d.f.Members, need), from: d}
		return &ending{Rows: rows, f: d.f, part: true}
	}
	r := d.records()
	r.names, r.width, r.need, r.from = d.names, d.width, need, d
	r.in.Reset(nil, 1)
	return &ending{Rows: r, f: d.f, part: true}
}

func (d *Divided) records() *records {
	return &records{in: csv.NewReader(nil, d.f.Delimiter, 0)}
}

// objectBlocks are the objects of blocks.
type objectBlocks struct {
	*objects.Reader
	from  *Divided
	block block
}

func (r *objectBlocks) Next(ctx context.Context) (row []infer.Value, err error) {
	for {
		if row, err = r.Reader.Next(); err == nil || !errors.Is(err, io.EOF) {
			r.block.rows++
			return row, err
		}
		if r.block, err = r.from.next(ctx, r.block); err != nil {
			return nil, err
		}
		before := r.block.line - 1 // usually each line has an object
		if r.from.f.opt.Samples {
			before = int64(r.block.n) << blockBits
		}
		r.Reset(r.block.text, before)
	}
}

// blockBits are the bits of the number of a row within its block, in positions of samples of JSON.
const blockBits = 32

// position returns the number of a row in the file from that of its block and that within it.
func (d *Divided) position(at int64) int64 {
	n := at & (1<<blockBits - 1)
	for _, b := range d.blocks[:at>>blockBits] {
		n += b.rows
	}
	return n
}

// Close does nothing: the file stays open for other readers.
func (r *objectBlocks) Close() error { return nil }
