package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// tenant is a project with one of everything, known by the names of path parameters and a few more.
type tenant struct {
	name string // every name in the project holds it
	key  string
	ids  map[string]string
}

// fill writes the tenant's values for {placeholders}.
func (p tenant) fill(text string) string {
	return regexp.MustCompile(`\{[A-Za-z]+\}`).ReplaceAllStringFunc(text, func(m string) string {
		v, ok := p.ids[m[1:len(m)-1]]
		if !ok {
			panic("no value for " + m)
		}
		return v
	})
}

// wire speaks to a gateway over TCP, where every call needs a key.
type wire struct {
	t       *testing.T
	url     string
	partner string
}

func (w wire) call(key, method, path, body string) (int, string) {
	w.t.Helper()
	status, raw, _ := w.send(key, method, path, body)
	return status, raw
}

// send is call with what the answer says that it lacks.
func (w wire) send(key, method, path, body string) (int, string, []api.Omission) {
	w.t.Helper()
	kind := "application/json"
	if strings.HasPrefix(body, "--") {
		kind = "multipart/form-data; boundary=" + body[2:strings.Index(body, "\r\n")]
	}
	req, err := http.NewRequest(method, w.url+web.BasePath+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(raw), api.Omissions(res.Header)
}

// must calls with the partner key and returns members of the reply.
func (w wire) must(method, path, body string, members ...string) []string {
	w.t.Helper()
	status, raw := w.call(w.partner, method, path, body)
	if status > 299 {
		w.t.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	var v map[string]any
	_ = json.Unmarshal([]byte(raw), &v)
	out := make([]string, len(members))
	for i, m := range members {
		if out[i], _ = v[m].(string); out[i] == "" {
			w.t.Fatalf("%s %s: no %s in %s", method, path, m, raw)
		}
	}
	return out
}

// until repeats a read until its reply holds a text.
func (w wire) until(path, part string) {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		status, raw := w.call(w.partner, "GET", path, "")
		if status == 200 && strings.Contains(raw, part) {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s: %d %s", path, status, raw)
		}
	}
}

// idle waits until no cache of a tenant is being refreshed.
func (w wire) idle(p tenant) {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, raw := w.call(w.partner, "GET", p.fill("/data/projects/{projectId}/cache/status"), ""); !strings.Contains(raw, `"RUNNING"`) {
			return
		}
	}
	w.t.Fatal("the caches do not come to rest")
}

func csvForm(column, value string) string {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.SetBoundary("boundary")
	_ = m.WriteField("request", `{"containsHeader":true,"mappings":[{"name":"`+column+`","csvColumnName":"a"}]}`)
	f, _ := m.CreateFormFile("file", "x.csv")
	fmt.Fprintf(f, "a\n%s\n", value)
	_ = m.Close()
	return b.String()
}

