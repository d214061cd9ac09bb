package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestPublishedFields sends each published member of a request: none is refused as unknown or of another type.
func TestPublishedFields(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "published_fields.txt"))
	if err != nil {
		t.Fatal(err)
	}
	g := gatewaytest.Open(t)
	fields := 0
	for line := range strings.Lines(string(raw)) {
		if line[0] == '#' {
			continue
		}
		parts := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		op, ok := spec.Find(parts[0])
		if !ok || len(parts) != 3 {
			t.Fatalf("not a line of the form operation | member | body: %s", line)
		}
		fields++
		args := make([]string, len(op.Params()))
		for i, name := range op.Params() {
			args[i] = map[string]string{"projectId": gatewaytest.Local, "dialect": "trino"}[name]
			if args[i] == "" {
				args[i] = "missing"
			}
		}
		status, text := gatewaytest.Exchange(g, op.Method, op.At(args...).Path, "application/json", parts[2])
		if status == 0 || status == 500 || strings.Contains(text, "the request body") {
			t.Errorf("%s %s: %d %s", op.ID, parts[1], status, text)
		}
	}
	if fields < 270 {
		t.Errorf("only %d fields", fields)
	}
}

// TestRequestForms sends what callers send besides the documents' first forms; each is answered with 200.
func TestRequestForms(t *testing.T) {
	_, _, cl, _ := gatewaytest.Serve(t, gateway.Options{})
	s := newScenario(t, cl.Client)
	p, err := s.Projects.Create(t.Context(), org(), store.DefaultWorkspace, of[api.ProjectRequest](`{"name":"forms"}`))
	if err != nil {
		t.Fatal(err)
	}
	s.project = p.ID
	con, err := s.Connections.Create(t.Context(), p.ID,
		of[api.ConnectionRequest](`{"name":"f","type":"files","credential":{"path":%q}}`, s.dir))
	if err != nil {
		t.Fatal(err)
	}
	cat, err := s.Catalogs.Create(t.Context(), p.ID, api.CatalogRequest{Name: "shop", ConnectionID: con.ID})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.APIKeys.Create(t.Context(), p.ID, of[api.ApiKeyRequest](`{"name":"k"}`))
	if err != nil {
		t.Fatal(err)
	}
	query, err := s.Queries.Create(t.Context(), p.ID,
		of[api.QueryRequest](`{"displayName":"m","inputQuery":"SELECT 1 AS a","queryType":"MATERIALIZED"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	table := fmt.Sprintf(`{"catalogId":%q,"schemaName":"files","tableName":"orders"}`, cat.ID)
	column := func(name string) string {
		return fmt.Sprintf(`{"column":{"catalogId":%q,"catalogName":"shop","schemaName":"files","tableName":"orders",`+
			`"columnName":%q}}`, cat.ID, name)
	}
	at := func(path string, args ...any) string { return "/data/projects/" + p.ID + fmt.Sprintf(path, args...) }
	meta := func(path string, args ...any) string { return "/metadata/" + p.ID + fmt.Sprintf(path, args...) }
	var relation, cache string
	for _, f := range []struct {
		name, method, path, body, want string
		project                        bool
		keep                           *string
	}{
		{name: "builder by the id of a catalog", method: "POST", path: at("/queries/execute?format=COMPACT"),
			body: `{"columns":[` + column("status") + `,"amount"],"from":[` + table + `],"filters":{"and":[[` +
				column("id") + `,">",[1]]]},"orderBy":["id"]}`, want: `"data":[["open","3.00"],["paid","7.00"]]`},
		{name: "relation with names", method: "POST", path: meta("/relations/%s/files/orders/id", cat.ID),
			keep: &relation, want: `"type":"MANY_TO_ONE"`,
			body: fmt.Sprintf(`{"projectId":%q,"sourceCatalogName":"shop","targetCatalogId":%q,`+
				`"targetCatalogName":"shop","targetSchemaName":"files","targetTableName":"customers",`+
				`"targetColumnName":"id","type":"MANY_TO_ONE"}`, p.ID, cat.ID)},
		{name: "relation's type with names", method: "PUT", path: meta("/relations/%s/files/orders/{relation}", cat.ID),
			body: `{"sourceCatalogName":"shop","targetCatalogName":"shop","type":"ONE_TO_ONE"}`,
			want: `"type":"ONE_TO_ONE"`},
		{name: "categorical values once", method: "PUT", path: meta("/categorical/%s/files/orders/status", cat.ID),
			body: `{"limit":5,"frequency":"NONE"}`},
		{name: "schedule of an expression", method: "PUT", path: at("/queries/%s", query.ID),
			body: `{"schedule":{"expression":"PT15M"}}`, want: `"repeatDuration":"PT15M"`},
		{name: "schedule of a cron expression", method: "PUT", path: at("/queries/%s", query.ID),
			body: `{"schedule":{"cronExpression":"0 5 * * *"}}`, want: `"type":"cron"`},
		{name: "cache with a schedule without type", method: "POST", path: at("/cache"), keep: &cache,
			body: strings.TrimSuffix(table, "}") + `,"incrementalCacheSchedule":{"expression":"PT1H"}}`,
			want: `"incrementalCacheSchedule":{"type":"BASIC","expression":"PT1H"}`},
		{name: "update of it", method: "PUT", path: at("/cache/{cache}"),
			body: `{"fullRefreshCacheSchedule":{"expression":"P1D"}}`,
			want: `"fullRefreshCacheSchedule":{"type":"BASIC","expression":"P1D"}`},
		{name: "base address with a slash", method: "GET", path: "//organizations", want: `"name"`},
		{name: "projects of a project key", method: "GET", path: "/projects", project: true, want: `[{"id":"` + p.ID +
			`"`},
		{name: "the published example of transpile", method: "POST", path: "/sql/transpile/mysql",
			body: `{"query":"SELECT * FROM catalog.schema.table WHERE id = 1"}`,
			want: "\"result\":\"SELECT * FROM `catalog`.`schema`.`table` WHERE `id` = 1\""},
		{name: "the same with a project key", method: "POST", path: "/sql/transpile/MySQL", project: true,
			body: `{"query":"SELECT * FROM catalog.schema.table WHERE id = 1"}`,
			want: "\"query\":\"SELECT * FROM `catalog`.`schema`.`table` WHERE `id` = 1\""},
		{name: "the same with a project named", method: "POST", path: "/sql/transpile/mysql?projectId=" + p.ID,
			body: `{"query":"SELECT * FROM catalog.schema.table WHERE id = 1"}`,
			want: "\"query\":\"SELECT * FROM `catalog`.`schema`.`table` WHERE `id` = 1\""},
		{name: "types of the key's project", method: "POST", path: "/sql/transpile/mysql", project: true,
			body: `{"query":"SELECT id / 2 AS h FROM shop.files.orders"}`, want: "DIV 2"},
		{name: "types of a named project", method: "POST", path: "/sql/transpile/mysql?projectId=" + p.ID,
			body: `{"query":"SELECT id / 2 AS h FROM shop.files.orders"}`, want: "DIV 2"},
		{name: "drivers", method: "GET", path: "/supportedDrivers", want: `{}`},
		{name: "JDBC", method: "GET", path: "/supportedDrivers/jdbc", project: true, want: `{}`},
		{name: "SQLAlchemy", method: "GET", path: "/supportedDrivers/sql_alchemy?catalogName=shop",
			project: true, want: `{}`},
		{name: "SQLAlchemy without a catalog", method: "GET", path: "/supportedDrivers/sql_alchemy", want: `{}`},
	} {
		path := strings.NewReplacer("{relation}", relation, "{cache}", cache).Replace(f.path)
		req, err := http.NewRequestWithContext(t.Context(), f.method, cl.BaseURL()+path, strings.NewReader(f.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+cl.Key)
		if f.project {
			req.Header.Set("Authorization", "Bearer "+*key.ApiKey)
		}
		res, err := (&http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != 200 || !strings.Contains(string(text), f.want) {
			t.Errorf("%s: %d %s %v, want %s", f.name, res.StatusCode, text, err, f.want)
			continue
		}
		if f.keep != nil {
			*f.keep = of[struct{ ID string }]("%s", text).ID
		}
	}
}

// TestNoRedirects: no path is answered with the redirect of http.ServeMux, whose body is HTML.
func TestNoRedirects(t *testing.T) {
	g := gatewaytest.Open(t)
	for path, want := range map[string]int{
		"/organizations": 200, "//organizations": 200, "///organizations": 200, "/organizations/": 404,
		"/organizations//workspaces": 404, "/organizations/./x": 404,
		"/organizations/../info": 404, "/..": 404, "/%2e%2e/info": 404, "/info//": 404, "//": 404,
	} {
		status, text := gatewaytest.Exchange(g, "GET", path, "", "")
		if status != want || want == 404 && !strings.Contains(text, `"error":"Not Found"`) {
			t.Errorf("%s: %d %s, want %d", path, status, text, want)
		}
	}
}
