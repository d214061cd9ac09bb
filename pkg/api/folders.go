package api

import (
	"context"
	"net/url"

	"github.com/dig-cli/dig/pkg/spec"
)

// FoldersService has the methods of one group of endpoints.
type FoldersService struct{ c *Client }

// List runs GET /data/projects/{projectId}/queries/folders.
func (s *FoldersService) List(ctx context.Context, project string) ([]QueryFolderItem, error) {
	return callList[QueryFolderItem](ctx, s.c, spec.ListQueryFolders.At(project), nil, "items")
}

// Create runs POST /data/projects/{projectId}/queries/folders.
func (s *FoldersService) Create(ctx context.Context, project string,
	body QueryFolderCreateRequest) (QueryFolderItem, error) {
	return call[QueryFolderItem](ctx, s.c, spec.CreateQueryFolder.At(project), body)
}

// Tree runs GET /data/projects/{projectId}/queries/folders/tree.
func (s *FoldersService) Tree(ctx context.Context, project string, params url.Values) (QueryFolderTreeResponse, error) {
	return call[QueryFolderTreeResponse](ctx, s.c, spec.GetQueryFolderTree.At(project).WithQuery(params), nil)
}

// Get runs GET /data/projects/{projectId}/queries/folders/{folderId}.
func (s *FoldersService) Get(ctx context.Context, project, folder string) (QueryFolderWithContentsResponse, error) {
	return call[QueryFolderWithContentsResponse](ctx, s.c, spec.GetQueryFolder.At(project, folder), nil)
}

// UpdateContents moves queries in and out; nil lists are sent as empty ones. PUT
// /data/projects/{projectId}/queries/folders/{folderId}.
func (s *FoldersService) UpdateContents(ctx context.Context, project, folder string,
	body QueryFolderUpdateRequest) (QueryFolderWithContentsResponse, error) {
	body.QueryIdsAdded, body.QueryIdsRemoved = append([]string{}, body.QueryIdsAdded...),
		append([]string{}, body.QueryIdsRemoved...)
	return call[QueryFolderWithContentsResponse](ctx, s.c, spec.UpdateQueryFolderContents.At(project, folder), body)
}

// Delete runs DELETE /data/projects/{projectId}/queries/folders/{folderId}.
func (s *FoldersService) Delete(ctx context.Context, project, folder string, params url.Values) error {
	return run(ctx, s.c, spec.DeleteQueryFolder.At(project, folder).WithQuery(params), nil)
}

// Rename runs PATCH /data/projects/{projectId}/queries/folders/{folderId}/name.
func (s *FoldersService) Rename(ctx context.Context, project, folder string,
	body QueryFolderRenameRequest) (QueryFolderItem, error) {
	return call[QueryFolderItem](ctx, s.c, spec.RenameQueryFolder.At(project, folder), body)
}

// Move runs PATCH /data/projects/{projectId}/queries/folders/{folderId}/path.
func (s *FoldersService) Move(ctx context.Context, project, folder string,
	body QueryPathUpdateRequest) (QueryFolderItem, error) {
	return call[QueryFolderItem](ctx, s.c, spec.MoveQueryFolder.At(project, folder), body)
}

// CreateChild runs POST /data/projects/{projectId}/queries/folders/{parentFolderId}.
func (s *FoldersService) CreateChild(ctx context.Context, project, parent string,
	body QueryFolderCreateRequest) (QueryFolderItem, error) {
	return call[QueryFolderItem](ctx, s.c, spec.CreateChildQueryFolder.At(project, parent), body)
}