// newTenant makes a project with one of everything.
func newTenant(w wire, name string) tenant {
	w.t.Helper()
	dir := w.t.TempDir()
	for f, text := range map[string]string{"orders": "id,status\n1," + name + "paid\n", "customers": "id,name\n1," + name + "ada\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+f+".csv"), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	p := tenant{name, "", map[string]string{
		"organizationId": store.DefaultOrganization, "name": name, "dir": dir, "connectionType": "files", "schemaName": "files",
		"tableName": name + "orders", "columnName": "status", "otherTable": name + "customers", "table": name + "_table", "bitable": name + "bi",
		"column": name + "_column", "bicolumn": name + "col", "threadId": name + "-thread", "dialect": "trino",
	}}
	set := func(id string, v []string) { p.ids[id] = v[0] }
	do := func(method, path, body string, members ...string) []string {
		return w.must(method, p.fill(path), p.fill(body), members...)
	}
	set("workspaceId", do("POST", "/organizations/{organizationId}/workspaces", `{"name":"{name} workspace"}`, "id"))
	set("projectId", do("POST", "/organizations/{organizationId}/workspaces/{workspaceId}/projects", `{"name":"{name} project"}`, "id"))
	key := do("POST", "/projects/{projectId}/apiKeys", `{"name":"{name} key"}`, "apiKeyId", "apiKey")
	p.ids["apiKeyId"], p.key = key[0], key[1]

	set("connectionId", do("POST", "/connections/{projectId}", `{"name":"{name} connection","type":"files","credential":{"path":"{dir}"}}`, "id"))
	set("catalogId", do("POST", "/data/projects/{projectId}/catalogs", `{"name":"{name}_catalog","connectionId":"{connectionId}"}`, "id"))
	for _, kind := range []string{"table", "bitable"} {
		at := "/data/projects/{projectId}/" + kind + "/{" + kind + "}"
		column := map[string]string{"table": "{column}", "bitable": "{bicolumn}"}[kind]
		do("POST", at, "")
		do("POST", at+"/columns", `[{"name":"`+column+`","dataType":"VARCHAR"}]`)
	}
	do("POST", "/data/projects/{projectId}/table/{table}/import", csvForm("{column}", "{name}secret"))
	queries := "/data/projects/{projectId}/queries"
	set("folderId", do("POST", queries+"/folders", `{"folderName":"{name} folder"}`, "id"))
	set("queryId", do("POST", queries, `{"displayName":"{name} query","inputQuery":"SELECT * FROM peaka.\"table\".{table}"}`, "id"))
	set("materializedId", do("POST", queries, `{"displayName":"{name} stored","inputQuery":"SELECT * FROM peaka.\"table\".{table}","queryType":"MATERIALIZED"}`, "id"))
	w.until(p.fill("/data/projects/{projectId}/materialized-queries/{materializedId}/status"), `"status":"COMPLETED","lastExecutionStartTime":"`)
	set("semanticId", do("POST", "/data/projects/{projectId}/semantic-catalogs", `{"name":"{name}_semantic"}`, "id"))
	set("tableId", do("POST", "/data/projects/{projectId}/semantic-catalogs/{semanticId}", `{"schemaName":"{name}_s","tableName":"{name}_t","queryId":"{queryId}"}`, "tableId"))
	set("cacheId", do("POST", "/data/projects/{projectId}/cache", `{"catalogId":"{catalogId}","schemaName":"{schemaName}","tableName":"{otherTable}"}`, "id"))
	w.until(p.fill("/data/projects/{projectId}/cache/{cacheId}/status"), `"status":"COMPLETED"`)
	set("exportId", do("POST", queries+"/{queryId}/exports", `{}`, "id"))
	w.until(p.fill("/data/projects/{projectId}/exports/{exportId}"), `"status":"SUCCEEDED"`)
	do("POST", "/data/projects/{projectId}/catalogs/{catalogId}/parametricTables", `{"fromSchema":"{schemaName}","fromTable":"{tableName}","toSchema":"{name}_p","toTable":"{name}_pt","paramValues":[{"key":"id","value":1}]}`)
	set("id", do("POST", "/metadata/{projectId}/golden-sqls", `{"prompt":"{name} prompt","sql":"SELECT '{name}'"}`, "id"))
	set("relationId", do("POST", "/metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/id", `{"targetCatalogId":"{catalogId}","targetSchemaName":"{schemaName}","targetTableName":"{otherTable}","targetColumnName":"id","type":"MANY_TO_ONE"}`, "id"))
	do("POST", "/metadata/{projectId}/refresh/callback", `{"callbackURL":"http://127.0.0.1:1/{name}","callbackToken":"{name}-token"}`)
	do("PUT", "/metadata/{projectId}/categorical/{catalogId}/{schemaName}/{tableName}/{columnName}", `{"limit":5,"frequency":"daily"}`)
	return p
}

// request is how an operation is called with everything it can name. Path parameters come from the tenant, some under another
// name; own is the status its owner gets when it is no success.
type request struct {
	body, query string
	params      map[string]string
	own         int
}

