package cmd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/spec"
)

// change is an edit of the files of a project with the requests that it needs.
type change struct {
	what  string
	make  func(d draft)
	sends string
}

// draft is a directory that is edited.
type draft struct {
	t   *testing.T
	dir string
}

func (d draft) path(file string) string { return filepath.Join(d.dir, filepath.FromSlash(file)) }

func (d draft) replace(file, old, now string) {
	d.t.Helper()
	raw, err := os.ReadFile(d.path(file))
	if err != nil || !strings.Contains(string(raw), old) {
		d.t.Errorf("%s has no %q: %v\n%s", file, old, err, raw)
		return
	}
	d.write(file, strings.Replace(string(raw), old, now, 1))
}

func (d draft) write(file, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(file)), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(file), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d draft) add(file, text string) {
	d.t.Helper()
	raw, err := os.ReadFile(d.path(file))
	if err != nil {
		d.t.Fatal(err)
	}
	d.write(file, string(raw)+text)
}

func (d draft) remove(file string) {
	d.t.Helper()
	if err := os.Remove(d.path(file)); err != nil {
		d.t.Fatal(err)
	}
}

func (d draft) move(from, to string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(to)), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Rename(d.path(from), d.path(to)); err != nil {
		d.t.Fatal(err)
	}
}

// drop removes the entry of a mapping from a file: the line of its name and the indented ones after it.
func (d draft) drop(file, name string) {
	d.t.Helper()
	raw, err := os.ReadFile(d.path(file))
	if err != nil {
		d.t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+":") })
	if at < 0 {
		d.t.Errorf("%s has no %s:\n%s", file, name, raw)
		return
	}
	end := at + 1
	for end < len(lines) && strings.HasPrefix(lines[end], " ") {
		end++
	}
	d.write(file, strings.Join(slices.Delete(lines, at, end), ""))
}

