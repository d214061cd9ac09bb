package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that appears under its name only when complete. It is written under a temporary name in the same directory.
type File struct {
	f    *os.File
	path string
	mode fs.FileMode // of the file to be replaced, 0 when there is none
	done bool
}

// Create begins a file. A path that exists and is no regular file (a device, a named pipe) is opened and written directly, since
// nothing can be renamed over it. The temporary name begins with a dot and ends in .partial.
func Create(path string) (*File, error) {
	mode := fs.FileMode(0)
	target := path
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a directory", path)
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &File{f: f}, err
		}
		mode = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(path); err != nil { // keep a link, replace what it points to
			return nil, err
		}
	}
	// os.CreateTemp would make it 0600 whatever the umask says. What replaces a file is no more open than it from the beginning.
	perm := fs.FileMode(0o666)
	if mode != 0 {
		perm = mode
	}
	name := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+"."+rand.Text()[:10]+".partial")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, named(err, name, path)
	}
	return &File{f: f, path: target, mode: mode}, nil
}

// named makes an error about the temporary name one about the name that the user gave.
func named(err error, temporary, path string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && pe.Path == temporary {
		return &fs.PathError{Op: pe.Op, Path: path, Err: pe.Err}
	}
	return err
}

func (f *File) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	if err != nil && f.path != "" {
		err = named(err, f.f.Name(), f.path)
	}
	return n, err
}

// Commit makes the content durable and gives the file its name, replacing what had it. On an error nothing is left behind.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	if f.path == "" {
		return f.f.Close()
	}
	err := f.f.Sync()
	if err == nil && f.mode != 0 {
		err = f.f.Chmod(f.mode)
	}
	if closing := f.f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.f.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(f.f.Name())))
	}
	return syncDir(filepath.Dir(f.path))
}

// Abort removes what was written. After Commit it does nothing, so it can be deferred.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	if f.path == "" {
		return f.f.Close()
	}
	return errors.Join(f.f.Close(), ignoreMissing(os.Remove(f.f.Name())))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
