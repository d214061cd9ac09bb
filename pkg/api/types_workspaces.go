package api

// Workspace is an object of the API.
type Workspace struct {
	ID               string  `json:"id" reply:"must"`
	Name             string  `json:"name"`
	CreatedBy        string  `json:"createdBy"`
	OrganizationID   string  `json:"organizationId"`
	Description      *string `json:"description"`
	CreatedAt        *string `json:"createdAt"`
	DefaultWorkspace bool    `json:"defaultWorkspace"`
}

// WorkspaceRequest is the body of a request.
type WorkspaceRequest struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	// AllowDuplicateName lets the name be that of another object too; zone local alone refuses it otherwise.
	AllowDuplicateName bool `json:"allowDuplicateName,omitempty"`
}
