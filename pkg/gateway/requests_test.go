package gateway_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
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

// TestDocumentedRequests sends the bodies that the documents describe: those with every field, which the samples are,
// and the short and null forms of testdata/requests. Each fits the schema that the gateway publishes, and no route
// finds fault with its fields.
func TestDocumentedRequests(t *testing.T) {
	doc, err := openapitest.Load(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Glob("../api/testdata/samples/*.request.json")
	if err != nil {
		t.Fatal(err)
	}
	forms, err := filepath.Glob("../api/testdata/requests/*.json")
	if err != nil || len(samples) == 0 || len(forms) == 0 {
		t.Fatalf("%d samples, %d forms, %v", len(samples), len(forms), err)
	}
	g := gatewaytest.Open(t)
	seen := map[string]bool{}
	for _, path := range slices.Concat(samples, forms) {
		id, _, _ := strings.Cut(filepath.Base(path), ".")
		op, ok := spec.Find(id)
		if !ok {
			t.Errorf("%s belongs to no operation", path)
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen[id] = true
		schema := doc.Body(doc.Operation(op.Method, op.Path))
		if id == spec.ImportCsv.ID {
			continue // a part of a form; TestSamples has it
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, p := range doc.Check(filepath.Base(path), schema, v) {
			t.Error(p)
		}
		args := make([]string, len(op.Params()))
		for i, name := range op.Params() {
			args[i] = map[string]string{"projectId": gatewaytest.Local, "dialect": "trino"}[name]
			if args[i] == "" {
				args[i] = "missing"
			}
		}
		req, err := http.NewRequest(op.Method, gateway.LocalBaseURL+op.At(args...).Path, bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := g.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range []string{"the request body", "required property", "unknown field"} {
			if bytes.Contains(body, []byte(fault)) {
				t.Errorf("%s: %d %s", filepath.Base(path), res.StatusCode, body)
			}
		}
	}
	for _, op := range spec.All() {
		if doc.Body(doc.Operation(op.Method, op.Path)) != nil && !seen[op.ID] {
			t.Errorf("%s takes a body, and no file has one", op.ID)
		}
	}
}

// lessening sends each request first without one of the members that the document calls required, for each of them: the
// gateway must refuse what it says it needs.
type lessening struct {
	t    *testing.T
	doc  *openapitest.Document
	next http.RoundTripper
	seen map[string]bool
}

func (l *lessening) RoundTrip(req *http.Request) (*http.Response, error) {
	op, ok := operationAt(req.Method, strings.TrimPrefix(req.URL.Path, web.BasePath))
	if !ok || req.Body == nil || !strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		return l.next.RoundTrip(req)
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if schema := l.doc.Body(l.doc.Operation(op.Method, op.Path)); schema != nil && len(raw) > 0 {
		for at, less := range without(l.doc, schema, raw) {
			l.seen[op.ID+at] = true
			again := req.Clone(req.Context())
			again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(less)), int64(len(less))
			res, err := l.next.RoundTrip(again)
			if err != nil {
				return nil, err
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if bytes.HasPrefix(body, []byte(`[{"success":false`)) {
				continue // the items of a batch fail one by one
			}
			if res.StatusCode/100 == 2 || res.StatusCode/100 == 5 && res.StatusCode != 501 {
				l.t.Errorf("%s: the document requires %s, but without it the answer is %d %s", op.ID, at,
					res.StatusCode, body)
			}
		}
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	return l.next.RoundTrip(req)
}

// operationAt finds the operation of a request: of those whose template fits, the one with the fewest parameters.
func operationAt(method, path string) (best spec.Op, ok bool) {
	for _, op := range spec.All() {
		if op.Method == method && web.MatchPath(op.Path, path) && (!ok || len(op.Params()) < len(best.Params())) {
			best, ok = op, true
		}
	}
	return best, ok
}

// without lists the JSON of a value less one required member, by where that is. Of the elements of a list the first
// stands for all.
func without(doc *openapitest.Document, schema any, raw []byte) map[string][]byte {
	out := map[string][]byte{}
	var root any
	if json.Unmarshal(raw, &root) != nil {
		return out
	}
	var walk func(at string, schema, v any)
	walk = func(at string, schema, v any) {
		s := doc.Resolve(schema)
		for _, key := range []string{"oneOf", "anyOf"} {
			list, _ := s[key].([]any)
			for _, alt := range list {
				if len(doc.Check(at, alt, v)) == 0 {
					walk(at, alt, v)
					return
				}
			}
		}
		switch v := v.(type) {
		case map[string]any:
			required, _ := s["required"].([]any)
			for _, name := range required {
				was, ok := v[name.(string)]
				if !ok {
					continue
				}
				delete(v, name.(string))
				if less, err := json.Marshal(root); err == nil {
					out[at+"."+name.(string)] = less
				}
				v[name.(string)] = was
			}
			props, _ := s["properties"].(map[string]any)
			for name, sub := range props {
				if member, ok := v[name]; ok {
					walk(at+"."+name, sub, member)
				}
			}
		case []any:
			sub := s["items"]
			if tuple, ok := s["prefixItems"].([]any); ok && len(tuple) > 0 {
				sub = tuple[0]
			}
			if sub != nil && len(v) > 0 {
				walk(at+"[]", sub, v[0])
			}
		}
	}
	walk("", schema, root)
	return out
}

// TestRequiredMembersAreNeeded walks through the contract with a transport that leaves out what the document requires.
func TestRequiredMembersAreNeeded(t *testing.T) {
	doc, err := openapitest.Load(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	g := gatewaytest.Open(t)
	wire := &lessening{t, doc, g.Transport(), map[string]bool{}}
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: wire})
	if err != nil {
		t.Fatal(err)
	}
	s := newScenario(t, cl)
	for _, step := range slices.Concat(contractSteps, contractMoreSteps) {
		if step.needs != "" && os.Getenv(step.needs) == "" {
			continue
		}
		if err := step.call(s); err != nil && step.fault == 0 &&
			gatewaytest.APIStatus(err) != http.StatusNotImplemented {
			t.Errorf("%s: %v", step.op.ID, err)
		}
	}
	if len(wire.seen) < 40 {
		t.Errorf("only %d required members were left out: %v", len(wire.seen), wire.seen)
	}
	t.Logf("%d required members", len(wire.seen))
}
