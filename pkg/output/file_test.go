package output

import (
	"os"
	"path/filepath"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestFileAppearsComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("there before Commit: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "new" || len(names(t, dir)) != 1 {
		t.Errorf("content %q, files %v", b, names(t, dir))
	}
	if err := f.Commit(); err == nil {
		t.Error("committed twice")
	}
}

func TestFileAbortLeavesTheOldOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, commit := range []bool{false, true} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		want := "old"
		if commit {
			want, err = "new", f.Commit()
		} else {
			err = f.Abort()
		}
		if err != nil {
			t.Fatal(err)
		}
		info, _ := os.Stat(path)
		if b, _ := os.ReadFile(path); string(b) != want || len(names(t, dir)) != 1 || info.Mode().Perm() != 0o600 {
			t.Errorf("content %q, mode %v, files %v", b, info.Mode(), names(t, dir))
		}
	}
}

func TestFilePlaces(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir); err == nil {
		t.Error("a directory was accepted")
	}
	if _, err := Create(filepath.Join(dir, "none", "x")); err == nil {
		t.Error("a missing directory was accepted")
	}
	f, err := Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err)
	}
	if f, err = Create(link); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("through")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(target); string(b) != "through" {
		t.Errorf("the target holds %q", b)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

// TestFileIsAsClosedAsTheOldOne: while it is written, nobody reads it who may not read the one that it replaces.
func TestFileIsAsClosedAsTheOldOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	st, err := f.f.Stat()
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}
