package localstate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Journal is a file of lines to which processes append. It is bounded: when it has reached half of the limit it becomes
// the file of older lines, which is dropped.
type Journal struct {
	path, old string
	half      int64
}

// lockWait is how long an append waits for that of another process, which may have been stopped.
const lockWait = 5 * time.Second

// NewJournal returns the journal of a state directory that holds at most limit bytes.
func NewJournal(stateDir string, limit int64) *Journal {
	dir := filepath.Join(stateDir, "journal")
	return &Journal{path: filepath.Join(dir, "changes.jsonl"), old: filepath.Join(dir, "changes.1.jsonl"),
		half: limit / 2}
}

// Append adds a line, which must not contain a line break. After an error no part of the line remains in the file.
func (j *Journal) Append(line []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(j.path), private); err != nil {
		return err
	}
	lock := flock.New(j.path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 2*time.Millisecond); err != nil {
		return fmt.Errorf("%s is locked by another process: %w", j.path, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, size, err := j.open(int64(len(line)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line = append(line[:len(line):len(line)], '\n')
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' { // the last line was not completed by a killed process
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := f.WriteAt(line, size); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return nil
}

// open opens the file for another line, and starts a new one if this one is full.
func (j *Journal) open(more int64) (*os.File, int64, error) {
	for {
		if err := regular(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, err
		}
		f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, 0, err
		}
		st, err := f.Stat()
		if err == nil && st.Mode().Perm()&0o077 != 0 {
			err = f.Chmod(0o600)
		}
		if err != nil {
			return nil, 0, errors.Join(err, f.Close())
		}
		if st.Size() == 0 || st.Size()+more+2 <= j.half {
			return f, st.Size(), nil
		}
		if err := errors.Join(f.Close(), os.Rename(j.path, j.old)); err != nil {
			return nil, 0, err
		}
	}
}

// regular returns an error for anything but a regular file: opening a named pipe would not end.
func regular(path string) error {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// Read calls each for every whole line, the oldest first.
func (j *Journal) Read(each func(line []byte)) (err error) {
	files, err := j.files()
	for _, f := range files {
		defer func() { err = errors.Join(err, f.Close()) }()
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		r := bufio.NewReader(f)
		for {
			line, err := r.ReadBytes('\n')
			if err == io.EOF { // a line that a killed process has not completed
				break
			}
			if err != nil {
				return err
			}
			each(line[:len(line)-1])
		}
	}
	return nil
}

// files opens the files that exist, the older one first. A process may replace it meanwhile: then both are the same
// file.
func (j *Journal) files() (files []*os.File, err error) {
	for {
		files = nil
		for _, path := range []string{j.path, j.old} {
			err := regular(path)
			var f *os.File
			if err == nil {
				f, err = os.Open(path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return files, err
			}
			files = append([]*os.File{f}, files...)
		}
		if len(files) < 2 {
			return files, nil
		}
		a, errA := files[0].Stat()
		b, errB := files[1].Stat()
		if err := errors.Join(errA, errB); err != nil || !os.SameFile(a, b) {
			return files, err
		}
		if err := errors.Join(files[0].Close(), files[1].Close()); err != nil {
			return nil, err
		}
	}
}
