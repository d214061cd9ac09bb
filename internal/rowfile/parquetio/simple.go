package parquetio

import (
	"bufio"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// simple are the encodings whose decoders in other readers check what they read: those of differences do not in all.
var simple = []format.Encoding{format.Plain, plainDictionary, format.RLE, format.RLEDictionary, format.ByteStreamSplit}

// Simple reports whether the pages of a leaf have only simple encodings, follow each other, have as many values as they
// should and the checksums that they state. Their values are not looked at.
func (f *File) Simple(leaf int) bool {
	in := bufio.NewReaderSize(nil, 512)
	var buf []byte
	for _, g := range f.footer.chunks {
		if !f.simplePages(in, g[leaf], &buf) {
			return false
		}
	}
	return true
}

func (f *File) simplePages(in *bufio.Reader, k chunk, buf *[]byte) bool {
	values, dictionary := int64(0), false
	for at := int64(0); at < k.size; {
		in.Reset(io.NewSectionReader(f.in, k.first+at, k.size-at))
		h, n, err := readHeader(in)
		if err != nil || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 ||
			h.UncompressedPageSize > mostPage || int64(h.CompressedPageSize) > k.size-at-n {
			return false
		}
		encoding := format.Plain
		switch {
		case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid && at == 0:
			encoding, dictionary = h.DictionaryPageHeader.V.Encoding, true
		case h.Type == format.DataPage && h.DataPageHeader.Valid:
			encoding = h.DataPageHeader.V.Encoding
			values += int64(max(h.DataPageHeader.V.NumValues, 0))
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
			v := &h.DataPageHeaderV2.V
			encoding = v.Encoding
			values += int64(max(v.NumValues, 0))
			if v.DefinitionLevelsByteLength < 0 || v.RepetitionLevelsByteLength != 0 ||
				v.DefinitionLevelsByteLength > min(h.CompressedPageSize, h.UncompressedPageSize) {
				return false
			}
		default:
			return false
		}
		if !slices.Contains(simple, encoding) || !dictionary && (encoding == plainDictionary ||
			encoding == format.RLEDictionary) {
			return false
		}
		if h.CRC == 0 && k.codec == format.Gzip { // whose checksum others do not compare
			return false
		}
		if h.CRC != 0 {
			*buf = slices.Grow((*buf)[:0], int(h.CompressedPageSize))[:h.CompressedPageSize]
			if _, err := f.in.ReadAt(*buf, k.first+at+n); err != nil || uint32(h.CRC) != crc32.ChecksumIEEE(*buf) {
				return false
			}
		}
		at += n + int64(h.CompressedPageSize)
	}
	return values == k.values
}
