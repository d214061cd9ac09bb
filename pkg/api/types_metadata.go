package api

import "encoding/json"

// ProjectMetadata is an object of the API.
type ProjectMetadata struct {
	Metadata []MetadataEntry `json:"metadata" reply:"must"`
}

// MetadataEntry is an object of the API.
type MetadataEntry struct {
	ID       string        `json:"id"`
	Content  string        `json:"content"`
	Metadata TableMetadata `json:"metadata"`
}

// TableMetadata is an object of the API.
type TableMetadata struct {
	ProjectID          string           `json:"projectId"`
	CatalogID          string           `json:"catalogId"`
	CatalogType        string           `json:"catalogType"`
	CatalogSubType     *string          `json:"catalogSubType"`
	CatalogQueryName   string           `json:"catalogQueryName"`
	CatalogDisplayName string           `json:"catalogDisplayName"`
	SchemaName         string           `json:"schemaName"`
	TableName          string           `json:"tableName" reply:"must"`
	TableDescription   *string          `json:"tableDescription"`
	IsCacheable        bool             `json:"isCacheable"`
	IsDynamicTable     bool             `json:"isDynamicTable"`
	UseWithAI          bool             `json:"useWithAI"`
	Columns            []MetadataColumn `json:"columns"`
	Relations          []Relation       `json:"relations"`
}

// MetadataColumn is an object of the API.
type MetadataColumn struct {
	ColumnName        string            `json:"columnName"`
	ColumnDescription string            `json:"columnDescription"`
	DataType          string            `json:"dataType"`
	Order             int64             `json:"order"`
	IsNotNull         bool              `json:"isNotNull"`
	IsSystem          bool              `json:"isSystem"`
	IsUnique          bool              `json:"isUnique"`
	IsPrimary         bool              `json:"isPrimary"`
	IsCategorical     bool              `json:"isCategorical"`
	CategoricalValues []string          `json:"categoricalValues"`
	Lineage           []ColumnLineage   `json:"lineage"`
	SampleValues      []json.RawMessage `json:"sampleValues"`
}

// ColumnLineage is an object of the API.
type ColumnLineage struct {
	Tables            []string `json:"tables"`
	Column            string   `json:"column"`
	Expression        string   `json:"expression"`
	ColumnDescription *string  `json:"columnDescription"`
}

// Relation is an object of the API.
type Relation struct {
	ID                string `json:"id" reply:"must"`
	ProjectID         string `json:"projectId"`
	SourceCatalogID   string `json:"sourceCatalogId"`
	SourceCatalogName string `json:"sourceCatalogName"`
	SourceSchemaName  string `json:"sourceSchemaName"`
	SourceTableName   string `json:"sourceTableName"`
	SourceColumnName  string `json:"sourceColumnName"`
	TargetCatalogID   string `json:"targetCatalogId"`
	TargetCatalogName string `json:"targetCatalogName"`
	TargetSchemaName  string `json:"targetSchemaName"`
	TargetTableName   string `json:"targetTableName"`
	TargetColumnName  string `json:"targetColumnName"`
	Type              string `json:"type"` // MANY_TO_ONE, ONE_TO_MANY, ONE_TO_ONE
}

// CategoricalColumnRequest is the body of a request.
type CategoricalColumnRequest struct {
	Limit     *int64 `json:"limit,omitempty"`
	Frequency string `json:"frequency,omitempty"`
}

// GoldenSQLMatches is an object of the API.
type GoldenSQLMatches struct {
	Result []GoldenSQLMatchesResult `json:"result"`
}

// GoldenSQLMatchesResult is a part of GoldenSQLMatches.
type GoldenSQLMatchesResult struct {
	Question string `json:"question"`
	SQL      string `json:"sql" reply:"must"`
}

// GoldenSQLList is an object of the API.
type GoldenSQLList struct {
	Result []GoldenSQLEntry `json:"result"`
}

// GoldenSQLEntry is an object of the API.
type GoldenSQLEntry struct {
	ID       string                 `json:"id" reply:"must"`
	Content  string                 `json:"content"`
	Metadata GoldenSQLEntryMetadata `json:"metadata"`
}

// goldenMade is a GoldenSQLEntry in the reply to its creation, which the documents show without any member [O].
type goldenMade struct {
	ID       string                 `json:"id"`
	Content  string                 `json:"content"`
	Metadata GoldenSQLEntryMetadata `json:"metadata"`
}

// GoldenSQLEntryMetadata is a part of GoldenSQLEntry.
type GoldenSQLEntryMetadata struct {
	SQL       string `json:"sql"`
	Prompt    string `json:"prompt"`
	ProjectID string `json:"projectId"`
}

// GoldenSQLRequest is the body of a request.
type GoldenSQLRequest struct {
	Prompt string `json:"prompt,omitempty"`
	SQL    string `json:"sql,omitempty"`
}

// MetadataQueryResult is an object of the API.
type MetadataQueryResult struct {
	Result []TableMetadata `json:"result"`
}

// SampleQuestions is an object of the API.
type SampleQuestions struct {
	Questions []SampleQuestionsQuestions `json:"questions" reply:"must"`
	ThreadID  string                     `json:"threadId"`
}

