package api

// QueryFolderListResponse is a record of the service.
type QueryFolderListResponse struct {
	Items []QueryFolderItem `json:"items"`
}

// QueryFolderItem is a record of the service.
type QueryFolderItem struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Path      string  `json:"path"`
	ParentID  *string `json:"parentId"`
	CreatedAt string  `json:"createdAt"`
}

// QueryFolderCreateRequest is the body of a request.
type QueryFolderCreateRequest struct {
	FolderName string `json:"folderName,omitempty"`
}

// QueryFolderTreeResponse is a record of the service.
type QueryFolderTreeResponse struct {
	Tree []QueryFolderTreeNode `json:"tree"`
}

// QueryFolderTreeNode is a record of the service.
type QueryFolderTreeNode struct {
	ID       string                `json:"id"`
	Name     string                `json:"name"`
	Path     string                `json:"path"`
	Children []QueryFolderTreeNode `json:"children"`
	Queries  []Query               `json:"queries"`
}

// QueryFolderWithContentsResponse is a record of the service.
type QueryFolderWithContentsResponse struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Path      string            `json:"path"`
	ParentID  *string           `json:"parentId"`
	CreatedAt string            `json:"createdAt"`
	Folders   []QueryFolderItem `json:"folders"`
	Queries   []Query           `json:"queries"`
}

// QueryFolderUpdateRequest is the body of a request.
type QueryFolderUpdateRequest struct {
	QueryIdsAdded   []string `json:"queryIdsAdded,omitempty"`
	QueryIdsRemoved []string `json:"queryIdsRemoved,omitempty"`
}

// QueryFolderRenameRequest is the body of a request.
type QueryFolderRenameRequest struct {
	Name string `json:"name"`
}
