package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
)

// projectSecret is a password that must not get into any file.
const projectSecret = "s3cret-of-the-shop"

// bigProject makes a project of more than 200 objects of all kinds, past the commands under test.
func bigProject(t *testing.T, f *front) {
	t.Helper()
	ctx, cl, p := t.Context(), f.api, gateway.DefaultProject
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) *string { return &s }
	yes := true
	files := filepath.Join(f.home, "source")
	for i := range 12 {
		f.file(fmt.Sprintf("source/file%02d.csv", i), "id,region,amount\n1,north,5\n2,south,6\n")
	}
	for i := range 6 {
		c, err := cl.Connections.Create(ctx, p, api.ConnectionRequest{Name: fmt.Sprintf("Source %d", i), Type: "files",
			Credential: api.Credential{"path": files}})
		ok(err)
		k, err := cl.Catalogs.Create(ctx, p, api.CatalogRequest{Name: fmt.Sprintf("Ext%d", i), ConnectionID: c.ID})
		ok(err)
		for j := range 2 {
			_, err := cl.ParametricTables.Create(ctx, p, k.ID, api.ParametricTable{FromSchema: "files",
				FromTable: fmt.Sprintf("file%02d", j), ToSchema: "by", ToTable: fmt.Sprintf("region_%d", j),
				ParamValues: []api.ParametricTableColumn{{Key: "region", Value: json.RawMessage(`"north"`)}}})
			ok(err)
		}
		for j := range 3 {
			_, err := cl.Metadata.AddRelation(ctx, p, k.ID, "files", fmt.Sprintf("file%02d", j), "id",
				api.RelationRequest{TargetCatalogID: k.ID, TargetSchemaName: "files",
					TargetTableName: fmt.Sprintf("file%02d", j+1), TargetColumnName: "id", Type: "MANY_TO_ONE"})
			ok(err)
			_, err = cl.Metadata.UpdateTable(ctx, p, k.ID, "files", fmt.Sprintf("file%02d", j),
				api.TableMetadataUpdateRequest{TableDescription: text(fmt.Sprintf("File %d", j)),
					Columns: []api.MetadataColumnUpdate{{ColumnName: "region", ColumnDescription: text("where"),
						IsCategorical: &yes, CategoricalValues: &[]string{"north", "south"}}}})
			ok(err)
		}
	}
	for i := range 40 {
		_, err := cl.CreateWholeTable(ctx, p, fmt.Sprintf("t%02d", i), false,
			[]api.ColumnRequest{{Name: "name", DataType: "VARCHAR", DisplayName: "The name", Desc: text("who")},
				{Name: "n", DataType: "BIGINT", DefaultValue: text("7"), IsNotNull: &yes},
				{Name: "born", DataType: "DATE"}})
		ok(err)
	}
	for i := range 2 {
		_, err := cl.CreateWholeTable(ctx, p, fmt.Sprintf("spare%d", i), false,
			[]api.ColumnRequest{{Name: "x", DataType: "UUID", IsUnique: &yes}})
		ok(err)
	}
	for i := range 5 {
		_, err := cl.CreateWholeTable(ctx, p, fmt.Sprintf("bi%d", i), true,
			[]api.ColumnRequest{{Name: "label", DataType: "VARCHAR"}, {Name: "size", DataType: "DECIMAL"}})
		ok(err)
	}
	_, err := cl.Connections.Create(ctx, p, api.ConnectionRequest{Name: "Unused", Type: "files",
		Credential: api.Credential{"path": files}})
	ok(err)
	_, err = cl.Folders.Create(ctx, p, api.QueryFolderCreateRequest{FolderName: "nothing"})
	ok(err)
	for i := range 12 {
		_, err := cl.Folders.Create(ctx, p, api.QueryFolderCreateRequest{FolderName: fmt.Sprintf("area %d/sub: %d", i/3,
			i)})
		ok(err)
	}
	ids := []string{}
	for i := range 60 {
		req := api.QueryRequest{DisplayName: text(fmt.Sprintf("Query %02d", i)), QueryType: "PLAIN", Path: text("/"),
			InputQuery: text(fmt.Sprintf("SELECT name,\n  n + %d AS n\nFROM peaka.\"table\".t%02d", i, i%40))}
		if i >= 20 {
			req.Path = text(fmt.Sprintf("/area %d/sub: %d", i%12/3, i%12))
		}
		if i >= 50 { // reads one that comes later in the alphabet of files
			req.InputQuery = text(fmt.Sprintf("SELECT * FROM peaka.query.query_%02d", i-1))
		}
		if i%10 == 3 {
			req.QueryType, req.Schedule = "MATERIALIZED", &api.MaterializedQuerySchedule{Type: "interval",
				RepeatDuration: text("PT6H")}
		}
		if i%10 == 6 {
			req.QueryType, req.Schedule = "MATERIALIZED", &api.MaterializedQuerySchedule{Type: "cron",
				CronExpression: text("0 6 * * 1"), Timezone: text("Europe/Berlin")}
		}
		q, err := cl.Queries.Create(ctx, p, req, nil)
		ok(err)
		ids = append(ids, q.ID)
	}
	for i, table := range []string{"orders", "customers", "products"} {
		_, err := cl.Cache.Create(ctx, p, api.CacheRequest{CatalogID: "3", SchemaName: "shop", TableName: table,
			FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: text(fmt.Sprintf("P%dD", i+1))}})
		ok(err)
	}
	for i := range 3 {
		k, err := cl.SemanticCatalogs.Create(ctx, p, api.SemanticCatalogRequest{Name: fmt.Sprintf("kpi%d", i)})
		ok(err)
		for j := range 3 {
			_, err := cl.SemanticCatalogs.CreateTable(ctx, p, k.ID, api.SemanticTableRequest{SchemaName: "core",
				TableName: fmt.Sprintf("m%d", j), QueryID: ids[3*i+j]})
			ok(err)
		}
	}
	for i := range 17 {
		_, err := cl.Metadata.CreateGoldenSQL(ctx, p, api.GoldenSQLRequest{Prompt: fmt.Sprintf("How many in t%02d?", i),
			SQL: fmt.Sprintf("SELECT count(*) FROM peaka.\"table\".t%02d", i)})
		ok(err)
	}
}

