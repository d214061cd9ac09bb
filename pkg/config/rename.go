package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/internal/tempfile"
)

// A rename changes two stores, one after the other. It first writes a note to a file, so that the copy of the key that
// a killed process leaves can be found: a keyring cannot be searched for it.

// renaming is the note.
type renaming struct {
	Old     string `json:"old"`
	New     string `json:"new"`
	Storage string `json:"storage"`
}

const renameFile = "rename.json"

// locked runs do under the lock of the directory. Before that, it finishes a rename that a killed process has left.
func (s *Store) locked(do func() error) error {
	return withLock(s.dir, func() error {
		_ = s.finishRename() // the note stays, for the next time and for doctor
		return do()
	})
}

// noteRename writes the note; its caller holds the lock.
func (s *Store) noteRename(old, name, storage string) error {
	if before, err := s.pendingRename(); err != nil || before != nil {
		if err == nil {
			err = &Error{Kind: ErrStorage,
				Msg: fmt.Sprintf("the rename of profile %s to %s has not ended: a copy of its key cannot be removed "+
					"from %s", before.Old, before.New, s.keys(before.Storage).Where())}
		}
		return err
	}
	raw, err := json.Marshal(renaming{old, name, storage})
	if err != nil {
		return err
	}
	return tempfile.Write(filepath.Join(s.dir, renameFile), append(raw, '\n'))
}

// pendingRename reads the note; nil if there is none.
func (s *Store) pendingRename() (*renaming, error) {
	path := filepath.Join(s.dir, renameFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r renaming
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return nil, &Error{Kind: ErrStorage, File: path, Msg: "cannot be read", cause: err,
			hint: "it records a rename that was not finished; remove it, and look for a copy of the key under a " +
				"former name"}
	}
	return &r, nil
}

// finishRename removes the copy of the key that has no profile, and the note; its caller holds the lock.
func (s *Store) finishRename() error {
	r, err := s.pendingRename()
	if err != nil || r == nil {
		return err
	}
	c, err := s.load()
	if err != nil {
		return err
	}
	for _, name := range []string{r.Old, r.New} {
		if c.find(name) != nil {
			continue
		}
		if err := s.keys(r.Storage).Delete(name); err != nil {
			return err
		}
	}
	return os.Remove(filepath.Join(s.dir, renameFile))
}

// PendingRename returns the names of a rename that a killed process has left unfinished; "" if there is none.
func (s *Store) PendingRename() (old, name string, err error) {
	r, err := s.pendingRename()
	if r == nil {
		return "", "", err
	}
	return r.Old, r.New, err
}
