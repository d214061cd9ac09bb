package rowfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Misnamed returns an error for a file that is known by its first four bytes to be in another format than that of its
// name.
func Misnamed(head []byte, named Form) error {
	switch form := FormOf(head); {
	case form == OldWorkbook:
		return ErrOldWorkbook
	case form == Parquet && named != Parquet:
		return errors.New("it is a Parquet file, but its name has the extension of another format")
	case form == Workbook && named != Workbook:
		return errors.New("it is a workbook, but its name has the extension of another format")
	}
	return nil
}

// OpenText reads the text of a file, whatever its compression and encoding are: decompressed, in UTF-8 and without a
// byte order mark. packed is set if the name of the file is that of a compressed one. The reader has a buffer of at
// least size bytes.
func OpenText(src io.Reader, packed bool, size int) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(src, size)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := Misnamed(head, Text); err != nil {
		return nil, err
	}
	packing := PackingOf(head)
	if packed && packing == NotPacked {
		return nil, errors.New("it is not compressed, although its file extension says so")
	}
	if packing != NotPacked {
		plain, err := packing.Open(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReaderSize(plain, size)
	}
	start, _ := b.Peek(64) // an error is returned again by later reads
	if coding, _ := CodingOf(start); coding != UTF8 {
		return bufio.NewReaderSize(coding.Decode(io.NopCloser(b)), max(size, Window)), nil
	}
	SkipMark(b)
	return b, nil
}

// SkipMark skips a byte order mark.
func SkipMark(b *bufio.Reader) {
	if start, _ := b.Peek(len(Mark)); bytes.Equal(start, []byte(Mark)) {
		_, _ = b.Discard(len(Mark)) // its existence was just checked
	}
}
