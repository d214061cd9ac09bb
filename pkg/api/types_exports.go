package api

// ExportRequest configures the contents and the format of an export [O]. Absent fields have the service's defaults.
type ExportRequest struct {
	Format string `json:"format,omitempty"` // CSV (default) or JSONL
	// rows, 1 to 1,000,000; a larger one is accepted and the job fails
	Limit                *int64            `json:"limit,omitempty"`
	CSVOptions           *ExportCSVOptions `json:"csvOptions,omitempty"`           // for CSV only
	IncludeSystemColumns *bool             `json:"includeSystemColumns,omitempty"` // of internal tables; default true
	// default all; an unknown name is rejected with 400
	Columns []string `json:"columns,omitempty"`
	// NONE (default) or GZIP, which adds .gz to the name
	Compression string `json:"compression,omitempty"`
}

// ExportCSVOptions configures the dialect of a CSV file [O].
type ExportCSVOptions struct {
	Delimiter       string `json:"delimiter,omitempty"`       // one character, default a comma
	QuoteChar       string `json:"quoteChar,omitempty"`       // one character, default "
	RecordSeparator string `json:"recordSeparator,omitempty"` // default \n
	IncludeHeader   *bool  `json:"includeHeader,omitempty"`   // default true
	// representation of NULL, default empty; on zone local \N if one column is written
	NullValue *string `json:"nullValue,omitempty"`
}

// ExportJobCreated is the reply to a started export.
type ExportJobCreated struct {
	ID     string `json:"id" reply:"must"`
	Status string `json:"status"` // PENDING
}

// ExportJobResponse is an export job [O]. Counts are nil until it has succeeded; the fields of the other kind of source
// are nil.
type ExportJobResponse struct {
	ID           string       `json:"id" reply:"must"`
	Status       string       `json:"status" reply:"must"` // PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED
	Format       string       `json:"format"`
	Compression  string       `json:"compression"`
	RowCount     *int64       `json:"rowCount"`
	Bytes        *int64       `json:"bytes"` // of all files
	DurationMs   *int64       `json:"durationMs"`
	Files        []ExportFile `json:"files,omitempty"` // in the reply to a read by the owner, never in lists
	ExpiresAt    *string      `json:"expiresAt"`       // when the files expire
	Downloadable bool         `json:"downloadable"`    // whether the caller may download the files
	Error        *string      `json:"error"`
	CreatedAt    string       `json:"createdAt"`
	QueryID      *string      `json:"queryId"`
	CatalogID    *string      `json:"catalogId"`
	SchemaName   *string      `json:"schemaName"`
	TableName    *string      `json:"tableName"`
	Source       string       `json:"source"` // QUERY or TABLE on zone local
	UserID       string       `json:"userId"`
	UserName     string       `json:"userName"`
	APIKeyPrefix *string      `json:"apiKeyPrefix"` // public part of the key that started it
	ClientSource string       `json:"clientSource"`
}

// ExportFile is one file of a finished export. URL is short-lived and gives access to the file without a key; read the
// job again for a fresh one.
type ExportFile struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Bytes int64  `json:"bytes"`
}
