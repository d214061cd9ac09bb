package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/rowfile/parquetio"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func openParquet(h *os.File, err error) (*os.File, *parquetio.File, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := h.Stat()
	if err == nil {
		var p *parquetio.File
		if p, err = parquetio.Open(h, info.Size()); err == nil {
			return h, p, nil
		}
	}
	h.Close()
	return nil, nil, err
}

func (*folder) describeParquet(ctx context.Context, r *place, t file, d *described) error {
	h, p, err := openParquet(r.openFile(t, *d))
	if err != nil {
		return err
	}
	defer h.Close()
	d.rows = p.Rows
	if d.cols, err = parquetColumns(ctx, p); err != nil {
		return err
	}
	var names []string
	names, d.renamed = distinctParquet(p)
	for i, name := range names {
		d.cols[i].Name = name
	}
	return nil
}

func distinctParquet(p *parquetio.File) (names, changed []string) {
	all := p.Root().Columns()
	names = make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return distinct(names)
}

// parquetColumns maps the columns of a Parquet file. Nested ones are JSON.
func parquetColumns(ctx context.Context, p *parquetio.File) (cols []column, err error) {
	halves := halfLeaves(p.File)
	for _, c := range p.Root().Columns() {
		typ := "json"
		if flat(c) {
			typ, _ = leafDecoder(c, halves)
			if wide, fine := nanosType(c); wide != "" {
				any, err := anyFine(ctx, p, c.Index(), fine)
				if err != nil {
					return nil, fmt.Errorf("column %q: %w", c.Name(), err)
				}
				if any {
					typ = wide
				}
			}
		}
		cols = append(cols, column{engine.ColumnInfo{Name: c.Name(), Type: typ, Nullable: !c.Required()},
			len(cols), ""})
	}
	return cols, nil
}

// parquetBatches reads the requested columns of one row group after another, in parallel.
type parquetBatches struct {
	p      *parquetio.File
	handle *os.File // nil if it belongs to the caller
	file   file
	as     described
	groups []parquet.RowGroup
	cols   []column
	decode []decoder
	leaves []int         // index of each flat column among the leaves
	nested []*nestedNode // for each column that is not flat
	limit  int64

	readers []parquet.ColumnChunkValueReader // for each flat column
	rows    []*assembler                     // for each nested column
	left    int64                            // rows of the open group
	buf     []parquet.Value
}

func (f *folder) scanParquet(t file, d described, want []column, limit int64) (engine.Batches, error) {
	h, p, err := openParquet(f.openFile(t, d))
	if err != nil {
		return nil, &FileError{File: t.path, Err: err}
	}
	b, err := newParquetBatches(p, want)
	if err != nil {
		h.Close()
		return nil, &FileError{File: t.path, Err: err}
	}
	b.handle, b.file, b.as, b.limit = h, t, d, limit
	return b, nil
}

func newParquetBatches(p *parquetio.File, want []column) (*parquetBatches, error) {
	b := &parquetBatches{p: p, groups: p.RowGroups(), cols: want, buf: make([]parquet.Value, batchRows)}
	all, halves := p.Root().Columns(), halfLeaves(p.File)
	names, _ := distinctParquet(p)
	for _, c := range want {
		if c.at >= len(all) || names[c.at] != c.Name && all[c.at].Name() != c.Name {
			return nil, errChanged
		}
		var d decoder
		var node *nestedNode
		if flat(all[c.at]) {
			if _, d = leafDecoder(all[c.at], halves); c.Type == "varchar" {
				if wide, _ := nanosType(all[c.at]); wide == c.Type {
					d = fineTime
				}
			}
		} else {
			var err error
			if node, err = nodeOf(all[c.at], halves, 0, 0); err != nil {
				return nil, fmt.Errorf("column %q is not supported: %w", c.Name, err)
			}
		}
		b.decode, b.nested = append(b.decode, d), append(b.nested, node)
		b.leaves = append(b.leaves, all[c.at].Index())
	}
	return b, nil
}

func (b *parquetBatches) closeReaders() (err error) {
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

func (b *parquetBatches) valuesOf(group int) func(leaf int) (parquet.ColumnChunkValueReader, error) {
	return func(leaf int) (parquet.ColumnChunkValueReader, error) { return b.p.Values(group, leaf) }
}

func (b *parquetBatches) Next(ctx context.Context) ([][]any, error) {
	for b.left == 0 {
		if err := b.closeReaders(); err != nil {
			return nil, b.fault(err)
		}
		if len(b.groups) == 0 {
			if b.handle != nil {
				if err := b.as.still(b.handle); err != nil {
					return nil, b.fault(err)
				}
			}
			return nil, io.EOF
		}
		g, values := b.groups[0], b.valuesOf(len(b.p.RowGroups())-len(b.groups))
		b.groups = b.groups[1:]
		b.left = g.NumRows()
		for i, l := range b.leaves {
			if n := b.nested[i]; n != nil {
				a, err := newAssembler(n, values)
				if err != nil {
					return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[i].Name, err))
				}
				b.readers, b.rows = append(b.readers, nil), append(b.rows, a)
			} else {
				r, err := values(l)
				if err != nil {
					return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[i].Name, err))
				}
				b.readers, b.rows = append(b.readers, r), append(b.rows, nil)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := min(b.left, batchRows)
	if b.limit >= 0 {
		n = min(n, b.limit)
	}
	if n == 0 {
		return nil, io.EOF
	}
	cells := make([]any, int(n)*len(b.cols))
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = cells[i*len(b.cols) : (i+1)*len(b.cols) : (i+1)*len(b.cols)]
	}
	for c, r := range b.readers {
		if a := b.rows[c]; a != nil {
			for i := range rows {
				var err error
				if rows[i][c], err = a.row(); err != nil {
					return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[c].Name, err))
				}
			}
			continue
		}
		for done := 0; done < int(n); {
			k, err := r.ReadValues(b.buf[:int(n)-done])
			for i := range k {
				if v := b.buf[i]; !v.IsNull() {
					var derr error
					if rows[done+i][c], derr = b.decode[c](v); derr != nil {
						return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[c].Name, derr))
					}
				}
			}
			done += k
			if done < int(n) && (err != nil || k == 0) {
				if err == nil || err == io.EOF {
					err = errors.New("it ends early")
				}
				return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[c].Name, err))
			}
		}
	}
	b.left -= n
	if b.limit >= 0 {
		b.limit -= n
	}
	return rows, nil
}

func (b *parquetBatches) fault(err error) error { return &FileError{File: b.file.path, Err: err} }

func (b *parquetBatches) Close() error {
	err := b.closeReaders()
	if b.handle != nil {
		err = errors.Join(err, b.handle.Close())
	}
	return err
}
