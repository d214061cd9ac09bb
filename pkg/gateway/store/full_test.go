package store

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestFullStateFile lets the state file grow no more: the change fails as such, what was there stays, and later changes
// work.
func TestFullStateFile(t *testing.T) {
	s, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.db.SetMaxOpenConns(1) // the limit is one of a connection
	ctx := context.Background()
	if _, err := s.db.Exec("PRAGMA max_page_count = 1"); err != nil { // no less than there are
		t.Fatal(err)
	}
	made := 0
	for err == nil && made < 10000 {
		if _, err = s.CreateFolder(ctx, DefaultProject, nil, []string{fmt.Sprint(made) + strings.Repeat("x",
			200)}); err == nil {
			made++
		}
	}
	if !IsFull(err) {
		t.Fatalf("after %d folders: %v", made, err)
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateFolder(ctx, DefaultProject, nil, []string{"y"}); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Folders(ctx, DefaultProject); err != nil || len(all) != made+1 {
		t.Fatalf("%d folders of %d: %v", len(all), made+1, err)
	}
	if IsFull(ErrNotFound) || IsFull(nil) {
		t.Fatal("not every error says that the file is full")
	}
}
