package projects_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestSavedQueriesGoWithTheirProject deletes a project that holds all kinds of things of this group.
func TestSavedQueriesGoWithTheirProject(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	p, err := m.Cl.Projects.Create(ctx, store.DefaultOrganization, store.DefaultWorkspace,
		api.ProjectRequest{Name: gatewaytest.Ptr("other")})
	if err != nil {
		t.Fatal(err)
	}
	q, err := m.Cl.Queries.Create(ctx, p.ID, api.QueryRequest{DisplayName: gatewaytest.Ptr("m"),
		InputQuery: gatewaytest.Ptr("SELECT 1 AS v"), QueryType: "MATERIALIZED", Path: gatewaytest.Ptr("/a/b/c")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Nothing of it is in reach of another project, by id or by name.
	if _, err := m.Cl.Queries.Get(ctx, store.DefaultProject, q.ID); err == nil {
		t.Error("a query of another project is read")
	}
	if err := m.Cl.Materialized.Refresh(ctx, store.DefaultProject, q.ID); err == nil {
		t.Error("a query of another project is refreshed")
	}
	if _, err := m.Cl.Folders.Get(ctx, store.DefaultProject, *q.FolderID); err == nil {
		t.Error("a folder of another project is read")
	}
	f, err := m.Cl.Folders.Create(ctx, store.DefaultProject, api.QueryFolderCreateRequest{FolderName: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Cl.Folders.UpdateContents(ctx, store.DefaultProject, f.ID,
		api.QueryFolderUpdateRequest{QueryIdsAdded: []string{q.ID}}); err == nil {
		t.Error("a query of another project is moved")
	}
	m.G.Jobs.Running.Wait()
	if err := m.Cl.Projects.Delete(ctx, store.DefaultOrganization, store.DefaultWorkspace, p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := m.G.Store.Query(ctx, p.ID, q.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the query is still there: %v", err)
	}
	if all, err := m.G.Store.Folders(ctx, p.ID); err != nil || len(all) != 0 {
		t.Errorf("folders are still there: %v, %v", all, err)
	}
}