// SampleQuestionsQuestions is a part of SampleQuestions.
type SampleQuestionsQuestions struct {
	Question string `json:"question"`
	Category string `json:"category"`
}

// MetadataRefreshRequest is the body of a request.
type MetadataRefreshRequest struct {
	CatalogID     string `json:"catalogId,omitempty"`
	CallbackURL   string `json:"callbackURL,omitempty"`
	CallbackToken Secret `json:"callbackToken,omitempty"`
}

// RefreshCallback is the address that is notified of refreshes. The token is never returned.
type RefreshCallback struct {
	CallbackURL string `json:"callbackURL,omitempty"`
}

// MetadataRefreshTriggered is an object of the API.
type MetadataRefreshTriggered struct {
}

// MetadataRefreshCallbackRequest is the body of a request.
type MetadataRefreshCallbackRequest struct {
	CallbackURL   string `json:"callbackURL,omitempty"`
	CallbackToken Secret `json:"callbackToken,omitempty"`
}

// MetadataRefreshStatus is an object of the API.
type MetadataRefreshStatus struct {
	// not-active, completed, waiting, active, delayed, failed, paused, stuck [L]; other zones may write NOT_ACTIVE [O]
	Status string  `json:"status" reply:"must"`
	Error  *string `json:"error,omitempty"` // why it failed; zone local only
}

// RelationList is an object of the API.
type RelationList struct {
	Relations []Relation `json:"relations"`
}

// RelationRequest is the body of a request. The source is in the path and the target is found by its id: the ids and
// names that callers repeat from a relation are accepted without effect [E].
type RelationRequest struct {
	ID                string `json:"id,omitempty"`
	ProjectID         string `json:"projectId,omitempty"`
	SourceCatalogID   string `json:"sourceCatalogId,omitempty"`
	SourceCatalogName string `json:"sourceCatalogName,omitempty"`
	SourceSchemaName  string `json:"sourceSchemaName,omitempty"`
	SourceTableName   string `json:"sourceTableName,omitempty"`
	SourceColumnName  string `json:"sourceColumnName,omitempty"`
	TargetCatalogName string `json:"targetCatalogName,omitempty"`
	TargetCatalogID   string `json:"targetCatalogId,omitempty"`
	TargetSchemaName  string `json:"targetSchemaName,omitempty"`
	TargetTableName   string `json:"targetTableName,omitempty"`
	TargetColumnName  string `json:"targetColumnName,omitempty"`
	Type              string `json:"type,omitempty"` // MANY_TO_ONE, ONE_TO_MANY, ONE_TO_ONE
}

// RelationUpdateRequest is the body of a request. Only the type of a relation changes: the names of the catalogs are
// accepted without effect [E].
type RelationUpdateRequest struct {
	Type              string `json:"type,omitempty"` // MANY_TO_ONE, ONE_TO_MANY, ONE_TO_ONE
	SourceCatalogName string `json:"sourceCatalogName,omitempty"`
	TargetCatalogName string `json:"targetCatalogName,omitempty"`
}

// GenerateSemanticsRequest is the body of a request.
type GenerateSemanticsRequest struct {
	ThreadID      string `json:"threadId,omitempty"`
	InitialPrompt string `json:"initialPrompt,omitempty"`
	Limit         *int64 `json:"limit,omitempty"`
}

// SemanticsResult is an object of the API.
type SemanticsResult struct {
	Metadata TableMetadata `json:"metadata"`
	ThreadID string        `json:"threadId"`
}

// AIUsageRequest is the body of a request.
type AIUsageRequest struct {
	UseWithAI *bool `json:"useWithAI,omitempty"`
}

// TableMetadataUpdateRequest is the body of a request.
type TableMetadataUpdateRequest struct {
	TableDescription *string                `json:"tableDescription,omitempty"`
	Columns          []MetadataColumnUpdate `json:"columns,omitempty"`
	UseWithAI        *bool                  `json:"useWithAI,omitempty"`
}

// MetadataColumnUpdate is a MetadataColumn in a request: absent members are not sent.
type MetadataColumnUpdate struct {
	ColumnName        string             `json:"columnName,omitempty"`
	ColumnDescription *string            `json:"columnDescription,omitempty"`
	DataType          string             `json:"dataType,omitempty"`
	Order             *int64             `json:"order,omitempty"`
	IsNotNull         *bool              `json:"isNotNull,omitempty"`
	IsSystem          *bool              `json:"isSystem,omitempty"`
	IsUnique          *bool              `json:"isUnique,omitempty"`
	IsPrimary         *bool              `json:"isPrimary,omitempty"`
	IsCategorical     *bool              `json:"isCategorical,omitempty"`
	CategoricalValues *[]string          `json:"categoricalValues,omitempty"`
	Lineage           *[]json.RawMessage `json:"lineage,omitempty"`
	SampleValues      *[]json.RawMessage `json:"sampleValues,omitempty"`
}

// AsUpdate returns a request with the columns unchanged.
func AsUpdate(columns []MetadataColumn) ([]MetadataColumnUpdate, error) {
	raw, err := Marshal(columns)
	if err != nil {
		return nil, err
	}
	var out []MetadataColumnUpdate
	return out, json.Unmarshal(raw, &out)
}
