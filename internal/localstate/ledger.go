package localstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Ledger is a file of records by key. A record that was written survives a crash.
type Ledger[T any] struct {
	path string
	old  []string           // paths of earlier releases, read if path does not exist
	trim func(map[string]T) // limits the records, may be nil
}

// Path returns the path of the file.
func (l *Ledger[T]) Path() string { return l.path }

// Read returns all records. An unreadable ledger is an error: without it, it is unknown what was done.
func (l *Ledger[T]) Read() (map[string]T, error) {
	notes, err := readNotes[T](l.path)
	if !errors.Is(err, fs.ErrNotExist) {
		return notes, err
	}
	notes = map[string]T{}
	for _, path := range l.old {
		was, err := readNotes[T](path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for k, v := range was {
			notes[k] = v
		}
	}
	return notes, nil
}

func readNotes[T any](path string) (map[string]T, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	notes := map[string]T{}
	if err := json.Unmarshal(raw, &notes); err != nil {
		return nil, fmt.Errorf("%s is corrupt: %w", path, err)
	}
	return notes, nil
}

// Put writes a record.
func (l *Ledger[T]) Put(key string, note T) error { return l.Begin(context.Background(), key, note) }

// Begin writes a record, unless ctx ends before it could.
func (l *Ledger[T]) Begin(ctx context.Context, key string, note T) error {
	return l.change(ctx, func(notes map[string]T) bool { notes[key] = note; return true })
}

// Remove deletes a record.
func (l *Ledger[T]) Remove(key string) error {
	return l.change(context.Background(), func(notes map[string]T) bool {
		_, known := notes[key]
		delete(notes, key)
		return known
	})
}

// change reads the records, lets fn change them and writes them if fn returns true, while it excludes all other
// processes.
func (l *Ledger[T]) change(ctx context.Context, fn func(map[string]T) bool) error {
	if err := os.MkdirAll(filepath.Dir(l.path), private); err != nil {
		return err
	}
	lock := flock.New(l.path+".lock", flock.SetPermissions(0o600))
	defer lock.Close()
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(wait, 20*time.Millisecond); ctx.Err() != nil && err != nil {
		return ctx.Err()
	} else if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("another process has locked %s for %v; end it", lock.Path(), lockWait)
	} else if err != nil {
		return err
	}
	notes, err := l.Read()
	if err != nil {
		return err
	}
	if !fn(notes) {
		return nil
	}
	if l.trim != nil {
		l.trim(notes)
	}
	raw, err := json.Marshal(notes)
	if err != nil {
		return err
	}
	return WriteFile(l.path, raw)
}
