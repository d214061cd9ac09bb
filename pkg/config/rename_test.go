package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

// TestRenameByCase: the key of a profile survives a new name that differs only by case, in each storage.
func TestRenameByCase(t *testing.T) {
	keyring.MockInit()
	for _, storage := range []string{"file", "keyring"} {
		s := openStore(t, env("DIG_KEY_STORAGE", storage, "DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent"))
		if _, err := s.Add(Profile{Name: "work", Zone: "eu"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, names := range [][2]string{{"work", "Work"}, {"Work", "job"}, {"job", "Job"}} {
			if err := s.Rename(names[0], names[1]); err != nil {
				t.Fatal(storage, err)
			}
			p, err := s.Get(names[1])
			if err != nil {
				t.Fatal(storage, err)
			}
			if k, err := s.Key(p); err != nil || k.Key.Reveal() != hostedKey {
				t.Errorf("%s: after %s to %s the key is %v, %v", storage, names[0], names[1], k, err)
			}
		}
	}
	s := newKeyringStore("/settings", func(string) string { return "" })
	if s.account("Work") != s.account("work") {
		t.Error("names that differ only by case have two entries, which some keyrings hold as one")
	}
}

// TestKilledRename ends a rename after each of its steps, as a kill would: the next change leaves the profile with its
// key under one name, no copy of the key, and no note.
func TestKilledRename(t *testing.T) {
	steps := []func(s *Store, key StoredKey) error{
		func(s *Store, _ StoredKey) error { return s.noteRename("work", "acme", "file") },
		func(s *Store, key StoredKey) error { return s.keys("file").Set("acme", key) },
		func(s *Store, _ StoredKey) error {
			raw, err := os.ReadFile(s.Path())
			if err != nil {
				return err
			}
			return os.WriteFile(s.Path(), []byte(strings.Replace(string(raw), "work:", "acme:", 1)), 0o600)
		},
		func(s *Store, _ StoredKey) error { return s.keys("file").Delete("work") },
	}
	for n := range len(steps) + 1 {
		s := openStore(t, fileEnv())
		for _, name := range []string{"work", "other"} {
			if _, err := s.Add(Profile{Name: name, Zone: "eu"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		key, err := s.keys("file").Get("work")
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps[:n] {
			if err := step(s, key); err != nil {
				t.Fatal(err)
			}
		}
		if old, name, err := s.PendingRename(); err != nil || (old == "work" && name == "acme") != (n > 0) {
			t.Errorf("after %d steps: a rename of %q to %q, %v", n, old, name, err)
		}
		if err := s.Use("other"); err != nil {
			t.Fatal(err)
		}
		name, gone := "work", "acme"
		if n > 2 {
			name, gone = gone, name
		}
		p, err := s.Get(name)
		if err != nil {
			t.Fatalf("after %d steps: %v", n, err)
		}
		if k, err := s.Key(p); err != nil || k.Key.Reveal() != hostedKey {
			t.Errorf("after %d steps: %v, %v", n, k, err)
		}
		if _, err := s.keys("file").Get(gone); !errors.Is(err, errNoKey) {
			t.Errorf("after %d steps a copy of the key: %v", n, err)
		}
		if _, err := os.Stat(filepath.Join(s.dir, renameFile)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after %d steps the note: %v", n, err)
		}
		if err := s.Rename(name, "last"); err != nil {
			t.Errorf("after %d steps: %v", n, err)
		}
	}
}
