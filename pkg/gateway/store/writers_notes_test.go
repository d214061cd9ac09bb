package store

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

func TestWritersOfMetadata(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s, two := both(t, open)
		key := TableKey{"3", "s", "t"}
		column := func(name string) ColumnKey { return ColumnKey{key, name} }
		contest(t, two, nil, func(s *Store, n int) error {
			text, yes := fmt.Sprint(n), n%2 == 0
			return errors.Join(s.UpdateTableNotes(ctx, DefaultProject, key, TableChange{Description: &text, AI: &yes,
				Columns: map[string]ColumnChange{"a": {Description: &text, Categorical: &[]string{text}},
					"b": {Description: &text}}}), s.SetSamples(ctx, DefaultProject, key,
				map[string][]string{"a": {text}, "b": {text}, "c": {text}}))
		})
		notes := got[Notes](t)(s.MetadataNotes(ctx, DefaultProject))
		a, b, c := notes.Columns[column("a")], notes.Columns[column("b")], notes.Columns[column("c")]
		last := *notes.Tables[key]
		equal(t, "of one change", *a.Description+*b.Description+a.Categorical[0], last+last+last)
		equal(t, "AI of one change", fmt.Sprint(notes.AI[key]), fmt.Sprint((last[0]-'0')%2 == 0))
		equal(t, "samples of one change", a.Sample[0]+b.Sample[0], c.Sample[0]+c.Sample[0])
		contest(t, two, nil, func(s *Store, n int) error {
			k := key
			if n%2 == 0 {
				k.Table = ""
			}
			return s.SetAIUsage(ctx, DefaultProject, k, n < 4)
		})
		if n := count(t, s, "ai_usage"); n != 1 && n != 2 {
			t.Errorf("%d settings", n)
		}
		relation := func(from, to string) error {
			_, err := s.AddRelation(ctx, DefaultProject, Relation{Source: column(from), Target: column(to), Type: "x"})
			return err
		}
		must(t, errors.Join(relation("a", "z"), relation("b", "z"), relation("z", "a")))
		contest(t, two, nil, func(s *Store, n int) error {
			from, to := "a", "b"
			if n%2 == 0 {
				from, to = to, from
			}
			return s.RenameColumn(ctx, DefaultProject, column(from), to)
		})
		equal(t, "columns after both were one", count(t, s, "column_metadata WHERE column_name IN ('a', 'b')"), 1)
		equal(t, "relations after that", count(t, s, "relations"), 2)
		contest(t, two, nil, func(s *Store, n int) error {
			if n%2 == 0 {
				return s.ForgetColumn(ctx, DefaultProject, column([]string{"a", "b"}[n/2%2]))
			}
			return s.ForgetTable(ctx, DefaultProject, key)
		})
		equal(t, "left", count(t, s, "column_metadata")+count(t, s, "relations")+count(t, s, "table_metadata"), 0)
	})
}

// TestRenamedColumn: the metadata moves, and replaces that of a column which had the name, but not without reason.
func TestRenamedColumn(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s := t.Context(), open()
		k := func(c string) ColumnKey { return ColumnKey{TableKey{"3", "s", "t"}, c} }
		must(t, s.SetCategorical(ctx, DefaultProject, k("a"), []string{"of a"}, 1, ""))
		must(t, s.SetCategorical(ctx, DefaultProject, k("b"), []string{"of b"}, 1, ""))
		for _, move := range []struct{ from, to, b string }{{"b", "b", "of b"}, {"none", "b", "of b"},
			{"a", "b", "of a"}} {
			must(t, s.RenameColumn(ctx, DefaultProject, k(move.from), move.to))
			equal(t, move.from+" to "+move.to, fmt.Sprint(got[Notes](t)(s.MetadataNotes(ctx, DefaultProject)).
				Columns[k("b")].Categorical), "["+move.b+"]")
		}
		equal(t, "columns", count(t, s, "column_metadata"), 1)
	})
}