var (
	semanticPath = map[string]string{"catalogId": "{semanticId}"}
	storedPath   = map[string]string{"queryId": "{materializedId}"}
	tablePath    = map[string]string{"tableName": "{table}", "columnName": "{column}"}
	biPath       = map[string]string{"tableName": "{bitable}", "columnName": "{bicolumn}"}
	aColumn      = `[{"name":"more","dataType":"BIGINT"}]`
	aCache       = `{"catalogId":"{catalogId}","schemaName":"{schemaName}","tableName":"{tableName}"}`
	aRelation    = `{"targetCatalogId":"{catalogId}","targetSchemaName":"{schemaName}","targetTableName":"{otherTable}","targetColumnName":"name","type":"ONE_TO_ONE"}`
	aParametric  = `{"fromSchema":"{schemaName}","fromTable":"{tableName}","toSchema":"{name}_q","toTable":"{name}_qt","paramValues":[{"key":"id","value":1}]}`
)

// isolationRequests has an entry for each operation that takes more than path parameters.
var isolationRequests = map[string]request{
	"createWorkspace": {body: `{"name":"w"}`}, "updateWorkspace": {body: `{"name":"w"}`},
	"createProject": {body: `{"name":"p"}`}, "updateProject": {body: `{"name":"p"}`},
	"createProjectLegacy": {body: `{"name":"p"}`}, "updateProjectLegacy": {body: `{"name":"p"}`},
	"createApiKey": {body: `{"name":"k"}`}, "deleteWorkspace": {own: 409},

	"createConnection":        {body: `{"name":"c","type":"files","credential":{"path":"{dir}"}}`},
	"createConnectionAlt":     {body: `{"name":"c","type":"files","credential":{"path":"{dir}"}}`},
	"completeOauthConnection": {body: `{"queryParameters":"state=x&code=y"}`, own: 400},
	"updateConnection":        {body: `{"name":"changed"}`},
	"createCatalog":           {body: `{"name":"more","connectionId":"{connectionId}"}`},
	"createCatalogAlt":        {body: `{"name":"evenmore","connectionId":"{connectionId}"}`},
	"getTableStatistics":      {own: 400},
	"shareCatalog":            {body: `{"targetProjectId":"{projectId}"}`, own: 400},
	"search":                  {body: `{"query":"{name}","catalog":"{name}_catalog"}`},

	"createInternalTable": {params: map[string]string{"tableName": "newtable"}}, "deleteInternalTable": {params: tablePath}, "listInternalColumns": {params: tablePath},
	"addInternalColumns": {params: tablePath, body: aColumn}, "deleteInternalColumn": {params: tablePath}, "getSampleCsv": {params: tablePath},
	"updateInternalColumn": {params: tablePath, body: `{"name":"{column}","dataType":"VARCHAR","displayName":"changed"}`},
	"importCsv":            {params: tablePath, body: csvForm("{column}", "intruder")},
	"importBi":             {params: biPath, body: csvForm("{bicolumn}", "intruder")}, "createBiTable": {params: map[string]string{"tableName": "newbi"}}, "deleteBiTable": {params: biPath}, "listBiColumns": {params: biPath},
	"addBiColumns": {params: biPath, body: aColumn}, "deleteBiColumn": {params: biPath},
	"updateBiColumn": {params: biPath, body: `{"name":"{bicolumn}","dataType":"VARCHAR","desc":"changed"}`},

	"createQuery":  {body: `{"displayName":"copy","inputQueryRefId":"{queryId}"}`},
	"executeQuery": {body: `{"id":"{queryId}"}`},
	"updateQuery":  {body: `{"displayName":"changed"}`}, "moveQuery": {body: `{"path":"/elsewhere"}`},
	"createQueryFolder": {body: `{"folderName":"g"}`}, "createChildQueryFolder": {body: `{"folderName":"f"}`, params: map[string]string{"parentFolderId": "{folderId}"}},
	"getQueryFolderTree":        {query: "rootFolderId={folderId}&includeQueries=true"},
	"updateQueryFolderContents": {body: `{"queryIdsAdded":["{queryId}"],"queryIdsRemoved":[]}`},
	"renameQueryFolder":         {body: `{"name":"changed"}`}, "moveQueryFolder": {body: `{"path":"/f"}`}, "deleteQueryFolder": {query: "force=true"},
	"getMaterializedStatus": {params: storedPath}, "refreshMaterializedQuery": {params: storedPath}, "cancelMaterializedRefresh": {params: storedPath},

	"createSemanticCatalog": {body: `{"name":"s"}`},
	"createSemanticTable":   {params: semanticPath, body: `{"schemaName":"s","tableName":"t","queryId":"{queryId}"}`},
	"shareSemanticCatalog":  {params: semanticPath, body: `{"target":"{projectId}"}`, own: 400},
	"deleteSemanticTable":   {params: semanticPath},

	"createCache": {body: aCache}, "createCacheBatch": {body: "[" + aCache + "]"},
	"updateCacheSettings": {body: `{"fullRefreshCacheSchedule":{"type":"NONE"}}`},
	"cancelFullRefresh":   {own: 404}, "cancelIncrementalUpdate": {own: 404},
	"exportQuery": {body: `{}`}, "exportTable": {body: `{}`},
	"createParametricTable": {body: aParametric}, "deleteParametricTable": {query: "toSchema={name}_p&toTable={name}_pt"},

	"initEmbeddedSession": {body: `{"projectId":"{projectId}"}`, own: 501}, "initEmbeddedSessionLegacy": {query: "projectId={projectId}", own: 501},
	"listSupportedDrivers": {query: "catalogName={name}_catalog"}, "getJdbcDriver": {own: 404}, "getSqlAlchemyDriver": {query: "catalogName={name}_catalog", own: 404},
	"compactLocal": {body: `{"projectId":"{projectId}"}`},
	"transpileSql": {body: `{"query":"SELECT * FROM {name}_catalog.{schemaName}.{tableName}"}`},

	"getProjectMetadata":        {query: "catalogId={catalogId}"},
	"generateCategoricalValues": {body: `{"limit":5,"frequency":"daily"}`},
	"queryGoldenSqls":           {query: "q={name}+prompt"}, "createGoldenSql": {body: `{"prompt":"p","sql":"SELECT 1"}`},
	"queryMetadata": {query: "table={tableName}"}, "generateSampleQuestions": {query: "question=x", own: 501},
	"refreshMetadata":         {body: `{"catalogId":"{catalogId}"}`},
	"registerRefreshCallback": {body: `{"callbackURL":"http://127.0.0.1:1/changed"}`},
	"addRelation":             {body: aRelation}, "updateRelation": {body: `{"type":"ONE_TO_ONE"}`},
	"generateSemantics": {body: `{}`, own: 501},
	"setCatalogAiUsage": {body: `{"useWithAI":false}`}, "setSchemaAiUsage": {body: `{"useWithAI":false}`},
	"updateTableMetadata": {body: `{"tableDescription":"changed"}`},

	"getAgentWorkflowImage": {own: 501}, "agentChat": {body: `{"message":"hi","threadId":"{threadId}"}`, own: 501}, "agentChatStream": {body: `{"message":"hi"}`, own: 501},
	"getAgentThread": {own: 404}, "renameAgentThread": {body: `{"displayName":"x"}`, own: 404}, "deleteAgentThread": {own: 404},
	"askLegacyAgent": {body: `{"message":"hi"}`, own: 501}, "renameLegacyChat": {body: `{"name":"x"}`, own: 404}, "deleteLegacyChat": {own: 404},
}

