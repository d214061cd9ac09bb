package api

import "encoding/json"

// ConnectionConfiguration is a record of the service.
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

// ConnectionConfigurationItem is a record of the service.
type ConnectionConfigurationItem struct {
	FieldName   string `json:"fieldName"`
	FieldType   string `json:"fieldType"` // text, number, boolean
	Required    bool   `json:"required"`
	Description string `json:"description"`
}

// Connection is a record of the service.
type Connection struct {
	ID   string  `json:"id" reply:"must"`
	Name string  `json:"name"`
	Type string  `json:"type"`
	URL  *string `json:"url"`
}

// ConnectionRequest is the body of a request.
type ConnectionRequest struct {
	Name               string     `json:"name,omitempty"`
	Type               string     `json:"type,omitempty"`
	Credential         Credential `json:"credential,omitzero"` // {} where a provider asks for it: the service refuses a new connection without [L]
	ConnectionCallback string     `json:"connectionCallback,omitempty"`
}

// OAuthCallbackRequest is the body of a request.
type OAuthCallbackRequest struct {
	QueryParameters string `json:"queryParameters,omitempty"`
}

// ConnectionDetail is the type of a connection, under "type", and the members of its credential that are no secrets [S]; which
// those are depends on the type, and the hosted service may give the type alone [L].
type ConnectionDetail map[string]json.RawMessage
