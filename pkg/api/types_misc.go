package api

// EmbeddedSession is a record of the service.
type EmbeddedSession struct {
	SessionURL    string `json:"sessionUrl"`
	PartnerOrigin string `json:"partnerOrigin"`
}

// InitSessionRequest is the body of a request.
type InitSessionRequest struct {
	ProjectID            string          `json:"projectId,omitempty"`
	Theme                string          `json:"theme,omitempty"`
	SessionMode          string          `json:"sessionMode,omitempty"` // CONNECTOR_MODAL_ONLY, FULL_STUDIO
	ThemeOverride        *bool           `json:"themeOverride,omitempty"`
	TimeoutInSeconds     *int64          `json:"timeoutInSeconds,omitempty"`
	FeatureFlags         map[string]bool `json:"featureFlags,omitempty"`
	FeatureConfigs       map[string]any  `json:"featureConfigs,omitempty"`
	ConnectorType        string          `json:"connectorType,omitempty"`
	CatalogCreateEnabled *bool           `json:"catalogCreateEnabled,omitempty"`
	AutoCreateCatalog    *bool           `json:"autoCreateCatalog,omitempty"`
}

// SupportedDrivers is a record of the service.
type SupportedDrivers struct {
	JDBC       string `json:"JDBC"`
	SQLAlchemy string `json:"SQL_ALCHEMY"`
}

// TranspileRequest is the body of a request.
type TranspileRequest struct {
	Query string `json:"query,omitempty"`
}

// TranspileResult is a record of the service.
type TranspileResult struct {
	Query string `json:"query"`
}

// ProjectInfo is a record of the service.
type ProjectInfo struct {
	ProjectID   *string `json:"projectId,omitempty"`
	ProjectName *string `json:"projectName,omitempty"`
	UserID      string  `json:"userId"`
	Email       string  `json:"email"`
}

// AgentStreamEvent is a record of the service.
type AgentStreamEvent struct {
}

// ImportRequest is the body of a request.
type ImportRequest struct {
	Mappings       []ImportMapping `json:"mappings"`
	ContainsHeader bool            `json:"containsHeader"`
}

// ImportMapping is the body of a request.
type ImportMapping struct {
	Name           string `json:"name"`
	CSVColumnName  string `json:"csvColumnName,omitempty"`
	CSVColumnIndex *int64 `json:"csvColumnIndex,omitempty"`
}
