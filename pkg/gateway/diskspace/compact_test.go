package diskspace_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestCompactOperation: each file is told of, also the one that another process keeps, and a key of a project compacts
// nothing.
func TestCompactOperation(t *testing.T) {
	g := gatewaytest.OpenWith(t, gateway.Options{Engine: engine.Options{LockWait: 50 * time.Millisecond}})
	w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
	srv := httptest.NewServer(g.Web.Handler)
	defer srv.Close()
	w.URL = srv.URL
	p := gatewaytest.NewTenant(w, "alpha")
	w.Idle(p)
	own := p.IDs["projectId"]
	made := w.Must("POST", "/projects", `{"name":"kept"}`, "id")
	holder, err := duckdb.Open(g.Options.Engine)
	if err == nil {
		var rows engine.Project
		if rows, err = holder.Project(t.Context(), made[0]); err == nil {
			_, err = rows.ListTables(t.Context(), engine.SchemaTable) // opens the data file
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	before := gatewaytest.Snapshot(w, p)
	compact := func(key, body string, want int) (out api.Compaction) {
		t.Helper()
		status, raw := w.Call(key, "POST", "/local/compact", body)
		if status != want {
			t.Fatalf("%s: %d %s", body, status, raw)
		}
		if status == 200 {
			if err := json.Unmarshal([]byte(raw), &out); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	all := compact(w.Partner, `{}`, 200)
	var told []string
	for _, f := range all.Files {
		name := f.Holds
		if f.ProjectName != nil {
			name += " " + *f.ProjectName
		}
		if f.Error != nil {
			name += " " + strings.SplitAfter(*f.Error, "process pid")[0]
		}
		told = append(told, name)
		switch name {
		case "state":
			if f.BytesBefore == 0 || f.BytesAfter == 0 || f.BytesAfter > f.BytesBefore {
				t.Errorf("the state: %+v", f)
			}
		case "project alpha project":
			if st, err := os.Stat(filepath.Join(g.Options.Dir, "projects", own, "data.duckdb")); err != nil ||
				st.Size() != f.BytesAfter || f.BytesAfter > f.BytesBefore {
				t.Errorf("the file: %+v, %v", f, err)
			}
		}
	}
	slices.Sort(told)
	want := []string{"project alpha project", "project kept the data of this project is in use by process pid", "state"}
	for _, name := range want {
		if !slices.Contains(told, name) {
			t.Errorf("told of %q, not of %q", told, name)
		}
	}
	compact(w.Partner, `{"projectId":"`+made[0]+`"}`, 409)
	if one := compact(w.Partner, `{"projectId":"`+own+`"}`, 200); len(one.Files) != 1 ||
		*one.Files[0].ProjectID != own || one.BytesAfter != one.Files[0].BytesAfter {
		t.Errorf("one project: %+v", one)
	}
	compact(w.Partner, `{"projectId":"nosuch"}`, 404)
	compact(w.Partner, `{"project":"x"}`, 400)
	compact(p.Key, `{"projectId":"`+own+`"}`, 403)
	compact(p.Key, `{}`, 403)
	compact("", `{}`, 401)
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	if after := gatewaytest.Snapshot(w, p); after != before {
		t.Errorf("the project has changed:\n%s", gatewaytest.LineDiff(before, after))
	}
}

// TestStateShrinksWhileIdle: the duty of a served gateway lets calls go first.
func TestStateShrinksWhileIdle(t *testing.T) {
	now := time.Now()
	g := gatewaytest.OpenWith(t, gateway.Options{Now: func() time.Time { return now }})
	ctx := t.Context()
	var made []string
	for range 30 {
		description := strings.Repeat("x", 100_000)
		w, err := g.Store.CreateWorkspace(ctx, store.DefaultOrganization, "w", &description, true)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, w.ID)
	}
	for _, id := range made {
		if err := g.Store.DeleteWorkspace(ctx, store.DefaultOrganization, id); err != nil {
			t.Fatal(err)
		}
	}
	size := func() int64 {
		t.Helper()
		n, err := g.Store.Size()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := size()
	duty := func() {
		t.Helper()
		if err := g.DiskSpace.TidyState(ctx, now); err != nil {
			t.Fatal(err)
		}
	}
	end := g.Web.Called()
	now = now.Add(time.Hour)
	duty()
	if n := size(); n != before {
		t.Errorf("during a call %d bytes became %d", before, n)
	}
	end()
	duty()
	if n := size(); n != before {
		t.Errorf("right after a call %d bytes became %d", before, n)
	}
	now = now.Add(5 * time.Second)
	duty()
	if n := size(); n > before/2 {
		t.Errorf("%d bytes became %d", before, n)
	}
}
