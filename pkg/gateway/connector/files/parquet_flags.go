package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// chunkValues reads the values of a leaf in a row group.
func chunkValues(p *parquet.File, group, leaf int) (parquet.ColumnChunkValueReader, error) {
	chunk := p.RowGroups()[group].ColumnChunks()[leaf]
	about := &p.Metadata().RowGroups[group].Columns[leaf].MetaData
	if about.Type == format.Boolean && slices.Contains(about.Encoding, format.RLE) {
		runs, err := flagsOf(p, about, leaf).haveRuns()
		if err != nil {
			return nil, err
		}
		if runs {
			return &flagValues{parquet.NewColumnChunkValueReader(chunk), flagsOf(p, about, leaf)}, nil
		}
	}
	return parquet.NewColumnChunkValueReader(chunk), nil
}

// flagValues reads booleans that are encoded as runs. The library (0.32.0) decodes a run of true as one true and seven false, and
// rounds the length of a run up to a multiple of eight. Only the positions of its NULLs are correct.
type flagValues struct {
	parquet.ColumnChunkValueReader
	flags *flags
}

func (f *flagValues) ReadValues(to []parquet.Value) (int, error) {
	n, err := f.ColumnChunkValueReader.ReadValues(to)
	for i, v := range to[:n] {
		if v.IsNull() {
			continue
		}
		flag, err := f.flags.next()
		if err != nil {
			return i, err
		}
		to[i] = parquet.BooleanValue(flag).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	}
	return n, err
}

// flags decodes the values of a chunk of booleans from the bytes of its pages.
type flags struct {
	in     *bufio.Reader
	about  *format.ColumnMetaData
	leaf   *parquet.Column
	header format.PageHeader
	page   []byte // the booleans of the current page that were not returned yet, one per byte
}

func flagsOf(p *parquet.File, about *format.ColumnMetaData, leaf int) *flags {
	from := about.DataPageOffset
	if d := about.DictionaryPageOffset; d > 0 && d < from {
		from = d
	}
	return &flags{in: bufio.NewReader(io.NewSectionReader(p, from, about.TotalCompressedSize)), about: about, leaf: leafAt(p.Root(), leaf)}
}

func leafAt(c *parquet.Column, leaf int) *parquet.Column {
	if c.Leaf() && c.Index() == leaf {
		return c
	}
	for _, child := range c.Columns() {
		if found := leafAt(child, leaf); found != nil {
			return found
		}
	}
	return nil
}

// open reads the header of the next page; it returns io.EOF after the last.
func (f *flags) open() error {
	if _, err := f.in.Peek(1); err != nil {
		return err
	}
	f.header = format.PageHeader{}
	var compact thrift.CompactProtocol
	if err := thrift.NewDecoder(compact.NewReader(f.in)).Decode(&f.header); err != nil {
		return err
	}
	if f.header.CompressedPageSize < 0 || int64(f.header.CompressedPageSize) > f.about.TotalCompressedSize || f.header.UncompressedPageSize < 0 {
		return errors.New("a page is larger than its column")
	}
	return nil
}

func (f *flags) encoding() format.Encoding {
	if f.header.Type == format.DataPageV2 {
		return f.header.DataPageHeaderV2.V.Encoding
	}
	return f.header.DataPageHeader.V.Encoding
}

func (f *flags) isData() bool {
	return f.header.Type == format.DataPageV2 || f.header.Type == format.DataPage
}

// haveRuns reads the headers of the pages and reports whether one has booleans that are encoded as runs.
func (f *flags) haveRuns() (bool, error) {
	for {
		if err := f.open(); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if f.isData() && f.encoding() == format.RLE {
			return true, nil
		}
		if _, err := f.in.Discard(int(f.header.CompressedPageSize)); err != nil {
			return false, err
		}
	}
}

func (f *flags) next() (bool, error) {
	for len(f.page) == 0 {
		if err := f.read(); err != nil {
			return false, fmt.Errorf("the pages have fewer booleans than the column has values: %w", err)
		}
	}
	flag := f.page[0] != 0
	f.page = f.page[1:]
	return flag, nil
}

