package api

// Project is an object of the API.
type Project struct {
	ID             string  `json:"id" reply:"must"`
	Name           string  `json:"name"`
	Description    *string `json:"description"`
	Domain         *string `json:"domain"`
	WebhookBaseURL *string `json:"webhookBaseUrl"`
	CreatedAt      string  `json:"createdAt"`
	Owner          string  `json:"owner,omitempty"`       // absent from lists [S]
	WorkspaceID    string  `json:"workspaceId,omitempty"` // absent from the legacy forms [S]
}

// ProjectRequest is the body of a request.
type ProjectRequest struct {
	Name        *string `json:"name,omitempty"` // required on creation [O]
	Description *string `json:"description,omitempty"`
	// AllowDuplicateName lets the name be that of another object too; zone local alone refuses it otherwise.
	AllowDuplicateName bool `json:"allowDuplicateName,omitempty"`
}
