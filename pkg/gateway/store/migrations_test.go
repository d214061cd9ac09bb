package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// landed are the migrations that data directories may have behind them, in their order, with the beginning of the
// SHA-256 of their text. A line here is never changed or moved: what has to be other is a new migration, at the end.
var landed = [][2]string{
	{"0001_core.sql", "5e4d616eaad4d9a5"},
	{"0002_queries.sql", "1eb8666a0aa2d7ce"},
	{"0003_connections.sql", "380474616b6e97bb"},
	{"0004_cache_exports.sql", "bee336129954cb44"},
	{"0005_metadata.sql", "9e950b939a3e69e2"},
	{"0006_caches.sql", "c8f804a54f4083cd"},
	{"0007_forget.sql", "695f4e3addd64339"},
	{"0008_cache_tables.sql", "7d15604b43c7fcd8"},
	{"0009_exports.sql", "543f46e5d0e126c2"},
	{"0010_data.sql", "49aeb704dca56206"},
	{"0011_stored_results.sql", "fa61b7380957810d"},
	{"0012_imports.sql", "4b8ad570eed26686"},
	{"0012.sql", "aac19b50db2b8237"}, // with which PostgreSQL begins
	{"0013_import_runs.sql", "4be3431906f48bfb"},
}

func TestMigrationsStay(t *testing.T) {
	names, err := migrationNames()
	if err != nil {
		t.Fatal(err)
	}
	names = slices.Insert(names, baseline, "migrations/postgres/0012.sql")
	var got [][2]string
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		got = append(got, [2]string{filepath.Base(name), hex.EncodeToString(sum[:8])})
	}
	for i, m := range landed {
		if i >= len(got) || got[i] != m {
			t.Fatalf("migration %d is no longer %v: a data directory that has run it would be left with another "+
				"state; have %v", i+1, m, got)
		}
	}
	if len(got) > len(landed) {
		t.Errorf("add to the list of this test: %q", got[len(landed):])
	}
}

// schemaOf lists the columns and indexes of a state file, in one order.
func schemaOf(t *testing.T, s *Store) []string {
	t.Helper()
	text := func(scan func(...any) error) (v string, err error) {
		err = scan(&v)
		return
	}
	out, err := queryAll(context.Background(), s.db, text,
		`SELECT m.name || '.' || c.name || ' ' || c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
		UNION ALL SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// TestEarlierStateFiles opens state files that earlier versions made. Each becomes what a new one is.
func TestEarlierStateFiles(t *testing.T) {
	fresh, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	want := schemaOf(t, fresh)
	all, err := filepath.Glob("../testdata/earlier/*.tar.gz")
	if err != nil || len(all) == 0 {
		t.Fatal("no data directories of earlier versions", err)
	}
	for _, path := range all {
		t.Run(filepath.Base(path), func(t *testing.T) {
			dir := t.TempDir()
			stateOf(t, path, dir)
			s, err := Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := schemaOf(t, s); !slices.Equal(got, want) {
				for _, l := range got {
					if !slices.Contains(want, l) {
						t.Errorf("only in the old one: %s", l)
					}
				}
				for _, l := range want {
					if !slices.Contains(got, l) {
						t.Errorf("only in a new one: %s", l)
					}
				}
			}
			if _, err := s.Project(context.Background(), "", DefaultProject); err != nil {
				t.Error(err)
			}
		})
	}
}

// stateOf unpacks the state file of a data directory.
func stateOf(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("%s has no state.db", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(h.Name) == "state.db" {
			raw, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "state.db"), raw, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}
