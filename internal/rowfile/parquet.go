package rowfile

import (
	"errors"

	"github.com/parquet-go/parquet-go/format"
)

// RefuseCodecs returns an error for a Parquet file that the library (parquet-go 0.32.0) reads as other values: it decompresses larger pages of
// LZ4 to other bytes.
func RefuseCodecs(about *format.FileMetaData) error {
	for _, g := range about.RowGroups {
		for _, c := range g.Columns {
			if c.MetaData.Codec == format.Lz4Raw {
				return errors.New("it is compressed with LZ4, which is not supported; snappy, gzip, zstd and brotli are")
			}
		}
	}
	return nil
}
