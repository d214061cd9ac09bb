// Package files has the files of exports: in a folder, or in a bucket of an object store that speaks S3.
package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Files has the files of exports, by the ids of their jobs.
type Files interface {
	// Create begins a file, which nobody sees before it is committed.
	Create(ctx context.Context, id string) (File, error)
	// Open opens a file that is complete. The error of one that does not exist is fs.ErrNotExist.
	Open(ctx context.Context, id string) (Content, error)
	// Remove removes a file, and what a process that was killed has left of it. It need not exist.
	Remove(ctx context.Context, id string) error
	// Sweep removes the files without a job. live reports for each job that may have a file whether it has ended; it is
	// asked after the files are listed, so that the job of each is included.
	Sweep(ctx context.Context, live func(context.Context) (map[string]bool, error)) error
}

// File is written. Abort drops what is not committed.
type File interface {
	io.Writer
	Commit(ctx context.Context) error
	Abort() error
}

// Content is read.
type Content interface {
	io.ReadSeekCloser
	Made() time.Time
}

// Folder has them in a directory.
type Folder struct {
	Dir     string
	SyncDir func(dir string) error // makes the names in a directory durable
}

// partial is the suffix of the name of a file that is being written.
const partial = ".partial"

func (d *Folder) path(id string) string { return filepath.Join(d.Dir, id) }

type folderFile struct {
	*os.File
	in *Folder
	id string
}

func (d *Folder) Create(_ context.Context, id string) (File, error) {
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(d.path(id)+partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &folderFile{f, d, id}, nil
}

func (f *folderFile) Commit(context.Context) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.in.path(f.id)); err != nil {
		return err
	}
	// the job is recorded as done next, which must not be durable before the file's name is
	return f.in.SyncDir(f.in.Dir)
}

func (f *folderFile) Abort() error {
	if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return gone(os.Remove(f.Name()))
}

type folderContent struct {
	*os.File
	made time.Time
}

func (c folderContent) Made() time.Time { return c.made }

func (d *Folder) Open(_ context.Context, id string) (Content, error) {
	f, err := os.Open(d.path(id))
	if err != nil {
		return nil, err
	}
	made, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return folderContent{f, made.ModTime()}, nil
}

func (d *Folder) Remove(_ context.Context, id string) error {
	return errors.Join(gone(os.Remove(d.path(id))), gone(os.Remove(d.path(id)+partial)))
}

func (d *Folder) Sweep(ctx context.Context, live func(context.Context) (map[string]bool, error)) error {
	files, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ended, err := live(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		id, part := strings.CutSuffix(f.Name(), partial)
		if done, live := ended[id]; live && !(done && part) {
			continue
		}
		if err := gone(os.Remove(d.path(f.Name()))); err != nil {
			return err
		}
	}
	return nil
}

// gone is the error of a removal, nil if there was nothing.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
