package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestNotSupportedLocally calls every route and compares those that answer 501 with the list in the repository. The
// list may only shrink: what zone local once did it goes on doing.
func TestNotSupportedLocally(t *testing.T) {
	g := gatewaytest.Open(t)
	var got []string
	for i, op := range spec.All() {
		if _, ok := g.Web.Routes[op.ID]; !ok {
			continue
		}
		// of its own: some operations delete it
		p, err := g.Store.CreateProject(context.Background(), store.DefaultWorkspace, fmt.Sprintf("project %d", i), nil,
			false)
		if err != nil {
			t.Fatal(err)
		}
		path := op.Path
		for _, name := range op.Params() {
			value := "1"
			if name == "projectId" {
				value = p.ID
			}
			path = strings.ReplaceAll(path, "{"+name+"}", value)
		}
		hr := httptest.NewRequest(op.Method, web.BasePath+path, strings.NewReader("{}"))
		hr.Header.Set("Content-Type", "application/json")
		res, err := g.Transport().RoundTrip(hr)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == 501 {
			got = append(got, op.ID)
			if !strings.Contains(string(raw), "it requires a language model") && !strings.Contains(string(raw),
				"it requires the hosted web studio") {
				t.Errorf("%s is refused for another reason: %s", op.ID, raw)
			}
		}
	}
	slices.Sort(got)
	raw, err := os.ReadFile("../../testdata/not-supported-locally.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Fields(string(raw)); !slices.Equal(got, want) {
		t.Errorf("not supported on zone local: %v\nlisted: %v", got, want)
	}
}
