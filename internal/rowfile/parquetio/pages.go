package parquetio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The limits of a page.
const (
	mostHeader = 16 << 20
	mostPage   = 512 << 20 // bytes, decompressed
	mostValues = 1 << 26
)

// plainDictionary is the encoding of dictionaries and of their indexes in files of older writers.
const plainDictionary format.Encoding = 2

// pages has the pages of a column, one after another and decompressed, in the form that the library reads.
type pages struct {
	in     *bufio.Reader
	about  chunk
	leaf   *parquet.Column
	unpack *unpacker

	head, data []byte // of the current page, what was not read yet
	at         int64  // bytes that were read so far
	n          int    // pages so far
	dictionary bool   // was among them
	err        error
}

func newSection(in io.ReaderAt, about chunk) *bufio.Reader {
	return bufio.NewReader(io.NewSectionReader(in, about.first, about.size))
}

var errOrder = errors.New("the pages of a column are not in their order: its dictionary is missing")

// ReadAt reads the pages, in their order only.
func (p *pages) ReadAt(to []byte, off int64) (n int, err error) {
	if off -= virtualStart; off != p.at && p.err == nil {
		p.err = errOrder
	}
	for n < len(to) && p.err == nil {
		if len(p.head) == 0 && len(p.data) == 0 {
			if err := p.open(); errors.Is(err, io.EOF) {
				p.at += int64(n)
				return n, io.EOF
			} else if err != nil {
				p.err = fmt.Errorf("page %d: %w", p.n, err)
				break
			}
		}
		k := copy(to[n:], p.head)
		p.head, n = p.head[k:], n+k
		k = copy(to[n:], p.data)
		p.data, n = p.data[k:], n+k
		if len(p.data) == 0 { // the next page is not opened before it is needed
			break
		}
	}
	p.at += int64(n)
	return n, p.err
}

// header reads the header of a page; io.EOF after the last.
func (p *pages) header() (h format.PageHeader, err error) {
	if _, err := p.in.Peek(1); err != nil {
		return h, err
	}
	h, _, err = readHeader(p.in)
	return h, err
}

// readHeader reads the header of a page, of n bytes.
func readHeader(in *bufio.Reader) (h format.PageHeader, n int64, err error) {
	data := &rule{drop: []int16{5}}
	c := &compact{in: in, left: mostHeader}
	if err := c.structure(&rule{drop: []int16{6}, within: map[int16]*rule{5: data, 8: {drop: []int16{8}}}},
		0); err != nil {
		return h, 0, fmt.Errorf("its header is damaged: %w", err)
	}
	var protocol thrift.CompactProtocol
	if err := guard(func() error { return thrift.Unmarshal(&protocol, c.out, &h) }); err != nil {
		return h, 0, errors.New("its header is damaged")
	}
	return h, mostHeader - c.left, nil
}

// open prepares the next page.
func (p *pages) open() error {
	for {
		h, err := p.header()
		if err != nil {
			return err
		}
		p.n++
		if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > p.about.size {
			return errors.New("it would be larger than its column")
		}
		raw := make([]byte, h.CompressedPageSize)
		if _, err := io.ReadFull(p.in, raw); err != nil {
			return errors.New("it is cut off")
		}
		if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(raw) {
			return errors.New("its checksum does not match: it is damaged")
		}
		switch {
		case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
			if p.dictionary {
				continue
			}
			p.dictionary = true
			err = p.openDictionary(&h, raw)
		case h.Type == format.DataPage && h.DataPageHeader.Valid:
			err = p.openV1(&h, raw)
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
			err = p.openV2(&h, raw)
		case h.Type == format.IndexPage:
			continue
		default:
			err = fmt.Errorf("its kind %d is unknown", h.Type)
		}
		if err != nil {
			return err
		}
		h.CompressedPageSize, h.UncompressedPageSize, h.CRC = int32(len(p.data)), int32(len(p.data)), 0
		var protocol thrift.CompactProtocol
		p.head, err = thrift.Marshal(&protocol, &h)
		return err
	}
}

func count(n int32) (int, error) {
	if n < 0 || n > mostValues {
		return 0, fmt.Errorf("it would have %d values", n)
	}
	return int(n), nil
}

func (p *pages) openDictionary(h *format.PageHeader, raw []byte) (err error) {
	about := &h.DictionaryPageHeader.V
	n, err := count(about.NumValues)
	if err != nil {
		return err
	}
	if about.Encoding != format.Plain && about.Encoding != plainDictionary {
		return fmt.Errorf("a dictionary is encoded as %v", about.Encoding)
	}
	if p.data, err = p.unpack.all(p.about.codec, raw, h.UncompressedPageSize); err != nil {
		return err
	}
	return p.enough(n)
}

// enough checks that values that are encoded as they are are not more than the bytes can hold.
func (p *pages) enough(n int) error {
	width := 4 // of the length of a text
	switch p.leaf.Type().Kind() {
	case parquet.Boolean:
		width = 0
		n = (n + 7) / 8
		if n > len(p.data) {
			return io.ErrUnexpectedEOF
		}
	case parquet.Int64, parquet.Double:
		width = 8
	case parquet.Int96:
		width = 12
	case parquet.FixedLenByteArray:
		width = p.leaf.Type().Length()
	}
	if int64(n)*int64(width) > int64(len(p.data)) {
		return fmt.Errorf("it has %d bytes, which are less than its %d values need", len(p.data), n)
	}
	return nil
}

