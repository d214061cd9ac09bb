package api

// QueryFolderListResponse is the flat list of a project's folders [S].
type QueryFolderListResponse struct {
	Items []QueryFolderItem `json:"items"`
}

// QueryFolderItem is a folder of saved queries. Path starts with a slash; ParentID is null for a top-level folder [S].
type QueryFolderItem struct {
	ID        string  `json:"id" reply:"must"`
	Name      string  `json:"name"`
	Path      string  `json:"path"`
	ParentID  *string `json:"parentId"`
	CreatedAt string  `json:"createdAt"`
}

// QueryFolderCreateRequest names a new folder; "a/b" creates both [O].
type QueryFolderCreateRequest struct {
	FolderName string `json:"folderName"`
}

// QueryFolderTreeResponse holds the top of a tree of folders.
type QueryFolderTreeResponse struct {
	Tree []QueryFolderTreeNode `json:"tree" reply:"must"`
}

// QueryFolderTreeNode is a folder with its subfolders. Queries is empty unless requested [O].
type QueryFolderTreeNode struct {
	ID       string                `json:"id"`
	Name     string                `json:"name"`
	Path     string                `json:"path"`
	Children []QueryFolderTreeNode `json:"children"`
	Queries  []Query               `json:"queries"`
}

// QueryFolderWithContentsResponse is a folder with the folders and queries directly in it.
type QueryFolderWithContentsResponse struct {
	ID        string            `json:"id" reply:"must"`
	Name      string            `json:"name"`
	Path      string            `json:"path"`
	ParentID  *string           `json:"parentId"`
	CreatedAt string            `json:"createdAt"`
	Folders   []QueryFolderItem `json:"folders"`
	Queries   []Query           `json:"queries"`
}

// QueryFolderUpdateRequest moves queries into a folder and others from it to the root. Both lists are sent, also empty
// ones [O].
type QueryFolderUpdateRequest struct {
	QueryIdsAdded   []string `json:"queryIdsAdded"`
	QueryIdsRemoved []string `json:"queryIdsRemoved"`
}

// QueryFolderRenameRequest gives a folder a new name, which is one path segment.
type QueryFolderRenameRequest struct {
	Name string `json:"name"`
}
