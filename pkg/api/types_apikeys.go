package api

// ApiKey opens one project. The text of a key is in the reply that creates it and nowhere else [O].
type ApiKey struct {
	Name      string  `json:"name"`
	ApiKey    *string `json:"apiKey"` // 8 alphanumerics, a dot, 32 alphanumerics [O]; null in lists
	ApiKeyID  string  `json:"apiKeyId" reply:"must"`
	ExpiresAt *string `json:"expiresAt"` // ISO 8601; null: never
}

// ApiKeyRequest creates a key. A nil ExpiresAt makes one that never expires.
type ApiKeyRequest struct {
	Name      *string `json:"name,omitempty"`
	ExpiresAt *string `json:"expiresAt,omitempty"`
}
