package rowfile

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/parquet"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Learn reads the file to its end: it counts the rows, and determines the names and the types of the columns. Of a
// Parquet file, which declares them, no column is read, or with values those alone whose metadata do not tell what type
// all values have.
func (f *File) Learn(ctx context.Context, values bool) error {
	f.Columns, f.Rows, f.Blank, f.blocks = nil, 0, 0, nil
	if f.Format == JSON { // where each name occurs first is found again after Sample
		f.Members, f.Width = nil, 0
	}
	if f.Format == Parquet {
		return f.learnDeclared(ctx, values)
	}
	if all := f.learnDivided(ctx); all != nil {
		f.set(all)
		f.noteBlocks(all.divided, all.rows)
		f.noteShape(ctx)
		return nil
	}
	if f.Tee != nil {
		f.Tee.Reset()
	}
	r, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	l := &learned{f: f}
	if err := l.add(ctx, r); err != nil {
		return err
	}
	f.set(l)
	f.noteShape(ctx)
	return nil
}

// learnDeclared is Learn of a Parquet file.
func (f *File) learnDeclared(ctx context.Context, values bool) error {
	p, err := f.parquet(ctx)
	if err != nil {
		return err
	}
	f.Header, f.Rows, f.Width = []string{}, p.Rows, len(f.declared)
	l := &learned{f: f}
	var read []int
	for i, c := range f.declared {
		f.Header = append(f.Header, c.Name)
		l.column(infer.Column{Declared: c.Type, Nullable: c.Nullable || len(f.opt.nulls) > 0})
		if c.Alike.Kind == infer.Null || len(f.opt.nulls) > 0 || f.opt.notation.Any() || f.Width == 1 {
			read = append(read, i)
		} else {
			l.columns[i].Add(c.Alike, 0)
		}
	}
	if f.Columns = l.columns; !values {
		return nil
	}
	return f.LearnValues(ctx, read)
}

// LearnValues reads columns of a Parquet file, after Learn, for all facts about their values.
func (f *File) LearnValues(ctx context.Context, at []int) error {
	if len(at) == 0 {
		return nil
	}
	p, err := f.parquet(ctx)
	if err != nil {
		return err
	}
	l := &learned{f: f}
	columns := make([]parquet.Column, len(at))
	for i, k := range at {
		columns[i] = f.declared[k]
		l.column(infer.Column{Declared: columns[i].Type, Nullable: f.Columns[k].Nullable})
	}
	rows, err := p.Values(columns)
	if err != nil {
		return f.advise(ctx, err)
	}
	defer rows.Close()
	if err := l.add(ctx, &ending{Rows: rows, f: f}); err != nil {
		return err
	}
	for i, k := range at {
		f.Columns[k] = l.columns[i]
	}
	if f.Width == 1 {
		f.Rows, f.Blank = l.rows-l.blank, l.blank
	}
	f.noteShape(ctx)
	return nil
}

// Sample determines what Learn does by the first rows of the file alone, which have a number of bytes. ok is false if
// that is not done because the file has few others, or has to be read by a single reader.
func (f *File) Sample(ctx context.Context, size int64) (ok bool, err error) {
	if f.size < 4*size {
		return false, nil
	}
	d, err := f.Divide(ctx)
	if err != nil || d == nil {
		return false, err
	}
	defer d.Close()
	l := &learned{f: f}
	r := d.Reader(nil)
	l.begin(r)
	for d.read < size {
		if err := l.next(ctx, r); err != nil {
			return false, nil // Learn finds the error again
		}
		l.rows++
	}
	l.names = r.Names()
	f.set(l)
	f.noteShape(ctx)
	return true, nil
}

// Count counts the rows and the blank lines of CSV by several readers. ok is false if a single one has to read the
// file, or to find its error. empty reports whether there are empty texts.
func (f *File) Count(ctx context.Context) (empty, ok bool) {
	parts := f.readDivided(ctx, true)
	if parts == nil {
		return false, false
	}
	f.Rows, f.Blank = 0, 0
	for _, p := range parts {
		f.Rows, f.Blank, empty = f.Rows+p.rows, f.Blank+p.blank, empty || p.empty
	}
	f.noteBlocks(parts[0].divided, f.Rows)
	return empty, true
}

// learnDivided is Learn by several readers; nil if a single one has to read the file, or to find its error.
func (f *File) learnDivided(ctx context.Context) *learned {
	parts := f.readDivided(ctx, false)
	if parts == nil {
		return nil
	}
	return joined(parts[0].divided, parts)
}

func (f *File) readDivided(ctx context.Context, count bool) []*learned {
	d, err := f.Divide(ctx)
	if err != nil || d == nil {
		return nil
	}
	defer d.Close()
	parts := make([]*learned, d.Readers())
	var wait sync.WaitGroup
	failed := make([]error, len(parts))
	for i := range parts {
		parts[i] = &learned{f: f, divided: d, count: count}
		wait.Go(func() {
			panicked := safely.Run(func() { failed[i] = parts[i].add(ctx, d.Reader(nil)) })
			failed[i] = errors.Join(panicked, failed[i])
		})
	}
	wait.Wait()
	if errors.Join(failed...) != nil {
		return nil
	}
	return parts
}

