package gatewaytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
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
	"github.com/google/uuid"
)

// Tenant is a project with at least one object of each kind. IDs has their ids and names by path parameter, and a few
// further values.
type Tenant struct {
	Name string // part of every name in the project
	Key  string
	IDs  map[string]string
}

// Fill writes the tenant's values for {placeholders}.
func (p Tenant) Fill(text string) string {
	return regexp.MustCompile(`\{[A-Za-z]+\}`).ReplaceAllStringFunc(text, func(m string) string {
		v, ok := p.IDs[m[1:len(m)-1]]
		if !ok {
			panic("no value for " + m)
		}
		return v
	})
}

// Wire calls a gateway over TCP, where every call needs a key.
type Wire struct {
	T       *testing.T
	URL     string
	Partner string
}

// Call sends a request and returns status and body of the answer.
func (w Wire) Call(key, method, path, body string) (int, string) {
	w.T.Helper()
	status, raw, _ := w.Send(key, method, path, body)
	return status, raw
}

// Send is Call, and also returns the omissions that the answer reports.
func (w Wire) Send(key, method, path, body string) (int, string, []api.Omission) {
	w.T.Helper()
	kind := "application/json"
	if strings.HasPrefix(body, "--") {
		kind = "multipart/form-data; boundary=" + body[2:strings.Index(body, "\r\n")]
	}
	req, err := http.NewRequest(method, w.URL+web.BasePath+path, strings.NewReader(body))
	if err != nil {
		w.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.T.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return res.StatusCode, string(raw), api.Omissions(res.Header)
}

// Must calls with the partner key and returns members of the reply.
func (w Wire) Must(method, path, body string, members ...string) []string {
	w.T.Helper()
	status, raw := w.Call(w.Partner, method, path, body)
	if status > 299 {
		w.T.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	var v map[string]any
	_ = json.Unmarshal([]byte(raw), &v)
	out := make([]string, len(members))
	for i, m := range members {
		if out[i], _ = v[m].(string); out[i] == "" {
			w.T.Fatalf("%s %s: no %s in %s", method, path, m, raw)
		}
	}
	return out
}

// Until repeats a read until its reply holds a text.
func (w Wire) Until(path, part string) {
	w.T.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		status, raw := w.Call(w.Partner, "GET", path, "")
		if status == 200 && strings.Contains(raw, part) {
			return
		}
		if time.Now().After(deadline) {
			w.T.Fatalf("%s: %d %s", path, status, raw)
		}
	}
}

// Idle waits until no cache of a tenant is being refreshed.
func (w Wire) Idle(p Tenant) {
	w.T.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, raw := w.Call(w.Partner, "GET", p.Fill("/data/projects/{projectId}/cache/status"),
			""); !strings.Contains(raw, `"RUNNING"`) {
			return
		}
	}
	w.T.Fatal("the caches are still being refreshed")
}

// CSVForm returns a body that imports one value.
func CSVForm(column, value string) string {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.SetBoundary("boundary")
	_ = m.WriteField("request", `{"containsHeader":true,"mappings":[{"name":"`+column+`","csvColumnName":"a"}]}`)
	f, _ := m.CreateFormFile("file", "x.csv")
	fmt.Fprintf(f, "a\n%s\n", value)
	_ = m.Close()
	return b.String()
}

