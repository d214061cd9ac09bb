package gateway_test

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/spec"
)

// noProject are the operations that name no project and show nothing of one: any key may call them.
var noProject = []string{"listProjectsLegacy", "listConnectionConfigs", "getConnectionConfig", "listSupportedDrivers",
	"getJdbcDriver", "getSqlAlchemyDriver", "transpileSql", "getKeyInfo", "getAgentWorkflowImage"}

// ownObjects are the operations whose path names nothing of another project once the project is one's own: they list or
// make what is one's own.
var ownObjects = []string{"listConnections", "createConnection", "createConnectionAlt", "completeOauthConnection",
	"listCatalogs", "listInternalTables", "createInternalTable",
	"listBiTables", "createBiTable", "listQueries", "listQueryFolders", "createQueryFolder", "listMaterializedStatuses",
	"createSemanticCatalog", "listCacheStatuses",
	"listExports", "queryGoldenSqls", "listGoldenSqls", "createGoldenSql", "queryMetadata", "generateSampleQuestions",
	"getRefreshCallback",
	"registerRefreshCallback", "unregisterRefreshCallback", "agentChat", "agentChatStream", "listAgentThreads",
	"askLegacyAgent", "getLegacyChatHistory", "search"}

// TestIsolation puts a project key of one project to every operation with the ids of another: all are refused, nothing
// of the other project shows in a reply, and the other project is afterwards as it was. The owner makes the same
// requests at the end, so that they are known to name what exists.
func TestIsolation(t *testing.T) { isolation(t, gatewaytest.Open(t)) }

// TestIsolationOnCluster does so on a cluster that keeps the projects apart too.
func TestIsolationOnCluster(t *testing.T) {
	o := trinotest.Secure(t, t.TempDir())
	isolation(t, gatewaytest.OpenWith(t, gateway.Options{EngineName: "trino",
		OpenEngine: func(of engine.Options) (engine.Engine, error) { return trino.Open(o, of) }}))
}

func isolation(t *testing.T, g *gateway.Gateway) {
	w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
	srv := httptest.NewServer(g.Web.Handler)
	defer srv.Close()
	w.URL = srv.URL
	a, b := gatewaytest.NewTenant(w, "alpha"), gatewaytest.NewTenant(w, "bravo")
	before := gatewaytest.Snapshot(w, b)
	refused := func(how string, op spec.Op, path, body string, ok func(int) bool) {
		t.Helper()
		status, raw := w.Call(a.Key, op.Method, path, body)
		shown := ""
		if how == "sql" {
			shown = body
		}
		t.Logf("%-28s %-8s %d %s", op.ID, how, status, shown)
		if strings.Contains(raw, `"success":true`) {
			t.Errorf("%s %s: a part succeeded: %s", op.ID, how, raw)
		}
		if !ok(status) {
			t.Errorf("%s %s: %s %s: status %d: %s", op.ID, how, op.Method, path, status, raw)
		}
		if what := b.Shows(raw, path, body); what != "" {
			t.Errorf("%s %s: the reply shows %s of the other project: %s", op.ID, how, what, raw)
		}
	}
	forbidden := func(status int) bool { return status == 403 }
	unknown := func(status int) bool { return status == 400 || status == 403 || status == 404 || status == 501 }
	fine := func(status int) bool { return status < 300 || status == 404 || status == 400 || status == 501 }
	for _, op := range spec.All() {
		path, body := gatewaytest.Address(op, b, b)
		switch {
		case slices.Contains(noProject, op.ID):
			refused("public", op, path, body, fine)
			continue
		default:
			refused("foreign", op, path, body, forbidden)
		}
		if op.Partner { // of the own project too
			path, body = gatewaytest.Address(op, a, a)
			refused("partner", op, path, body, forbidden)
			continue
		}
		if !strings.Contains(op.Path, "{projectId}") {
			continue
		}
		path, body = gatewaytest.Address(op, a, b)
		switch {
		case op.ID == spec.CreateCacheBatch.ID: // each item has an answer of its own
			refused("mixed", op, path, body, func(status int) bool { return status == 200 })
		case slices.Contains(ownObjects, op.ID):
			refused("own", op, path, body, fine)
		default:
			refused("mixed", op, path, body, unknown)
		}
	}
	nestedIDs(t, a, b, refused)
	bentPaths(t, w, a, b)
	for _, op := range spec.Local() {
		path, body := gatewaytest.Address(op, b, b)
		refused("local", op, path, body, forbidden)
		path, body = gatewaytest.Address(op, a, b)
		if op.ID == spec.ListImports.ID || op.ID == spec.FindImport.ID { // an unknown one has no rows
			refused("own", op, path, body, fine)
			continue
		}
		refused("local", op, path, body, unknown)
	}
	if after := gatewaytest.Snapshot(w, b); after != before {
		t.Errorf("the other project has changed:\n%s", gatewaytest.LineDiff(before, after))
	}
	if mine := gatewaytest.Snapshot(w, a); strings.Contains(mine, b.Name) {
		t.Errorf("the own project shows the other one:\n%s", mine)
	}
	ownerCalls(t, w, b)
}

