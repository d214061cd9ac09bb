package queries

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) folderRoutes(m *web.Mux) {
	web.Handle(m, spec.ListQueryFolders, s.listFolders)
	web.Handle(m, spec.CreateQueryFolder, s.createFolder)
	web.Handle(m, spec.GetQueryFolderTree, s.getFolderTree)
	web.Handle(m, spec.GetQueryFolder, s.getFolder)
	web.Handle(m, spec.UpdateQueryFolderContents, s.updateFolderContents)
	web.Handle(m, spec.DeleteQueryFolder, s.deleteFolder)
	web.Handle(m, spec.RenameQueryFolder, s.renameFolder)
	web.Handle(m, spec.MoveQueryFolder, s.moveFolder)
	web.Handle(m, spec.CreateChildQueryFolder, s.createChildFolder)
}

// MaxDepth is the maximum nesting depth of folders.
const MaxDepth = 32

// splitPath parses a path of folders; slashes at either end are ignored and "/" is the root, with no names.
func splitPath(path string) ([]string, error) {
	trimmed := strings.Trim(path, "/")
	if trimmed == "" {
		return nil, nil
	}
	names := strings.Split(trimmed, "/")
	if len(names) > MaxDepth {
		return nil, tooDeep(path)
	}
	for _, n := range names {
		if strings.TrimSpace(n) != n || n == "" || n == "." || n == ".." || utf8.RuneCountInString(n) > 255 ||
			strings.ContainsFunc(n, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
			return nil, fault.Data(400, "path %q: %q is not a valid folder name", path, n)
		}
	}
	return names, nil
}

func tooDeep(path string) error {
	return fault.Data(400, "path %q is more than %d folders deep", path, MaxDepth)
}

// depth returns the number of folders in the path of a folder.
func depth(path string) int { return strings.Count(path, "/") }

// bodyPath returns the path of a request to move something; a missing one must not mean the root.
func bodyPath(b api.QueryPathUpdateRequest) ([]string, error) {
	if b.Path == "" {
		return nil, fault.Missing("path")
	}
	return splitPath(b.Path)
}

func folderOut(f store.Folder) api.QueryFolderItem {
	return api.QueryFolderItem{ID: f.ID, Name: f.Name, Path: f.Path, ParentID: f.ParentID, CreatedAt: f.CreatedAt}
}

func (s *Service) folder(ctx context.Context, p store.Project, id string) (store.Folder, error) {
	f, err := s.Store.Folder(ctx, p.ID, id)
	return f, fault.NotFound(err, "there is no query folder with id: %s", id)
}

// folderFault formats the errors of folder changes.
func folderFault(err error, name string) error {
	switch {
	case errors.Is(err, store.ErrConflict):
		return fault.Data(409, "a folder named %s already exists there", name)
	case errors.Is(err, store.ErrCircular):
		return fault.Data(409, "folder %s cannot be moved into itself or one of its subfolders", name)
	}
	return err
}

func (s *Service) listFolders(ctx context.Context, r *web.Request[web.None]) (api.QueryFolderListResponse, error) {
	all, err := s.Store.Folders(ctx, r.Project.ID)
	return api.QueryFolderListResponse{Items: each.Map(all, folderOut)}, err
}

func (s *Service) createFolder(ctx context.Context, r *web.Request[api.QueryFolderCreateRequest]) (web.Reply, error) {
	return s.newFolder(ctx, r, nil)
}

func (s *Service) createChildFolder(ctx context.Context,
	r *web.Request[api.QueryFolderCreateRequest]) (web.Reply, error) {
	up, err := s.folder(ctx, r.Project, r.Param("parentFolderId"))
	if err != nil {
		return web.Reply{}, err
	}
	return s.newFolder(ctx, r, &up)
}

