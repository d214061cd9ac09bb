package parquet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// seedRow has a column of each physical type, in each encoding of the library.
type seedRow struct {
	Flag   *bool                 `parquet:"flag,optional"`
	Small  int32                 `parquet:"small,delta"`
	Big    int64                 `parquet:"big,delta"`
	Price  int64                 `parquet:"price,decimal(2:18)"`
	Real   float32               `parquet:"real,split"`
	Double float64               `parquet:"double,split"`
	Plain  float64               `parquet:"plain"`
	When   time.Time             `parquet:"when,timestamp(nanosecond)"`
	Code   string                `parquet:"code,dict"`
	Text   string                `parquet:"text,delta"`
	Length []byte                `parquet:"length,delta"`
	Fixed  [16]byte              `parquet:"fixed,uuid"`
	Odd    *string               `parquet:"odd,optional"`
	List   []int64               `parquet:"list,list"`
	Pairs  map[string]int32      `parquet:"pairs"`
	Group  struct{ A, B *int32 } `parquet:"group"`
}

// seedParquet writes a small file.
func seedParquet(f testing.TB, n int, o ...parquet.WriterOption) []byte {
	f.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[seedRow](&b, o...)
	for i := range n {
		flag, odd, a := i%3 == 0, "odd", int32(i)
		r := seedRow{Small: int32(i * i), Big: int64(i) << 33, Price: int64(i) * 101, Real: 1.5, Double: float64(i),
			Plain: -0.25, When: time.Unix(int64(i), 123456789).UTC(), Code: []string{"x", "yy"}[i%2], Text: "text",
			Length: []byte{1, 2}}
		if i%2 == 0 {
			r.Flag, r.Odd, r.List, r.Pairs = &flag, &odd, []int64{1, 2}, map[string]int32{"k": 1}
			r.Group.A = &a
		}
		if _, err := w.Write([]seedRow{r}); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// FuzzParquet reads files of Parquet: whatever the bytes are, the result is rows or an error.
func FuzzParquet(f *testing.F) {
	for _, pattern := range []string{"../../../pkg/gateway/connector/files/testdata/*.parquet",
		"../../../cmd/testdata/files/*.parquet"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			if raw, err := os.ReadFile(name); err == nil && len(raw) < 20<<10 {
				f.Add(raw)
			}
		}
	}
	f.Add(seedParquet(f, 5))
	f.Add(seedParquet(f, 200, parquet.DataPageVersion(1)))
	f.Add(seedParquet(f, 3, parquet.Compression(&parquet.Snappy)))
	f.Add(seedParquet(f, 3, parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)))
	f.Add(seedParquet(f, 3, parquet.Compression(&parquet.Gzip)))
	f.Add(seedParquet(f, 3, parquet.Compression(&parquet.Brotli)))
	f.Add(seedParquet(f, 3, parquet.Compression(&parquet.Lz4Raw)))
	f.Fuzz(func(t *testing.T, in []byte) {
		p, err := Open(bytes.NewReader(in), int64(len(in)))
		if err != nil {
			return
		}
		cols, err := p.Columns(t.Context())
		if err != nil {
			return
		}
		for i := range cols { // one after another, because an error of one would hide the others
			b, err := p.Read(cols[i:i+1], -1)
			if err != nil {
				continue
			}
			for range 20 {
				if _, err = b.Next(t.Context()); err != nil {
					break
				}
			}
			if errors.Is(err, io.EOF) {
				_, _ = b.Next(t.Context())
			}
			_ = b.Close()
		}
	})
}