// NewTenant creates a project with at least one object of each kind.
func NewTenant(w Wire, name string) Tenant {
	w.T.Helper()
	dir := w.T.TempDir()
	for f, text := range map[string]string{"orders": "id,status\n1," + name + "paid\n", "customers": "id,name\n1," +
		name + "ada\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+f+".csv"), []byte(text), 0o600); err != nil {
			w.T.Fatal(err)
		}
	}
	p := Tenant{name, "", map[string]string{
		"organizationId": store.DefaultOrganization, "name": name, "dir": dir, "connectionType": "files",
		"schemaName": "files",
		"tableName":  name + "orders", "columnName": "status", "otherTable": name + "customers", "table": name +
			"_table", "bitable": name + "bi",
		"column": name + "_column", "bicolumn": name + "col", "threadId": name + "-thread", "dialect": "trino",
	}}
	set := func(id string, v []string) { p.IDs[id] = v[0] }
	do := func(method, path, body string, members ...string) []string {
		return w.Must(method, p.Fill(path), p.Fill(body), members...)
	}
	set("workspaceId", do("POST", "/organizations/{organizationId}/workspaces", `{"name":"{name} workspace"}`, "id"))
	set("projectId", do("POST", "/organizations/{organizationId}/workspaces/{workspaceId}/projects",
		`{"name":"{name} project"}`, "id"))
	key := do("POST", "/projects/{projectId}/apiKeys", `{"name":"{name} key"}`, "apiKeyId", "apiKey")
	p.IDs["apiKeyId"], p.Key = key[0], key[1]

	set("connectionId", do("POST", "/connections/{projectId}",
		`{"name":"{name} connection","type":"files","credential":{"path":"{dir}"}}`, "id"))
	set("catalogId", do("POST", "/data/projects/{projectId}/catalogs",
		`{"name":"{name}_catalog","connectionId":"{connectionId}"}`, "id"))
	for _, kind := range []string{"table", "bitable"} {
		at := "/data/projects/{projectId}/" + kind + "/{" + kind + "}"
		column := map[string]string{"table": "{column}", "bitable": "{bicolumn}"}[kind]
		do("POST", at, "")
		do("POST", at+"/columns", `[{"name":"`+column+`","dataType":"VARCHAR"}]`)
	}
	do("POST", "/data/projects/{projectId}/table/{table}/import", CSVForm("{column}", "{name}secret"))
	queries := "/data/projects/{projectId}/queries"
	set("folderId", do("POST", queries+"/folders", `{"folderName":"{name} folder"}`, "id"))
	set("queryId", do("POST", queries,
		`{"displayName":"{name} query","inputQuery":"SELECT * FROM peaka.\"table\".{table}"}`, "id"))
	set("materializedId", do("POST", queries, `{"displayName":"{name} stored","inputQuery":"SELECT * FROM `+
		`peaka.\"table\".{table}","queryType":"MATERIALIZED"}`, "id"))
	w.Until(p.Fill("/data/projects/{projectId}/materialized-queries/{materializedId}/status"),
		`"status":"COMPLETED","lastExecutionStartTime":"`)
	set("semanticId", do("POST", "/data/projects/{projectId}/semantic-catalogs", `{"name":"{name}_semantic"}`, "id"))
	set("tableId", do("POST", "/data/projects/{projectId}/semantic-catalogs/{semanticId}",
		`{"schemaName":"{name}_s","tableName":"{name}_t","queryId":"{queryId}"}`, "tableId"))
	set("cacheId", do("POST", "/data/projects/{projectId}/cache",
		`{"catalogId":"{catalogId}","schemaName":"{schemaName}","tableName":"{otherTable}"}`, "id"))
	w.Until(p.Fill("/data/projects/{projectId}/cache/{cacheId}/status"), `"status":"COMPLETED"`)
	set("exportId", do("POST", queries+"/{queryId}/exports", `{}`, "id"))
	p.IDs["importId"] = uuid.NewString()
	w.Until(p.Fill("/data/projects/{projectId}/exports/{exportId}"), `"status":"SUCCEEDED"`)
	do("POST", "/data/projects/{projectId}/catalogs/{catalogId}/parametricTables", `{"fromSchema":"{schemaName}",`+
		`"fromTable":"{tableName}","toSchema":"{name}_p","toTable":"{name}_pt","paramValues":[{"key":"id","value":1}]}`)
	set("id", do("POST", "/metadata/{projectId}/golden-sqls", `{"prompt":"{name} prompt","sql":"SELECT '{name}'"}`,
		"id"))
	set("relationId", do("POST", "/metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/id",
		`{"targetCatalogId":"{catalogId}","targetSchemaName":"{schemaName}","targetTableName":"{otherTable}",`+
			`"targetColumnName":"id","type":"MANY_TO_ONE"}`, "id"))
	do("POST", "/metadata/{projectId}/refresh/callback",
		`{"callbackURL":"http://127.0.0.1:1/{name}","callbackToken":"{name}-token"}`)
	do("PUT", "/metadata/{projectId}/categorical/{catalogId}/{schemaName}/{tableName}/{columnName}",
		`{"limit":5,"frequency":"daily"}`)
	return p
}

// Request describes a call of an operation that names as many objects as possible. Path parameters are taken from the
// tenant, those in params under another name. Own is the status of the call by the owner, if it is not a success.
type Request struct {
	body, query string
	params      map[string]string
	Own         int
}

var (
	semanticPath = map[string]string{"catalogId": "{semanticId}"}
	storedPath   = map[string]string{"queryId": "{materializedId}"}
	tablePath    = map[string]string{"tableName": "{table}", "columnName": "{column}"}
	biPath       = map[string]string{"tableName": "{bitable}", "columnName": "{bicolumn}"}
	aColumn      = `[{"name":"more","dataType":"BIGINT"}]`
	aCache       = `{"catalogId":"{catalogId}","schemaName":"{schemaName}","tableName":"{tableName}"}`
	aRelation    = `{"targetCatalogId":"{catalogId}","targetSchemaName":"{schemaName}",` +
		`"targetTableName":"{otherTable}","targetColumnName":"name","type":"ONE_TO_ONE"}`
	aParametric = `{"fromSchema":"{schemaName}","fromTable":"{tableName}","toSchema":"{name}_q",` +
		`"toTable":"{name}_qt","paramValues":[{"key":"id","value":1}]}`
)