// openV1 decompresses a page whose levels are compressed with its values.
func (p *pages) openV1(h *format.PageHeader, raw []byte) (err error) {
	about := &h.DataPageHeader.V
	n, err := count(about.NumValues)
	if err != nil {
		return err
	}
	if p.data, err = p.unpack.all(p.about.codec, raw, h.UncompressedPageSize); err != nil {
		return err
	}
	rest := p.data
	for _, level := range []struct {
		most   int
		coding format.Encoding
		counts bool
	}{{p.leaf.MaxRepetitionLevel(), about.RepetitionLevelEncoding, false}, {p.leaf.MaxDefinitionLevel(),
		about.DefinitionLevelEncoding, true}} {
		if level.most == 0 {
			continue
		}
		if level.coding != format.RLE {
			return fmt.Errorf("levels are encoded as %v, which is not supported", level.coding)
		}
		text, err := sized(&rest)
		if err != nil {
			return err
		}
		if level.counts && (about.Encoding == format.RLE || p.padded(about.Encoding)) {
			if n, err = present(text, level.most, n); err != nil {
				return err
			}
		}
	}
	return p.values(&about.Encoding, len(p.data)-len(rest), n)
}

// present counts the levels of values that are not NULL.
func present(levels []byte, most, n int) (int, error) {
	all, err := runs(levels, bits.Len(uint(most)), n)
	if err != nil {
		return 0, err
	}
	n = 0
	for _, l := range all {
		if int(l) == most {
			n++
		}
	}
	return n, nil
}

// openV2 decompresses a page whose levels are not compressed.
func (p *pages) openV2(h *format.PageHeader, raw []byte) error {
	about := &h.DataPageHeaderV2.V
	n, err := count(about.NumValues)
	if err != nil {
		return err
	}
	d, r := int64(about.DefinitionLevelsByteLength), int64(about.RepetitionLevelsByteLength)
	switch {
	case about.NumNulls < 0 || about.NumNulls > about.NumValues || about.NumRows < 0 || about.NumRows > about.NumValues:
		return errors.New("it would have more NULLs or rows than values")
	case d < 0 || r < 0 || d+r > int64(len(raw)):
		return errors.New("its levels are longer than the page")
	case p.leaf.MaxDefinitionLevel() > 0 && d == 0 && n > 0, p.leaf.MaxRepetitionLevel() > 0 && r == 0 && n > 0:
		return errors.New("it lacks its levels")
	}
	p.data = raw
	packed := p.about.codec != format.Uncompressed && (!about.IsCompressed.Valid || about.IsCompressed.V)
	if levels, data := raw[:d+r:d+r], raw[d+r:]; packed && len(data) > 0 { // without a value there may be nothing
		if data, err = p.unpack.all(p.about.codec, data, h.UncompressedPageSize-int32(d+r)); err != nil {
			return err
		}
		if len(levels)+len(data) > mostPage {
			return errTooLarge
		}
		p.data = append(levels, data...)
	}
	about.IsCompressed = thrift.New(false)
	return p.values(&about.Encoding, int(d+r), n-int(about.NumNulls))
}

// padded reports whether texts may be followed by zeros, as fastparquet writes them. The library (0.32.0) takes them
// for further texts and prints a warning.
func (p *pages) padded(coding format.Encoding) bool {
	return coding == format.Plain && p.leaf.Type().Kind() == parquet.ByteArray &&
		bytes.HasSuffix(p.data, make([]byte, 8))
}

// values checks the encoded values of a page, which begin at a place of its data, and encodes booleans as the library
// can read them: the library (0.32.0) decodes a run of true as one true and seven false, and rounds the length of a run
// up to a multiple of eight.
func (p *pages) values(coding *format.Encoding, from, n int) error {
	data := p.data[from:]
	switch *coding {
	case format.Plain:
		if p.padded(*coding) {
			for range n {
				if _, err := sized(&data); err != nil {
					return err
				}
			}
			p.data = p.data[:len(p.data)-len(data)]
		}
	case format.RLE:
		if p.leaf.Type().Kind() != parquet.Boolean {
			return fmt.Errorf("values are encoded as %v", *coding)
		}
		if n == 0 {
			return nil
		}
		text, err := sized(&data)
		if err != nil {
			return err
		}
		flags, err := runs(text, 1, n)
		if err != nil {
			return err
		}
		packed := make([]byte, (n+7)/8)
		for i, f := range flags {
			packed[i/8] |= f << (i % 8)
		}
		p.data, *coding = append(p.data[:from:from], packed...), format.Plain
	case plainDictionary, format.RLEDictionary:
		if !p.dictionary {
			return errOrder
		}
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, err := delta(data, n)
		return err
	case format.DeltaByteArray:
		rest, err := delta(data, n)
		if err == nil {
			_, err = delta(rest, n)
		}
		return err
	}
	return nil
}

// delta checks that numbers that are encoded by their differences are not more than a page has values, and returns what
// follows them.
func delta(data []byte, most int) ([]byte, error) {
	number := func() uint64 {
		v, k := binary.Uvarint(data)
		if k <= 0 {
			data, k = nil, 0
		}
		data = data[k:]
		return v
	}
	block, parts, n := number(), number(), number()
	number() // the first one
	if n > uint64(most) || block == 0 || block > 1<<20 || block%128 != 0 || parts == 0 || parts > block ||
		block%parts != 0 || (block/parts)%32 != 0 {
		return nil, errors.New("its values are damaged")
	}
	for left := int64(n) - 1; left > 0; {
		number()
		if uint64(len(data)) < parts {
			return nil, io.ErrUnexpectedEOF
		}
		widths := data[:parts]
		data = data[parts:]
		for _, w := range widths {
			if left <= 0 {
				break
			}
			if w > 64 {
				return nil, errors.New("its values are damaged")
			}
			data = data[min(int(block/parts)*int(w)/8, len(data)):]
			left -= int64(block / parts)
		}
	}
	return data, nil
}
