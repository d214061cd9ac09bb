package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/sqltext"
)

// TestRenameOrder: what becomes of names is found whatever order objects are in: one that takes the former name of
// another comes after it, what was renamed before is not renamed again, and nothing that is renamed counts as left
// over.
func TestRenameOrder(t *testing.T) {
	kinds := map[Kind]func(name, from string) Object{
		KindQuery: func(name, from string) Object {
			return &Query{Base: Base{Ref: Ref{KindQuery, name}, RenamedFrom: from}, SQLName: sqltext.OfQuery(name),
				Folder: "/", SQL: "SELECT 1"}
		},
		KindConnection: func(name, from string) Object {
			return &Connection{Base: Base{Ref: Ref{KindConnection, name}, RenamedFrom: from}, Type: "files"}
		},
		KindFolder: func(name, from string) Object {
			if from != "" {
				from = "/" + from
			}
			return &Folder{Base{Ref: Ref{KindFolder, "/" + name}, RenamedFrom: from}}
		},
		KindColumn: func(name, from string) Object {
			if from != "" {
				from = strings.TrimPrefix(from, "t.")
			}
			return &Column{Base: Base{Ref: Ref{KindColumn, JoinName("t", name)}, RenamedFrom: from}, Table: "t",
				Column: name, Type: "varchar", DisplayName: "x"}
		},
	}
	for _, c := range []struct{ want, have, changes, extra string }{
		{"b<a", "a", "a>b", ""},
		{"b<a", "b", "", ""},
		{"b<a", "a b", "", "a"},
		{"b<a c<b", "a b", "b>c a>b", ""},
		{"b<a c<b d<c", "a b c", "c>d b>c a>b", ""},
		{"b<a c<b", "b c", "", ""},
		{"b<a c<b", "a c", "a>b", ""},
		{"b<a c<b d<c", "b c d x", "", "x"},
		{"z<y y<x", "x y", "y>z x>y", ""},
	} {
		for kind, of := range kinds {
			project := func(list string) *Project {
				p := New()
				if kind == KindColumn {
					p.Put(&Table{Base: Base{Ref: Ref{KindTable, "t"}}})
				}
				for _, word := range strings.Fields(list) {
					name, from, _ := strings.Cut(word, "<")
					p.Put(of(name, from))
				}
				return p
			}
			changes, extra := Compare(project(c.want), project(c.have))
			var made, left []string
			for _, ch := range changes {
				from := "nothing"
				if ch.Have != nil {
					from = BaseOf(ch.Have).Name
				}
				made = append(made, from+">"+ch.Name)
			}
			for _, ch := range extra {
				left = append(left, ch.Name)
			}
			plain := func(names []string) string {
				return strings.NewReplacer("/", "", "t.", "").Replace(strings.Join(names, " "))
			}
			if plain(made) != c.changes || plain(left) != c.extra {
				t.Errorf("%s: files %s, project %s: changes %q, left %q; want %q and %q", kind, c.want, c.have,
					plain(made), plain(left), c.changes, c.extra)
			}
		}
	}
}

// TestRenamesThatCannotBe: exchanges of names, and two objects that were one, are mistakes of the files.
func TestRenamesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"{name: a, type: date, renamed-from: b}, {name: b, type: date, renamed-from: a}": "cannot exchange their names",
		"{name: a, type: date, renamed-from: c}, {name: b, type: date, renamed-from: a}, {name: c, type: date, " +
			"renamed-from: b}": "cannot exchange their names",
		"{name: a, type: date, renamed-from: x}, {name: b, type: date, renamed-from: x}": "cannot both be renamed from t.x",
		"{name: a, type: date, renamed-from: a}":                                         "its own name",
		"{name: a, type: date, renamed-from: x}, {name: b, type: date, renamed-from: a}": "",
	} {
		dir := t.TempDir()
		for name, content := range map[string]string{Marker: "version: 1\n", dirTables + "/t.yaml": "columns: [" +
			text + "]\n"} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, dirTables), 0o700),
				os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Read(dir)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestSound: what a gateway would refuse in the middle, or what would break, is found before.
func TestSound(t *testing.T) {
	query := func(name, sql string) *Query {
		return &Query{Base: Base{Ref: Ref{KindQuery, name}, At: Position{File: name}}, SQLName: sqltext.OfQuery(name),
			Folder: "/", SQL: sql}
	}
	project := func(all ...Object) *Project {
		p := New()
		for _, o := range all {
			p.Put(o)
		}
		return p
	}
	table := &Table{Base: Base{Ref: Ref{KindTable, "Sales"}}}
	for name, c := range map[string]struct {
		want, have *Project
		bad        string
	}{
		"long":      {project(query(strings.Repeat("é", 256), "SELECT 1")), New(), "at most 255 characters"},
		"just fits": {project(query(strings.Repeat("é", 255), "SELECT 1")), New(), ""},
		"no letter": {project(query("~", "SELECT 1")), New(), "a letter or a digit"},
		"kept":      {project(query("~", "SELECT 2")), project(query("~", "SELECT 1")), ""},
		"NUL":       {project(query("a\x00b", "SELECT 1")), New(), "cannot contain NUL"},
		"circle": {project(query("a", "SELECT * FROM peaka.query.b"), query("b", "SELECT * FROM peaka.query.a")),
			New(), "queries read each other: a -> b -> a"},
		"old circle": {project(query("a", "SELECT * FROM peaka.query.a")),
			project(query("a", "SELECT * FROM peaka.query.a")), ""},
		"no table": {project(query("a", `SELECT * FROM peaka."table".sales`)), New(),
			"neither in the files nor in the project"},
		"table": {project(query("a", `SELECT * FROM peaka."table".sales`), table), New(), ""},
		"their table": {project(query("a", `SELECT * FROM peaka."table".sales`), query("b", "SELECT 1 AS x")),
			project(table, query("a", `SELECT * FROM peaka."table".sales`)), "would be deleted"},
		"other source": {project(query("a", `SELECT * FROM pg.public.sales`)), New(), ""},
		"no query": {project(query("a", `SELECT * FROM peaka.query.b`)), New(),
			"neither in the files nor in the project"},
	} {
		changes, extra := Compare(c.want, c.have)
		bad := Sound(c.want, c.have, changes, extra, map[Kind]bool{KindTable: true, KindQuery: true})
		if got := bad.Error(); c.bad == "" && len(bad) > 0 || !strings.Contains(got, c.bad) {
			t.Errorf("%s: %q, want %q", name, got, c.bad)
		}
		if bad := Sound(c.want, c.have, changes, extra, nil); slices.ContainsFunc(bad,
			func(p Problem) bool { return p.Reads }) {
			t.Errorf("%s: without knowing the tables: %v", name, bad)
		}
	}
}