// possibleEdits are edits of all kinds of objects of the big project, each of objects that no other one touches.
func possibleEdits(r *rand.Rand) []change {
	n := r.IntN(1000)
	var all []change
	add := func(sends, what string, f func(d draft)) { all = append(all, change{what, f, sends}) }
	for _, i := range []int{0, 1, 12, 15} {
		add("updateQuery", "statement", func(d draft) {
			d.replace(fmt.Sprintf("queries/Query %02d.sql", i), fmt.Sprintf("n + %d", i), fmt.Sprintf("n + %d", 100+n))
		})
	}
	add("updateQuery", "interval", func(d draft) {
		d.replace("queries/Query 03.yaml", "PT6H", fmt.Sprintf("PT%dH", 7+r.IntN(5)))
	})
	add("updateQuery", "no result is stored", func(d draft) { d.remove("queries/Query 06.yaml") })
	add("updateQuery", "a result is stored", func(d draft) { d.write("queries/Query 05.yaml", "materialized: true\n") })
	add("updateQuery", "time zone", func(d draft) {
		d.replace("queries/Query 16.yaml", "Europe/Berlin",
			"Europe/Paris")
	})
	add("moveQuery", "folder", func(d draft) { d.move("queries/Query 07.sql", "queries/area 0/Query 07.sql") })
	add("updateQuery", "name", func(d draft) {
		d.move("queries/Query 10.sql", fmt.Sprintf("queries/Named %d.sql", n))
		d.write(fmt.Sprintf("queries/Named %d.yaml", n), "renamed-from: Query 10\n")
	})
	add("createQuery", "new query", func(d draft) {
		d.write(fmt.Sprintf("queries/fresh %d.sql", n),
			fmt.Sprintf("SELECT %d AS x", n))
	})
	add("createQuery", "new query with a result", func(d draft) {
		d.write("queries/stored.sql", "SELECT 2 AS x")
		d.write("queries/stored.yaml", "materialized: true\nschedule:\n  every: PT1H\n")
	})
	add("deleteQuery", "deleted query", func(d draft) { d.remove("queries/Query 19.sql") })
	add("createQueryFolder", "new folder", func(d draft) { d.write(fmt.Sprintf("queries/new %d/.gitkeep", n), "") })
	add("createChildQueryFolder", "new folder in a folder",
		func(d draft) { d.write("queries/area 1/inner/.gitkeep", "") })
	add("deleteQueryFolder", "deleted folder", func(d draft) {
		if err := os.RemoveAll(d.path("queries/nothing")); err != nil {
			d.t.Fatal(err)
		}
	})
	add("renameQueryFolder", "name of a folder", func(d draft) {
		d.move("queries/area 3", "queries/area three")
		d.write("queries/area three/.folder.yaml", "renamed-from: /area 3\n")
	})
	add("updateInternalColumn", "type of a column", func(d draft) {
		d.replace("tables/t20.yaml", "type: date",
			"type: timestamp")
	})
	add("updateInternalColumn", "default", func(d draft) { d.replace("tables/t21.yaml", "    default: \"7\"\n", "") })
	add("updateInternalColumn", "another default", func(d draft) {
		d.replace("tables/t22.yaml", `"7"`,
			fmt.Sprintf("%q", strconv.Itoa(n)))
	})
	add("updateInternalColumn", "description", func(d draft) {
		d.replace("tables/t23.yaml", "description: who",
			"description: whose")
	})
	add("addInternalColumns", "new column",
		func(d draft) { d.add("tables/t24.yaml", fmt.Sprintf("  - name: c%d\n    type: varchar\n", n)) })
	add("deleteInternalColumn", "deleted column", func(d draft) {
		d.replace("tables/t25.yaml",
			"  - name: born\n    type: date\n", "")
	})
	add("updateInternalColumn", "name of a column", func(d draft) {
		d.replace("tables/t26.yaml", "name: born",
			"name: birthday\n    renamed-from: born")
	})
	add(spec.CreateWholeTable.ID, "new table", func(d draft) {
		d.write(fmt.Sprintf("tables/made%d.yaml", n),
			"columns:\n  - name: a\n    type: bigint\n  - name: b\n    type: varchar\n")
	})
	add("deleteInternalTable", "deleted table", func(d draft) { d.remove("tables/spare1.yaml") })
	add("updateBiColumn", "type of a column of a BI table", func(d draft) {
		d.replace("bitables/bi0.yaml",
			"type: decimal", "type: bigint")
	})
	add("addBiColumns", "new column of a BI table",
		func(d draft) { d.add("bitables/bi1.yaml", "  - name: more\n    type: varchar\n") })
	add("deleteBiColumn", "deleted column of a BI table", func(d draft) {
		d.replace("bitables/bi2.yaml",
			"  - name: size\n    type: decimal\n", "")
	})
	add("deleteBiTable", "deleted BI table", func(d draft) { d.remove("bitables/bi3.yaml") })
	add(spec.CreateWholeBi.ID, "new BI table", func(d draft) {
		d.write(fmt.Sprintf("bitables/board%d.yaml", n), "columns:\n  - name: a\n    type: bigint\n")
	})
	add("updateCacheSettings", "schedule of a cache", func(d draft) {
		d.replace("caches/sample.yaml", "full: P2D",
			"full: P5D")
	})
	add("createCache", "new cache", func(d draft) { d.add("caches/sample.yaml", "shop.order_items:\n  full: P7D\n") })
	add("deleteCache", "deleted cache", func(d draft) { d.drop("caches/sample.yaml", "shop.products") })
	add("updateTableMetadata", "description of a table", func(d draft) {
		d.replace("metadata/ext0.yaml", "description: File 1", fmt.Sprintf("description: The file %d", n))
	})
	add("updateTableMetadata", "values of a column", func(d draft) {
		d.replace("metadata/ext1.yaml",
			"- south", "- west")
	})
	add("updateTableMetadata", "deleted description", func(d draft) { d.drop("metadata/ext2.yaml", "files.file00") })
	add("updateTableMetadata", "not for the AI", func(d draft) {
		d.replace("metadata/ext3.yaml", "  description: File 2\n", "  description: File 2\n  use-with-ai: false\n")
	})
	add("updateRelation", "type of a relation", func(d draft) {
		d.replace("relations/ext0.yaml", "MANY_TO_ONE",
			"ONE_TO_ONE")
	})
	add("addRelation", "new relation", func(d draft) {
		d.add("relations/ext1.yaml",
			"- from: files.file00.region\n  to: ext1.files.file01.region\n  type: ONE_TO_ONE\n")
	})
	add("deleteRelation", "deleted relation", func(d draft) {
		d.replace("relations/ext2.yaml", "- from: files.file01.id\n  to: ext2.files.file02.id\n  type: MANY_TO_ONE\n",
			"")
	})
	add("createGoldenSql deleteGoldenSql", "answer", func(d draft) {
		d.replace("golden-sql/how-many-in-t05.sql",
			"count(*)", "count(1)")
	})
	add("createGoldenSql", "new question", func(d draft) {
		d.write("golden-sql/new.sql", fmt.Sprintf("SELECT %d AS n", n))
		d.write("golden-sql/new.yaml", "prompt: How many?\n")
	})
	add("deleteGoldenSql", "deleted question", func(d draft) {
		d.remove("golden-sql/how-many-in-t06.sql")
		d.remove("golden-sql/how-many-in-t06.yaml")
	})
	add("createParametricTable deleteParametricTable", "value of a parametric table",
		func(d draft) { d.replace("parametric-tables/ext2.yaml", "region: north", "region: south") })
	add("createParametricTable", "new parametric table", func(d draft) {
		d.add("parametric-tables/ext3.yaml", "by.more:\n  from: files.file03\n  values:\n    region: south\n")
	})
	add("deleteParametricTable", "deleted parametric table", func(d draft) {
		d.drop("parametric-tables/ext4.yaml",
			"by.region_0")
	})
	add("createSemanticTable deleteSemanticTable", "query of a semantic table",
		func(d draft) { d.replace("semantic-catalogs/kpi0.yaml", "core.m1: Query 01", "core.m1: Query 02") })
	add("createSemanticTable", "new semantic table", func(d draft) {
		d.add("semantic-catalogs/kpi1.yaml",
			"  other.m: Query 04\n")
	})
	add("deleteSemanticTable", "deleted semantic table", func(d draft) {
		d.replace("semantic-catalogs/kpi2.yaml",
			"  core.m2: Query 08\n", "")
	})
	add("createSemanticCatalog", "new semantic catalog",
		func(d draft) { d.write(fmt.Sprintf("semantic-catalogs/kpi%d.yaml", 10+n), "{}\n") })
	add("updateConnection", "name of a connection", func(d draft) {
		d.move("connections/Source 5.yaml", "connections/Origin.yaml")
		d.replace("connections/Origin.yaml", "type: files", "renamed-from: Source 5\ntype: files")
		d.replace("catalogs/ext5.yaml", "Source 5", "Origin")
	})
	add("updateConnection", "credential", func(d draft) {
		d.replace("connections/Source 4.yaml", "/source\n",
			"/source/.\n")
	})
	add("deleteConnection", "deleted connection", func(d draft) { d.remove("connections/Unused.yaml") })
	add("createCatalog", "new catalog", func(d draft) {
		d.write(fmt.Sprintf("catalogs/more%d.yaml", n),
			"connection: Source 0\n")
	})
	return all
}

