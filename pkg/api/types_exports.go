package api

// ExportRequest is the body of a request.
type ExportRequest struct {
	Format               string            `json:"format,omitempty"` // CSV, JSONL
	Limit                *int64            `json:"limit,omitempty"`
	CSVOptions           *ExportCSVOptions `json:"csvOptions,omitempty"`
	IncludeSystemColumns *bool             `json:"includeSystemColumns,omitempty"`
	Columns              []string          `json:"columns,omitempty"`
	Compression          string            `json:"compression,omitempty"` // NONE, GZIP
}

// ExportCSVOptions is the body of a request.
type ExportCSVOptions struct {
	Delimiter       string `json:"delimiter,omitempty"`
	QuoteChar       string `json:"quoteChar,omitempty"`
	RecordSeparator string `json:"recordSeparator,omitempty"`
	IncludeHeader   *bool  `json:"includeHeader,omitempty"`
	NullValue       string `json:"nullValue,omitempty"`
}

// ExportJobCreated is a record of the service.
type ExportJobCreated struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// ExportJobResponse is a record of the service.
type ExportJobResponse struct {
	ID           string       `json:"id"`
	Status       string       `json:"status"` // PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED
	Format       string       `json:"format"`
	Compression  string       `json:"compression"`
	RowCount     int64        `json:"rowCount"`
	Bytes        int64        `json:"bytes"`
	DurationMs   int64        `json:"durationMs"`
	Files        []ExportFile `json:"files"`
	ExpiresAt    string       `json:"expiresAt"`
	Downloadable bool         `json:"downloadable"`
	Error        string       `json:"error"`
	CreatedAt    string       `json:"createdAt"`
	QueryID      string       `json:"queryId"`
	CatalogID    string       `json:"catalogId"`
	SchemaName   string       `json:"schemaName"`
	TableName    string       `json:"tableName"`
	Source       string       `json:"source"`
	UserID       string       `json:"userId"`
	UserName     string       `json:"userName"`
	ApiKeyPrefix string       `json:"apiKeyPrefix"`
	ClientSource string       `json:"clientSource"`
}

// ExportFile is a record of the service.
type ExportFile struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Bytes int64  `json:"bytes"`
}
