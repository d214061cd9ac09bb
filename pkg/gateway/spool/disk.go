package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// segment is the size of one file: the space of bytes that were read is released in this unit.
const segment = 32 << 20

// disk is a queue of bytes in files. They have no names where that is possible, so that they end with the process;
// elsewhere the next process that needs such a directory removes them.
type disk struct {
	dir    string
	done   func()
	files  []*file
	limit  int64
	unread int64
}

type file struct {
	*tempfile.Unnamed
	written, read int64
}

func newDisk(limit int64) (*disk, error) {
	dir, done, err := tempfile.MkdirTemp("dig-spool-")
	if err != nil {
		return nil, failed(os.TempDir(), err)
	}
	if free, ok := tempfile.FreeSpace(dir); ok {
		limit = min(limit, max(free/2, segment)) // other programs use the disk too
	}
	return &disk{dir: dir, done: done, limit: limit}, nil
}

func failed(dir string, err error) error {
	e := &engine.Error{Kind: engine.KindInternal, Err: err,
		Message: fmt.Sprintf("storing unread parts of the result in %s: %v", dir, err)}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		e.Kind = engine.KindFull
		e.Message = fmt.Sprintf("no space is left on the disk of %s, which holds unread parts of the result", dir)
	}
	return e
}

// put appends to the last file.
func (d *disk) put(b []byte) (int, error) {
	if len(d.files) == 0 || d.files[len(d.files)-1].written >= segment {
		f, err := tempfile.CreateUnnamed(d.dir, "")
		if err != nil {
			return 0, failed(d.dir, err)
		}
		d.files = append(d.files, &file{Unnamed: f})
	}
	f := d.files[len(d.files)-1]
	n, err := f.WriteAt(b[:min(int64(len(b)), segment-f.written)], f.written)
	f.written += int64(n)
	d.unread += int64(n)
	if err != nil {
		return n, failed(d.dir, err)
	}
	return n, nil
}

// take reads from the first file, which is closed at its end.
func (d *disk) take(b []byte) (int, error) {
	f := d.files[0]
	n, err := f.ReadAt(b[:min(int64(len(b)), f.written-f.read)], f.read)
	if err == io.EOF && n > 0 {
		err = nil
	}
	f.read += int64(n)
	d.unread -= int64(n)
	if err != nil {
		return n, failed(d.dir, err)
	}
	if f.read == segment {
		d.files = d.files[1:]
		if err := f.Close(); err != nil {
			return n, failed(d.dir, err)
		}
	}
	return n, nil
}

func (d *disk) remove() error {
	var errs []error
	for _, f := range d.files {
		errs = append(errs, f.Close())
	}
	d.files, d.unread = nil, 0
	d.done()
	return errors.Join(errs...)
}
