package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/openapi/openapitest"
	"github.com/dig-cli/dig/pkg/spec"
)

// reply is what the gateway answered to one request.
type reply struct {
	op     spec.Op
	status int
	kind   string
	body   []byte
}

// listening is the in-process transport; it keeps the last reply. Operations are told apart by Options.Observe.
type listening struct {
	next http.RoundTripper
	last reply
}

func (l *listening) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		return nil, err
	}
	l.last.status, l.last.kind, l.last.body = res.StatusCode, res.Header.Get("Content-Type"), raw
	res.Body = io.NopCloser(bytes.NewReader(raw))
	return res, nil
}

// TestContract walks through every operation that has a route and compares in shape what it serves with the operation's
// sample and schema: the status, the members of every object and the type of every value.
func TestContract(t *testing.T) {
	t.Run("sqlite", contract)
	t.Run("postgres", func(t *testing.T) {
		t.Setenv("DIG_TEST_STORE", "postgres")
		contract(t)
	})
}

func contract(t *testing.T) {
	g, wire := gatewaytest.Open(t), &listening{}
	var served spec.Op
	g.Web.Observe = func(c web.Call) { served = c.Op }
	wire.next = g.Transport()
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: wire})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapitest.Load(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	s := newScenario(t, cl)
	var absent, refused []string
	done := map[string]bool{}
	for _, step := range slices.Concat(contractSteps, contractMoreSteps) {
		if _, ok := g.Web.Routes[step.op.ID]; !ok {
			if !slices.Contains(absent, step.op.ID) {
				absent = append(absent, step.op.ID)
			}
			continue
		}
		if step.needs != "" && os.Getenv(step.needs) == "" {
			t.Logf("%s: not compared, %s is not set", step.op.ID, step.needs)
			done[step.op.ID] = true
			continue
		}
		wire.last = reply{}
		err := step.call(s)
		wire.last.op = served
		if served.ID != step.op.ID {
			t.Fatalf("the step of %s called %s: %v", step.op.ID, served.ID, err)
		}
		done[step.op.ID] = true
		if wire.last.status == http.StatusNotImplemented {
			refused = append(refused, step.op.ID)
			compare(t, doc, wire.last, map[string]any{"$ref": "#/components/schemas/ErrorCache"}, "")
			continue
		}
		if step.fault != 0 {
			if wire.last.status != step.fault {
				t.Errorf("%s: status %d, want %d: %v", step.op.ID, wire.last.status, step.fault, err)
			}
			compare(t, doc, wire.last, faultSchema(step.op.Group), "")
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", step.op.ID, err)
			continue
		}
		checkReply(t, doc, wire.last, step.form)
	}
	for id := range g.Web.Routes {
		if !done[id] {
			t.Errorf("%s has a route, but no step of the contract calls it", id)
		}
	}
	t.Logf("%d operations; not supported on zone local: %v", len(done), refused)
	if len(absent) > 0 {
		t.Errorf("without a route: %v", absent)
	}
}

// checkReply compares a success with the document and the sample of its operation.
func checkReply(t *testing.T, doc *openapitest.Document, r reply, form string) {
	t.Helper()
	o := doc.Operation(r.op.Method, r.op.Path)
	status, schema := doc.Success(o)
	if fmt.Sprint(r.status) != status {
		t.Errorf("%s: status %d, want %s", r.op.ID, r.status, status)
	}
	switch {
	case schema != nil:
		if form == "" {
			form = r.op.ID
		}
		compare(t, doc, r, schema, filepath.Join("../api/testdata/samples", form+".json"))
	case strings.Contains(r.kind, "json") && len(r.body) > 0:
		t.Errorf("%s: a body where the document has none: %s", r.op.ID, r.body)
	}
}

// compare checks a body against a schema and, when there is one, a sample.
func compare(t *testing.T, doc *openapitest.Document, r reply, schema any, sample string) {
	t.Helper()
	var got any
	if err := json.Unmarshal(r.body, &got); err != nil {
		t.Errorf("%s: the reply is not JSON: %q", r.op.ID, r.body)
		return
	}
	if !strings.HasPrefix(r.kind, "application/json") {
		t.Errorf("%s: content type %q", r.op.ID, r.kind)
	}
	problems := doc.Check(r.op.ID, schema, got)
	if doc.Resolve(schema)["properties"] == nil && doc.Resolve(schema)["type"] == "object" {
		sample = "" // documented as an object of whatever members
	}
	if sample != "" {
		raw, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		problems = append(problems, differences(r.op.ID, want, got)...)
	}
	slices.Sort(problems)
	for _, p := range slices.Compact(problems) {
		t.Error(p)
	}
}