// noProject are the operations that name no project and show nothing of one: any key may call them.
var noProject = []string{"listConnectionConfigs", "getConnectionConfig", "listSupportedDrivers", "getJdbcDriver", "getSqlAlchemyDriver", "transpileSql", "getKeyInfo", "getAgentWorkflowImage"}

// ownObjects are the operations whose path names nothing of another project once the project is one's own: they list or make
// what is one's own.
var ownObjects = []string{"listConnections", "createConnection", "createConnectionAlt", "completeOauthConnection", "listCatalogs", "listInternalTables", "createInternalTable",
	"listBiTables", "createBiTable", "listQueries", "listQueryFolders", "createQueryFolder", "listMaterializedStatuses", "createSemanticCatalog", "listCacheStatuses",
	"listExports", "queryGoldenSqls", "listGoldenSqls", "createGoldenSql", "queryMetadata", "generateSampleQuestions", "getRefreshCallback",
	"registerRefreshCallback", "unregisterRefreshCallback", "agentChat", "agentChatStream", "listAgentThreads", "askLegacyAgent", "getLegacyChatHistory", "search"}

// address is the path and body of an operation: the project of one tenant, everything else of another.
func address(op spec.Op, project, rest tenant) (path, body string) {
	r := isolationRequests[op.ID]
	path = op.Path
	for _, name := range op.Params() {
		value := "{" + name + "}"
		if v, ok := r.params[name]; ok {
			value = v
		}
		from := rest
		if name == "projectId" {
			from = project
		}
		path = strings.Replace(path, "{"+name+"}", strings.ReplaceAll(from.fill(value), " ", "%20"), 1)
	}
	if r.query != "" {
		path += "?" + rest.fill(r.query)
	}
	return path, rest.fill(r.body)
}

