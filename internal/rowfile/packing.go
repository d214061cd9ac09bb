// Package rowfile has the common parts of readers of files of rows, for imports and for files that are sources:
// compression, encoding, delimiters and line endings, and the sheets of workbooks.
package rowfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Window is the usual number of bytes of a read.
const Window = csv.Window

// Packing is the compression of a file.
type Packing uint8

// The compressions.
const (
	NotPacked Packing = iota
	Gzip
	Zstandard
)

// packingOf detects the compression of a file from its first four bytes.
func packingOf(head []byte) Packing {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstandard
	}
	return NotPacked
}

// maxWindow limits what a decompressor of zstd remembers: 128 MiB, as of the program zstd.
const maxWindow = 128 << 20

// Open decompresses src.
func (p Packing) Open(src io.Reader) (io.ReadCloser, error) {
	switch p {
	case Gzip:
		z, err := gzip.NewReader(bufio.NewReaderSize(src, Window))
		if err != nil {
			return nil, cutOff("gzip", err)
		}
		return &unpacker{in: z, name: "gzip"}, nil
	case Zstandard:
		z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return &unpacker{in: z.IOReadCloser(), name: "zstd"}, nil
	}
	return io.NopCloser(src), nil
}

// unpacker marks its errors as errors of the compressed data. A panic of the decompressor is one too.
type unpacker struct {
	in   io.ReadCloser
	name string
	err  error
}

func (u *unpacker) Read(p []byte) (n int, err error) {
	if u.err != nil {
		return 0, u.err
	}
	if panicked := safely.Run(func() { n, err = u.in.Read(p) }); panicked != nil {
		n, err = 0, errUnreadable
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = cutOff(u.name, err)
		u.err = err
	}
	return n, err
}

// Close ignores an error of the data, which Read has returned.
func (u *unpacker) Close() error {
	err := u.in.Close()
	var file *fs.PathError
	if errors.As(err, &file) {
		return err
	}
	return nil
}

var errUnreadable = errors.New("the decompressor failed")

func cutOff(name string, err error) error {
	var file *fs.PathError // of the file itself, not of what is in it
	switch {
	case err == nil || errors.As(err, &file):
		return err
	case name == "gzip" && errors.Is(err, gzip.ErrHeader):
		return &PackedError{"its gzip data is followed by something else"}
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return &PackedError{fmt.Sprintf("its zstd data needs a window of more than %d MiB, which is not supported",
			maxWindow>>20)}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return &PackedError{fmt.Sprintf("its %s data is damaged: the checksum does not match", name)}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &PackedError{fmt.Sprintf("the file ends in the middle of its %s data: it was cut off", name)}
	}
	return &PackedError{fmt.Sprintf("its %s data is damaged", name)}
}

// PackedError is an error in the compressed data of a file.
type PackedError struct{ reason string }

func (e *PackedError) Error() string { return e.reason }
