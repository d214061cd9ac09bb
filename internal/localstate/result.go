package localstate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/dig-cli/dig/internal/tempfile"
)

// The file of a result has the document as received, then what is known about it as JSON, then the length of that in 8
// bytes and resultMagic, whose last character is the version. The file is written under another name and renamed, so it
// is always complete.
const resultMagic = "digkept1"

// errResult is the error for a file that does not have this form.
var errResult = errors.New("the stored result is corrupt")

// CommitResult appends info to the document in f, a file of tempfile.Create, and renames it to path.
func CommitResult(f *os.File, path string, info any) error {
	var about bytes.Buffer
	enc := json.NewEncoder(&about)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(info); err != nil {
		return err
	}
	raw := bytes.TrimRight(about.Bytes(), "\n")
	raw = binary.BigEndian.AppendUint64(raw, uint64(len(raw)))
	if _, err := f.Write(append(raw, resultMagic...)); err != nil {
		return err
	}
	return tempfile.Commit(f, path)
}

// ReadResult decodes info from the end of the file of a result, and returns the length of the document before it. whole
// reports whether a document of that length can belong to info.
func ReadResult(f *os.File, info any, whole func(size int64) bool) (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	end := make([]byte, 8+len(resultMagic))
	at := st.Size() - int64(len(end))
	if at < 0 {
		return 0, errResult
	}
	if _, err := f.ReadAt(end, at); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint64(end)
	if !bytes.HasSuffix(end, []byte(resultMagic)) || n > uint64(at) {
		return 0, errResult
	}
	raw := make([]byte, n)
	size := at - int64(n)
	if _, err := f.ReadAt(raw, size); err != nil {
		return 0, err
	}
	if err := json.Unmarshal(raw, info); err != nil || !whole(size) {
		return 0, errResult
	}
	return size, nil
}

// Spool collects a document while it is read: in memory at first, then in a file. It never fails its reader.
type Spool struct {
	N   int64 // bytes of the document so far, kept or not
	Err error // why the document is not kept

	held   int
	limit  int64
	beyond error
	create func() (io.Writer, error)
	mem    []byte
	file   io.Writer
}

// NewSpool returns a spool that holds some bytes in memory. create opens the file for a larger document. Err is beyond
// for one that is larger than limit.
func NewSpool(held int, limit int64, beyond error, create func() (io.Writer, error)) *Spool {
	return &Spool{held: held, limit: limit, beyond: beyond, create: create}
}

// Add appends p, and reports whether the document is still kept. The file may be removed when it is not.
func (s *Spool) Add(p []byte) bool {
	s.N += int64(len(p))
	switch {
	case s.Err != nil:
	case s.N > s.limit:
		s.Err = s.beyond
	case s.file == nil && len(s.mem)+len(p) <= s.held:
		s.mem = append(s.mem, p...)
	default:
		if s.Err = s.Flush(); s.Err == nil {
			_, s.Err = s.file.Write(p)
		}
	}
	if s.Err != nil {
		s.mem = nil
	}
	return s.Err == nil
}

// Flush moves the bytes in memory to the file, which it creates if there is none.
func (s *Spool) Flush() (err error) {
	if s.file != nil {
		return nil
	}
	if s.file, err = s.create(); err != nil {
		s.file = nil
		return err
	}
	_, err = s.file.Write(s.mem)
	s.mem = nil
	return err
}

// Memory returns the document unless it is in the file.
func (s *Spool) Memory() []byte { return s.mem }