// unsaid removes from a reply what the caller has said itself.
func (p tenant) unsaid(reply, path, body string) string {
	var values []string
	for _, v := range p.ids {
		if v != p.name && (strings.Contains(path, v) || strings.Contains(body, v)) {
			values = append(values, v)
		}
	}
	values = append(values, regexp.MustCompile(p.name+`\w*`).FindAllString(path+" "+body, -1)...)
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	for _, v := range values {
		reply = strings.ReplaceAll(reply, v, "")
	}
	return reply
}

// shows reports what of a tenant a reply gives away.
func (p tenant) shows(reply, path, body string) string {
	reply = p.unsaid(reply, path, body)
	for id, v := range p.ids {
		switch id {
		case "organizationId", "connectionType", "schemaName", "columnName", "dialect":
			continue
		}
		if strings.Contains(reply, v) {
			return id
		}
	}
	return ""
}

// snapshot is everything the owner can read, without what is new in every reply.
func snapshot(w wire, p tenant) string {
	var b strings.Builder
	for _, op := range spec.All() {
		if op.Method != "GET" && op.ID != "executeQuery" || op.Partner && op.ID != "listApiKeys" && op.ID != "getProject" {
			continue
		}
		path, body := address(op, p, p)
		key := p.key
		if op.Partner {
			key = w.partner
		}
		status, raw := w.call(key, op.Method, path, body)
		fmt.Fprintln(&b, op.ID, status, raw)
	}
	return regexp.MustCompile(`"(url|timestamp|requestId)":"[^"]*"`).ReplaceAllString(b.String(), "")
}

// TestIsolation puts a project key of one project to every operation with the ids of another: all are refused, nothing of the
// other project shows in a reply, and the other project is afterwards as it was. The owner makes the same requests at the end,
// so that they are known to name what exists.
func TestIsolation(t *testing.T) {
	g := openTest(t)
	w := wire{t: t, partner: g.ServeKey()}
	srv := httptest.NewServer(g.Handler())
	defer srv.Close()
	w.url = srv.URL
	a, b := newTenant(w, "alpha"), newTenant(w, "bravo")
	before := snapshot(w, b)
	refused := func(how string, op spec.Op, path, body string, ok func(int) bool) {
		t.Helper()
		status, raw := w.call(a.key, op.Method, path, body)
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
		if what := b.shows(raw, path, body); what != "" {
			t.Errorf("%s %s: the reply shows %s of the other project: %s", op.ID, how, what, raw)
		}
	}
	forbidden := func(status int) bool { return status == 403 }
	unknown := func(status int) bool { return status == 400 || status == 403 || status == 404 || status == 501 }
	fine := func(status int) bool { return status < 300 || status == 404 || status == 400 || status == 501 }
	for _, op := range spec.All() {
		path, body := address(op, b, b)
		switch {
		case slices.Contains(noProject, op.ID):
			refused("public", op, path, body, fine)
			continue
		default:
			refused("foreign", op, path, body, forbidden)
		}
		if op.Partner { // of the own project too
			path, body = address(op, a, a)
			refused("partner", op, path, body, forbidden)
			continue
		}
		if !strings.Contains(op.Path, "{projectId}") {
			continue
		}
		path, body = address(op, a, b)
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
		path, body := address(op, b, b)
		refused("local", op, path, body, forbidden)
		path, body = address(op, a, b)
		refused("local", op, path, body, unknown)
	}
	if after := snapshot(w, b); after != before {
		t.Errorf("the other project has changed:\n%s", lineDiff(before, after))
	}
	if mine := snapshot(w, a); strings.Contains(mine, b.name) {
		t.Errorf("the own project shows the other one:\n%s", mine)
	}
	ownerCalls(t, w, b)
}

