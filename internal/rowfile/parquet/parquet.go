// Package parquet reads the rows of Parquet files as Go values. Columns of lists, maps or groups are JSON.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/parquetio"
)

// batchRows is the number of rows that are read at once.
const batchRows = 2048

// Column is a column of a file: its name, which may be that of another one, and its type in Trino. It is plain if each
// reader gives the same values, except for texts that are not valid; see plain, and alike.
type Column struct {
	Name     string
	Type     string
	Nullable bool
	At       int // its index
	Plain    bool
	Bloom    bool        // it has Bloom filters, to which 0 and -0 differ
	Alike    infer.Value // as all values of the column decide its type; NULL if only reading them tells
}

// File is an open file.
type File struct {
	Rows int64

	file *parquetio.File
}

// Open reads the metadata of a file, which is not closed.
func Open(in io.ReaderAt, size int64) (*File, error) {
	p, err := parquetio.Open(in, size)
	if err != nil {
		return nil, err
	}
	return &File{p.Rows, p}, nil
}

// Columns lists the columns. Those whose metadata does not tell their type are read. Nested ones are JSON.
func (f *File) Columns(ctx context.Context) (cols []Column, err error) {
	halves := halfLeaves(f.file.File)
	for _, c := range f.file.Root().Columns() {
		typ, isPlain, bloom := "json", false, false
		if flat(c) {
			typ, _ = leafDecoder(c, halves)
			if wide, fine := nanosType(c); wide != "" {
				any, err := anyFine(ctx, f.file, c.Index(), fine)
				if err != nil {
					return nil, fmt.Errorf("column %q: %w", c.Name(), err)
				}
				if any {
					typ = wide
				}
			}
			isPlain, bloom = plain(f.file, c, typ), f.file.Facts(c.Index()).Bloom
		}
		cols = append(cols, Column{c.Name(), typ, !c.Required(), len(cols), isPlain, bloom, alike(f.file, c, typ)})
	}
	return cols, nil
}

// Batches are the rows of the requested columns, of one row group after another.
type Batches struct {
	Nulls []string // the texts of values that are NULL, set before the first row is read

	p      *parquetio.File
	group  int   // the next one
	n      int64 // rows so far
	cols   []Column
	decode []decoder
	leaves []int         // index of each flat column among the leaves
	nested []*nestedNode // for each column that is not flat
	limit  int64

	readers []parquet.ColumnChunkValueReader // for each flat column
	rows    []*assembler                     // for each nested column
	left    int64                            // rows of the open group
	buf     []parquet.Value
}

// Read reads columns, and at most limit rows if it is not negative.
func (f *File) Read(columns []Column, limit int64) (*Batches, error) {
	p := f.file
	b := &Batches{p: p, cols: columns, buf: make([]parquet.Value, batchRows), limit: limit}
	all, halves := p.Root().Columns(), halfLeaves(p.File)
	for _, c := range columns {
		at := c.At
		if at >= len(all) {
			return nil, fmt.Errorf("it no longer has the column %q", c.Name)
		}
		var d decoder
		var node *nestedNode
		if flat(all[at]) {
			if _, d = leafDecoder(all[at], halves); c.Type == "varchar" {
				if wide, _ := nanosType(all[at]); wide == c.Type {
					d = fineTime
				}
			}
		} else {
			var err error
			if node, err = nodeOf(all[at], halves, 0, 0); err != nil {
				return nil, fmt.Errorf("column %q is not supported: %w", c.Name, err)
			}
		}
		b.decode, b.nested = append(b.decode, d), append(b.nested, node)
		b.leaves = append(b.leaves, all[at].Index())
	}
	return b, nil
}

