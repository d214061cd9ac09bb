package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// stateText is all that a state file holds, as SQLite writes it out.
func stateText(t *testing.T, s *Store) string {
	t.Helper()
	var all []string
	objects, err := queryAll(t.Context(), s.db, func(scan func(...any) error) (v [2]string, err error) {
		return v,
			scan(&v[0], &v[1])
	},
		"SELECT name, coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		all = append(all, o[1])
		if !strings.HasPrefix(o[1], "CREATE TABLE") {
			continue
		}
		rows, err := s.db.Query(`SELECT * FROM "` + o[0] + `" ORDER BY rowid`)
		if err != nil && strings.Contains(err.Error(), "rowid") {
			rows, err = s.db.Query(`SELECT * FROM "` + o[0] + `"`)
		}
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(values...))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(all, "\n")
}

func pragma(t *testing.T, s *Store, name string) (n int64) {
	t.Helper()
	if err := s.db.QueryRow("PRAGMA " + name).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// litter makes and deletes so many workspaces of a kilobyte, and keeps one that came after them.
func litter(t *testing.T, s *Store, n int) {
	t.Helper()
	err := s.tx(t.Context(), func(tx dbtx) error {
		for i := range n {
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO workspaces (id, organization_id, name, "+
				"description, created_by, created_at) SELECT ?, organization_id, ?, ?, created_by, created_at FROM workspaces WHERE id = ?",
				fmt.Sprint("litter", i), fmt.Sprint("litter", i), strings.Repeat("x", 1000),
				DefaultWorkspace); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWorkspace(t.Context(), DefaultOrganization, fmt.Sprint("kept ", s.NewID()), nil,
		false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("DELETE FROM workspaces WHERE id LIKE 'litter%'"); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, s *Store) int64 {
	t.Helper()
	n, err := s.Size()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStateShrinks(t *testing.T) {
	nobody := func() bool { return false }
	ctx := context.Background()
	s, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if mode := pragma(t, s, "auto_vacuum"); mode != incremental {
		t.Fatalf("a new file has auto_vacuum %d", mode)
	}
	litter(t, s, 3000)
	want := stateText(t, s)
	check := func(what string, most int64) {
		t.Helper()
		if n := size(t, s); n > most {
			t.Errorf("%s: %d bytes, more than %d", what, n, most)
		}
		if got := stateText(t, s); got != want {
			t.Errorf("%s: the state is another", what)
		}
		var ok string
		if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
			t.Errorf("%s: %s, %v", what, ok, err)
		}
	}
	before := size(t, s)
	if before < 3<<20 {
		t.Fatalf("%d bytes", before)
	}
	free := pragma(t, s, "freelist_count")
	if err := s.Tidy(ctx, 1<<30, nobody); err != nil || pragma(t, s, "freelist_count") != free {
		t.Errorf("too little for it: %d pages free of %d, %v", pragma(t, s, "freelist_count"), free, err)
	}
	steps := 0
	if err := s.Tidy(ctx, 1<<20, func() bool { steps++; return steps > 2 }); err != nil {
		t.Fatal(err)
	}
	if left := pragma(t, s, "freelist_count"); left != free-stepPages {
		t.Errorf("after one step %d pages are free of %d", left, free)
	}
	if err := s.Tidy(ctx, 1<<20, nobody); err != nil {
		t.Fatal(err)
	}
	check("page by page", 600<<10)
	litter(t, s, 3000)
	want = stateText(t, s)
	if err := s.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	check("at once", 600<<10)
	if mode := pragma(t, s, "auto_vacuum"); mode != incremental {
		t.Errorf("auto_vacuum became %d", mode)
	}
}

// TestOlderStateShrinks: a file that cannot give pages back becomes one that can, beside a process that has it open.
func TestOlderStateShrinks(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA journal_mode = WAL"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if mode := pragma(t, s, "auto_vacuum"); mode != 0 {
		t.Fatalf("the file has auto_vacuum %d already", mode)
	}
	litter(t, s, 1000)
	want := stateText(t, s)
	other, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := stateText(t, other); got != want {
		t.Fatal("the other process sees another state")
	}
	if err := s.Tidy(t.Context(), 1<<40, func() bool { return true }); err != nil || pragma(t, s, "auto_vacuum") != 0 {
		t.Errorf("with somebody there: %v", err)
	}
	if err := s.Tidy(t.Context(), 1<<40, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Store{s, other} {
		if got := stateText(t, x); got != want || pragma(t, x, "auto_vacuum") != incremental ||
			pragma(t, x, "freelist_count") != 0 {
			t.Errorf("auto_vacuum %d, %d pages free, the same state %v", pragma(t, x, "auto_vacuum"),
				pragma(t, x, "freelist_count"), got == want)
		}
	}
	if n := size(t, s); n > 600<<10 {
		t.Errorf("%d bytes", n)
	}
}