// nestedIDs are requests whose path is one's own from end to end, with the other's ids below it.
func nestedIDs(t *testing.T, a, b tenant, refused func(how string, op spec.Op, path, body string, ok func(int) bool)) {
	unknown := func(status int) bool { return status == 400 || status == 403 || status == 404 }
	for _, op := range []spec.Op{spec.CreateCatalog, spec.CreateCatalogAlt, spec.ShareCatalog, spec.CreateQuery, spec.ExecuteQuery, spec.UpdateQueryFolderContents,
		spec.GetQueryFolderTree, spec.CreateSemanticTable, spec.ShareSemanticCatalog, spec.CreateCache, spec.GetProjectMetadata, spec.RefreshMetadata, spec.AddRelation} {
		path, _ := address(op, a, a)
		other, body := address(op, b, b)
		if _, q, ok := strings.Cut(other, "?"); ok {
			path, _, _ = strings.Cut(path, "?")
			path += "?" + q
		}
		refused("nested", op, path, body, unknown)
	}
	own := func(status int) bool { return status == 200 }
	path, _ := address(spec.CreateCacheBatch, a, a)
	_, body := address(spec.CreateCacheBatch, b, b)
	refused("nested", spec.CreateCacheBatch, path, body, own) // each item has its own answer, which must not be a success
	path, _ = address(spec.UpdateQueryFolderContents, a, a)
	refused("nested", spec.UpdateQueryFolderContents, path, b.fill(`{"queryIdsAdded":[],"queryIdsRemoved":["{queryId}"]}`), unknown)
	path, _ = address(spec.UpdateQuery, a, a)
	refused("nested", spec.UpdateQuery, path, b.fill(`{"inputQueryRefId":"{queryId}"}`), unknown)

	// Rows by name.
	run := a.fill("/data/projects/{projectId}/queries/execute?format=COMPACT")
	for _, from := range []string{`{name}_catalog.{schemaName}.{tableName}`, `{name}_catalog.{schemaName}.{otherTable}`, `{name}_catalog.{name}_p.{name}_pt`, `{name}_semantic.{name}_s.{name}_t`,
		`peaka.\"table\".{table}`, `peaka.bitable.{bitable}`, `peaka.query.{name}_query`, `peaka.mtquery.{name}_stored`, `peaka.mtquery.\"{materializedId}\"`,
		`peaka.cache.\"{cacheId}\"`, `{name}_catalog.information_schema.tables`} {
		refused("sql", spec.ExecuteQuery, run, b.fill(`{"statement":"SELECT * FROM `+from+`"}`), unknown)
		refused("sql", spec.ExecuteQuery, run, b.fill(`{"statement":"WITH x AS (SELECT 1) SELECT * FROM x WHERE EXISTS (SELECT * FROM `+from+`)"}`), unknown)
		path, _ := address(spec.CreateQuery, a, a)
		refused("sql", spec.CreateQuery, path, b.fill(`{"displayName":"theirs","inputQuery":"SELECT * FROM `+from+`"}`), unknown)
	}
	for _, text := range []string{"SHOW CATALOGS", "SELECT * FROM information_schema.tables", "SELECT * FROM information_schema.columns", "SELECT * FROM peaka.information_schema.tables", "SHOW SCHEMAS FROM peaka", "SHOW TABLES FROM peaka.query"} {
		refused("sql", spec.ExecuteQuery, run, `{"statement":"`+text+`"}`, own)
	}
	for _, body := range []string{`{"qualifiedName":"peaka.query.{name}_query"}`, `{"qualifiedName":"peaka.mtquery.{name}_stored"}`, `{"qualifiedName":"{name}_catalog.{schemaName}.{tableName}"}`, `{"id":"{materializedId}"}`,
		`{"from":[{"catalogName":"{name}_catalog","schemaName":"{schemaName}","tableName":"{tableName}"}]}`,
		`{"from":[{"catalogId":"{catalogId}","catalogName":"{name}_catalog","schemaName":"{schemaName}","tableName":"{tableName}"}]}`} {
		refused("sql", spec.ExecuteQuery, run, b.fill(body), unknown)
	}
}

