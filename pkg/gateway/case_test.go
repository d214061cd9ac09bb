package gateway_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	_ "modernc.org/sqlite"
)

// cased is a source with a table that has capitals, and makes another one whose name differs in case.
type cased struct {
	gatewaytest.Origin
	schema, upper, lower string
	second               func()         // nil: the source keeps one of them
	put                  func(n string) // writes the row of a table Ölçü
}

func casedFiles(t *testing.T) cased {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("Case1.csv", "n,Big\n1,one\n")
	write("Case1.tsv", "n\n3\n") // both are then named with their extensions
	return cased{gatewaytest.Origin{Kind: "files", Credential: map[string]any{"path": dir}}, "files",
		"Case1.csv", "case1.csv",
		func() { write("case1.csv", "n,small\n2,two\n"); write("Made.csv", "n,own\n4,four\n") },
		func(n string) { write("Ölçü.csv", "n\n"+n+"\n") }}
}

func casedDatabase(o gatewaytest.Origin, quote string) cased {
	run := func(sql string) { o.Run(strings.ReplaceAll(sql, "`", quote)) }
	run("CREATE TABLE cached.`Case1` AS SELECT 1 AS n, 'one' AS `Big`")
	return cased{o, "cached", "Case1", "case1", func() {
		run("CREATE TABLE cached.case1 AS SELECT 2 AS n, 'two' AS small")
		run("CREATE TABLE cached.`Made` AS SELECT 4 AS n, 'four' AS own")
	}, func(n string) {
		run("CREATE TABLE IF NOT EXISTS cached.`Ölçü`(n integer)")
		run("DELETE FROM cached.`Ölçü`")
		run("INSERT INTO cached.`Ölçü` VALUES (" + n + ")")
	}}
}

func casedSQLite(t *testing.T) cased {
	path := filepath.Join(t.TempDir(), "one.db")
	run := func(text string) {
		db, err := sql.Open("sqlite", path)
		if err == nil {
			_, err = db.Exec(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
	}
	run("CREATE TABLE Case1(n integer, Big text); INSERT INTO Case1 VALUES (1, 'one')")
	return cased{gatewaytest.Origin{Kind: "sqlite", Credential: map[string]any{"path": path}}, "main",
		"Case1", "case1", nil,
		func(n string) {
			run("CREATE TABLE IF NOT EXISTS Ölçü(n integer); DELETE FROM Ölçü; INSERT INTO Ölçü VALUES (" + n + ")")
		}}
}

// TestNamesThatDifferInCase has each service that stores or finds something by the name of a table do so over a source
// with Case1, and then over one with Case1 and case1: what belongs to one of them is never told of the other.
func TestNamesThatDifferInCase(t *testing.T) {
	for name, open := range map[string]func(*testing.T) cased{
		"files": casedFiles, "sqlite": casedSQLite,
		"postgres": func(t *testing.T) cased { return casedDatabase(gatewaytest.Postgres(t), `"`) },
		"mariadb":  func(t *testing.T) cased { return casedDatabase(gatewaytest.MariaDB(t), "`") },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			g, cl, _ := gatewaytest.OpenClient(t)
			b := casedRun{t, g, cl, s, gatewaytest.Connect(t, cl, s.Origin, map[string]any{"cacheAnything": true})}
			b.one()
			if s.second != nil {
				s.second()
				b.two()
			}
		})
	}
}

type casedRun struct {
	t  *testing.T
	g  *gateway.Gateway
	cl *api.Client
	cased
	cat api.Catalog
}

func (b casedRun) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b casedRun) same(what string, got, want any) {
	b.t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		b.t.Errorf("%s: %s, want %s", what, g, w)
	}
}

func (b casedRun) describe(table, column, text string) {
	b.t.Helper()
	_, err := b.cl.Metadata.UpdateTable(context.Background(), gatewaytest.Local, b.cat.ID, b.schema, table,
		api.TableMetadataUpdateRequest{
			TableDescription: &text, Columns: []api.MetadataColumnUpdate{{ColumnName: column,
				ColumnDescription: &text}}})
	b.must(err)
}