// TestRandomEdits: twenty random edits out of all kinds, of a seed that is printed and may be given as DIG_TEST_SEED,
// send what they need and nothing else (DIG_TEST_EDITS makes more of them at once); a second plan says the same as the
// first one, and after apply there is nothing left to do.
func TestRandomEdits(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rounds, number := 2, 20
	if n, err := strconv.Atoi(os.Getenv("DIG_TEST_EDITS")); err == nil {
		number = n
	}
	if given, err := strconv.ParseUint(os.Getenv("DIG_TEST_SEED"), 10, 64); err == nil {
		seed, rounds = given, 1
	}
	from := newFront(t, "local")
	bigProject(t, from)
	base := filepath.Join(t.TempDir(), "p")
	from.ok("pull", base)
	f := from
	for round := range rounds {
		if round > 0 {
			f = newFront(t, "local")
			f.ok("apply", base, "--yes", "--allow-part")
		}
		f.sent()
		seed := seed + uint64(round)
		r := rand.New(rand.NewPCG(seed, 0))
		edits := possibleEdits(r)
		r.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		dir := filepath.Join(t.TempDir(), "p")
		if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		var want, made []string
		for _, c := range edits[:min(number, len(edits))] {
			c.make(draft{t, dir})
			want, made = append(want, strings.Fields(c.sends)...), append(made, c.what)
		}
		slices.Sort(want)
		what := fmt.Sprintf("DIG_TEST_SEED=%d: %s", seed, strings.Join(made, ", "))
		t.Log(what)
		code, first, errs := f.dig("plan", dir, "--prune")
		again, second, _ := f.dig("plan", dir, "--prune")
		if code != 1 || again != 1 || first != second {
			t.Errorf("%s\nplan: exit %d and %d: %s\n%s\n%s", what, code, again, errs, first, second)
		}
		if sent := f.sent(); sent != "" {
			t.Errorf("%s\nplan sent %s", what, sent)
		}
		if code, _, errs := f.dig("apply", dir, "--prune", "--yes", "--allow-part"); code != 0 {
			t.Errorf("%s\napply: exit %d: %s", what, code, errs)
		}
		got := strings.Fields(f.sent())
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s\nsent were\n%v, want\n%v\n%s", what, got, want, first)
		}
		if code, out, errs := f.dig("diff", dir); code != 0 {
			t.Errorf("%s\nafter apply: exit %d: %s%s", what, code, out, errs)
		}
	}
}
