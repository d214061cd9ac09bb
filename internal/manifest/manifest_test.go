package manifest

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/sqltext"
)

// TestFileNames: every name comes back from the name of its file, which is one that Windows, macOS and git accept, and
// no two names share a file on a system that ignores case.
func TestFileNames(t *testing.T) {
	names := []string{"plain", "Daily sales", "a/b", `back\slash`, "..", ".", ".hidden", "end.", "end ", " start",
		"100%", "%41", "A", "a", "ÄÖ", "äö", "con", "COM1.txt", "nul",
		"x.sql", "x.yaml", "X.SQL", "q?*:\"<>|", "tab\tnew\nline", "\xff\xfe", "日本語", "\u202egpj", "~", "a~b",
		strings.Repeat("ä", 50)}
	files := fileNames(names)
	seen := map[string]string{}
	for _, n := range names {
		f := files[n]
		if back := objectName(f); back != n {
			t.Errorf("%q became %q and came back as %q", n, f, back)
		}
		if other, ok := seen[strings.ToLower(f)]; ok {
			t.Errorf("%q and %q share the file %q", n, other, f)
		}
		seen[strings.ToLower(f)] = n
		if strings.ContainsAny(f, "/\\:*?\"<>|\n\t") || strings.HasPrefix(f, ".") || strings.HasSuffix(f, ".") ||
			strings.HasSuffix(f, " ") || filepath.Base(f) != f || deviceName(f) {
			t.Errorf("%q became the file %q", n, f)
		}
	}
	long := strings.Repeat("ab/", 200)
	if f := fileName(long, false); len(f) > maxFileName || objectName(f) == long || fileName(long+"x", false) == f {
		t.Errorf("a name of %d bytes became %q", len(long), f)
	}
}

// TestDottedNames: names of several parts come back as they were.
func TestDottedNames(t *testing.T) {
	for _, parts := range [][]string{{"a", "b"}, {"a.b", "c"}, {`q"uote`, "x"}, {" a", "b "},
		{"->", "x"}, {"日本", "語"}} {
		got, err := splitName(JoinName(parts...), len(parts))
		if err != nil || !slices.Equal(got, parts) {
			t.Errorf("%q became %q and came back as %q, %v", parts, JoinName(parts...), got, err)
		}
	}
	for _, bad := range []string{"a", "a.b.c", "a.", ".b", `"a.b`, `"a"b.c`, ""} {
		if got, err := splitName(bad, 2); err == nil {
			t.Errorf("%q was read as %q", bad, got)
		}
	}
}