// Requests has an entry for each operation that takes more than path parameters.
var Requests = map[string]Request{
	"createWorkspace": {body: `{"name":"w","allowDuplicateName":true}`}, "updateWorkspace": {body: `{"name":"w"}`},
	"createProject": {body: `{"name":"p","allowDuplicateName":true}`}, "updateProject": {body: `{"name":"p"}`},
	"createProjectLegacy": {body: `{"name":"p","allowDuplicateName":true}`},
	"updateProjectLegacy": {body: `{"name":"p"}`},
	"createApiKey":        {body: `{"name":"k"}`}, "deleteWorkspace": {Own: 409},

	"createConnection": {body: `{"name":"c","allowDuplicateName":true,` +
		`"type":"files","credential":{"path":"{dir}"}}`},
	"createConnectionAlt": {body: `{"name":"c","allowDuplicateName":true,` +
		`"type":"files","credential":{"path":"{dir}"}}`},
	"completeOauthConnection": {body: `{"queryParameters":"state=x&code=y"}`, Own: 400},
	"updateConnection":        {body: `{"name":"changed"}`},
	"createCatalog":           {body: `{"name":"more","connectionId":"{connectionId}"}`},
	"createCatalogAlt":        {body: `{"name":"evenmore","connectionId":"{connectionId}"}`},
	"getTableStatistics":      {Own: 400},
	"shareCatalog":            {body: `{"targetProjectId":"{projectId}"}`, Own: 400},
	"search":                  {body: `{"query":"{name}","catalog":"{name}_catalog"}`},

	"createInternalTable": {params: map[string]string{"tableName": "newtable"}},
	"deleteInternalTable": {params: tablePath}, "listInternalColumns": {params: tablePath},
	"addInternalColumns": {params: tablePath, body: aColumn}, "deleteInternalColumn": {params: tablePath},
	"getSampleCsv": {params: tablePath},
	"updateInternalColumn": {params: tablePath,
		body: `{"name":"{column}","dataType":"VARCHAR","displayName":"changed"}`},
	"importCsv":     {params: tablePath, body: CSVForm("{column}", "intruder")},
	"importBi":      {params: biPath, body: CSVForm("{bicolumn}", "intruder")},
	"createBiTable": {params: map[string]string{"tableName": "newbi"}}, "deleteBiTable": {params: biPath},
	"listBiColumns": {params: biPath},
	"addBiColumns":  {params: biPath, body: aColumn}, "deleteBiColumn": {params: biPath},
	"updateBiColumn": {params: biPath, body: `{"name":"{bicolumn}","dataType":"VARCHAR","desc":"changed"}`},

	"createQuery":  {body: `{"displayName":"copy","inputQueryRefId":"{queryId}"}`},
	"executeQuery": {body: `{"id":"{queryId}"}`},
	"updateQuery":  {body: `{"displayName":"changed"}`}, "moveQuery": {body: `{"path":"/elsewhere"}`},
	"createQueryFolder": {body: `{"folderName":"g"}`}, "createChildQueryFolder": {body: `{"folderName":"f"}`,
		params: map[string]string{"parentFolderId": "{folderId}"}},
	"getQueryFolderTree":        {query: "rootFolderId={folderId}&includeQueries=true"},
	"updateQueryFolderContents": {body: `{"queryIdsAdded":["{queryId}"],"queryIdsRemoved":[]}`},
	"renameQueryFolder":         {body: `{"name":"changed"}`}, "moveQueryFolder": {body: `{"path":"/f"}`},
	"deleteQueryFolder":     {query: "force=true"},
	"getMaterializedStatus": {params: storedPath}, "refreshMaterializedQuery": {params: storedPath},
	"cancelMaterializedRefresh": {params: storedPath},

	"createSemanticCatalog": {body: `{"name":"s"}`},
	"createSemanticTable":   {params: semanticPath, body: `{"schemaName":"s","tableName":"t","queryId":"{queryId}"}`},
	"shareSemanticCatalog":  {params: semanticPath, body: `{"target":"{projectId}"}`, Own: 400},
	"deleteSemanticTable":   {params: semanticPath},

	"createCache": {body: aCache}, "createCacheBatch": {body: "[" + aCache + "]"},
	"updateCacheSettings": {body: `{"fullRefreshCacheSchedule":{"type":"NONE"}}`},
	"cancelFullRefresh":   {Own: 404}, "cancelIncrementalUpdate": {Own: 404},
	"exportQuery": {body: `{}`}, "exportTable": {body: `{}`},
	"createParametricTable": {body: aParametric},
	"deleteParametricTable": {query: "toSchema={name}_p&toTable={name}_pt"},

	"initEmbeddedSession":       {body: `{"projectId":"{projectId}"}`, Own: 501},
	"initEmbeddedSessionLegacy": {query: "projectId={projectId}", Own: 501},
	"listSupportedDrivers":      {query: "catalogName={name}_catalog"}, "getJdbcDriver": {},
	"getSqlAlchemyDriver": {query: "catalogName={name}_catalog"},
	"backupLocal":         {body: `{"directory":"/"}`, Own: 403},
	"compactLocal":        {body: `{"projectId":"{projectId}"}`},
	"transpileSql":        {body: `{"query":"SELECT * FROM {name}_catalog.{schemaName}.{tableName}"}`},

	"getProjectMetadata":        {query: "catalogId={catalogId}"},
	"generateCategoricalValues": {body: `{"limit":5,"frequency":"daily"}`},
	"queryGoldenSqls":           {query: "q={name}+prompt"},
	"createGoldenSql":           {body: `{"prompt":"p","sql":"SELECT 1"}`},
	"queryMetadata":             {query: "table={tableName}"}, "generateSampleQuestions": {query: "question=x",
		Own: 501},
	"refreshMetadata":         {body: `{"catalogId":"{catalogId}"}`},
	"registerRefreshCallback": {body: `{"callbackURL":"http://127.0.0.1:1/changed"}`},
	"addRelation":             {body: aRelation}, "updateRelation": {body: `{"type":"ONE_TO_ONE"}`},
	"generateSemantics": {body: `{}`, Own: 501},
	"setCatalogAiUsage": {body: `{"useWithAI":false}`}, "setSchemaAiUsage": {body: `{"useWithAI":false}`},
	"updateTableMetadata": {body: `{"tableDescription":"changed"}`},

	"getAgentWorkflowImage": {Own: 501}, "agentChat": {body: `{"message":"hi","threadId":"{threadId}"}`, Own: 501},
	"agentChatStream": {body: `{"message":"hi"}`, Own: 501},
	"getAgentThread":  {Own: 404}, "renameAgentThread": {body: `{"displayName":"x"}`, Own: 404},
	"deleteAgentThread": {Own: 404},
	"askLegacyAgent":    {body: `{"message":"hi"}`, Own: 501}, "renameLegacyChat": {body: `{"name":"x"}`, Own: 404},
	"deleteLegacyChat": {Own: 404},
}

