package localstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestTogether: writers at once, each with a ledger of its own as processes have, lose nothing of one another.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			l := NewImports(dir, Scope{Zone: "us"})
			for i := range 10 {
				if err := l.Put(ImportKey("table", fmt.Sprint("t", w), fmt.Sprint(i)),
					Import{Rows: int64(i)}); err != nil {
					t.Error(err)
				}
			}
			if err := l.Forget("table", fmt.Sprint("T", w/4)); err != nil { // t0 and t1
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, name := range []string{"t0", "t1"} {
		if err := NewImports(dir, Scope{Zone: "us"}).Forget("table", name); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := NewImports(dir, Scope{Zone: "us"}).Read()
	if err != nil || len(notes) != 60 {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	if other, err := NewImports(dir, Scope{Zone: "eu"}).Read(); err != nil || len(other) != 0 {
		t.Errorf("another place: %d notes, %v", len(other), err)
	}
}

// TestDamaged: a ledger that cannot be read is no empty ledger, and is not replaced.
func TestDamaged(t *testing.T) {
	l := NewImports(t.TempDir(), Scope{})
	if err := l.Put("k", Import{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Path(), []byte(`{"k":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(); err == nil {
		t.Error("read")
	}
	if err := l.Put("other", Import{}); err == nil {
		t.Error("written")
	}
	if raw, err := os.ReadFile(l.Path()); err != nil || string(raw) != `{"k":` {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestDamagedOld: nor is one of an earlier version.
func TestDamagedOld(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(old, []byte(`{"k":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if notes, err := NewImports(t.TempDir(), Scope{}, old).Read(); err == nil {
		t.Errorf("read %v", notes)
	}
	if _, err := NewImports(t.TempDir(), Scope{}, filepath.Join(t.TempDir(), "none.json")).Read(); err != nil {
		t.Errorf("one that is not there: %v", err)
	}
}

// TestBounded: settled notes are bounded, open ones stay.
func TestBounded(t *testing.T) {
	notes := map[string]Import{"open": {Open: true}}
	for i := range maxImports + 50 {
		notes[fmt.Sprint(i)] = Import{At: time.Unix(int64(i+1), 0)}
	}
	trim(notes)
	_, oldest := notes["0"]
	_, newest := notes[fmt.Sprint(maxImports+49)]
	if !notes["open"].Open || oldest || !newest || len(notes) != maxImports {
		t.Errorf("%d notes, %v %v", len(notes), oldest, newest)
	}
}

func TestHold(t *testing.T) {
	dir := t.TempDir()
	a, b := NewImports(dir, Scope{}), NewImports(dir, Scope{})
	release, err := a.Hold("k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Hold("k"); !errors.Is(err, ErrBusy) {
		t.Errorf("held twice: %v", err)
	}
	other, err := b.Hold("other")
	if err != nil {
		t.Fatal(err)
	}
	other()
	release()
	if release, err = b.Hold("k"); err != nil {
		t.Fatal(err)
	}
	release()
}

// TestWriteFile: only the user may read the file, and nothing is left beside it.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "notes.json")
	for _, text := range []string{"a", "bb", "c"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		st, serr := os.Stat(path)
		if err != nil || serr != nil || string(raw) != text || st.Mode().Perm() != 0o600 {
			t.Errorf("%q, %v, %v, %v", raw, err, serr, st.Mode())
		}
		// of a killed process
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), ".notes.json.ABCDEFGHIJ.partial"), nil,
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(path, []byte("d")); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// TestDir: one directory is one place, also before it is made.
func TestDir(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "real"), filepath.Join(root, "link")); err != nil {
		t.Skip(err)
	}
	t.Chdir(root)
	want := Dir(filepath.Join(root, "real", "data", "deep"))
	for _, path := range []string{"real/data/deep", "link/data/deep", "./link/../link/data/deep"} {
		if got := Dir(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "real", "data", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Dir("link/data/deep"); got != want {
		t.Errorf("made, it is %s, want %s", got, want)
	}
	keys := map[string]bool{}
	for _, p := range []Scope{{}, {Zone: "us"}, {Address: "us"}, {Data: "us"}, {Project: "us"}, {Profile: "us"}} {
		keys[p.Key()] = true
	}
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 places", len(keys))
	}
}