func (b *Batches) closeReaders() (err error) {
	for _, r := range b.readers {
		if r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	for _, a := range b.rows {
		if a != nil {
			err = errors.Join(err, a.close())
		}
	}
	b.readers, b.rows = nil, nil
	return err
}

// fault is an error of a column after the rows so far.
func (b *Batches) fault(c int, err error) error {
	err = fmt.Errorf("column %q: %w", b.cols[c].Name, err)
	if b.n > 0 {
		err = fmt.Errorf("after row %d: %w", b.n, err)
	}
	return err
}

// misfit is an error of a value in a row after those so far.
func (b *Batches) misfit(row, c int, err error) error {
	return fmt.Errorf("row %d, column %q: %w", b.n+int64(row)+1, b.cols[c].Name, err)
}

// begin opens the next row group, if the rows of the last one were read, and returns the number of the next rows:
// values or assemble reads each of their columns, then comes end. It returns io.EOF after the last.
func (b *Batches) begin(ctx context.Context) (n int, err error) {
	for b.left == 0 {
		if err := b.closeReaders(); err != nil {
			return 0, err
		}
		if b.group == len(b.p.RowGroups()) {
			return 0, io.EOF
		}
		group := b.group
		values := func(leaf int) (parquet.ColumnChunkValueReader, error) { return b.p.Values(group, leaf) }
		b.group++
		b.left = b.p.RowGroups()[group].NumRows()
		for i, l := range b.leaves {
			if n := b.nested[i]; n != nil {
				a, err := newAssembler(n, values)
				if err != nil {
					return 0, b.fault(i, err)
				}
				b.readers, b.rows = append(b.readers, nil), append(b.rows, a)
			} else {
				r, err := values(l)
				if err != nil {
					return 0, b.fault(i, err)
				}
				b.readers, b.rows = append(b.readers, r), append(b.rows, nil)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	most := min(b.left, batchRows)
	if b.limit >= 0 {
		most = min(most, b.limit)
	}
	if most == 0 {
		return 0, io.EOF
	}
	return int(most), nil
}

// values reads a flat column of the next rows.
func (b *Batches) values(c, n int, put func(row int, v parquet.Value) error) error {
	for done := 0; done < n; {
		k, err := b.readers[c].ReadValues(b.buf[:n-done])
		for i, v := range b.buf[:k] {
			if err := put(done+i, v); err != nil {
				return b.misfit(done+i, c, err)
			}
		}
		done += k
		if done < n && (err != nil || k == 0) {
			if err == nil || err == io.EOF {
				err = errors.New("it ends early")
			}
			return b.fault(c, err)
		}
	}
	return nil
}

// assemble reads a nested column of the next rows.
func (b *Batches) assemble(c, n int, put func(row int, v any)) error {
	for i := range n {
		v, err := b.rows[c].row()
		if err != nil {
			return b.misfit(i, c, err)
		}
		put(i, v)
	}
	return nil
}

func (b *Batches) end(n int) {
	b.left -= int64(n)
	b.n += int64(n)
	if b.limit >= 0 {
		b.limit -= int64(n)
	}
}

// Next returns the next rows, with a Go value for each column as engine.Batches has them, and io.EOF after the last.
func (b *Batches) Next(ctx context.Context) ([][]any, error) {
	n, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	cells := make([]any, n*len(b.cols))
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = cells[i*len(b.cols) : (i+1)*len(b.cols) : (i+1)*len(b.cols)]
	}
	for c := range b.cols {
		if b.nested[c] != nil {
			err = b.assemble(c, n, func(row int, v any) { rows[row][c] = v })
		} else {
			err = b.values(c, n, func(row int, v parquet.Value) (err error) {
				if !v.IsNull() {
					rows[row][c], err = b.decode[c](v)
				}
				return err
			})
		}
		if err != nil {
			return nil, err
		}
	}
	b.dropNulls(rows)
	b.end(n)
	return rows, nil
}

// dropNulls makes the values NULL whose texts are.
func (b *Batches) dropNulls(rows [][]any) {
	if len(b.Nulls) == 0 {
		return
	}
	var text []byte
	for _, row := range rows {
		for c, v := range row {
			if text, _ = appendValue(text[:0], b.cols[c].Type, v); v != nil && slices.Contains(b.Nulls, string(text)) {
				row[c] = nil
			}
		}
	}
}

// Close ends the reading. The file stays open.
func (b *Batches) Close() error { return b.closeReaders() }