// nestedIDs are requests whose path is one's own from end to end, with the other's ids below it.
func nestedIDs(t *testing.T, a, b gatewaytest.Tenant, refused func(how string, op spec.Op, path, body string,
	ok func(int) bool)) {
	unknown := func(status int) bool { return status == 400 || status == 403 || status == 404 }
	for _, op := range []spec.Op{spec.CreateCatalog, spec.CreateCatalogAlt, spec.ShareCatalog, spec.CreateQuery,
		spec.ExecuteQuery, spec.UpdateQueryFolderContents,
		spec.GetQueryFolderTree, spec.CreateSemanticTable, spec.ShareSemanticCatalog, spec.CreateCache,
		spec.GetProjectMetadata, spec.RefreshMetadata, spec.AddRelation} {
		path, _ := gatewaytest.Address(op, a, a)
		other, body := gatewaytest.Address(op, b, b)
		if _, q, ok := strings.Cut(other, "?"); ok {
			path, _, _ = strings.Cut(path, "?")
			path += "?" + q
		}
		refused("nested", op, path, body, unknown)
	}
	own := func(status int) bool { return status == 200 }
	path, _ := gatewaytest.Address(spec.CreateCacheBatch, a, a)
	_, body := gatewaytest.Address(spec.CreateCacheBatch, b, b)
	// each item has its own answer, which must not be a success
	refused("nested", spec.CreateCacheBatch, path, body, own)
	path, _ = gatewaytest.Address(spec.UpdateQueryFolderContents, a, a)
	refused("nested", spec.UpdateQueryFolderContents, path,
		b.Fill(`{"queryIdsAdded":[],"queryIdsRemoved":["{queryId}"]}`), unknown)
	path, _ = gatewaytest.Address(spec.UpdateQuery, a, a)
	refused("nested", spec.UpdateQuery, path, b.Fill(`{"inputQueryRefId":"{queryId}"}`), unknown)

	// Rows by name.
	run := a.Fill("/data/projects/{projectId}/queries/execute?format=COMPACT")
	for _, from := range []string{`{name}_catalog.{schemaName}.{tableName}`, `{name}_catalog.{schemaName}.{otherTable}`,
		`{name}_catalog.{name}_p.{name}_pt`, `{name}_semantic.{name}_s.{name}_t`,
		`peaka.\"table\".{table}`, `peaka.bitable.{bitable}`, `peaka.query.{name}_query`, `peaka.mtquery.{name}_stored`,
		`peaka.mtquery.\"{materializedId}\"`,
		`peaka.cache.\"{cacheId}\"`, `{name}_catalog.information_schema.tables`} {
		refused("sql", spec.ExecuteQuery, run, b.Fill(`{"statement":"SELECT * FROM `+from+`"}`), unknown)
		refused("sql", spec.ExecuteQuery, run,
			b.Fill(`{"statement":"WITH x AS (SELECT 1) SELECT * FROM x WHERE EXISTS (SELECT * FROM `+from+`)"}`),
			unknown)
		path, _ := gatewaytest.Address(spec.CreateQuery, a, a)
		refused("sql", spec.CreateQuery, path, b.Fill(`{"displayName":"theirs","inputQuery":"SELECT * FROM `+from+`"}`),
			unknown)
	}
	for _, text := range []string{"SHOW CATALOGS", "SELECT * FROM information_schema.tables",
		"SELECT * FROM information_schema.columns", "SELECT * FROM peaka.information_schema.tables",
		"SHOW SCHEMAS FROM peaka", "SHOW TABLES FROM peaka.query"} {
		refused("sql", spec.ExecuteQuery, run, `{"statement":"`+text+`"}`, own)
	}
	for _, body := range []string{`{"qualifiedName":"peaka.query.{name}_query"}`,
		`{"qualifiedName":"peaka.mtquery.{name}_stored"}`,
		`{"qualifiedName":"{name}_catalog.{schemaName}.{tableName}"}`, `{"id":"{materializedId}"}`,
		`{"from":[{"catalogName":"{name}_catalog","schemaName":"{schemaName}","tableName":"{tableName}"}]}`,
		`{"from":[{"catalogId":"{catalogId}","catalogName":"{name}_catalog","schemaName":"{schemaName}",` +
			`"tableName":"{tableName}"}]}`} {
		refused("sql", spec.ExecuteQuery, run, b.Fill(body), unknown)
	}
}