// sampleProject has one of everything, with names and values that need care.
func sampleProject(t *testing.T) *Project {
	t.Helper()
	p := New()
	b := func(k Kind, name string) Base { return Base{Ref: Ref{k, name}} }
	json := func(s string) Value {
		v, err := ValueOf([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	text, long := "0", strings.Repeat("long/", 60)
	for _, o := range []Object{
		&Folder{b(KindFolder, "/a")}, &Folder{b(KindFolder, "/a/B: c")}, &Folder{b(KindFolder, "/empty")},
		&Folder{Base{Ref: Ref{KindFolder, "/new"}, RenamedFrom: "/old"}}, &Folder{b(KindFolder, "/x.sql")},
		&Connection{b(KindConnection, "shop/1"), "postgres", map[string]Value{"url": TextValue("db"),
			"port": json("5432"), "useSsl": json("true"), "password": Wanted("shop/1", "password"),
			"digits": TextValue("007"),
			"day":    TextValue("2024-01-01"), "yes": TextValue("yes"), "null": TextValue("null"),
			"big": json("12345678901234567890.10"), "lines": TextValue("a\nb\n"),
			"odd": TextValue(literal("a ${b} c"))}},
		&Catalog{Base: b(KindCatalog, "ext"), DisplayName: "Ext", Connection: "shop/1",
			Parameters: map[string]Value{"cacheAnything": json("true")}},
		&SemanticCatalog{b(KindSemanticCatalog, "kpi"), "kpi"},
		&SemanticTable{Base: b(KindSemanticTable, "kpi.core.daily"), Catalog: "kpi", Schema: "core", Table: "daily",
			Query: "Daily sales"},
		&Table{Base: b(KindTable, "people"), Columns: []*Column{{Column: "name", Type: "varchar",
			DisplayName: "Full name", Default: &text, NotNull: true, Unique: true, Description: &text},
			{Base: Base{RenamedFrom: "years"}, Column: "age", Type: "bigint", DisplayName: "age"}}},
		&Table{Base: b(KindTable, "bare")},
		&ParametricTable{Base: b(KindParametricTable, `ext.p."q.r"`), Catalog: "ext", Schema: "p", Table: "q.r",
			FromSchema: "s", FromTable: "t", Values: map[string]Value{"day": TextValue("@today-7d"),
				"n": json(`[1,2.50,"x"]`)}},
		&Cache{Base: b(KindCache, "ext.s.t"), Catalog: "ext", Schema: "s", Table: "t", Incremental: "PT15M",
			Full: "P1D", Key: []string{"a", "b"}, UpdatedAt: "at"},
		&Query{Base: b(KindQuery, "Daily sales"), SQLName: "daily_sales", Folder: "/a/B: c",
			SQL: "SELECT 1\n-- a comment", Materialized: true, Schedule: Schedule{Cron: "0 6 * * 1",
				Timezone: "Europe/Berlin"}},
		&Query{Base: Base{Ref: Ref{KindQuery, "new"}, RenamedFrom: "old"}, SQLName: "new", Folder: "/",
			SQL: "SELECT 'a\r\nb\n'"},
		&Query{Base: b(KindQuery, long), SQLName: sqltext.OfQuery(long), Folder: "/", SQL: "SELECT 2"},
		&Metadata{Base: b(KindMetadata, "ext.s.t"), Catalog: "ext", Schema: "s", Table: "t",
			Description: "first\nsecond", Hidden: true, Columns: map[string]ColumnMetadata{"a": {Description: "d",
				Values: []string{"no", "1", ""}}}},
		NewRelation([4]string{"ext", "s", "t", "a"}, [4]string{"peaka", "table", "people", "name"},
			"MANY_TO_ONE", Position{}),
		NewGoldenSQL("How many?", "SELECT 1", Position{}), NewGoldenSQL("how many!", "SELECT 2", Position{}),
		NewGoldenSQL("How many?", "SELECT 3", Position{}),
	} {
		if !p.Add(o) {
			t.Fatalf("%v is there twice", o.base().Ref)
		}
	}
	return p
}

func put(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := Write(dir, files, slices.Sorted(maps.Keys(files)), nil); err != nil {
		t.Fatal(err)
	}
}

// TestFiles: what is written is read back as the same project, and written again as the same bytes.
func TestFiles(t *testing.T) {
	p := sampleProject(t)
	files, err := Files(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, files)
	back, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	changes, extra := Compare(p, back)
	for _, ch := range append(changes, extra...) {
		t.Errorf("%s %s %q: %+v", ch.Action, ch.Kind, ch.Name, ch.Fields)
	}
	if back.Len() != p.Len() || len(back.all) != len(p.all) {
		t.Errorf("%d objects came back of %d", len(back.all), len(p.all))
	}
	for ref, o := range p.all {
		if b := back.all[ref]; b != nil && b.base().RenamedFrom != o.base().RenamedFrom {
			t.Errorf("%v: renamed from %q came back as %q", ref, o.base().RenamedFrom, b.base().RenamedFrom)
		}
	}
	c, o := back.Get(KindConnection, "shop/1").(*Connection), p.Get(KindConnection, "shop/1").(*Connection)
	for name, v := range o.Credential {
		if string(c.Credential[name].JSON()) != string(v.JSON()) {
			t.Errorf("credential %s: %s came back as %s", name, v.JSON(), c.Credential[name].JSON())
		}
	}
	write, remove, err := Changed(dir, again(t, back))
	if err != nil || len(write)+len(remove) > 0 {
		t.Errorf("writing it again would change %v and remove %v, %v", write, remove, err)
	}
}

func again(t *testing.T, p *Project) map[string][]byte {
	t.Helper()
	files, err := Files(p)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestChangedFiles: writing removes files of objects that are gone and folders that become empty, and nothing else.
func TestChangedFiles(t *testing.T) {
	dir := t.TempDir()
	p := New()
	p.Add(&Query{Base: Base{Ref: Ref{KindQuery, "q"}}, Folder: "/a/b", SQL: "SELECT 1"})
	p.Add(&Folder{Base{Ref: Ref{KindFolder, "/a"}}})
	p.Add(&Folder{Base{Ref: Ref{KindFolder, "/a/b"}}})
	put(t, dir, again(t, p))
	put(t, dir, map[string][]byte{"README.md": []byte("mine"), "queries/notes.md": []byte("mine"),
		"other/x.sql": []byte("mine")})
	files := again(t, New())
	write, remove, err := Changed(dir, files)
	if err != nil || len(write) != 0 || !slices.Equal(remove, []string{"queries/a/b/q.sql"}) {
		t.Fatalf("write %v, remove %v, %v", write, remove, err)
	}
	if err := Write(dir, files, write, remove); err != nil {
		t.Fatal(err)
	}
	var left []string
	_ = filepath.Walk(dir, func(p string, _ os.FileInfo, _ error) error {
		rel, _ := filepath.Rel(dir, p)
		left = append(left, filepath.ToSlash(rel))
		return nil
	})
	if want := []string{".", "README.md", "dig.yaml", "other", "other/x.sql", "queries",
		"queries/notes.md"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "tables")); err == nil {
		if _, _, err := Changed(dir, files); err == nil || !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("a folder that is a symbolic link: %v", err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "tables: it is not a folder") {
			t.Errorf("a folder that is a symbolic link was read: %v", err)
		}
	}
}

// TestMistakes: what is wrong with a file is said with its line, all of it at once.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"tables/t.yaml", "columns:\n  - name: a\n    typ: bigint\n",
			"tables/t.yaml:3: unknown member \"typ\"; did you mean \"type\"?"},
		{"tables/t.yaml", "columns:\n  - name: a\n", "tables/t.yaml:2: type is missing"},
		{"tables/t.yaml", "columns:\n  - name: a\n    type: json\n", "tables/t.yaml:3: type: \"json\" is not one of"},
		{"tables/t.yaml", "columns:\n  - {name: a, type: bigint}\n  - {name: A, type: bigint}\n",
			"tables/t.yaml:3: there are two columns A"},
		{"tables/t.yaml", "columns: 3\n", "tables/t.yaml:1: 3 is not a list"},
		{"tables/t.yaml", "columns: [\n", "tables/t.yaml:1: did not find expected node content"},
		{"tables/t.yaml", "columns: []\n---\ncolumns: []\n", "tables/t.yaml: it has more than one document"},
		{"tables/t.yml", "columns: []\n", "tables/t.yml: files here end in .yaml"},
		{"tables/sub/t.yaml", "columns: []\n", "tables/sub: tables has no folders in it"},
		{"connections/c.yaml", "type: x\ncredential:\n  password: ${vault:x}\n",
			"connections/c.yaml:3: password: a reference is ${env:NAME}"},
		{"connections/c.yaml", "credential: {}\n", "connections/c.yaml:1: type is missing"},
		{"caches/c.yaml", "s.t:\n  full: 1d\n", "caches/c.yaml:2: full: \"1d\" is not an ISO-8601 duration"},
		{"caches/c.yaml", "t:\n  full: P1D\n", "caches/c.yaml:1: \"t\" is not of the form SCHEMA.TABLE"},
		{"caches/c.yaml", "s.t: {}\ns.t: {}\n", "caches/c.yaml:2: mapping key \"s.t\" already defined at line 1"},
		{"queries/q.yaml", "materialized: true\n", "queries/q.yaml: q.sql, with the statement, is missing next to it"},
		{"queries/q.sql", " \n", "queries/q.sql: there is no statement in it"},
		{"queries/q.txt", "SELECT 1", "queries/q.txt: files here end in .sql or .yaml"},
		{"relations/c.yaml", "- from: a.b\n  to: c.s.t.x\n  type: MANY\n",
			"relations/c.yaml:1: from: \"a.b\" is not of the form SCHEMA.TABLE.COLUMN"},
		{"relations/c.yaml", "- from: s.t.c\n  to: c.s.t.x\n  type: MANY\n",
			"relations/c.yaml:3: type: \"MANY\" is not one of"},
		{"golden-sql/g.sql", "SELECT 1", "golden-sql/g.sql: g.yaml, with the prompt, is missing next to it"},
		{"parametric-tables/c.yaml", "s.t:\n  from: x\n  values: {a: 1}\n",
			"parametric-tables/c.yaml:2: \"x\" is not of the form"},
		{"dig.yaml", "version: 7\n", "dig.yaml:1: version 7 is not known"},
	} {
		dir := t.TempDir()
		put(t, dir, map[string][]byte{Marker: []byte("version: 1\n")})
		put(t, dir, map[string][]byte{c.file: []byte(c.text)})
		_, err := Read(dir)
		var bad Invalid
		if !errors.As(err, &bad) || !strings.HasPrefix(bad[0].String(), c.want) {
			t.Errorf("%s with %q: %v\nwant %s", c.file, c.text, err, c.want)
		}
	}
	dir := t.TempDir()
	put(t, dir, map[string][]byte{Marker: []byte("version: 1\n"), "queries/a b.sql": []byte("SELECT 1"),
		"queries/f/A_b.sql": []byte("SELECT 1"), "queries/q.sql": []byte("SELECT 1"),
		"queries/q.yaml": []byte("schedule:\n  every: PT1H\n"), "tables/t.yaml": []byte("x: 1\n")})
	if _, err := Read(dir); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("three mistakes in three files: %v", err)
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, ErrNoProject) {
		t.Errorf("an empty directory: %v", err)
	}
}

