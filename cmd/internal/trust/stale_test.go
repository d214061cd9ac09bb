package trust

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestStaleness has the replies of a hosted zone, which tells of the last run of each kind only, and counts the
// requests.
func TestStaleness(t *testing.T) {
	const failed, done = "FAILED", "COMPLETED"
	run := func(status, at string) string {
		return fmt.Sprintf(`{"id":"r","executionMode":"FULL_REFRESH","status":%q,"error":{},"createdAt":%q}`, status,
			at)
	}
	cache := func(catalog, table, status, full, incremental string) string {
		return fmt.Sprintf(`{"id":"c","status":%q,"catalogId":%q,"schemaName":"s","tableName":%q,`+
			`"lastFullRefreshCacheExecution":%s,"lastIncrementalCacheExecution":%s}`, status, catalog, table,
			full, incremental)
	}
	list := func(items ...string) string { return "[" + strings.Join(items, ",") + "]" }
	query := func(id, name, kind, sql string) string {
		return fmt.Sprintf(`{"id":%q,"name":%q,"displayName":%q,"queryType":%q,"inputQuery":%q}`, id, name,
			name, kind, sql)
	}
	catalogs := list(
		`{"id":"7","name":"lake","connectionId":"k"}`,
		`{"id":"8","name":"Sea","connectionId":"k"}`,
		`{"id":"9","name":"kpi","connectionId":null,"type":"SEMANTIC"}`,
	)
	queries := list(query("1", "plain", "PLAIN", "SELECT * FROM lake.s.t"), query("2", "daily", "MATERIALIZED",
		"SELECT * FROM lake.s.t"),
		query("4", "over", "PLAIN", "SELECT * FROM kpi.sales.deep"),
		query("3", "above", "PLAIN", `SELECT * FROM peaka.query.plain, peaka."mtquery".daily`))
	tables := list(
		`{"tableName":"up","schemaName":"sales","queryId":"3"}`,
		`{"tableName":"top","schemaName":"sales","queryId":"4"}`,
		`{"tableName":"deep","schemaName":"sales","queryId":"1"}`,
		`{"tableName":"live","schemaName":"sales","queryId":"2"}`,
		`{"tableName":"shared","schemaName":"sales"}`,
	)
	daily := func(status string) string {
		return fmt.Sprintf(`{"queryId":"2","queryName":"daily","status":%q,`+
			`"lastExecutionStartTime":"2026-11-28T03:00:00Z"}`, status)
	}
	oneFailed := cache("7", "t", failed, run(failed, "2026-11-28T02:00:00Z"), run(done, "2026-11-27T02:00:00Z"))
	for _, tt := range []struct {
		name            string
		results, caches string
		form            api.ExecuteRequest
		live            bool
		want            string // the tables, in order
		requests        string
	}{
		{"nothing", list(daily(failed)), list(oneFailed), api.ExecuteByStatement{Statement: "SELECT 1"}, false, "", ""},
		{"an internal table", list(daily(failed)), list(oneFailed),
			api.ExecuteByStatement{Statement: `SELECT * FROM peaka."table".t`}, false, "", ""},
		{"a result", list(daily(failed)), list(oneFailed),
			api.ExecuteByStatement{Statement: "SELECT * FROM peaka.mtquery.DAILY"}, false, "peaka.mtquery.daily",
			"results"},
		{"a result of two parts", list(daily(failed)), "[]",
			api.ExecuteByStatement{Statement: "SELECT * FROM mtquery.daily"}, false, "peaka.mtquery.daily", "results"},
		{"a result that runs", list(daily("RUNNING")), "[]",
			api.ExecuteByStatement{Statement: "SELECT * FROM mtquery.daily"}, false, "", "results"},
		{"a result that was canceled", list(daily("CANCELED")), "[]",
			api.ExecuteByStatement{Statement: "SELECT * FROM mtquery.daily"}, false, "", "results"},
		{"by name", list(daily(failed)), "[]", api.ExecuteByName{QualifiedName: `peaka."mtquery".daily`}, false,
			"peaka.mtquery.daily", "results"},
		{"by id", list(daily(failed)), list(oneFailed), api.ExecuteByID{ID: "2"}, false, "peaka.mtquery.daily",
			"caches catalogs queries results"},
		{"by id, all well", list(daily(done)), "[]", api.ExecuteByID{ID: "2"}, false, "", "caches results"},
		{"a plain query", list(daily(done)), list(oneFailed), api.ExecuteByID{ID: "1"}, false, "lake.s.t",
			"caches catalogs queries results"},
		{"through queries", list(daily(failed)), list(oneFailed),
			api.ExecuteByStatement{Statement: "SELECT * FROM peaka.query.above"}, false, "peaka.mtquery.daily lake.s.t",
			"caches catalogs queries results"},
		{"a semantic table",
			list(daily(failed)), "[]", api.ExecuteByStatement{Statement: "SELECT * FROM KPI.Sales.up"},
			false, "peaka.mtquery.daily", "caches catalogs queries results tables"},
		{"a semantic table over others",
			"[]", list(oneFailed), api.ExecuteByName{QualifiedName: "kpi.sales.top"},
			false, "lake.s.t", "caches catalogs queries results tables"},
		{"a semantic table of a materialized query",
			list(daily(failed)), list(oneFailed), api.ExecuteByStatement{Statement: "SELECT * FROM kpi.sales.live"},
			false, "lake.s.t", "caches catalogs queries results tables"},
		{"a semantic table whose query is not told",
			list(daily(failed)), "[]", api.ExecuteByStatement{Statement: "SELECT * FROM kpi.sales.shared"},
			false, "", "caches catalogs queries results tables"},
		{"no semantic schema",
			list(daily(failed)), "[]", api.ExecuteByStatement{Statement: "SELECT * FROM kpi.none.shared"},
			false, "", " caches catalogs queries results"},
		{"a semantic table from its source",
			list(daily(failed)), list(oneFailed), api.ExecuteByStatement{Statement: "SELECT * FROM kpi.sales.up"},
			true, "peaka.mtquery.daily", "catalogs queries results tables"},
		{"a cache", list(daily(failed)), list(oneFailed), api.ExecuteByStatement{Statement: "SELECT * FROM lake.s.t"},
			false, "lake.s.t", "caches catalogs results"},
		{"a cache, from its source", "[]", list(oneFailed), api.ExecuteByStatement{Statement: "SELECT * FROM lake.s.t"},
			true, "", "results"},
		{"another table", "[]", list(oneFailed), api.ExecuteByStatement{Statement: "SELECT * FROM lake.s.u"}, false, "",
			"caches catalogs results"},
		{"the table of another catalog", "[]", list(oneFailed),
			api.ExecuteByStatement{Statement: "SELECT * FROM sea.s.t"}, false, "", "caches catalogs results"},
		{"a cache that never had rows", "[]", list(cache("7", "t", failed, run(failed, "2026-11-28T02:00:00Z"),
			"null")), api.ExecuteByStatement{Statement: "SELECT * FROM lake.s.t"}, false, "", "caches results"},
		{"a builder", "[]", list(cache("8", "t", failed, run(failed, "2026-11-28T02:00:00Z"),
			run(failed, "2026-11-27T02:00:00Z"))),
			api.ExecuteByBuilder{From: []api.TableForQuery{{CatalogName: "Sea", SchemaName: "s", TableName: "t"}}},
			false, "Sea.s.t", "caches catalogs results"},
		{"a gateway without caches", "[]", "", api.ExecuteByStatement{Statement: "SELECT * FROM lake.s.t"}, false, "",
			"caches results"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []string
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				what, body := "", ""
				switch strings.TrimPrefix(r.URL.Path, "/api/v1/data/projects/p/") {
				case "materialized-queries/status":
					what, body = "results", tt.results
				case "cache/status":
					what, body = "caches", tt.caches
				case "queries":
					what, body = "queries", queries
				case "catalogs":
					what, body = "catalogs", catalogs
				case "catalogs/9/schemas/sales/tables":
					what, body = "tables", tables
				}
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, what)
				w.Header().Set("Content-Type", "application/json")
				if body == "" {
					w.WriteHeader(http.StatusNotFound)
				}
				fmt.Fprint(w, body)
			}))
			defer srv.Close()
			cl, err := api.New(api.Options{BaseURL: srv.URL + "/api/v1", Key: "k", UserAgent: "test"})
			if err != nil {
				t.Fatal(err)
			}
			s := &Staleness{Cl: cl, Project: "p"}
			for range 2 { // the second time from memory, but for the names
				found, err := s.Of(t.Context(), tt.form, tt.live)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, f := range found {
					text, ok := strings.CutPrefix(f.String(), "the rows of ")
					name, _, more := strings.Cut(text, " are stale: the latest ")
					if !ok || !more || f.Refused().Exit != 10 || !strings.HasPrefix(f.Refused().Hint, "`dig ") {
						t.Errorf("%s: %+v", f, f.Refused())
					}
					got = append(got, name)
				}
				if strings.Join(got, " ") != tt.want {
					t.Errorf("%v, want %s", got, tt.want)
				}
			}
			slices.Sort(asked)
			if got := strings.Join(slices.Compact(asked), " "); got != tt.requests ||
				strings.Count(strings.Join(asked, " "), "caches") > 1 && tt.caches != "" {
				t.Errorf("requests %v, want %s", asked, tt.requests)
			}
		})
	}
}
