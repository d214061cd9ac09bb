package projects_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestRequestsWhileAProjectIsDeleted: whoever uses a project that goes is told so, and leaves nothing of it behind.
func TestRequestsWhileAProjectIsDeleted(t *testing.T) {
	g := gatewaytest.Open(t)
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	kind, document := gatewaytest.MultipartOf(gatewaytest.Part{"request",
		`{"containsHeader":true,"mappings":[{"name":"n","csvColumnName":"n"}]}`}, gatewaytest.Part{"file", "n\n1\n2\n"})
	told := 0
	for round := range 5 {
		name := fmt.Sprintf("p%d", round)
		p, err := cl.Projects.CreateLegacy(ctx, api.ProjectRequest{Name: &name})
		if err != nil {
			t.Fatal(err)
		}
		data := "/data/projects/" + p.ID
		for _, c := range [][2]string{{"/table/t", ""}, {"/table/t/columns", `[{"name":"n","dataType":"BIGINT"}]`}} {
			if status, raw := gatewaytest.Exchange(g, "POST", data+c[0], "application/json", c[1]); status != 200 {
				t.Fatal(status, raw)
			}
		}
		var mu sync.Mutex
		var wg sync.WaitGroup
		begun := make(chan struct{}, 100)
		for _, r := range [][4]string{
			{"POST", data + "/queries/execute?format=COMPACT", "application/json",
				`{"statement":"SELECT n FROM peaka.\"table\".t"}`},
			{"POST", data + "/queries/execute?format=COMPACT", "application/json", `{"statement":"SELECT count(*) ` +
				`FROM peaka.\"table\".t a, UNNEST(sequence(1, 10000)) AS u(x), UNNEST(sequence(1, 10000)) AS v(y), ` +
				`UNNEST(sequence(1, 10000)) AS w(z)"}`},
			{"POST", data + "/table/t/import", kind, document},
			{"GET", data + "/table", "", ""},
			{"POST", data + "/queries", "application/json",
				`{"displayName":"q","queryType":"PLAIN","inputQuery":"SELECT 1 AS x"}`},
			{"POST", data + "/table/u", "application/json", ""},
			{"DELETE", data + "/table/u", "", ""},
		} {
			wg.Go(func() {
				for n := 0; ; n++ {
					status, raw := gatewaytest.Exchange(g, r[0], r[1], r[2], r[3])
					if n < 3 {
						select {
						case begun <- struct{}{}:
						default:
						}
					}
					mu.Lock()
					if strings.Contains(raw, "the project was deleted") {
						told++
					}
					mu.Unlock()
					if status >= 500 {
						t.Errorf("%s %s: %d %s", r[0], r[1], status, raw)
					}
					if status >= 500 || status == http.StatusNotFound && strings.Contains(raw, "there is no project") {
						return
					}
				}
			})
		}
		for range 8 {
			<-begun
		}
		if status, raw := gatewaytest.Exchange(g, "DELETE", "/projects/"+p.ID, "", ""); status != 200 {
			t.Errorf("deletion: %d %s", status, raw)
		}
		wg.Wait()
		if _, err := os.Stat(filepath.Join(g.Options.Dir, "projects", p.ID)); !os.IsNotExist(err) {
			t.Errorf("rows of the project are left: %v", err)
		}
	}
	if told == 0 {
		t.Error("no request came while a project was deleted")
	}
}
