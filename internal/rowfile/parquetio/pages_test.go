package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

type number struct {
	N *int64 `parquet:"n,optional"`
}

func numbers(t *testing.T, n int, o ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[number](&b, o...)
	for i := range int64(n) {
		if _, err := w.Write([]number{{&i}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// leafOf is an optional column of 64-bit numbers.
func leafOf(t *testing.T) *parquet.Column {
	t.Helper()
	raw := numbers(t, 1)
	f, err := Open(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return f.leaves[0]
}

// TestPagesThatLie: sizes and numbers of a header that cannot be are errors, and nothing is allocated by them.
func TestPagesThatLie(t *testing.T) {
	two := func(h format.DataPageHeaderV2) thrift.Null[format.DataPageHeaderV2] { return thrift.New(h) }
	for name, h := range map[string]format.PageHeader{
		"more NULLs than values": {CompressedPageSize: 1, UncompressedPageSize: 1,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1, NumNulls: 9, DefinitionLevelsByteLength: 1})},
		"more rows than values": {CompressedPageSize: 1, UncompressedPageSize: 1,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1, NumRows: 9, DefinitionLevelsByteLength: 1})},
		"levels longer than a page": {CompressedPageSize: 9, UncompressedPageSize: 1,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1, DefinitionLevelsByteLength: 10})},
		"no levels": {CompressedPageSize: 9, UncompressedPageSize: 9,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1})},
		"a page longer than a chunk": {CompressedPageSize: 1 << 30, UncompressedPageSize: 1,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1})},
		"2^31-1 values": {CompressedPageSize: 9, UncompressedPageSize: 9,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1<<31 - 1, DefinitionLevelsByteLength: 1})},
		"-1 values": {CompressedPageSize: 9, UncompressedPageSize: 9,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: -1, DefinitionLevelsByteLength: 1})},
		"a size below zero": {CompressedPageSize: -1, UncompressedPageSize: 9,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1, DefinitionLevelsByteLength: 1})},
		"2 GiB decompressed": {CompressedPageSize: 9, UncompressedPageSize: 1<<31 - 1,
			DataPageHeaderV2: two(format.DataPageHeaderV2{NumValues: 1, DefinitionLevelsByteLength: 1})},
	} {
		h.Type = format.DataPageV2
		var compact thrift.CompactProtocol
		raw, err := thrift.Marshal(&compact, &h)
		if err != nil {
			t.Fatal(err)
		}
		about := chunk{codec: format.Snappy, size: int64(len(raw)) + 9}
		p := &pages{in: newSection(bytes.NewReader(append(raw, make([]byte, 9)...)), about), about: about,
			leaf: leafOf(t), unpack: &unpacker{}}
		if _, err := p.ReadAt(make([]byte, 100), virtualStart); err == nil || p.err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCodecs reads what the library writes with each codec, and blocks of LZ4 as Hadoop writes them.
func TestCodecs(t *testing.T) {
	for _, c := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed),
		parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd),
		parquet.Compression(&parquet.Brotli), parquet.Compression(&parquet.Lz4Raw)} {
		for version := 1; version <= 2; version++ {
			raw := numbers(t, 5000, c, parquet.DataPageVersion(version), parquet.PageBufferSize(4096))
			f, err := Open(bytes.NewReader(raw), int64(len(raw)))
			if err != nil || f.Rows != 5000 {
				t.Fatal(f, err)
			}
			v, err := f.Values(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			buf, at := make([]parquet.Value, 333), int64(0)
			for err == nil {
				var n int
				n, err = v.ReadValues(buf)
				for _, x := range buf[:n] {
					if x.Int64() != at {
						t.Fatalf("value %d is %d", at, x.Int64())
					}
					at++
				}
			}
			if at != 5000 || v.Close() != nil {
				t.Errorf("%d values, %v", at, err)
			}
		}
	}
	text := bytes.Repeat([]byte("0123456789"), 1000)
	packed := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	framed := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(text))), uint32(n))
	for _, in := range [][]byte{packed[:n], append(framed, packed[:n]...)} {
		if out, err := new(unpacker).all(lz4Hadoop, in, int32(len(text))); err != nil || !bytes.Equal(out, text) {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	}
	for _, codec := range []format.CompressionCodec{format.Snappy, format.Gzip, format.Zstd, format.Brotli,
		format.Lz4Raw, lz4Hadoop} {
		if _, err := new(unpacker).all(codec, []byte("no such thing at all"), 1<<29); !errors.Is(err, errCompressed) {
			t.Errorf("%v: %v", codec, err)
		}
	}
}

// TestFooters: each byte of the metadata of a file is changed, and each beginning of it is read. Nothing panics, and no
// message has the words of a library.
func TestFooters(t *testing.T) {
	raw := numbers(t, 3)
	try := func(in []byte) {
		f, err := Open(bytes.NewReader(in), int64(len(in)))
		if err == nil {
			var v parquet.ColumnChunkValueReader
			if len(f.RowGroups()) > 0 && len(f.leaves) > 0 {
				if v, err = f.Values(0, 0); err == nil {
					_, err = v.ReadValues(make([]parquet.Value, 10))
					_ = v.Close()
				}
			}
		}
		for _, word := range []string{"thrift", "index out of", "slice bounds", "runtime error", "FIELD<",
			"DecryptionConfig", "makeslice"} {
			if err != nil && strings.Contains(err.Error(), word) {
				t.Fatalf("%v", err)
			}
		}
	}
	for i := range raw {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, raw[i] ^ 0x10, raw[i] + 1} {
			in := bytes.Clone(raw)
			in[i] = b
			try(in)
		}
		try(raw[:i])
		try(append(bytes.Clone(raw[:i]), raw[len(raw)-8:]...))
	}
	for tail, want := range map[string]string{"PARE": "it is encrypted",
		"XXXX": "it does not end as a Parquet file does"} {
		in := append(bytes.Clone(raw[:len(raw)-4]), tail...)
		if _, err := Open(bytes.NewReader(in), int64(len(in))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", tail, err)
		}
	}
}

// TestPaddedTexts reads a page of NULL, "a", "" and NULL that is followed by the zeros that fastparquet writes.
func TestPaddedTexts(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[struct {
		S *string `parquet:"s,optional"`
	}](&b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	page := []byte("\x02\x00\x00\x00\x03\x06\x01\x00\x00\x00a\x00\x00\x00\x00")
	h := format.PageHeader{UncompressedPageSize: int32(len(page)) + 8, DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: 4, Encoding: format.Plain, DefinitionLevelEncoding: format.RLE})}
	p := &pages{leaf: f.leaves[0], unpack: &unpacker{}, about: chunk{codec: format.Uncompressed}}
	if err := p.openV1(&h, append(bytes.Clone(page), make([]byte, 8)...)); err != nil || !bytes.Equal(p.data, page) {
		t.Errorf("%q, %v", p.data, err)
	}
}
