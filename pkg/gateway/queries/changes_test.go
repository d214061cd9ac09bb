package queries_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestQueriesChangedAtOnce lets two callers close a circle from its two ends, and change different fields of one query.
func TestQueriesChangedAtOnce(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	const p = store.DefaultProject
	create := func(name string) string {
		q, err := m.Cl.Queries.Create(ctx, p, api.QueryRequest{DisplayName: &name,
			InputQuery: gatewaytest.Ptr("SELECT 1 AS a")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return q.ID
	}
	both := func(first, second func() error) (errs [2]error) {
		var wg sync.WaitGroup
		for i, f := range []func() error{first, second} {
			wg.Go(func() { errs[i] = f() })
		}
		wg.Wait()
		return errs
	}
	update := func(id string, b api.QueryRequest) error {
		_, err := m.Cl.Queries.Update(ctx, p, id, b, nil)
		return err
	}
	a, b := create("a"), create("b")
	for range 20 {
		for _, id := range []string{a, b} {
			if err := update(id, api.QueryRequest{InputQuery: gatewaytest.Ptr("SELECT 1 AS a")}); err != nil {
				t.Fatal(err)
			}
		}
		errs := both(
			func() error {
				return update(a, api.QueryRequest{InputQuery: gatewaytest.Ptr("SELECT * FROM peaka.query.b")})
			},
			func() error {
				return update(b, api.QueryRequest{InputQuery: gatewaytest.Ptr("SELECT * FROM peaka.query.a")})
			})
		refused := 0
		for _, err := range errs {
			var ae *api.Error
			if errors.As(err, &ae) && strings.Contains(ae.Message, "refers to itself") {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if refused != 1 {
			t.Fatalf("%d of two updates that close a circle were refused: %v", refused, errs)
		}
	}
	for _, v := range []string{"x", "y", "x", "y", "x", "y"} {
		errs := both(
			func() error {
				return update(a, api.QueryRequest{InputQuery: gatewaytest.Ptr("SELECT '" + v + "' AS a")})
			},
			func() error { return update(a, api.QueryRequest{Path: gatewaytest.Ptr("/" + v)}) })
		q, err := m.Cl.Queries.Get(ctx, p, a)
		if err := errors.Join(errs[0], errs[1], err); err != nil {
			t.Fatal(err)
		}
		if q.InputQuery != "SELECT '"+v+"' AS a" || *q.Path != "/"+v {
			t.Fatalf("one change undid the other: %s at %s, not %s", q.InputQuery, *q.Path, v)
		}
	}
}

// TestFoldersAreNeverTooDeep reaches for a folder that no path could name, by a child and by a move.
func TestFoldersAreNeverTooDeep(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	const p = store.DefaultProject
	deepest, err := m.Cl.Folders.Create(ctx, p, api.QueryFolderCreateRequest{FolderName: strings.Repeat("/d",
		queries.MaxDepth)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Cl.Folders.CreateChild(ctx, p, deepest.ID,
		api.QueryFolderCreateRequest{FolderName: "x"}); err == nil || !strings.Contains(err.Error(), "folders deep") {
		t.Errorf("a child of the deepest folder: %v", err)
	}
	if _, err := m.Cl.Folders.Create(ctx, p, api.QueryFolderCreateRequest{FolderName: "/top/below"}); err != nil {
		t.Fatal(err)
	}
	all, err := m.Cl.Folders.List(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Path != "/top" {
			continue
		}
		if _, err := m.Cl.Folders.Move(ctx, p, f.ID, api.QueryPathUpdateRequest{Path: strings.Repeat("/d",
			queries.MaxDepth-1)}); err == nil || !strings.Contains(err.Error(), "folders deep") {
			t.Errorf("a folder with one below: %v", err)
		}
		to := strings.Repeat("/d", queries.MaxDepth-2)
		if moved, err := m.Cl.Folders.Move(ctx, p, f.ID, api.QueryPathUpdateRequest{Path: to}); err != nil ||
			moved.Path != to+"/top" {
			t.Errorf("%+v, %v", moved, err)
		}
	}
}