func (s *Service) newFolder(ctx context.Context, r *web.Request[api.QueryFolderCreateRequest],
	parent *store.Folder) (web.Reply, error) {
	path, err := splitPath(r.Body.FolderName)
	if err != nil {
		return web.Reply{}, err
	}
	if len(path) == 0 {
		return web.Reply{}, fault.Missing("folderName")
	}
	var up *string
	if parent != nil {
		if up = &parent.ID; depth(parent.Path)+len(path) > MaxDepth {
			return web.Reply{}, tooDeep(parent.Path + "/" + strings.Join(path, "/"))
		}
	}
	f, err := s.Store.CreateFolder(ctx, r.Project.ID, up, path)
	return web.Reply{Status: http.StatusCreated, Value: folderOut(f)}, folderFault(err, r.Body.FolderName)
}

func (s *Service) getFolder(ctx context.Context,
	r *web.Request[web.None]) (api.QueryFolderWithContentsResponse, error) {
	f, err := s.folder(ctx, r.Project, r.Param("folderId"))
	if err != nil {
		return api.QueryFolderWithContentsResponse{}, err
	}
	return s.folderContents(ctx, r.Project, f)
}

func (s *Service) folderContents(ctx context.Context, p store.Project,
	f store.Folder) (api.QueryFolderWithContentsResponse, error) {
	out := api.QueryFolderWithContentsResponse{ID: f.ID, Name: f.Name, Path: f.Path, ParentID: f.ParentID,
		CreatedAt: f.CreatedAt, Folders: []api.QueryFolderItem{}}
	all, err := s.Store.Folders(ctx, p.ID)
	if err != nil {
		return out, err
	}
	for _, sub := range all {
		if sub.ParentID != nil && *sub.ParentID == f.ID {
			out.Folders = append(out.Folders, folderOut(sub))
		}
	}
	qs, err := s.Store.QueriesIn(ctx, p.ID, &f.ID)
	if err != nil {
		return out, err
	}
	out.Queries, err = s.queriesOut(ctx, p, qs)
	return out, err
}

// getFolderTree nests the folders. With rootFolderId the root of the tree is that folder, else it has all top-level
// ones; queries at the root are in no folder and thus in no tree.
func (s *Service) getFolderTree(ctx context.Context, r *web.Request[web.None]) (api.QueryFolderTreeResponse, error) {
	out := api.QueryFolderTreeResponse{Tree: []api.QueryFolderTreeNode{}}
	withQueries, err := r.Bool("includeQueries", false)
	if err != nil {
		return out, err
	}
	all, err := s.Store.Folders(ctx, r.Project.ID)
	if err != nil {
		return out, err
	}
	queries := map[string][]api.Query{}
	if withQueries {
		qs, err := s.Store.Queries(ctx, r.Project.ID)
		if err != nil {
			return out, err
		}
		paths, err := s.folderPaths(ctx, r.Project)
		if err != nil {
			return out, err
		}
		for _, q := range qs {
			if q.FolderID != nil {
				queries[*q.FolderID] = append(queries[*q.FolderID], queryOut(q, paths))
			}
		}
	}
	var node func(f store.Folder) api.QueryFolderTreeNode
	node = func(f store.Folder) api.QueryFolderTreeNode {
		n := api.QueryFolderTreeNode{ID: f.ID, Name: f.Name, Path: f.Path, Children: []api.QueryFolderTreeNode{},
			Queries: append([]api.Query{}, queries[f.ID]...)}
		for _, sub := range all {
			if sub.ParentID != nil && *sub.ParentID == f.ID {
				n.Children = append(n.Children, node(sub))
			}
		}
		return n
	}
	root := r.Query("rootFolderId")
	if root != "" {
		f, err := s.folder(ctx, r.Project, root)
		if err != nil {
			return out, err
		}
		out.Tree = append(out.Tree, node(f))
		return out, nil
	}
	for _, f := range all {
		if f.ParentID == nil {
			out.Tree = append(out.Tree, node(f))
		}
	}
	return out, nil
}

