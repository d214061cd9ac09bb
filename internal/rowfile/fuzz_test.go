package rowfile

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FuzzPacked reads compressed texts: whatever the bytes are, the result is a text or an error.
func FuzzPacked(f *testing.F) {
	text := []byte("a,b\n1,x\n2,yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n")
	var g bytes.Buffer
	z := gzip.NewWriter(&g)
	_, _ = z.Write(text)
	_ = z.Close()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(g.Bytes())
	f.Add(append(g.Bytes(), g.Bytes()...))
	f.Add(e.EncodeAll(text, nil))
	f.Add(e.EncodeAll(bytes.Repeat(text, 1000), nil))
	f.Add([]byte("\xff\xfea\x00,\x00"))
	f.Add(text)
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := OpenText(bytes.NewReader(in), false, Window)
		if err != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, r, 4<<20)
	})
}