// TestLineEnds: a checkout with the line ends of Windows, and with a byte order mark, is the same project.
func TestLineEnds(t *testing.T) {
	for _, text := range []string{"SELECT 1,\n  2", "SELECT 1,\n  2\n", "SELECT 1,\n  2;\n", "SELECT 1,\r\n  2\r\n",
		"\xef\xbb\xbfSELECT 1,\r\n  2;\r\n"} {
		if got := sqlOf([]byte(text)); got != "SELECT 1,\n  2" {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	if got := sqlOf([]byte("SELECT 'a\r\nb'\n")); got != "SELECT 'a\r\nb'" {
		t.Errorf("a carriage return in a literal: %q", got)
	}
}

// TestReferences: references are replaced where they stand, and a literal one can be written.
func TestReferences(t *testing.T) {
	look := func(r Reference) (string, error) { return "<" + r.Kind + " " + r.Name + ">", nil }
	for in, want := range map[string]string{"plain": "plain", "${env:A}": "<env A>",
		"a-${env:A}-${file:b/c}": "a-<env A>-<file b/c>", "$${env:A}": "${env:A}", "$5": "$5",
		"${keyring:s/a:b}": "<keyring s/a:b>"} {
		if got, err := Expand(in, look); err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", in, got, err, want)
		}
		if got, err := Expand(literal(in), look); err != nil || !strings.Contains(in, "$${") && got != in {
			t.Errorf("the literal %q became %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"${A}", "${env:}", "${env:A", "${vault:A}", "${:x}"} {
		if got, err := Expand(bad, look); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
	if got, _ := Wanted("Shop db", "clientSecret").Text(); got != "${env:SHOP_DB_CLIENT_SECRET}" {
		t.Errorf("the reference for a secret is %s", got)
	}
}

// TestOrder: changes come in an order in which each finds what it needs, and deletions the other way round.
func TestOrder(t *testing.T) {
	p := sampleProject(t)
	p.Add(&Query{Base: Base{Ref: Ref{KindQuery, "a first"}}, SQLName: "a_first", Folder: "/",
		SQL: "SELECT * FROM peaka.query.daily_sales"})
	changes, extra := Compare(p, New())
	if len(extra) > 0 {
		t.Errorf("an empty project has %d objects more", len(extra))
	}
	at := map[string]int{}
	for i, ch := range changes {
		if ch.Action != Create {
			t.Errorf("%s %s %s", ch.Action, ch.Kind, ch.Name)
		}
		at[string(ch.Kind)+" "+ch.Name] = i
	}
	for _, pair := range [][2]string{{"folder /a", "folder /a/B: c"}, {"connection shop/1", "catalog ext"},
		{"catalog ext", "cache ext.s.t"}, {"cache ext.s.t", "query Daily sales"},
		{"query Daily sales", "query a first"}, {"query Daily sales", "semantic-table kpi.core.daily"},
		{"folder /a/B: c", "query Daily sales"}} {
		if at[pair[0]] >= at[pair[1]] {
			t.Errorf("%s comes after %s", pair[0], pair[1])
		}
	}
	if _, ok := at["column people.age"]; ok {
		t.Error("the column of a new table is a change of its own")
	}
	_, gone := Compare(New(), p)
	slices.Reverse(gone)
	at = map[string]int{}
	for i, ch := range gone {
		at[string(ch.Kind)+" "+ch.Name] = i
	}
	if at["query Daily sales"] >= at["query a first"] || at["connection shop/1"] >= at["catalog ext"] ||
		at["folder /a"] >= at["folder /a/B: c"] {
		t.Error("deletions are not in the reverse order")
	}
}

// TestListsDiffer: lists of texts with commas, quotes or nothing in them are told apart.
func TestListsDiffer(t *testing.T) {
	seen := map[string][]string{}
	for _, list := range [][]string{nil, {""}, {"", ""}, {"a", "b"}, {"a, b"}, {`"a"`, "b"}, {`"a, b"`}, {`a", "b`},
		{"a,b"}, {"a "}, {"a"}} {
		text := listed(list)
		if other, ok := seen[text]; ok {
			t.Errorf("%q and %q are both %s", other, list, text)
		}
		seen[text] = list
	}
	if got := listed([]string{"open", "in progress"}); got != "open, in progress" {
		t.Error(got)
	}
}

// TestRenames: a former name makes a change out of a deletion and a creation, also for what is inside or refers to it.
func TestRenames(t *testing.T) {
	have := sampleProject(t)
	want := sampleProject(t)
	swap := func(k Kind, old string, o Object) {
		delete(want.all, Ref{k, old})
		want.Put(o)
	}
	daily := *want.Get(KindQuery, "Daily sales").(*Query)
	swap(KindFolder, "/a", &Folder{Base{Ref: Ref{KindFolder, "/z"}, RenamedFrom: "/a"}})
	swap(KindFolder, "/a/B: c", &Folder{Base{Ref: Ref{KindFolder, "/z/B: c"}}})
	daily.Name, daily.RenamedFrom, daily.Folder, daily.SQLName = "Sales", "Daily sales", "/z/B: c", "sales"
	swap(KindQuery, "Daily sales", &daily)
	want.Get(KindSemanticTable, "kpi.core.daily").(*SemanticTable).Query = "Sales"
	conn := *want.Get(KindConnection, "shop/1").(*Connection)
	conn.Name, conn.RenamedFrom = "shop", "shop/1"
	swap(KindConnection, "shop/1", &conn)
	want.Get(KindCatalog, "ext").(*Catalog).Connection = "shop"
	age := *want.Get(KindColumn, "people.age").(*Column)
	age.Name, age.Column, age.RenamedFrom = "people.born", "born", "age"
	swap(KindColumn, "people.age", &age)
	changes, extra := Compare(want, have)
	var got []string
	for _, ch := range changes {
		for _, f := range ch.Fields {
			got = append(got, string(ch.Action)+" "+string(ch.Kind)+" "+f.Name+" "+f.From+" "+f.To)
		}
	}
	wanted := []string{"update folder name /a /z", "update connection name shop/1 shop", "update column name age born",
		"update query name Daily sales Sales"}
	if !slices.Equal(got, wanted) || len(extra) > 0 {
		t.Errorf("changes are %q, and %d more\nwant %q", got, len(extra), wanted)
	}
	if changes, extra := Compare(want, want); len(changes)+len(extra) > 0 {
		t.Errorf("a rename that was made is still one: %v %v", changes, extra)
	}
}

// TestWriteRemovesFirst: what is removed may stand in the way of what is written, as does a file whose name differs in
// case only where the file system ignores case.
func TestWriteRemovesFirst(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, map[string][]byte{"queries/x.sql": []byte("1")}, []string{"queries/x.sql"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, map[string][]byte{"queries/x.sql/y.sql": []byte("2")}, []string{"queries/x.sql/y.sql"},
		[]string{"queries/x.sql"}); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "queries", "x.sql", "y.sql")); err != nil || string(raw) != "2" {
		t.Errorf("%q, %v", raw, err)
	}
}

// TestWriteInterrupted: when not all files can be written, nothing was removed that is not written elsewhere, and a new
// directory is not a project, whose missing objects prune would delete.
func TestWriteInterrupted(t *testing.T) {
	dir := t.TempDir()
	old := map[string][]byte{Marker: []byte("version: 1\n"), "queries/a/q.sql": []byte("SELECT 1\n")}
	if err := Write(dir, old, []string{Marker, "queries/a/q.sql"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tables"), nil, 0o600); err != nil { // in the way of a folder
		t.Fatal(err)
	}
	files := map[string][]byte{Marker: old[Marker], "queries/b/q.sql": []byte("SELECT 1\n"),
		"tables/t.yaml": []byte("columns: []\n")}
	if err := Write(dir, files, []string{"tables/t.yaml", "queries/b/q.sql"}, []string{"queries/a/q.sql"}); err == nil {
		t.Fatal("the file was written")
	}
	if _, err := os.Stat(filepath.Join(dir, "queries/a/q.sql")); err != nil {
		t.Error(err)
	}
	fresh := t.TempDir()
	if err := os.WriteFile(filepath.Join(fresh, "tables"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(fresh, files, slices.Sorted(maps.Keys(files)), nil); err == nil {
		t.Fatal("the file was written")
	}
	if _, err := Read(fresh); err != ErrNoProject {
		t.Errorf("an incomplete directory is a project: %v", err)
	}
}
