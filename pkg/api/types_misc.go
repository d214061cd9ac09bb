package api

import "encoding/json"

// EmbeddedSession is an object of the API.
type EmbeddedSession struct {
	SessionURL    string `json:"sessionUrl" reply:"must"`
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

// SupportedDrivers are connection strings for SQL drivers, empty where there is none. They contain the API key in clear
// text [O].
type SupportedDrivers struct {
	JDBC       string `json:"JDBC,omitempty"`
	SQLAlchemy string `json:"SQL_ALCHEMY,omitempty"` // contains {catalogName} if no catalog was given
}

// TranspileRequest is the body of a request.
type TranspileRequest struct {
	Query string `json:"query,omitempty"`
}

// TranspileResult is a statement in another dialect. The service answers {"query"}, its documents say {"result"}
// [L][O]; both are accepted.
type TranspileResult struct {
	Query string `json:"query" reply:"must"`
}

// UnmarshalJSON accepts both forms.
func (t *TranspileResult) UnmarshalJSON(raw []byte) error {
	var both struct{ Query, Result string }
	if err := json.Unmarshal(raw, &both); err != nil {
		return err
	}
	if t.Query = both.Query; t.Query == "" {
		t.Query = both.Result
	}
	return nil
}

// ProjectInfo is an object of the API.
type ProjectInfo struct {
	ProjectID   *string `json:"projectId,omitempty"`
	ProjectName *string `json:"projectName,omitempty"`
	UserID      string  `json:"userId" reply:"must"`
	Email       string  `json:"email"`
}

// ImportRequest is the body of a request.
type ImportRequest struct {
	Mappings       []ImportMapping `json:"mappings"`
	ContainsHeader bool            `json:"containsHeader"`
	ImportMode

	// ID is chosen by the client for FindImport, "" for none. Only zone local keeps it; it is sent as the header
	// Import-Id of the part.
	ID string `json:"-"`
}

// The modes of an import. Hosted zones only append.
const (
	ImportAppend  = "append"
	ImportReplace = "replace" // the rows of the document replace all others
	ImportUpsert  = "upsert"  // rows with the key of a row of the document are updated, those without are added
)

// ImportMode says what an import does with the rows that the table has. Only zone local knows it.
type ImportMode struct {
	Mode string   `json:"mode,omitempty"` // append, which is the default, replace or upsert
	Key  []string `json:"key,omitempty"`  // columns of the table, for upsert
	// DeleteMissing is for upsert: rows whose key is not in the document are deleted.
	DeleteMissing bool `json:"deleteMissing,omitempty"`
}

// Appends reports whether the rows of the table stay as they are.
func (m ImportMode) Appends() bool { return m.Mode == "" || m.Mode == ImportAppend }

// ImportHeader is the header of the part "request" with ImportRequest.ID.
const ImportHeader = "Import-Id"

// StoredImport is the answer to FindImport.
type StoredImport struct {
	Rows int64 `json:"rows"` // 0 if the import is not known

	// KnownFrom says which imports are certainly known: those whose ImportJob has a later EndTime. It is nil if that is
	// not said.
	KnownFrom *int64 `json:"knownFrom,omitempty"`
}

// ImportRun is an import of which the gateway has recorded the end.
type ImportRun struct {
	ID         string  `json:"id" reply:"must"`
	SchemaName string  `json:"schemaName" reply:"must"` // table or bitable
	TableName  string  `json:"tableName" reply:"must"`
	Mode       string  `json:"mode" reply:"must"`   // append, replace or upsert
	Status     string  `json:"status" reply:"must"` // COMPLETED or FAILED
	CreatedAt  string  `json:"createdAt" reply:"must"`
	DurationMs int64   `json:"durationMs"`
	Rows       *int64  `json:"rows"` // of the document, if they are stored
	Error      *string `json:"error"`
}

// ImportMapping is the body of a request.
type ImportMapping struct {
	Name           string `json:"name"`
	CSVColumnName  string `json:"csvColumnName,omitempty"`
	CSVColumnIndex *int64 `json:"csvColumnIndex,omitempty"`
}