// bentPaths are addresses that a careless router would take for those of another project.
func bentPaths(t *testing.T, w wire, a, b tenant) {
	t.Helper()
	mine, theirs := a.ids["projectId"], b.ids["projectId"]
	for _, path := range []string{"/data/projects/" + mine + "%2F..%2F" + theirs + "/queries", "/data/projects/" + mine + "/../" + theirs + "/queries",
		"/data/projects//" + theirs + "/queries", "/data/projects/" + theirs + "%00/queries", "/data/projects/%20" + theirs + "/queries",
		"/data/projects/" + theirs + "/queries?projectId=" + mine, "/data/projects/" + mine + "," + theirs + "/queries",
		"/data/projects/" + mine + "/queries/%2E%2E%2F%2E%2E%2F" + theirs + "%2Fqueries%2F" + b.ids["queryId"]} {
		if status, raw := w.call(a.key, "GET", path, ""); status < 400 || strings.Contains(raw, "SELECT") {
			t.Errorf("%s: %d %s", path, status, raw)
		}
	}
	// A project that does not exist looks like one of someone else.
	one, two := regexp.MustCompile(`"(timestamp|path|requestId)":"[^"]*"`), [2]string{}
	for i, id := range []string{theirs, "zzzzzzzz"} {
		status, raw := w.call(a.key, "GET", "/data/projects/"+id+"/queries", "")
		two[i] = fmt.Sprint(status, one.ReplaceAllString(raw, ""))
	}
	if two[0] != two[1] {
		t.Errorf("a key can tell projects that exist: %s, %s", two[0], two[1])
	}
}

// ownerCalls makes every request as the owner: what was refused to the other key was a request for something real.
func ownerCalls(t *testing.T, w wire, b tenant) {
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
		path, body := address(op, b, b)
		key := b.key
		if op.Partner {
			key = w.partner
		}
		if op.ID == "deleteProject" || op.ID == "updateProject" { // after its legacy form the project is gone, so this one is seen to be refused for what it is
			if status, _ := w.call(b.key, op.Method, path, body); status != 403 && status != 401 {
				t.Errorf("%s with a project key: %d", op.ID, status)
			}
		}
		if op.Group == "cache" && op.Method == "POST" {
			w.idle(b)
		}
		want := isolationRequests[op.ID].own
		if op.ID == "deleteProject" {
			want = 404
		}
		status, raw := w.call(key, op.Method, path, body)
		if want == 0 && status > 299 || want != 0 && status != want {
			t.Errorf("%s by its owner: %s %s: status %d: %s", op.ID, op.Method, path, status, raw)
		}
		done++
	}
	if done != 144 {
		t.Errorf("%d operations", done)
	}
	if status, _ := w.call(b.key, "GET", "/info", ""); status != 401 {
		t.Errorf("the key of a deleted project still answers: %d", status)
	}
}

func lineDiff(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out []string
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			out = append(out, "+ "+y[i])
		case i >= len(y):
			out = append(out, "- "+x[i])
		case x[i] != y[i]:
			out = append(out, "- "+x[i], "+ "+y[i])
		}
	}
	return strings.Join(out, "\n")
}
