package api

// ConnectionConfiguration is a record of the service.
type ConnectionConfiguration struct {
	ConnectionType       string                        `json:"connectionType"`
	ConnectionTypeLabel  string                        `json:"connectionTypeLabel"`
	Name                 string                        `json:"name"`
	AuthorizationType    string                        `json:"authorizationType"`
	CredentialSchemaType string                        `json:"credentialSchemaType"`
	RedirectRequired     bool                          `json:"redirectRequired"`
	Category             string                        `json:"category"`
	Configuration        []ConnectionConfigurationItem `json:"configuration"`
	DocumentationURL     string                        `json:"documentationUrl"`
}

// ConnectionConfigurationItem is a record of the service.
type ConnectionConfigurationItem struct {
	FieldName   string `json:"fieldName"`
	FieldType   string `json:"fieldType"` // text, number, boolean
	Required    bool   `json:"required"`
	Description string `json:"description"`
}

// Connection is a record of the service.
type Connection struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Type string  `json:"type"`
	URL  *string `json:"url"`
}

// ConnectionRequest is the body of a request.
type ConnectionRequest struct {
	Name               string         `json:"name,omitempty"`
	Type               string         `json:"type,omitempty"`
	Credential         map[string]any `json:"credential,omitempty"`
	ConnectionCallback string         `json:"connectionCallback,omitempty"`
}

// OAuthCallbackRequest is the body of a request.
type OAuthCallbackRequest struct {
	QueryParameters string `json:"queryParameters,omitempty"`
}

// ConnectionDetail is a record of the service.
type ConnectionDetail struct {
	Type string `json:"type"`
}
