package parquetio

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unpacker decompresses pages. It is not safe for concurrent use.
type unpacker struct {
	zstd *zstd.Decoder
	gzip *gzip.Reader
}

func (*unpacker) knows(c format.CompressionCodec) bool {
	switch c {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw, lz4Hadoop:
		return true
	}
	return false
}

// lz4Hadoop is the older codec LZ4: blocks with their sizes, as Hadoop writes them, or one block.
const lz4Hadoop format.CompressionCodec = 5

var (
	errTooLarge   = fmt.Errorf("it has more than %d MiB", mostPage>>20)
	errCompressed = errors.New("its compressed data is damaged")
)

// all decompresses data; size is how large the result should be.
func (u *unpacker) all(c format.CompressionCodec, data []byte, size int32) (out []byte, err error) {
	if size > mostPage {
		return nil, errTooLarge
	}
	size = max(size, 0)
	panicked := guard(func() error {
		out, err = u.decompress(c, data, int(size))
		return nil
	})
	if panicked != nil || err != nil && !errors.Is(err, errTooLarge) {
		return nil, errCompressed
	}
	return out, err
}

func (u *unpacker) decompress(c format.CompressionCodec, data []byte, size int) (out []byte, err error) {
	switch c {
	case format.Snappy:
		n, err := snappy.DecodedLen(data)
		if err != nil || n > 64*len(data)+64 { // more is not possible
			return nil, errCompressed
		}
		if n > mostPage {
			return nil, errTooLarge
		}
		return snappy.Decode(nil, data)
	case format.Lz4Raw:
		return lz4Block(data, size)
	case lz4Hadoop:
		if out, err := lz4Blocks(data, size); err == nil {
			return out, nil
		}
		return lz4Block(data, size)
	case format.Gzip:
		if u.gzip == nil {
			u.gzip = new(gzip.Reader)
		}
		if err := u.gzip.Reset(bytes.NewReader(data)); err != nil {
			return nil, err
		}
		return limited(u.gzip, len(data), size)
	case format.Zstd:
		if u.zstd == nil {
			if u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(128<<20)); err != nil {
				return nil, err
			}
		}
		if out, err = u.zstd.DecodeAll(data, make([]byte, 0, min(size, 32*len(data)))); !errors.Is(err,
			zstd.ErrDecoderSizeExceeded) {
			return out, err
		}
		if err := u.zstd.Reset(bytes.NewReader(data)); err != nil {
			u.zstd = nil
			return nil, err
		}
		if out, err = limited(u.zstd, len(data), size); err != nil {
			u.zstd = nil // its state is unknown
		}
		return out, err
	case format.Brotli:
		return limited(brotli.NewReader(bytes.NewReader(data)), len(data), size)
	}
	return data, nil
}

// limited reads all that a decompressor has.
func limited(in io.Reader, packed, size int) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, min(size, 32*packed)+bytes.MinRead))
	if _, err := out.ReadFrom(io.LimitReader(in, mostPage+1)); err != nil {
		return nil, err
	}
	if out.Len() > mostPage {
		return nil, errTooLarge
	}
	return out.Bytes(), nil
}

// lz4Block decompresses a block of LZ4.
func lz4Block(data []byte, size int) ([]byte, error) {
	if size > 255*len(data)+64 { // more is not possible
		return nil, errCompressed
	}
	out := make([]byte, size)
	if size == 0 {
		return out, nil
	}
	n, err := lz4.UncompressBlock(data, out)
	if err == nil && n != size {
		err = errCompressed
	}
	return out, err
}

// lz4Blocks decompresses blocks that follow their sizes, decompressed and compressed.
func lz4Blocks(data []byte, size int) ([]byte, error) {
	var out []byte
	for len(data) > 0 {
		if len(data) < 8 {
			return nil, errCompressed
		}
		plain, packed := int64(binary.BigEndian.Uint32(data)), int64(binary.BigEndian.Uint32(data[4:]))
		if data = data[8:]; packed > int64(len(data)) || int64(len(out))+plain > int64(size) {
			return nil, errCompressed
		}
		block, err := lz4Block(data[:packed], int(plain))
		if err != nil {
			return nil, err
		}
		out, data = append(out, block...), data[packed:]
	}
	if len(out) != size {
		return nil, errCompressed
	}
	return out, nil
}
