package uses

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// project is a graph of what a gateway lists: two connections of one name, each with a catalog, and what reads them.
func project() *Graph {
	first, second := "c1", "c2"
	g := &Graph{named: map[key]int{}}
	all := lists{
		connections: []api.Connection{{ID: first, Name: "db"}, {ID: second, Name: "db"}},
		catalogs: []api.Catalog{{ID: "1", Name: "peaka"}, {ID: "10", Name: "shop", ConnectionID: &first},
			{ID: "11", Name: "other", ConnectionID: &second}, {ID: "12", Name: "kpi", CatalogType: "SEMANTIC"}},
		queries: []api.Query{
			{ID: "q1", Name: "sold", InputQuery: `SELECT n, day FROM shop.public."Orders"`},
			{ID: "q2", Name: "daily", InputQuery: "SELECT day FROM PEAKA.Query.SOLD", QueryType: "MATERIALIZED"},
			{ID: "q3", Name: "loop", InputQuery: "SELECT 1 AS x FROM loop, mtquery.daily"},
			{ID: "q4", Name: "read", InputQuery: "SELECT v FROM kpi.s.days, people"},
			{ID: "q5", Name: "part", InputQuery: "SELECT * FROM shop.p.north"},
			{ID: "q6", Name: "broken", InputQuery: "SELECT n FROM gone.public.t"},
		},
		caches: []api.CacheStatus{{ID: "k1", CatalogID: "10", SchemaName: "public", TableName: "orders",
			Status: "COMPLETED"}, {ID: "k2", CatalogID: "11", SchemaName: "public", TableName: "t", Status: "Deleted"}},
		golden: []api.GoldenSQLEntry{{ID: "g1", Metadata: api.GoldenSQLEntryMetadata{SQL: "SELECT n FROM people"}}},
	}
	n := len(all.catalogs)
	all.parametric, all.relations, all.semantic = make([][]api.ParametricTable, n), make([][]api.Relation, n),
		make([][]api.Table, n)
	all.parametric[1] = []api.ParametricTable{{FromSchema: "p", FromTable: "north", ToSchema: "p", ToTable: "far"},
		{FromSchema: "public", FromTable: "orders", ToSchema: "p", ToTable: "north"}}
	all.relations[0] = []api.Relation{{ID: "r1", SourceCatalogName: "peaka", SourceSchemaName: "table",
		SourceTableName: "people", SourceColumnName: "id", TargetCatalogName: "shop", TargetSchemaName: "public",
		TargetTableName: "orders", TargetColumnName: "person"}}
	all.semantic[3] = []api.Table{{TableID: "t1", SchemaName: "s", TableName: "days", QueryID: "q2"}}
	g.fill(all)
	return g
}

func TestUsers(t *testing.T) {
	g := project()
	has := func(column string) func(Object) bool {
		return func(o Object) bool { return o.Mentions(column) }
	}
	for _, c := range []struct {
		name   string
		of     []int
		direct func(Object) bool
		want   []string
	}{
		{"the connection of one catalog", []int{g.Connection("c1")}, nil, []string{"catalog shop",
			"query sold through shop", "parametric table shop.p.north through shop",
			"cache shop.public.orders through shop",
			"relation peaka.table.people.id to shop.public.orders.person through shop",
			"query daily (materialized) through sold", "query part through shop.p.north",
			"parametric table shop.p.far through shop.p.north", "query loop through daily",
			"semantic table kpi.s.days through daily", "query read through kpi.s.days"}},
		{"the other of the same name", []int{g.Connection("c2")}, nil, []string{"catalog other"}},
		{"a table in another case", []int{g.Table("SHOP", "Public", "ORDERS")}, has("person"), []string{
			"parametric table shop.p.north", "cache shop.public.orders",
			"relation peaka.table.people.id to shop.public.orders.person", "query part through shop.p.north",
			"parametric table shop.p.far through shop.p.north"}},
		{"a query by both of its names", g.Query("sold"), nil, []string{"query daily (materialized)",
			"query loop through daily", "semantic table kpi.s.days through daily", "query read through kpi.s.days"}},
		{"several that use each other", slices.Concat(g.Query("sold"), g.Query("daily")), nil, []string{"query loop",
			"semantic table kpi.s.days", "query read through kpi.s.days"}},
		{"one that reads itself", g.Query("loop"), nil, nil},
		{"a name of one part", []int{g.Table("peaka", "table", "people")}, has("v"), []string{"query read",
			"relation peaka.table.people.id to shop.public.orders.person"}},
		{"a table of a catalog that is not listed", []int{g.Table("gone", "public", "t")}, nil,
			[]string{"query broken"}},
		{"parts that join alike", []int{g.Table("shop", "public.orders", "")}, nil, nil},
		{"a deleted cache", []int{g.Table("other", "public", "t")}, nil, nil},
	} {
		var got []string
		for _, l := range g.Users(c.direct, c.of...).Links {
			text := l.String()
			if l.Through != "" {
				text += " through " + l.Through
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestUsed(t *testing.T) {
	g := project()
	var got []string
	for _, l := range g.Used(g.Query("daily")[0]).Links {
		got = append(got, l.String()+"<"+l.Through)
	}
	want := []string{"query sold<", "table shop.public.orders<sold", "catalog shop<shop.public.orders",
		"connection db<shop"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestBreaks: what only describes a table does not break, and what could not be listed may.
func TestBreaks(t *testing.T) {
	g := &Graph{named: map[key]int{}}
	var all lists
	for n := range 12 {
		all.queries = append(all.queries, api.Query{ID: fmt.Sprint(n), Name: fmt.Sprint("q", n),
			InputQuery: "SELECT 1 FROM " + []string{"few", "many"}[min(n, 1)]})
	}
	all.golden = []api.GoldenSQLEntry{{ID: "g", Metadata: api.GoldenSQLEntryMetadata{SQL: "SELECT 1 FROM none, few"}}}
	g.fill(all)
	of := func(table string) string { return g.Users(nil, g.Table("peaka", "table", table)).Breaks() }
	if got := of("none"); got != "" {
		t.Error(got)
	}
	if got := of("few"); got != ", which breaks query q0" {
		t.Error(got)
	}
	if got := of("many"); !strings.HasPrefix(got, ", which breaks query q1, query q2, ") ||
		!strings.HasSuffix(got, ", query q10, 1 more") {
		t.Error(got)
	}
	g.Unlisted = []string{"caches", goldenQueries, relations}
	if got := of("none"); got != ", which breaks caches that could not be listed" {
		t.Error(got)
	}
	if got := of("many"); !strings.HasSuffix(got, ", 1 more, caches that could not be listed") {
		t.Error(got)
	}
}

func TestMermaid(t *testing.T) {
	g := &Graph{named: map[key]int{}}
	g.fill(lists{queries: []api.Query{{ID: "1", Name: "a", InputQuery: `SELECT 1 FROM "say ""#1"""`}}})
	const want = "flowchart LR\n  n1[\"query a\"]\n  n2[\"table peaka.table.say #quot;#35;1#quot;\"]\n  n1 --> n2\n"
	if got := g.Used(g.Query("a")[0]).Mermaid(); got != want {
		t.Errorf("got %s", got)
	}
	if got := g.Users(nil, g.Table("peaka", "table", `say "#1"`)).Mermaid(); got != want {
		t.Errorf("got %s", got)
	}
}