func (s *Service) updateFolderContents(ctx context.Context,
	r *web.Request[api.QueryFolderUpdateRequest]) (api.QueryFolderWithContentsResponse, error) {
	var none api.QueryFolderWithContentsResponse
	f, err := s.folder(ctx, r.Project, r.Param("folderId"))
	if err != nil {
		return none, err
	}
	b := r.Body
	switch {
	case b.QueryIdsAdded == nil:
		return none, fault.Missing("queryIdsAdded")
	case b.QueryIdsRemoved == nil:
		return none, fault.Missing("queryIdsRemoved")
	}
	for _, id := range b.QueryIdsAdded {
		if slices.Contains(b.QueryIdsRemoved, id) {
			return none, fault.Data(400, "query %s is in queryIdsAdded and in queryIdsRemoved", id)
		}
	}
	bad, err := s.Store.MoveQueries(ctx, r.Project.ID, f.ID, b.QueryIdsAdded, b.QueryIdsRemoved)
	if errors.Is(err, store.ErrNotFound) {
		if slices.Contains(b.QueryIdsRemoved, bad) {
			return none, fault.Data(400, "There is no query with id: %s in folder %s", bad, f.Path)
		}
		return none, fault.Data(400, "There is no query with id: %s", bad)
	}
	if err != nil {
		return none, err
	}
	return s.folderContents(ctx, r.Project, f)
}

func (s *Service) deleteFolder(ctx context.Context, r *web.Request[web.None]) (web.Reply, error) {
	done := web.Reply{Status: http.StatusNoContent}
	force, err := r.Bool("force", false)
	if err != nil {
		return done, err
	}
	f, err := s.folder(ctx, r.Project, r.Param("folderId"))
	if err != nil {
		return done, err
	}
	held, err := s.Store.DeleteFolder(ctx, r.Project.ID, f.ID, force)
	for _, id := range held {
		s.Results.DropOf(ctx, id)
	}
	if errors.Is(err, store.ErrInUse) {
		return done, fault.Data(409, "folder %s is not empty; force=true deletes it with all folders and queries in it",
			f.Path)
	}
	return done, err
}

func (s *Service) renameFolder(ctx context.Context,
	r *web.Request[api.QueryFolderRenameRequest]) (api.QueryFolderItem, error) {
	f, err := s.folder(ctx, r.Project, r.Param("folderId"))
	if err != nil {
		return api.QueryFolderItem{}, err
	}
	if r.Body.Name == "" {
		return api.QueryFolderItem{}, fault.Missing("name")
	}
	names, err := splitPath(r.Body.Name)
	if err != nil {
		return api.QueryFolderItem{}, err
	}
	if len(names) != 1 || names[0] != r.Body.Name {
		return api.QueryFolderItem{}, fault.Data(400, "name %q is a path; use the path operation to move a folder",
			r.Body.Name)
	}
	f, err = s.Store.RenameFolder(ctx, r.Project.ID, f.ID, r.Body.Name)
	return folderOut(f), folderFault(err, r.Body.Name)
}

func (s *Service) moveFolder(ctx context.Context,
	r *web.Request[api.QueryPathUpdateRequest]) (api.QueryFolderItem, error) {
	f, err := s.folder(ctx, r.Project, r.Param("folderId"))
	if err != nil {
		return api.QueryFolderItem{}, err
	}
	path, err := bodyPath(r.Body)
	if err != nil {
		return api.QueryFolderItem{}, err
	}
	all, err := s.Store.Folders(ctx, r.Project.ID)
	if err != nil {
		return api.QueryFolderItem{}, err
	}
	for _, below := range all {
		if rest, ok := strings.CutPrefix(below.Path, f.Path); ok && (rest == "" || rest[0] == '/') && len(path)+1+
			depth(rest) > MaxDepth {
			return api.QueryFolderItem{}, tooDeep(strings.Join(append([]string{""}, append(path, f.Name)...), "/") +
				rest)
		}
	}
	moved, err := s.Store.MoveFolder(ctx, r.Project.ID, f.ID, path)
	return folderOut(moved), folderFault(err, f.Name)
}
