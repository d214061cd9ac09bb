package sharing

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/gofrs/flock"
)

// Two locks guard the file of a project. "lock" is held by the process that changes the file. "readers.N", where N is
// the number of the file (its inode), is shared by those that read that file, and held exclusively by the one that
// changes it. Neither waits long for the other: a writer that finds readers leaves them the file and continues with a
// copy under the same name, which has another number (leaveToReaders); a reader that finds a writer reads a copy of
// what is committed (snapshot.go). A process that is killed or stopped while it reads therefore blocks no other
// process.

const (
	readersName = "readers."
	MovingName  = "moving" // the copy, until it has the name of the data file

	Poll            = 2 * time.Millisecond
	readersPatience = 30 * time.Millisecond // how long a writer waits for readers before it leaves them the file
	WriterPatience  = 60 * time.Millisecond // how long a reader waits for a writer before it reads a copy
	// bytes per second; waiting is better than copying, for about as long as a copy takes
	copyRate    = 1 << 30
	maxPatience = time.Second
)

// PatienceFor returns how long a process waits for another one before it copies a file of this size.
func PatienceFor(least time.Duration, size int64) time.Duration {
	return min(least+time.Duration(float64(size)/copyRate*float64(time.Second)), maxPatience)
}

func ReadersLock(dir string, file fs.FileInfo) *flock.Flock {
	return flock.New(filepath.Join(dir, readersName+FileNumber(file)), flock.SetPermissions(0o600))
}

// OwnFile returns the exclusive lock of a project's data file for the holder of the project's lock. It is nil if there
// is no file.
func OwnFile(ctx context.Context, dir string, o *engine.Options) (*flock.Flock, error) {
	path := filepath.Join(dir, DataFile)
	began := time.Now()
	var watch readersWatch
	for turn := 0; ; turn++ {
		if turn == 1 {
			defer o.HasWaited(began)
		}
		st, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		l := ReadersLock(dir, st)
		ok, err := l.TryLock()
		if ok {
			sweepHolders(dir, st)
			return l, nil
		}
		_ = l.Close()
		if err != nil {
			return nil, err
		}
		waited := time.Since(began)
		if waited > PatienceFor(readersPatience, st.Size()) && copyable(dir, st.Size()) {
			return leaveToReaders(dir, st)
		}
		if err := watch.look(dir, st, o, began); err != nil {
			return nil, err
		}
		if retry.Sleep(ctx, Poll) != nil {
			return nil, engine.Ended(ctx, nil)
		}
	}
}

// copyable reports whether a writer may copy the file instead of waiting for its readers: the disk has room, and the
// log is empty.
func copyable(dir string, size int64) bool {
	return Replaceable && !Logged(dir) && RoomFor(dir, size)
}

// RoomFor reports whether a disk has room for a copy, and for what other processes write meanwhile.
func RoomFor(dir string, size int64) bool {
	free, ok := tempfile.FreeSpace(dir)
	return !ok || free > size+size/4
}

// Logged reports whether a project's file has a log: changes that are not in the file yet. If there is no writer, a
// killed one has left it.
func Logged(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, DataFile+".wal"))
	return err == nil && st.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// leaveToReaders replaces the data file by a copy, and returns the lock of the copy. Processes that read the former
// file keep it until they close it. The copy is complete on the disk before it gets the name.
func leaveToReaders(dir string, was fs.FileInfo) (_ *flock.Flock, err error) {
	path, moving := filepath.Join(dir, DataFile), filepath.Join(dir, MovingName)
	if err := CopyFile(moving, path, was.Mode().Perm()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(moving))
	}
	st, err := os.Stat(moving)
	if err != nil {
		return nil, err
	}
	l := ReadersLock(dir, st)
	if ok, err := l.TryLock(); !ok || err != nil {
		return nil, errors.Join(errors.New("the copy of the data file is locked by another process"), err, l.Close(),
			os.Remove(moving))
	}
	if err := tempfile.SyncDir(dir); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(moving))
	}
	if err := os.Rename(moving, path); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(moving))
	}
	if err := tempfile.SyncDir(dir); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	_ = os.Remove(ReadersLock(dir, was).Path())
	return l, nil
}

// CopyFile copies a file and syncs the copy. Where the file system can, the copy shares the blocks.
func CopyFile(to, from string, perm fs.FileMode) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err = io.Copy(out, in); err != nil {
		if faults.NoSpace(err.Error()) {
			return faults.DiskFull(err)
		}
		return err
	}
	return out.Sync()
}

// sweepHolders removes the locks of files that were replaced and are not read any more. The caller holds the project's
// lock.
func sweepHolders(dir string, now fs.FileInfo) {
	left, _ := filepath.Glob(filepath.Join(dir, readersName+"*"))
	for _, path := range left {
		if filepath.Base(path) == readersName+FileNumber(now) {
			continue
		}
		l := flock.New(path)
		if ok, _ := l.TryLock(); ok {
			_ = os.Remove(path)
		}
		_ = l.Close()
	}
}
