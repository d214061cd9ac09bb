package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/internal/pipe"
	"github.com/dig-cli/dig/internal/tempfile"
)

// File is a file that appears under its name only when complete. It is written under a temporary name in the same
// directory.
type File struct {
	f    *os.File
	pipe io.WriteCloser // instead of f: a named pipe or a device
	path string
	mode fs.FileMode // mode of the file to be replaced, 0 if there is none
	done bool
}

// Create starts a file. If path exists and is not a regular file (a device, a named pipe), it is opened and written
// directly, since nothing can be renamed over it. The temporary name starts with a dot and ends in .partial; such files
// left by terminated processes in the same directory are removed.
func Create(path string) (*File, error) { return CreateContext(context.Background(), path) }

// CreateContext is Create; when the context ends it no longer waits for the reader of a named pipe.
func CreateContext(ctx context.Context, path string) (*File, error) {
	mode := fs.FileMode(0)
	target := path
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a directory", path)
		}
		if !info.Mode().IsRegular() {
			f, err := pipe.Open(ctx, path, os.O_WRONLY)
			return &File{pipe: f}, err
		}
		mode = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(path); err != nil { // keep a link, replace its target
			return nil, err
		}
	}
	// os.CreateTemp would use mode 0600 regardless of the umask. A replacement never has wider permissions than the
	// file it replaces.
	perm := fs.FileMode(0o666)
	if mode != 0 {
		perm = mode
	}
	tempfile.Sweep(filepath.Dir(target))
	f, err := tempfile.Create(target, perm)
	if err != nil {
		return nil, named(err, path)
	}
	return &File{f: f, path: target, mode: mode}, nil
}

// CheckFile reports why Create(path) would fail, and leaves nothing behind. "" means no file; anything but a regular
// file is not opened, since opening it may block or have effects.
func CheckFile(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Abort()
}

// named replaces the temporary name in an error by the name that the user gave.
func named(err error, path string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: path, Err: pe.Err}
	}
	return err
}

func (f *File) Write(p []byte) (int, error) {
	if f.pipe != nil {
		return f.pipe.Write(p)
	}
	n, err := f.f.Write(p)
	if err != nil && f.path != "" {
		err = named(err, f.path)
	}
	return n, err
}

// Commit syncs the content and renames the file to its final name, replacing an existing file. On an error nothing is
// left behind.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	if f.pipe != nil {
		return f.pipe.Close()
	}
	err := f.f.Sync()
	if err == nil && f.mode != 0 {
		err = f.f.Chmod(f.mode)
	}
	if err == nil {
		err = tempfile.Commit(f.f, f.path)
	}
	if err != nil {
		_ = f.f.Close()
		return errors.Join(err, tempfile.Remove(f.f.Name()))
	}
	return tempfile.SyncDir(filepath.Dir(f.path))
}

// Abort removes the file. After Commit it does nothing, so it can be deferred.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	if f.pipe != nil {
		return f.pipe.Close()
	}
	return errors.Join(f.f.Close(), tempfile.Remove(f.f.Name()))
}