// bentPaths are addresses that a careless router would take for those of another project.
func bentPaths(t *testing.T, w gatewaytest.Wire, a, b gatewaytest.Tenant) {
	t.Helper()
	mine, theirs := a.IDs["projectId"], b.IDs["projectId"]
	for _, path := range []string{"/data/projects/" + mine + "%2F..%2F" + theirs + "/queries", "/data/projects/" +
		mine + "/../" + theirs + "/queries",
		"/data/projects//" + theirs + "/queries", "/data/projects/" + theirs + "%00/queries", "/data/projects/%20" +
			theirs + "/queries",
		"/data/projects/" + theirs + "/queries?projectId=" + mine, "/data/projects/" + mine + "," + theirs + "/queries",
		"/data/projects/" + mine + "/queries/%2E%2E%2F%2E%2E%2F" + theirs + "%2Fqueries%2F" + b.IDs["queryId"]} {
		if status, raw := w.Call(a.Key, "GET", path, ""); status < 400 || strings.Contains(raw, "SELECT") {
			t.Errorf("%s: %d %s", path, status, raw)
		}
	}
	// A project that does not exist looks like one of someone else.
	one, two := regexp.MustCompile(`"(timestamp|path|requestId)":"[^"]*"`), [2]string{}
	for i, id := range []string{theirs, "zzzzzzzz"} {
		status, raw := w.Call(a.Key, "GET", "/data/projects/"+id+"/queries", "")
		two[i] = fmt.Sprint(status, one.ReplaceAllString(raw, ""))
	}
	if two[0] != two[1] {
		t.Errorf("a key can tell projects that exist: %s, %s", two[0], two[1])
	}
}

// ownerCalls makes every request as the owner: what was refused to the other key was a request for something real.
func ownerCalls(t *testing.T, w gatewaytest.Wire, b gatewaytest.Tenant) {
	t.Helper()
	ops := spec.All()
	last := func(op spec.Op) int {
		switch {
		case op.Method != "DELETE":
			return 0
		case op.Group == "projects" || op.Group == "projects-legacy":
			return 3
		case op.Group == "workspaces":
			return 2
		}
		return 1
	}
	slices.Reverse(ops) // parts are documented after wholes
	slices.SortStableFunc(ops, func(x, y spec.Op) int { return last(x) - last(y) })
	done := 0
	for _, op := range ops {
		path, body := gatewaytest.Address(op, b, b)
		key := b.Key
		if op.Partner {
			key = w.Partner
		}
		// after its legacy form the project is gone, so this one is seen to be refused for what it is
		if op.ID == "deleteProject" || op.ID == "updateProject" {
			if status, _ := w.Call(b.Key, op.Method, path, body); status != 403 && status != 401 {
				t.Errorf("%s with a project key: %d", op.ID, status)
			}
		}
		if op.Group == "cache" && op.Method == "POST" {
			w.Idle(b)
		}
		want := gatewaytest.Requests[op.ID].Own
		if op.ID == "deleteProject" {
			want = 404
		}
		status, raw := w.Call(key, op.Method, path, body)
		if want == 0 && status > 299 || want != 0 && status != want {
			t.Errorf("%s by its owner: %s %s: status %d: %s", op.ID, op.Method, path, status, raw)
		}
		done++
	}
	if done != 144 {
		t.Errorf("%d operations", done)
	}
	if status, _ := w.Call(b.Key, "GET", "/info", ""); status != 401 {
		t.Errorf("the key of a deleted project still answers: %d", status)
	}
}
