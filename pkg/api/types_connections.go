package api

import "encoding/json"

// ConnectionConfiguration is an object of the API.
type ConnectionConfiguration struct {
	ConnectionType       string                        `json:"connectionType" reply:"must"`
	ConnectionTypeLabel  string                        `json:"connectionTypeLabel"`
	Name                 string                        `json:"name"`
	AuthorizationType    string                        `json:"authorizationType"`
	CredentialSchemaType string                        `json:"credentialSchemaType"`
	RedirectRequired     bool                          `json:"redirectRequired"`
	Category             string                        `json:"category"`
	Configuration        []ConnectionConfigurationItem `json:"configuration"`
	DocumentationURL     string                        `json:"documentationUrl"`
}

// ConnectionConfigurationItem is an object of the API.
type ConnectionConfigurationItem struct {
	FieldName   string `json:"fieldName"`
	FieldType   string `json:"fieldType"` // text, number, boolean
	Required    bool   `json:"required"`
	Description string `json:"description"`
}

// Connection is an object of the API.
type Connection struct {
	ID   string  `json:"id" reply:"must"`
	Name string  `json:"name"`
	Type string  `json:"type"`
	URL  *string `json:"url"`
}

// ConnectionRequest is the body of a request.
type ConnectionRequest struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
	// {} if a provider prompts for it: the service rejects a new connection without it [L]
	Credential         Credential `json:"credential,omitzero"`
	ConnectionCallback string     `json:"connectionCallback,omitempty"`
	// AllowDuplicateName lets the name be that of another object too; zone local alone refuses it otherwise.
	AllowDuplicateName bool `json:"allowDuplicateName,omitempty"`
}

// OAuthCallbackRequest is the body of a request.
type OAuthCallbackRequest struct {
	QueryParameters string `json:"queryParameters,omitempty"`
}

// ConnectionDetail has the type of a connection, under "type", and the non-secret members of its credential [S]; which
// those are depends on the type, and the hosted service may return only the type [L].
type ConnectionDetail map[string]json.RawMessage