// read reads the booleans of the next page.
func (f *flags) read() error {
	if err := f.open(); err != nil {
		return err
	}
	raw := make([]byte, f.header.CompressedPageSize)
	if _, err := io.ReadFull(f.in, raw); err != nil {
		return err
	}
	if !f.isData() {
		return nil
	}
	unpack := func(raw []byte, size int) ([]byte, error) {
		if f.about.Codec == format.Uncompressed || size == 0 {
			return raw, nil
		}
		if size < 0 {
			return nil, errors.New("the levels of a page are longer than the page")
		}
		return parquet.LookupCompressionCodec(f.about.Codec).Decode(make([]byte, size), raw)
	}
	var n int
	var err error
	if h := &f.header.DataPageHeaderV2.V; f.header.Type == format.DataPageV2 {
		levels := int(h.DefinitionLevelsByteLength) + int(h.RepetitionLevelsByteLength)
		if n = int(h.NumValues - h.NumNulls); levels < 0 || levels > len(raw) {
			return errors.New("the levels of a page are longer than the page")
		}
		if raw = raw[levels:]; !h.IsCompressed.Valid || h.IsCompressed.V {
			raw, err = unpack(raw, int(f.header.UncompressedPageSize)-levels)
		}
	} else if raw, err = unpack(raw, int(f.header.UncompressedPageSize)); err == nil {
		raw, n, err = f.withoutLevels(raw)
	}
	if err != nil || n == 0 {
		return err
	}
	if n < 0 {
		return errors.New("a page has an impossible number of values")
	}
	switch f.encoding() {
	case format.RLE:
		if raw, err = sized(&raw); err == nil {
			f.page, err = runs(raw, 1, n)
		}
	case format.Plain:
		if n > 8*len(raw) {
			return io.ErrUnexpectedEOF
		}
		f.page = make([]byte, n)
		for i := range f.page {
			f.page[i] = raw[i/8] >> (i % 8) & 1
		}
	default:
		err = fmt.Errorf("booleans are encoded as %v", f.encoding())
	}
	return err
}

// withoutLevels removes the levels before the values of a data page of version 1, and counts the values.
func (f *flags) withoutLevels(raw []byte) (rest []byte, n int, err error) {
	h := &f.header.DataPageHeader.V
	n = int(h.NumValues)
	for _, level := range []struct {
		most   int
		coding format.Encoding
		counts bool
	}{{f.leaf.MaxRepetitionLevel(), h.RepetitionLevelEncoding, false}, {f.leaf.MaxDefinitionLevel(), h.DefinitionLevelEncoding, true}} {
		if level.most == 0 {
			continue
		}
		if level.coding != format.RLE {
			return nil, 0, fmt.Errorf("levels are encoded as %v", level.coding)
		}
		text, err := sized(&raw)
		if err != nil {
			return nil, 0, err
		}
		if level.counts {
			all, err := runs(text, bits.Len(uint(level.most)), n)
			if err != nil {
				return nil, 0, err
			}
			n = 0
			for _, l := range all {
				if int(l) == level.most {
					n++
				}
			}
		}
	}
	return raw, n, nil
}

// sized removes a part that begins with its length from the start of raw, and returns it without the length.
func sized(raw *[]byte) ([]byte, error) {
	if len(*raw) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	n, rest := int64(binary.LittleEndian.Uint32(*raw)), (*raw)[4:]
	if n > int64(len(rest)) {
		return nil, io.ErrUnexpectedEOF
	}
	*raw = rest[n:]
	return rest[:n], nil
}

// runs decodes n numbers of at most eight bits from runs of equal numbers and groups of eight numbers.
func runs(raw []byte, width, n int) ([]byte, error) {
	if n < 0 || width > 8 { // the number of levels was not checked before
		return nil, errors.New("a page has an impossible number of values")
	}
	var out []byte
	for len(out) < n {
		head, k := binary.Uvarint(raw)
		if k <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		raw = raw[k:]
		count := head >> 1
		if head&1 == 0 {
			if len(raw) == 0 {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, slices.Repeat(raw[:1], int(min(count, uint64(n-len(out)))))...)
			raw = raw[1:]
			continue
		}
		if count > uint64(len(raw)) {
			return nil, io.ErrUnexpectedEOF
		}
		size := min(int(count)*width, len(raw))
		for i := 0; i < int(count)*8 && (i+1)*width <= size*8 && len(out) < n; i++ {
			var v byte
			for b := range width {
				at := i*width + b
				v |= raw[at/8] >> (at % 8) & 1 << b
			}
			out = append(out, v)
		}
		raw = raw[size:]
	}
	return out, nil
}
