package api

// ApiKey is a record of the service.
type ApiKey struct {
	Name      string  `json:"name"`
	ApiKey    *string `json:"apiKey"`
	ApiKeyID  string  `json:"apiKeyId"`
	ExpiresAt *string `json:"expiresAt"`
}

// ApiKeyRequest is the body of a request.
type ApiKeyRequest struct {
	Name      string `json:"name,omitempty"`
	ExpiresAt string `json:"expiresAt,omitempty"`
}