func TestWritersOfProjects(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, s, two := both(t, open)
		p := got[Project](t)(s.CreateProject(ctx, DefaultWorkspace, "p", nil, true))
		must(t, s.NoteData(ctx, p.ID))
		got[Query](t)(s.SaveQuery(ctx, aQuery(p.ID, "q"), []string{"f", "g"}, true))
		cat := got[Catalog](t)(s.CreateCatalog(ctx, Catalog{ProjectID: p.ID, Name: "c"}))
		must(t, s.CreateParametricTable(ctx, ParametricTable{CatalogID: cat.ID, FromSchema: "s", FromTable: "t",
			ToSchema: "s", ToTable: "u"}))
		must(t, s.SetAIUsage(ctx, p.ID, TableKey{cat.ID, "s", "u"}, false))
		equal(t, "who deletes a table", contest(t, two, []error{ErrNotFound}, func(s *Store, _ int) error {
			return s.DeleteParametricTable(ctx, cat.ID, "s", "u")
		}), 1)
		equal(t, "what was said of it", count(t, s, "ai_usage"), 0)
		var deleted atomic.Int32
		contest(t, two, []error{ErrNotFound, ErrInUse}, func(s *Store, n int) error {
			if n%4 == 1 {
				err := s.DeleteProject(ctx, p.ID)
				if err == nil {
					deleted.Add(1)
				}
				return err
			}
			_, err := s.SaveQuery(ctx, aQuery(p.ID, fmt.Sprint("n", n)), []string{"f", "h", fmt.Sprint(n)}, true)
			return err
		})
		equal(t, "who deleted it", deleted.Load(), 1)
		for _, table := range []string{"queries", "query_folders", "catalogs", "caches"} {
			equal(t, table, count(t, s, table+" WHERE project_id = ?", p.ID), 0)
		}
		equal(t, "its data", count(t, s, "meta WHERE key = ?", factData+p.ID), 0)
	})
}

// TestWritersOfNames: of many writers one gets a name, for a new object or for one that had another name.
func TestWritersOfNames(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) {
		ctx, _, two := both(t, open)
		for kind, of := range map[string]struct {
			create func(s *Store, name string) (id string, err error)
			rename func(s *Store, id, name string) error
		}{
			"workspaces": {func(s *Store, name string) (string, error) {
				w, err := s.CreateWorkspace(ctx, DefaultOrganization, name, nil, false)
				return w.ID, err
			}, func(s *Store, id, name string) error {
				_, err := s.UpdateWorkspace(ctx, DefaultOrganization, id, &name, nil, false)
				return err
			}},
			"projects": {func(s *Store, name string) (string, error) {
				p, err := s.CreateProject(ctx, DefaultWorkspace, name, nil, false)
				return p.ID, err
			}, func(s *Store, id, name string) error {
				_, err := s.UpdateProject(ctx, Project{ID: id, WorkspaceID: DefaultWorkspace}, &name, nil, false)
				return err
			}},
			"connections": {func(s *Store, name string) (string, error) {
				c, err := s.CreateConnection(ctx, Connection{ID: s.NewID(), ProjectID: DefaultProject, Name: name,
					Credential: []byte{}}, false)
				return c.ID, err
			}, func(s *Store, id, name string) error {
				return s.UpdateConnection(ctx, Connection{ID: id, ProjectID: DefaultProject, Name: name,
					Credential: []byte{}}, false)
			}},
		} {
			ids := make([]string, writers)
			for n := range ids {
				ids[n] = got[string](t)(of.create(two[0], fmt.Sprint(n)))
			}
			for _, name := range []string{"a", "b", "c"} {
				equal(t, kind+" of one name", contest(t, two, []error{ErrConflict}, func(s *Store, n int) error {
					if n%4 < 2 {
						return of.rename(s, ids[n], name)
					}
					_, err := of.create(s, name)
					return err
				}), 1)
			}
		}
	})
}