// told is what the metadata tells of a table: its description and those of its columns.
func (b casedRun) told(table string) (out []string) {
	b.t.Helper()
	m, err := b.cl.Metadata.Project(context.Background(), gatewaytest.Local, b.cat.ID, b.schema)
	b.must(err)
	for _, e := range m.Metadata {
		if e.Metadata.TableName != table {
			continue
		}
		if e.Metadata.TableDescription != nil {
			out = append(out, *e.Metadata.TableDescription)
		}
		for _, c := range e.Metadata.Columns {
			out = append(out, c.ColumnName+"="+c.ColumnDescription)
		}
	}
	return out
}

// followed is the description that the lineage of a saved query tells.
func (b casedRun) followed(query string) string {
	b.t.Helper()
	m, err := b.cl.Metadata.Project(context.Background(), gatewaytest.Local, api.QueryCatalogID, "query")
	b.must(err)
	for _, e := range m.Metadata {
		if e.Metadata.TableName == query {
			if d := e.Metadata.Columns[0].Lineage[0].ColumnDescription; d != nil {
				return *d
			}
			return ""
		}
	}
	b.t.Fatalf("no query %s", query)
	return ""
}

func (b casedRun) columns(table string) (out []string) {
	b.t.Helper()
	cols, err := b.cl.Catalogs.Columns(context.Background(), gatewaytest.Local, b.cat.ID, b.schema, table)
	b.must(err)
	for _, c := range cols {
		out = append(out, c.Name)
	}
	return out
}

func (b casedRun) isCached(table string) bool {
	b.t.Helper()
	st, err := b.cl.Catalogs.CacheState(context.Background(), gatewaytest.Local, b.cat.ID, b.schema, table)
	b.must(err)
	return st.IsCached
}

func (b casedRun) value(table string) string {
	b.t.Helper()
	return gatewaytest.OneValue(b.t, b.g, `SELECT n FROM far."`+b.schema+`"."`+table+`"`)
}

func (b casedRun) relate(table, column, to string) {
	b.t.Helper()
	_, err := b.cl.Metadata.AddRelation(context.Background(), gatewaytest.Local, b.cat.ID, b.schema, table, column,
		api.RelationRequest{
			TargetCatalogID: b.cat.ID, TargetSchemaName: b.schema, TargetTableName: to, TargetColumnName: column,
			Type: "ONE_TO_ONE"})
	b.must(err)
}

func (b casedRun) parametric(from, to string) {
	b.t.Helper()
	_, err := b.cl.ParametricTables.Create(context.Background(), gatewaytest.Local, b.cat.ID,
		api.ParametricTable{FromSchema: b.schema, FromTable: from,
			ToSchema: b.schema, ToTable: to, ParamValues: []api.ParametricTableColumn{{Key: "n",
				Value: json.RawMessage(`"1"`)}}})
	b.must(err)
}

func (b casedRun) query(name, sql string) {
	b.t.Helper()
	_, err := b.cl.Queries.Create(context.Background(), gatewaytest.Local, api.QueryRequest{DisplayName: &name,
		InputQuery: &sql}, nil)
	b.must(err)
}

// one table: its name in lower case means it everywhere.
func (b casedRun) one() {
	b.describe(b.upper, "Big", "upper")
	b.same("described", b.told(b.upper), []string{"upper", "n=", "Big=upper"})
	b.query("by_lower", `SELECT big FROM far."`+b.schema+`"."`+b.lower+`"`)
	b.query("by_upper", `SELECT big FROM far."`+b.schema+`"."`+b.upper+`"`)
	b.same("lineage by the lower name", b.followed("by_lower"), "upper")
	b.same("lineage by the upper name", b.followed("by_upper"), "upper")
	b.same("value", b.value(b.lower), "1")
	b.parametric(b.upper, "made")
	b.same("parametric", b.value("made"), "1")
	b.must(createCaseCache(b, b.upper))
	b.same("cached", b.isCached(b.upper), true)
	b.put("5")
	b.must(createCaseCache(b, "Ölçü"))
	b.put("6")
	b.same("from the cache, whatever the letters", b.value("ölçü"), "5")
}

func createCaseCache(b casedRun, table string) error {
	_, err := b.cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{CatalogID: b.cat.ID,
		SchemaName: b.schema, TableName: table})
	b.g.Jobs.Running.Wait()
	return err
}

