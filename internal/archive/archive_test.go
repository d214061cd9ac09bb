package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func source(t *testing.T) string {
	t.Helper()
	from := t.TempDir()
	if err := os.CopyFS(from, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	return from
}

// TestTaken: another process writes to the same path after it was found vacant. Its files stay, and are the archive.
func TestTaken(t *testing.T) {
	from, dir := source(t), filepath.Join(t.TempDir(), "archive")
	if err := Vacant(dir); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir, from, Manifest{Kind: KindProject}); err != nil {
		t.Fatal(err)
	}
	names, err := filesIn(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeDir(t.Context(), dir, from, []byte("{}"), names); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if _, err := Extract(t.Context(), dir, t.TempDir()); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"a.tar", "a.tar.gz", "a.tar.zst"} {
		to := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(to, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(t.Context(), to, from, []byte("{}"), names); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
		if raw, err := os.ReadFile(to); err != nil || string(raw) != "mine" {
			t.Errorf("%s has %q, %v", name, raw, err)
		}
		if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) != 1 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

// TestIncomplete: an archive that cannot be written leaves nothing, in a directory that was there before too.
func TestIncomplete(t *testing.T) {
	from := source(t)
	if err := os.Symlink("nowhere", filepath.Join(from, "z")); err != nil {
		t.Fatal(err)
	}
	names := []string{"archive.go", "z"} // the second cannot be read
	made, empty := filepath.Join(t.TempDir(), "made"), t.TempDir()
	for _, to := range []string{made, empty} {
		if err := writeDir(t.Context(), to, from, []byte("{}"), names); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
	}
	if _, err := os.Stat(made); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestTablesOutside: the files of rows that a manifest names are files of the archive.
func TestTablesOutside(t *testing.T) {
	outside, err := filepath.Abs("archive.go")
	if err != nil {
		t.Fatal(err)
	}
	for file, fits := range map[string]bool{"archive.go": true, "": false, "../archive.go": false, outside: false,
		"none.parquet": false} {
		dir := filepath.Join(t.TempDir(), "archive")
		m := Manifest{Kind: KindProject, Tables: []Table{{Kind: "table", Name: "t", File: file, Rows: 1}}}
		if err := Write(t.Context(), dir, source(t), m); err != nil {
			t.Fatal(err)
		}
		var bad *Damage
		if _, err := Extract(t.Context(), dir, t.TempDir()); errors.As(err, &bad) == fits {
			t.Errorf("%q: %v", file, err)
		}
	}
}