// faultSchema is the error body of a group's operations.
func faultSchema(group string) any {
	name := map[string]string{"connections": "ErrorConnection", "cache": "ErrorCache"}[group]
	if name == "" {
		name = "ErrorData"
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// added is what the local gateway serves beyond the documents, and why.
var added = map[string]string{
	"listProjectsLegacy[].workspaceId": "the documents leave it out of the legacy reply with one project, not of lists",
	"getCacheStatus.refreshedAt": "how old the rows are that queries read, which the two last runs " +
		"cannot tell when both failed",
	"getMaterializedStatus.refreshedAt":          "likewise, of stored results",
	"listMaterializedStatuses[].refreshedAt":     "likewise",
	"getMaterializedStatus.rowCount":             "how many rows a run has stored, which would have to be counted",
	"listMaterializedStatuses[].rowCount":        "likewise",
	"listCacheStatuses[].refreshedAt":            "likewise",
	"listCatalogCacheStatuses[].refreshedAt":     "likewise",
	"listSchemaCacheStatuses[].refreshedAt":      "likewise",
	"getCacheStatus.nextRefreshTime":             "when a refresh is due, as that of a materialized query",
	"listCacheStatuses[].nextRefreshTime":        "when a refresh is due, as that of a materialized query",
	"listCatalogCacheStatuses[].nextRefreshTime": "when a refresh is due, as that of a materialized query",
	"listSchemaCacheStatuses[].nextRefreshTime":  "when a refresh is due, as that of a materialized query",
	"executeQuery.columns[].dataType":            "COMPACT rows keep their types without a second request",
	"transpileSql.result":                        "the name that the documents use; the service writes query",
}

// byName are objects whose members are named by data: columns of a row, members of a credential.
var byName = regexp.MustCompile(`^(executeQuery\.data\[\]|getConnectionDetail|.*\.error)\.[^.]+$`)

// differences names what a reply has that its sample has not, and values of another type. Null, and values where the
// sample has null alone, are left to the schema.
func differences(at string, sample, got any) []string {
	want, have := map[string][]string{}, map[string][]string{}
	shapes(at, sample, want)
	shapes(at, got, have)
	var out []string
	for path, kinds := range have {
		known, ok := want[path]
		if !ok {
			if added[path] == "" && !byName.MatchString(path) && !open(path, want) {
				out = append(out, path+": not in the sample")
			}
			continue
		}
		if slices.Equal(known, []string{"null"}) {
			continue
		}
		for _, k := range kinds {
			if k != "null" && !slices.Contains(known, k) {
				out = append(out, fmt.Sprintf("%s: %s, in the sample %v", path, k, known))
			}
		}
	}
	return out
}

// open reports whether the sample has null, or an empty list, above a path, so that it cannot tell what lies there.
func open(path string, want map[string][]string) bool {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != '.' && path[i] != '[' {
			continue
		}
		if kinds, ok := want[path[:i]]; ok {
			_, filled := want[path[:i]+"[]"]
			return slices.Equal(kinds, []string{"null"}) || slices.Contains(kinds, "array") && !filled
		}
	}
	return false
}

var nested = regexp.MustCompile(`(\.children\[\])+`)

// shapes collects the JSON types at each place; the elements of a list are one place, and so are folders at any depth.
func shapes(at string, v any, into map[string][]string) {
	at = nested.ReplaceAllString(at, ".children[]")
	kind := "null"
	switch v := v.(type) {
	case bool:
		kind = "boolean"
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case []any:
		kind = "array"
		for _, item := range v {
			shapes(at+"[]", item, into)
		}
	case map[string]any:
		kind = "object"
		for name, member := range v {
			shapes(at+"."+name, member, into)
		}
	}
	if !slices.Contains(into[at], kind) {
		into[at] = append(into[at], kind)
	}
}

// TestContractCanFail feeds the comparison replies that break the contract.
func TestContractCanFail(t *testing.T) {
	var sample any
	if err := json.Unmarshal([]byte(`[{"id":"a","n":1,"u":null,"l":[]}]`), &sample); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`[{"id":"b","n":2,"u":"x","l":[1]},{"id":null}]`: "",
		`[{"id":1}]`:         "x[].id: number, in the sample [string]",
		`[{"id":"a","m":1}]`: "x[].m: not in the sample",
		`{"id":"a"}`:         "x.id: not in the sample; x: object, in the sample [array]",
		`[{"n":"1"}]`:        "x[].n: string, in the sample [number]",
	} {
		var got any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		out := differences("x", sample, got)
		slices.Sort(out)
		if s := strings.Join(out, "; "); s != want {
			t.Errorf("%s: %q, want %q", body, s, want)
		}
	}
}
