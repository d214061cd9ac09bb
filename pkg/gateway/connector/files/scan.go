package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/parquet"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

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

// describe determines the columns of a file and their types, for most formats by reading all of it, and the number of
// its rows. With guess the beginning of a large file decides, unless names in it are changed, about which a note is
// written.
func (p *place) describe(ctx context.Context, t file, d *described, guess bool) error {
	h, err := p.openFile(t, *d)
	if err != nil {
		return err
	}
	defer h.Close()
	f, err := rowfile.Open(ctx, h, d.size, path.Base(t.path), p.f.opt)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Changed = func() error { return d.still(h) }
	if guess {
		if d.guessed, err = f.Sample(ctx, p.f.sample); err != nil {
			return err
		}
		_, renamed := f.Distinct()
		d.guessed = d.guessed && renamed == nil && len(f.Columns) > 0 && len(f.Columns) <= maxColumns
	}
	if !d.guessed {
		if err := f.Learn(ctx, false); err != nil {
			return err
		}
	}
	names, renamed := f.Distinct()
	d.form, d.rows, d.remarks, d.renamed = f.Form, f.Rows+f.Blank, f.Notes, renamed
	if f.Sheet != "" {
		d.remarks = append([]string{f.Sheet}, f.Notes...)
	}
	for i, name := range names {
		c := &f.Columns[i]
		info := engine.ColumnInfo{Name: name, Type: c.Type(), Nullable: c.Nullable || c.Declared == "" && c.Values == 0}
		d.cols = append(d.cols, column{info, i, f.Declared(i).Plain, f.Declared(i).Bloom})
	}
	if f.Format != rowfile.Parquet {
		d.guesses = f.Columns
	}
	return nil
}

// scan reads columns of a file.
func (f *folder) scan(ctx context.Context, t file, d described, want []column, limit int64) (engine.Batches, error) {
	h, err := f.openFile(t, d)
	if err != nil {
		return nil, &FileError{File: t.path, Err: err}
	}
	if len(want) == 0 && !d.guessed { // the number of the rows is known
		left := d.rows
		if limit >= 0 {
			left = min(left, limit)
		}
		return connector.Number(left), h.Close()
	}
	s := &scan{h: h, as: d, path: t.path, cols: want, limit: limit}
	if s.file, err = rowfile.Reopen(ctx, h, d.size, d.form, f.opt); err == nil {
		s.file.Changed = func() error { return d.still(h) }
		if d.form.Format == rowfile.Parquet {
			return s.parquet()
		}
		err = s.open(ctx)
	}
	if err != nil {
		return nil, errors.Join(s.fault("", err), s.Close())
	}
	return s, nil
}

// scan writes the rows of a file to the columns of the engine.
type scan struct {
	h     *os.File
	file  *rowfile.File
	rows  rowfile.Rows
	as    described
	path  string
	cols  []column
	limit int64
	done  bool

	divided *rowfile.Divided // nil for rows that only this scan reads
	to      []infer.Vector
	targets []*infer.Target
	failed  *atomic.Bool // shared by the threads: a row contradicts the columns
}

var _ engine.Divided = (*scan)(nil)

// open opens the rows of the file, for several threads if all of them are read.
func (s *scan) open(ctx context.Context) (err error) {
	if s.limit < 0 {
		s.divided, err = s.file.Divide(ctx)
	}
	s.failed = &atomic.Bool{}
	if err == nil && s.divided == nil {
		s.rows, err = s.file.Open(ctx)
	}
	s.begin()
	return err
}

// begin prepares what a thread has of its own.
func (s *scan) begin() {
	need := []int{}
	for i, c := range s.cols {
		need, s.targets = append(need, c.at), append(s.targets, infer.NewTarget(c.Type))
		if s.as.guessed {
			s.targets[i].Limit(s.as.guesses[c.at])
		}
	}
	if s.divided != nil {
		s.rows = s.divided.Reader(need)
	}
}

// Threads implements engine.Divided.
func (s *scan) Threads() int {
	if s.divided == nil {
		return 1
	}
	return s.divided.Readers()
}

// Part implements engine.Divided.
func (s *scan) Part() engine.Filler {
	if s.divided == nil {
		return s
	}
	p := &scan{h: s.h, file: s.file, as: s.as, path: s.path, cols: s.cols, limit: -1, divided: s.divided,
		failed: s.failed}
	p.begin()
	return p
}

func (s *scan) fault(at string, err error) error { return &FileError{s.path, at, err} }

// Next implements engine.Batches.
func (s *scan) Next(ctx context.Context) ([][]any, error) { return connector.NextOf(ctx, s, s.cols) }

// Fill implements engine.Filler.
func (s *scan) Fill(ctx context.Context, cols []engine.Vector, n int) (int, error) {
	s.to = s.to[:0]
	for _, c := range cols {
		s.to = append(s.to, c)
	}
	n, err := connector.Chunk(n, func(i int) (size int, err error) {
		if s.done || s.limit == 0 {
			return 0, io.EOF
		}
		row, err := s.rows.Next(ctx)
		if s.done = errors.Is(err, io.EOF); s.done {
			return 0, io.EOF
		}
		if canceled := ctx.Err(); err != nil && canceled != nil {
			return 0, canceled
		}
		if err != nil {
			return 0, s.fault("", err)
		}
		for k := range s.cols {
			c := &s.cols[k]
			if c.at >= len(row) {
				s.to[k].Null(i)
				continue
			}
			size += len(row[c.at].Text)
			if err := s.targets[k].Put(s.to[k], i, row[c.at]); err != nil {
				if misfit := (*infer.MisfitError)(nil); errors.As(err, &misfit) {
					err = fmt.Errorf("%w; %w", err, errChanged)
				}
				return 0, s.fault(fmt.Sprintf(", %s %d, column %q", s.file.Unit(), s.rows.At(), c.Name), err)
			}
		}
		s.limit--
		return size, nil
	})
	if s.as.guessed && len(s.rows.Names()) > len(s.as.cols) {
		n, err = 0, s.fault("", errChanged)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed.Store(true)
	}
	return n, err
}

// verified reports whether all rows were read, and none contradicts the guessed columns.
func (s *scan) verified() bool { return s.divided != nil && s.divided.Complete() && !s.failed.Load() }

// Close closes the file.
func (s *scan) Close() (err error) {
	if s.rows != nil {
		err = s.rows.Close()
	}
	if s.divided != nil {
		err = errors.Join(err, s.divided.Close())
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return errors.Join(err, s.h.Close())
}

// parquet reads a Parquet file.
func (s *scan) parquet() (engine.Batches, error) {
	var cols []parquet.Column
	for _, c := range s.cols {
		name := c.Name
		cols = append(cols, parquet.Column{Name: name, Type: c.Type, At: c.at})
	}
	in, err := s.file.Batches(cols, s.limit)
	if err != nil {
		return nil, errors.Join(s.fault("", err), s.Close())
	}
	return &parquetScan{s, in}, nil
}

// parquetScan are the rows of a Parquet file as Go values.
type parquetScan struct {
	scan *scan
	in   *parquet.Batches
}

func (s *parquetScan) Next(ctx context.Context) ([][]any, error) {
	rows, err := s.in.Next(ctx)
	if errors.Is(err, io.EOF) {
		if changed := s.scan.as.still(s.scan.h); changed != nil {
			return nil, s.scan.fault("", changed)
		}
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		err = s.scan.fault("", err)
	}
	return rows, err
}

func (s *parquetScan) Close() error { return errors.Join(s.in.Close(), s.scan.Close()) }