// tree reads the files of a directory.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[name]; !ok || text != want[name] {
			t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, text, want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: there is %s too", what, name)
		}
	}
}

// ok runs a command line that has to succeed.
func (f *front) ok(args ...string) string {
	f.t.Helper()
	code, out, errs := f.dig(args...)
	if code != 0 {
		f.t.Fatalf("dig %s: exit %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// TestProjectFiles: a project of more than 200 objects of all kinds is pulled, applied to an empty project of zone
// local and to one of a gateway with the quirks of the hosted zones, and pulled again: the files are the same to the
// byte, and there is nothing left to do.
func TestProjectFiles(t *testing.T) {
	from := newFront(t, "local")
	bigProject(t, from)
	dir := filepath.Join(t.TempDir(), "p")
	from.sent()
	var res struct{ Objects int }
	if err := json.Unmarshal([]byte(from.ok("pull", dir, "-o", "json")), &res); err != nil || res.Objects < 200 {
		t.Fatalf("%d objects, %v", res.Objects, err)
	}
	if sent := from.sent(); sent != "" {
		t.Errorf("pull sent %s", sent)
	}
	want := filesOf(t, dir)
	for zone, quirks := range map[string][]string{"local": nil, "us": {"hosted"}} {
		to := newFront(t, zone, quirks...)
		if code, out, errs := to.dig("plan", dir); code != 1 {
			t.Fatalf("plan on an empty project: exit %d: %s%s", code, out, errs)
		}
		if sent := to.sent(); sent != "" {
			t.Errorf("plan sent %s", sent)
		}
		to.ok("apply", dir, "--yes", "--allow-part")
		to.sent()
		for _, c := range []string{"plan", "diff"} {
			if code, out, errs := to.dig(c, dir); code != 0 {
				t.Errorf("%s after apply: exit %d: %s%s", c, code, out, errs)
			}
		}
		to.ok("apply", dir)
		if sent := to.sent(); sent != "" {
			t.Errorf("zone %s: after apply there was still something to send: %s", zone, sent)
		}
		again := filepath.Join(t.TempDir(), "p")
		to.ok("pull", again)
		sameFiles(t, "zone "+zone, filesOf(t, again), want)
		if zone == "local" { // what pull leaves out is in no file
			if got, has := projectState(t, to), projectState(t, from); got != has {
				t.Errorf("the project is\n%s\nwant\n%s", got, has)
			}
		}
		empty := filepath.Join(t.TempDir(), "p")
		to.file("empty/dig.yaml", want["dig.yaml"])
		if code, out, errs := to.dig("plan", "empty"); code != 0 || !strings.Contains(errs,
			"only in the project and not changed; --prune deletes them") {
			t.Errorf("without --prune: exit %d: %s%s", code, out, errs)
		}
		to.ok("apply", "empty", "--prune", "--yes")
		to.ok("pull", empty)
		sameFiles(t, "zone "+zone+", pruned", filesOf(t, empty), map[string]string{"dig.yaml": want["dig.yaml"]})
	}
}

// edit changes a file of a project; "" for the new text removes it.
type edit struct {
	file, old, new string
	sends          string
}

// twentyEdits are changes of all kinds with the requests that each needs.
var twentyEdits = []edit{
	{"queries/Query 00.sql", "n + 0", "n + 100", "updateQuery"},
	{"queries/Query 03.yaml", "PT6H", "PT12H", "updateQuery"},
	{"queries/Query 06.yaml", "materialized: true\nschedule:\n  cron: 0 6 * * 1\n  timezone: Europe/Berlin\n",
		"materialized: false\n", "updateQuery"},
	{"queries/Query 16.yaml", "timezone: Europe/Berlin", "timezone: Europe/Paris", "updateQuery"},
	{"queries/Query 07.sql", "*", "moved to queries/area 0/Query 07.sql", "moveQuery"},
	{"queries/fresh.sql", "*", "SELECT 1 AS x", "createQuery"},
	{"queries/Query 19.sql", "*", "", "deleteQuery"},
	{"tables/t00.yaml", "type: date", "type: timestamp", "updateInternalColumn"},
	{"tables/t01.yaml", "    default: \"7\"\n", "", "updateInternalColumn"},
	{"tables/t02.yaml", "    description: who\n", "    description: whose\n", "updateInternalColumn"},
	{"tables/t03.yaml", "  - name: born\n", "  - name: died\n    type: date\n  - name: born\n", "addInternalColumns"},
	{"tables/t04.yaml", "  - name: born\n    type: date\n", "", "deleteInternalColumn"},
	{"tables/t05.yaml", "name: born", "name: birthday\n    renamed-from: born", "updateInternalColumn"},
	{"caches/sample.yaml", "full: P2D", "full: P5D", "updateCacheSettings"},
	{"metadata/ext0.yaml", "description: File 1", "description: The second file", "updateTableMetadata"},
	{"relations/ext1.yaml", "MANY_TO_ONE", "ONE_TO_ONE", "updateRelation"},
	{"golden-sql/how-many-in-t05.sql", "count(*)", "count(1)", "createGoldenSql deleteGoldenSql"},
	{"parametric-tables/ext2.yaml", "region: north", "region: south", "createParametricTable deleteParametricTable"},
	{"semantic-catalogs/kpi0.yaml", "core.m1: Query 01", "core.m1: Query 02",
		"createSemanticTable deleteSemanticTable"},
	{"connections/Source 5.yaml", "type: files", "renamed-from: Source 5\ntype: files", "updateConnection"},
}

func (ed edit) make(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(ed.file))
	var err error
	raw, rerr := os.ReadFile(path)
	switch to, move := strings.CutPrefix(ed.new, "moved to "); {
	case move:
		err = os.Rename(path, filepath.Join(dir, filepath.FromSlash(to)))
	case ed.old == "*" && ed.new == "":
		err = os.Remove(path)
	case ed.old == "*":
		err = os.WriteFile(path, []byte(ed.new), 0o600)
	case rerr != nil || !strings.Contains(string(raw), ed.old):
		t.Fatalf("%s has no %q: %v", ed.file, ed.old, rerr)
	default:
		err = os.WriteFile(path, []byte(strings.Replace(string(raw), ed.old, ed.new, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(ed.new, "renamed-from: Source 5") {
		if err := os.Rename(path, filepath.Join(dir, "connections", "Origin.yaml")); err != nil {
			t.Fatal(err)
		}
		cat := filepath.Join(dir, "catalogs", "ext5.yaml")
		text, err := os.ReadFile(cat)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(cat, bytes.ReplaceAll(text, []byte("Source 5"), []byte("Origin")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwentyEdits: twenty edits of the files of a big project, in two halves in a random order, send what they need and
// nothing else; a process that is killed in the middle is continued by the next one, with the same end.
func TestTwentyEdits(t *testing.T) {
	f := newFront(t, "local")
	bigProject(t, f)
	dir := filepath.Join(t.TempDir(), "p")
	f.ok("pull", dir)
	f.sent()
	if len(twentyEdits) != 20 {
		t.Fatalf("%d edits", len(twentyEdits))
	}
	var want []string
	for _, ed := range twentyEdits {
		ed.make(t, dir)
		want = append(want, strings.Fields(ed.sends)...)
	}
	slices.Sort(want)
	if code, out, errs := f.dig("plan", dir, "--prune"); code != 1 || strings.Count("\n"+out, "\n+ ")+
		strings.Count("\n"+out, "\n- ")+strings.Count("\n"+out, "\n~ ") != len(twentyEdits) {
		t.Errorf("plan: exit %d: %s%s", code, out, errs)
	}
	code, out, errs := f.dig("apply", dir, "--prune", "--dry-run")
	if told := steps(out); code != 0 || told != len(want) {
		t.Errorf("a dry run tells of %d requests, want %d: %s", told, len(want), errs)
	}
	if sent := f.sent(); sent != "" {
		t.Errorf("plan and a dry run sent %s", sent)
	}
	killed(t, f, dir, 8)
	first := strings.Fields(f.sent())
	if len(first) >= len(want) || len(first) < 8 {
		t.Errorf("the killed process sent %v", first)
	}
	f.ok("apply", dir, "--prune", "--yes")
	got := append(first, strings.Fields(f.sent())...)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("sent were\n%v, want\n%v", got, want)
	}
	again := filepath.Join(t.TempDir(), "p")
	f.ok("pull", again)
	to := newFront(t, "local")
	to.ok("apply", again, "--yes")
	third := filepath.Join(t.TempDir(), "p")
	to.ok("pull", third)
	sameFiles(t, "the edited project, applied to an empty one", filesOf(t, third), filesOf(t, again))
	if code, out, errs := to.dig("diff", dir); code != 0 {
		t.Errorf("the edited files differ from the project that was made of them: exit %d: %s%s", code, out, errs)
	}
}

// killed runs apply as a process of its own and kills it when the request after the first n that change something has
// been answered by the gateway, before the answer arrives.
func killed(t *testing.T, f *front, dir string, n int) {
	t.Helper()
	c := process(t, t.TempDir(), "apply", dir, "--prune", "--yes")
	for k, v := range f.env() {
		c.Env = append(c.Env, k+"="+v)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	var mu sync.Mutex
	seen := 0
	f.between(func(r *http.Request, pass func()) {
		if !changing(r) {
			pass()
			return
		}
		mu.Lock()
		seen++
		end := seen == n
		mu.Unlock()
		pass()
		if end {
			_ = c.Process.Kill()
			panic(http.ErrAbortHandler)
		}
	})
	defer f.between(nil)
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != -1 {
		t.Fatalf("the process was not killed: %v: %s", err, errs.String())
	}
}
