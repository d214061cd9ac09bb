// Package parquetio opens Parquet files whose bytes are not trusted. It checks the metadata and the headers of pages,
// and decompresses the pages, before the library (parquet-go) decodes them.
package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// File is an open file. Metadata of the embedded one is without what is not needed.
type File struct {
	*parquet.File
	Rows int64

	in     io.ReaderAt
	footer *footer
	leaves []*parquet.Column
	unpack unpacker
}

// Open reads the metadata of a file, which is not closed.
func Open(in io.ReaderAt, size int64) (f *File, err error) {
	about, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	f = &File{Rows: about.rows, in: in, footer: about}
	err = guard(func() (err error) {
		f.File, err = parquet.OpenFile(bytes.NewReader(about.text), int64(len(about.text)), parquet.SkipPageIndex(true),
			parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return nil, errors.New("its metadata is damaged")
	}
	if len(f.RowGroups()) != len(about.chunks) {
		return nil, errors.New("its metadata is damaged: the number of row groups differs")
	}
	f.addLeaves(f.Root())
	for _, g := range about.chunks {
		if len(g) != len(f.leaves) {
			return nil, errors.New("its metadata is damaged: the number of columns differs")
		}
	}
	for _, c := range f.leaves {
		if err := checkLeaf(c); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Path()[0], err)
		}
	}
	return f, nil
}

// errDamaged is the error for a part of a file that the library cannot decode.
var errDamaged = errors.New("its data is damaged")

// guard runs a function that calls the library, and returns a panic as errDamaged.
func guard(f func() error) error {
	err := safely.Try(f)
	var p *safely.Panic
	if errors.As(err, &p) {
		return errDamaged
	}
	return err
}

func (f *File) addLeaves(c *parquet.Column) {
	if c.Leaf() {
		f.leaves = append(f.leaves, c)
		return
	}
	for _, child := range c.Columns() {
		f.addLeaves(child)
	}
}

// mostDigits limits the precision of decimals: it is more than 32 bytes need.
const mostDigits = 1000

func checkLeaf(c *parquet.Column) error {
	if guard(func() error { c.Type().Kind(); return nil }) != nil {
		return errors.New("malformed schema: it has a type, and is declared to be a group")
	}
	l := c.Type().LogicalType()
	if l == nil {
		return nil
	}
	if d, ok := l.Value.(*format.DecimalType); ok && (d.Precision < 1 || d.Precision > mostDigits || d.Scale < 0 ||
		d.Scale > d.Precision) {
		return fmt.Errorf("DECIMAL(%d,%d) is not a type", d.Precision, d.Scale)
	}
	return nil
}

// Values reads the values of a leaf in a row group.
func (f *File) Values(group, leaf int) (parquet.ColumnChunkValueReader, error) {
	library, ok := f.RowGroups()[group].ColumnChunks()[leaf].(*parquet.FileColumnChunk)
	if !ok {
		return nil, errDamaged
	}
	about := f.footer.chunks[group][leaf]
	if !f.unpack.knows(about.codec) {
		return nil,
			fmt.Errorf("it is compressed with %v, which is not supported; snappy, gzip, zstd, brotli and LZ4 are",
				about.codec)
	}
	p := &pages{in: newSection(f.in, about), about: about, leaf: f.leaves[leaf], unpack: &f.unpack}
	v := &values{pages: p}
	err := guard(func() error {
		v.ColumnChunkValueReader = parquet.NewColumnChunkValueReader(&columnOf{library, p})
		return nil
	})
	return v, err
}

// columnOf is a column whose pages are read from elsewhere.
type columnOf struct {
	*parquet.FileColumnChunk
	in *pages
}

// Pages is called by the library.
func (c *columnOf) Pages() parquet.Pages { return c.PagesFrom(c.in) }

// values turns what goes wrong into errors of the file.
type values struct {
	parquet.ColumnChunkValueReader
	pages *pages
	err   error
}

func (v *values) ReadValues(to []parquet.Value) (n int, err error) {
	if v.err != nil {
		return 0, v.err
	}
	panicked := guard(func() error {
		n, err = v.ColumnChunkValueReader.ReadValues(to)
		return nil
	})
	switch {
	case v.pages.err != nil: // the library wraps it
		v.err = v.pages.err
	case panicked != nil:
		v.err = errDamaged
	case err != nil && !errors.Is(err, io.EOF):
		v.err = fmt.Errorf("%w in page %d", errDamaged, v.pages.n)
	case n < 0 || n > len(to):
		v.err = errDamaged
	default:
		return n, err
	}
	return 0, v.err
}

func (v *values) Close() error {
	return guard(v.ColumnChunkValueReader.Close)
}
