package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// TestRememberedIsCurrent: what a process remembers of the state file is what another process, with a store of its own,
// has made of it since.
func TestRememberedIsCurrent(t *testing.T) { onBoth(t, rememberedIsCurrent) }

func rememberedIsCurrent(t *testing.T, open func() *Store) {
	ctx := t.Context()
	mine, other := open(), open()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	conn, err := other.CreateConnection(ctx, Connection{ProjectID: DefaultProject, Name: "c", Type: "files",
		Credential: []byte("1")}, false)
	must(err)
	sem, err := other.CreateSemanticCatalog(ctx, DefaultProject, "sem", "sem")
	must(err)
	query, err := other.SaveQuery(ctx, Query{ProjectID: DefaultProject, DisplayName: "q", Name: "q", SQL: "SELECT 1"},
		nil, true)
	must(err)
	catalog, err := other.CreateCatalog(ctx, Catalog{ProjectID: DefaultProject, Name: "k", ConnectionID: conn.ID})
	must(err)
	project := DefaultProject
	_, text, err := other.CreateAPIKey(ctx, &project, "key", nil)
	must(err)
	key, err := other.FindKey(ctx, text)
	must(err)
	steps := []struct {
		name   string
		read   func(s *Store) (any, error)
		change func() error
	}{
		{"project", func(s *Store) (any, error) { return s.Project(ctx, "", project) }, func() error {
			name := "renamed"
			_, err := other.UpdateProject(ctx, Project{ID: project}, &name, nil, false)
			return err
		}},
		{"another project", func(s *Store) (any, error) { return s.Projects(ctx, "") }, func() error {
			_, err := other.CreateProject(ctx, DefaultWorkspace, "more", nil, false)
			return err
		}},
		{"key", func(s *Store) (any, error) { return s.FindKey(ctx, text) },
			func() error { return other.DeleteAPIKey(ctx, project, key.ID) }},
		{"query", func(s *Store) (any, error) { return s.QueryNamed(ctx, project, "q") }, func() error {
			query.SQL = "SELECT 2"
			_, err := other.SaveQuery(ctx, query, nil, false)
			return err
		}},
		{"new query", func(s *Store) (any, error) { return s.QueryNamed(ctx, project, "r") }, func() error {
			_, err := other.SaveQuery(ctx, Query{ProjectID: project, DisplayName: "r", Name: "r", SQL: "SELECT 3"}, nil,
				true)
			return err
		}},
		{"connection", func(s *Store) (any, error) { return s.CatalogConnection(ctx, catalog) }, func() error {
			conn.Name = "d"
			return other.UpdateConnection(ctx, conn, false)
		}},
		{"parametric table", func(s *Store) (any, error) { return s.ParametricTables(ctx, catalog.ID) }, func() error {
			return other.CreateParametricTable(ctx, ParametricTable{CatalogID: catalog.ID, FromSchema: "s",
				FromTable: "t", ToSchema: "s", ToTable: "u", Values: "[]"})
		}},
		{"semantic table", func(s *Store) (any, error) { return s.SemanticTables(ctx, sem.ID) }, func() error {
			_, err := other.CreateSemanticTable(ctx, SemanticTable{CatalogID: sem.ID, Schema: "s", Table: "t",
				QueryID: query.ID})
			return err
		}},
		{"semantic catalog", func(s *Store) (any, error) { return s.SemanticCatalogNamed(ctx, project, "sem") },
			func() error { return other.DeleteSemanticCatalog(ctx, project, sem.ID) }},
		{"catalog", func(s *Store) (any, error) { return s.CatalogByName(ctx, project, "k") },
			func() error { return other.DeleteCatalog(ctx, project, catalog.ID) }},
		{"data", func(s *Store) (any, error) { return s.HasData(ctx, project) },
			func() error { return other.NoteData(ctx, project) }},
	}
	for range askedBefore + 1 { // from now on it remembers
		for _, s := range steps {
			if _, err := s.read(mine); err != nil && !errors.Is(err, ErrNotFound) {
				t.Fatal(s.name, err)
			}
		}
	}
	for _, s := range steps {
		was, _ := s.read(mine)
		if err := s.change(); err != nil {
			t.Fatal(s.name, err)
		}
		got, err := s.read(mine)
		want, werr := s.read(other)
		if !reflect.DeepEqual(got, want) || errors.Is(err, ErrNotFound) != errors.Is(werr, ErrNotFound) {
			t.Errorf("%s: %v, %v; it is %v, %v", s.name, got, err, want, werr)
		}
		if reflect.DeepEqual(got, was) && err == nil {
			t.Errorf("%s: nothing was changed", s.name)
		}
	}
	if len(mine.recent.values) == 0 && mine.held == nil {
		t.Error("nothing is remembered")
	}
}

// TestRememberedWhileChanged: readers never see an older name than one that was stored before they asked.
func TestRememberedWhileChanged(t *testing.T) { onBoth(t, rememberedWhileChanged) }

func rememberedWhileChanged(t *testing.T, open func() *Store) {
	s := open()
	var mu sync.Mutex
	stored := 0
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				least := stored
				mu.Unlock()
				p, err := s.Project(t.Context(), "", DefaultProject)
				n := 0
				if p.Name != "default" {
					_, _ = fmt.Sscan(p.Name, &n)
				}
				if err != nil || n < least {
					t.Errorf("%d, %v after %d", n, err, least)
					return
				}
			}
		})
	}
	for n := 1; n <= 40; n++ {
		name := fmt.Sprint(n)
		if _, err := s.UpdateProject(t.Context(), Project{ID: DefaultProject}, &name, nil, false); err != nil {
			t.Error(err)
		}
		mu.Lock()
		stored = n
		mu.Unlock()
	}
	stop()
	all.Wait()
}
