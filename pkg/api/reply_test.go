package api_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// wrongReplies are bodies of a 200 that are no answer to any operation but those named: nothing at all, and what
// belongs to an error.
var wrongReplies = []struct {
	body  string
	quiet bool // fine where the documents promise no member
	list  bool // fine where they promise a list
	blank bool // what the service sends for the sample of an unknown table
}{
	{body: "", quiet: true},
	{body: " \n", quiet: true, blank: true},
	{body: "null", quiet: true},
	{body: "{}", quiet: true},
	{body: "[]", list: true},
	{body: `"x"`},
	{body: "7"},
	{body: "true"},
	{body: "[null,null]"},
	{body: "[1]"},
	{body: "[[]]"},
	{body: "[{}]"},
	{body: `{"errorCode":100}`},
	{body: `{"errorCode":100,"message":"boom"}`},
	{body: `[{"errorCode":100,"message":"boom"}]`},
	{body: `{"error":"INVALID_CREDENTIALS","message":"boom","errorCode":"cn005"}`},
	{body: `{"error":"WrongRequestException","message":"boom","errorCode":null}`},
	{body: `{"timestamp":"2026-08-01T00:00:00Z","path":"/x","status":500,"error":"Internal Server Error",` +
		`"requestId":"a"}`},
	{body: "<!DOCTYPE html><html><body>sign in</body></html>"},
	{body: "<html>"},
	{body: "upstream connect error"},
	{body: `{"id":`},
}

// TestWrongReplies sends each of them to each operation: none may pass for an answer. What an operation promises is
// taken from the samples of the documents: members, a list, or nothing.
func TestWrongReplies(t *testing.T) {
	tr := &answering{}
	cl, err := api.New(api.Options{BaseURL: "http://gateway.test", Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	all := methods(t, cl, tr)
	for _, op := range spec.All() {
		m := all[op.ID]
		quiet, list := true, false
		for _, path := range samples(t, op, false) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.TrimSpace(string(raw))
			quiet = quiet && text == "{}"
			list = list || strings.HasPrefix(text, "[")
		}
		switch op.ID { // not JSON, or a stream
		case spec.GetSampleCsv.ID, spec.GetAgentWorkflowImage.ID, spec.AgentChatStream.ID:
			quiet = false
		}
		if m.call.Type().Out(0).Kind().String() == "slice" { // also the lists that travel inside an object
			list = op.ID != spec.GetSampleCsv.ID && op.ID != spec.GetAgentWorkflowImage.ID
		}
		for _, w := range wrongReplies {
			// may have none
			if w.blank && op.ID == spec.GetSampleCsv.ID || w.quiet && quiet && (w.body == "{}" || !op.Safe()) ||
				w.body == "{}" && strings.HasSuffix(op.Group, "drivers") ||
				w.list && list || w.quiet && op.ID == spec.GenerateSemantics.ID { // shown so by the documents
				continue
			}
			t.Run(fmt.Sprintf("%s/%.30q", op.ID, w.body), func(t *testing.T) {
				tr.answer = []byte(w.body)
				got, err := m.run(context.Background())
				if res, ok := anyOf(got).(*api.Result); ok && err == nil {
					rows := res.Rows()
					for rows.Next() {
					}
					err = rows.Err()
				}
				if err == nil {
					t.Fatalf("%s took it for an answer", m.name)
				}
				if strings.HasPrefix(w.body, "{") && strings.Contains(w.body, "boom") &&
					!strings.Contains(err.Error(), "boom") {
					t.Errorf("%s: %v: without what the gateway said", m.name, err)
				}
				var ae *api.Error
				if errors.As(err, &ae) && !op.Safe() && !ae.Unsure {
					t.Errorf("%s: %v: a change that may have been made is not marked", m.name, err)
				}
			})
		}
	}
}

// TestQuietReplies sends the empty replies to the operations that promise no member.
func TestQuietReplies(t *testing.T) {
	tr := &answering{}
	cl, err := api.New(api.Options{BaseURL: "http://gateway.test", Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	all := methods(t, cl, tr)
	for _, op := range []spec.Op{spec.DeleteWorkspace, spec.DeleteQuery, spec.MoveQuery, spec.RefreshMaterializedQuery,
		spec.TriggerFullRefresh,
		spec.TriggerIncrementalUpdate, spec.RefreshMetadata, spec.GetRefreshCallback, spec.SetSchemaAiUsage,
		spec.CreateGoldenSql, spec.CancelExport} {
		for _, body := range []string{"", "null", "{}"} {
			tr.answer = []byte(body)
			if _, err := all[op.ID].run(context.Background()); err != nil && (body == "{}" || !op.Safe()) {
				t.Errorf("%s, answered by %q: %v", op.ID, body, err)
			}
		}
	}
}

func anyOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}