// two tables: each has what is its own.
func (b casedRun) two() {
	b.same("value", b.value(b.lower), "2")
	b.same("columns", [][]string{b.columns(b.upper), b.columns(b.lower)}, [][]string{{"n", "Big"}, {"n", "small"}})
	b.same("cached", []bool{b.isCached(b.upper), b.isCached(b.lower)}, []bool{true, false})
	b.same("described", [][]string{b.told(b.upper), b.told(b.lower)}, [][]string{{"upper", "n=", "Big=upper"},
		{"n=", "small="}})
	b.describe(b.upper, "n", "upper")
	b.query("n_lower", `SELECT n FROM far."`+b.schema+`"."`+b.lower+`"`)
	b.same("lineage of the lower table", b.followed("n_lower"), "")
	b.describe(b.lower, "n", "lower")
	b.same("lineage of the lower table", b.followed("n_lower"), "lower")
	b.same("described", [][]string{b.told(b.upper), b.told(b.lower)}, [][]string{{"upper", "n=upper", "Big=upper"},
		{"lower", "n=lower", "small="}})
	b.relate(b.lower, "n", b.upper)
	found, err := b.cl.Metadata.Relations(context.Background(), gatewaytest.Local, b.cat.ID)
	b.must(err)
	for _, r := range found {
		b.same("relation", []string{r.SourceTableName, r.TargetTableName}, []string{b.lower, b.upper})
	}
	hits, err := b.cl.Catalogs.Search(context.Background(), gatewaytest.Local, api.SearchRequest{Query: "CASE1"})
	b.must(err)
	var tables []string
	for _, h := range hits.MatchedTables {
		if h.Table != "Case1.tsv" {
			tables = append(tables, h.Table)
		}
	}
	slices.Sort(tables)
	b.same("search", tables, []string{b.upper, b.lower})
	b.same("columns of a table beside a parametric one", b.columns("Made"), []string{"n", "own"})
	if got, err := b.answer("Made"); err == nil || !strings.Contains(err.Error(), "cannot be distinguished") {
		b.t.Errorf("a table beside a parametric one: %q, %v", got, err)
	}
	if got, err := b.answer("made"); err == nil && got != "1" || err != nil && !strings.Contains(err.Error(),
		"cannot be distinguished") {
		b.t.Errorf("parametric table over the hidden table: %q, %v", got, err)
	}
	b.must(createCaseCache(b, b.lower))
	b.same("value from the cache", b.value(b.lower), "2")
	b.parametric(b.lower, "made2")
	b.same("no row of the lower table has n = 1", b.count("made2"), "0")
	for table, want := range map[string]string{b.upper: "1,one", b.lower: "2,two"} {
		b.exported(table, want)
	}
}

func (b casedRun) count(table string) string {
	return gatewaytest.OneValue(b.t, b.g, `SELECT count(*) FROM far."`+b.schema+`"."`+table+`"`)
}

func (b casedRun) answer(table string) (string, error) {
	rows, err := gatewaytest.TextsOf(context.Background(), b.g, store.Project{ID: gateway.DefaultProject},
		`SELECT n FROM far."`+b.schema+`"."`+table+`"`)
	if err != nil || len(rows) != 1 {
		return "", err
	}
	return rows[0][0], nil
}

// exported exports a table: its own rows, or an error that says why not.
func (b casedRun) exported(table, want string) {
	b.t.Helper()
	job, err := b.cl.Exports.StartTable(context.Background(), gatewaytest.Local, b.cat.ID, b.schema, table,
		api.ExportRequest{Format: "CSV"})
	if err != nil {
		if !strings.Contains(err.Error(), "cannot be distinguished") {
			b.t.Error(err)
		}
		return
	}
	end := gatewaytest.Ended(b.t, b.cl, job.ID)
	if end.Status == "FAILED" {
		if end.Error == nil || !strings.Contains(*end.Error, "cannot be distinguished") {
			b.t.Errorf("export of %s: %+v", table, end)
		}
		return
	}
	if text := string(gatewaytest.FileOf(b.t, b.cl, end)); !strings.Contains(text, want) {
		b.t.Errorf("export of %s: %s", table, text)
	}
}