// Address returns the path and body of a call of an operation that names the project of one tenant and other objects of
// another.
func Address(op spec.Op, project, rest Tenant) (path, body string) {
	r := Requests[op.ID]
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
		path = strings.Replace(path, "{"+name+"}", strings.ReplaceAll(from.Fill(value), " ", "%20"), 1)
	}
	if r.query != "" {
		path += "?" + rest.Fill(r.query)
	}
	return path, rest.Fill(r.body)
}

// unsaid removes from a reply the values that the caller has sent itself.
func (p Tenant) unsaid(reply, path, body string) string {
	var values []string
	for _, v := range p.IDs {
		if v != p.Name && (strings.Contains(path, v) || strings.Contains(body, v)) {
			values = append(values, v)
		}
	}
	values = append(values, regexp.MustCompile(p.Name+`\w*`).FindAllString(path+" "+body, -1)...)
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	for _, v := range values {
		reply = strings.ReplaceAll(reply, v, "")
	}
	return reply
}

// Shows returns the name of a value of the tenant that a reply discloses; "" if there is none.
func (p Tenant) Shows(reply, path, body string) string {
	reply = p.unsaid(reply, path, body)
	for id, v := range p.IDs {
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

// Snapshot returns everything that the owner can read, without values that differ in every reply.
func Snapshot(w Wire, p Tenant) string {
	var b strings.Builder
	for _, op := range spec.All() {
		if op.Method != "GET" && op.ID != "executeQuery" || op.Partner && op.ID != "listApiKeys" &&
			op.ID != "getProject" {
			continue
		}
		path, body := Address(op, p, p)
		key := p.Key
		if op.Partner {
			key = w.Partner
		}
		status, raw := w.Call(key, op.Method, path, body)
		fmt.Fprintln(&b, op.ID, status, raw)
	}
	return regexp.MustCompile(`"(url|timestamp|requestId)":"[^"]*"`).ReplaceAllString(b.String(), "")
}

// LineDiff returns the lines that differ.
func LineDiff(a, b string) string {
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