// learned is what is known of the rows that a reader has read.
type learned struct {
	f       *File
	divided *Divided // whose part the rows are, nil for all rows
	columns []infer.Column
	names   []string
	first   []place // of JSON: where the columns were seen first
	rows    int64
	blank   int64 // rows without a value, if there is one column
	count   bool  // rows are only counted, and blank are lines without a field
	empty   bool  // a value is an empty text, if rows are counted
}

// place is a block of a divided file, and the number of a column that is new in it.
type place struct {
	block int
	added int
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.added, b.added))
}

func (l *learned) column(c infer.Column) {
	if l.f.opt.Samples {
		c.First = &infer.Samples{}
	}
	l.columns = append(l.columns, c)
}

// begin adds the columns that are known before the first row.
func (l *learned) begin(r Rows) {
	for range max(l.f.Width, len(r.Names())) - len(l.columns) {
		l.column(infer.Column{})
	}
}

// add reads rows to their end.
func (l *learned) add(ctx context.Context, r Rows) error {
	l.begin(r)
	for ; ; l.rows++ {
		if err := ctx.Err(); l.rows%1024 == 0 && err != nil {
			return err
		}
		if err := l.next(ctx, r); errors.Is(err, io.EOF) {
			if l.names = r.Names(); l.count {
				l.blank = r.(*ending).Rows.(*records).blank
			}
			return nil
		} else if err != nil {
			return err
		}
	}
}

// next reads a row.
func (l *learned) next(ctx context.Context, r Rows) error {
	row, err := r.Next(ctx)
	if err != nil {
		return err
	}
	if l.count {
		l.empty = l.empty || slices.ContainsFunc(row, func(v infer.Value) bool {
			return v.Kind != infer.Null && len(v.Text) == 0
		})
		return nil
	}
	if l.f.Loose && !l.f.opt.lenient {
		row = row[:min(len(row), len(l.columns))]
	}
	for len(l.columns) < len(row) {
		if l.divided != nil {
			l.first = append(l.first, place{blockOf(r), len(l.columns)})
		}
		l.column(infer.Column{Nullable: l.rows > 0})
	}
	for i := range row {
		l.columns[i].Add(row[i], r.At())
	}
	for i := len(row); i < len(l.columns); i++ {
		l.columns[i].Nullable = true
	}
	if len(row) == 0 || len(row) == 1 && row[0].Kind == infer.Null {
		l.blank++
	}
	if l.f.Format == XLSX && len(row) > 0 {
		l.f.lastText = append(l.f.lastText[:0], row[0].Text...)
	}
	return nil
}

// blockOf is the number of the block that a reader of a part of JSON reads.
func blockOf(r Rows) int { return r.(*ending).Rows.(*objectBlocks).block.n }

// joined is what is known of all rows of a divided file.
func joined(d *Divided, parts []*learned) *learned {
	f, all := d.f, parts[0]
	if f.Format == JSON {
		all = &learned{f: f, divided: d, names: namesOf(parts)}
		for range all.names {
			all.column(infer.Column{})
		}
	}
	for _, p := range parts {
		if p == all {
			continue
		}
		at := map[string]int{}
		for i, name := range p.names {
			at[name] = i + 1
		}
		all.rows, all.blank = all.rows+p.rows, all.blank+p.blank
		for i := range all.columns {
			from := i
			if f.Format == JSON {
				from = at[all.names[i]] - 1
			}
			if from >= 0 {
				all.columns[i].Join(p.columns[from])
			} else if p.rows > 0 {
				all.columns[i].Nullable = true
			}
		}
	}
	if f.Format == JSON && f.opt.Samples {
		for _, c := range all.columns {
			c.First.Move(d.position)
		}
	}
	return all
}

// namesOf are the names of the members that are found in parts of a file, in the order of their first occurrence.
func namesOf(parts []*learned) []string {
	first := map[string]place{}
	for _, p := range parts {
		for i, name := range p.names {
			if was, ok := first[name]; !ok || p.first[i].compare(was) < 0 {
				first[name] = p.first[i]
			}
		}
	}
	return slices.AppendSeq([]string{}, slices.Values(slices.SortedFunc(maps.Keys(first),
		func(a, b string) int { return first[a].compare(first[b]) })))
}

// set makes the facts those of the file.
func (f *File) set(l *learned) {
	f.Columns, f.Rows = l.columns, l.rows
	if f.Header = l.names; f.Header != nil {
		for len(f.Header) < len(f.Columns) { // columns beyond the header
			f.Header = append(f.Header, "")
		}
	}
	if f.Format == JSON {
		f.Members = f.Header
	}
	if f.Width = max(len(f.Header), len(f.Columns)); f.Width == 1 {
		f.Rows, f.Blank = f.Rows-l.blank, l.blank
	}
}
