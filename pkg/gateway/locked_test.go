package gateway

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestLockedProject asks everything that reads while another process holds the rows of a project: each answer is an error or the
// one that was given before. None is shorter, with nothing said of what it lacks.
func TestLockedProject(t *testing.T) {
	g := openTest(t)
	w := wire{t: t, partner: g.ServeKey()}
	srv := httptest.NewServer(g.Handler())
	w.url = srv.URL
	p := newTenant(w, "alpha")
	w.idle(p)
	varies := regexp.MustCompile(`"(url|timestamp|requestId)":"[^"]*"`)
	ask := func() map[string]string {
		out := map[string]string{}
		for _, op := range spec.All() {
			if op.Method != "GET" && !slices.Contains([]string{"executeQuery", "search"}, op.ID) || op.Group == "agent" {
				continue
			}
			path, body := address(op, p, p)
			key := p.key
			if op.Partner {
				key = w.partner
			}
			status, raw := w.call(key, op.Method, path, body)
			out[op.ID] = varies.ReplaceAllString(fmt.Sprintln(status, raw), "")
		}
		for _, part := range []string{"catalogId=1", "catalogId=2", "catalogId=2&schemaName=query", "catalogId=2&schemaName=mtquery", "catalogId={catalogId}", "catalogId={semanticId}"} {
			status, raw := w.call(p.key, "GET", p.fill("/metadata/{projectId}?"+part), "")
			out[part] = fmt.Sprintln(status, raw)
		}
		for _, table := range []string{"tables", "columns", "schemata"} {
			status, raw := w.call(p.key, "POST", p.fill("/data/projects/{projectId}/queries/execute"), `{"statement":"SELECT count(*) FROM system.information_schema.`+table+`"}`)
			out[table] = fmt.Sprintln(status, raw)
		}
		return out
	}
	before := ask()
	srv.Close()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	o := g.options
	holder, err := duckdb.Open(o.Engine)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.Project(t.Context(), p.ids["projectId"]); err != nil {
		t.Fatal(err)
	}
	o.Engine.LockWait = 50e6
	again, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	srv = httptest.NewServer(again.Handler())
	defer srv.Close()
	w.url, w.partner = srv.URL, again.ServeKey()
	refused := 0
	for id, reply := range ask() {
		switch {
		case reply[0] == '2' && reply != before[id]:
			t.Errorf("%s: %sbefore the project was held: %s", id, reply, before[id])
		case reply[0] != '2' && before[id][0] == '2':
			refused++
			t.Logf("%s: %s", id, reply)
		}
	}
	if refused < 5 {
		t.Errorf("only %d operations had to do with the rows that are held", refused)
	}
}
