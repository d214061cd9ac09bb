package api

// ApiKey gives access to one project. The key itself is only in the reply that creates it [O].
type ApiKey struct {
	Name      string  `json:"name"`
	ApiKey    *string `json:"apiKey"` // 8 alphanumerics, a dot, 32 alphanumerics [O]; null in lists
	ApiKeyID  string  `json:"apiKeyId" reply:"must"`
	ExpiresAt *string `json:"expiresAt"` // ISO 8601; null for never
}

// ApiKeyRequest creates a key. A nil ExpiresAt creates one that never expires.
type ApiKeyRequest struct {
	Name      *string `json:"name,omitempty"`
	ExpiresAt *string `json:"expiresAt,omitempty"`
}
