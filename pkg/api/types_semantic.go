package api

// SemanticCatalogRequest is the body of a request.
type SemanticCatalogRequest struct {
	Name string `json:"name,omitempty"`
}

// SemanticTableRequest is the body of a request.
type SemanticTableRequest struct {
	SchemaName string `json:"schemaName,omitempty"`
	TableName  string `json:"tableName,omitempty"`
	QueryID    string `json:"queryId,omitempty"`
}

// SemanticTable is an object of the API.
type SemanticTable struct {
	CatalogID   *string `json:"catalogId"`
	CatalogName string  `json:"catalogName"`
	SchemaName  string  `json:"schemaName"`
	TableName   string  `json:"tableName"`
	TableID     string  `json:"tableId" reply:"must"`
}

// SemanticCatalogShareRequest is the body of a request.
type SemanticCatalogShareRequest struct {
	Target string `json:"target,omitempty"`
}
