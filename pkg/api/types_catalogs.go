package api

// Identifiers of the two catalogs of every project, both named InternalCatalogName: internal tables, and saved queries
// with the results of materialized ones [O][L].
const (
	InternalCatalogID   = "1"
	QueryCatalogID      = "2"
	InternalCatalogName = "peaka"
)

// Schemas of the catalogs named InternalCatalogName: internal and BI tables, saved queries, and the stored results of
// materialized ones [O].
const (
	SchemaTable   = "table"
	SchemaBI      = "bitable"
	SchemaQuery   = "query"
	SchemaMtQuery = "mtquery"
)

// OwnCatalogID is the identifier of the catalog named InternalCatalogName that has a schema.
func OwnCatalogID(schema string) string {
	if schema == SchemaQuery || schema == SchemaMtQuery {
		return QueryCatalogID
	}
	return InternalCatalogID
}

// Catalog is an object of the API.
type Catalog struct {
	ID          string `json:"id" reply:"must"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	// internal, query, stripe, hubspot, airtable, segment, google_ads, peaka_postgres, peaka_mongodb, SEMANTIC
	CatalogType  string  `json:"catalogType"`
	ConnectionID *string `json:"connectionId"`
	Type         *string `json:"type,omitempty"` // SEMANTIC for semantic catalogs [O]
	// CacheAnything is the extra parameter of this name, which the catalog was created with (zone local).
	CacheAnything bool `json:"cacheAnything,omitempty"`
}

// CacheAnything is the extra parameter of a catalog of zone local whose tables can be cached although they are those of
// a database.
const CacheAnything = "cacheAnything"

// CatalogRequest is the body of a request.
type CatalogRequest struct {
	Name            string         `json:"name,omitempty"`
	ConnectionID    string         `json:"connectionId,omitempty"`
	ExtraParameters map[string]any `json:"extraParameters,omitempty"`
}

// Schema is an object of the API.
type Schema struct {
	CatalogID   string `json:"catalogId"`
	CatalogName string `json:"catalogName"`
	SchemaName  string `json:"schemaName" reply:"must"`
}

// Table is an object of the API.
type Table struct {
	CatalogID           string   `json:"catalogId"`
	CatalogName         string   `json:"catalogName"`
	SchemaName          string   `json:"schemaName"`
	TableName           string   `json:"tableName" reply:"must"`
	SupportedCacheTypes []string `json:"supportedCacheTypes,omitzero"`
	IsCacheable         bool     `json:"isCacheable"`
	IsDynamicTable      bool     `json:"isDynamicTable"`
	IsCached            bool     `json:"isCached"`
	TableID             string   `json:"tableId,omitempty"` // of a semantic table; zone local only
	// of the saved query behind a semantic table; zone local only
	QueryID string `json:"queryId,omitempty"`
}

// ColumnDetail is an object of the API.
type ColumnDetail struct {
	ID           string  `json:"id"`
	Name         string  `json:"name" reply:"must"`
	DataType     string  `json:"dataType"`
	DisplayName  string  `json:"displayName"`
	DefaultValue *string `json:"defaultValue"`
	IsNotNull    bool    `json:"isNotNull"`
	IsUnique     bool    `json:"isUnique"`
	Desc         *string `json:"desc"`
	Widens       bool    `json:"widens,omitempty"` // true for a decimal to which imports give more digits (zone local)
}

// TableCacheResult is an object of the API.
type TableCacheResult struct {
	SupportedCacheTypes []string `json:"supportedCacheTypes,omitzero"`
	IsCached            bool     `json:"isCached" reply:"must"`
	IsCacheable         bool     `json:"isCacheable" reply:"must"`
}

// TableStatistics is an object of the API.
type TableStatistics struct {
	CatalogID        string             `json:"catalogId"`
	SchemaName       string             `json:"schemaName"`
	TableName        string             `json:"tableName"`
	ColumnStatistics []ColumnStatistics `json:"columnStatistics" reply:"must"`
}

// ColumnStatistics is an object of the API.
type ColumnStatistics struct {
	ColumnName       string  `json:"columnName"`
	DistinctFraction float64 `json:"distinctFraction"`
}

// CatalogShareRequest is the body of a request.
type CatalogShareRequest struct {
	TargetProjectID string `json:"targetProjectId,omitempty"`
}

// SharedCatalogResponse is an object of the API.
type SharedCatalogResponse struct {
	SharedCatalogID string `json:"sharedCatalogId" reply:"must"`
}

// SearchRequest is the body of a request.
type SearchRequest struct {
	Catalog string `json:"catalog,omitempty"`
	Schema  string `json:"schema,omitempty"`
	Query   string `json:"query,omitempty"`
	Limit   *int64 `json:"limit,omitempty"`
	Offset  *int64 `json:"offset,omitempty"`
}

// SearchResult is an object of the API.
type SearchResult struct {
	MatchedCatalogs []CatalogSchemaTable `json:"matchedCatalogs"`
	MatchedSchemas  []CatalogSchemaTable `json:"matchedSchemas"`
	MatchedTables   []CatalogSchemaTable `json:"matchedTables"`
	Meta            SearchMeta           `json:"meta" reply:"must"`
}

// CatalogSchemaTable is an object of the API.
type CatalogSchemaTable struct {
	Catalog string `json:"catalog"`
	Schema  string `json:"schema"`
	Table   string `json:"table"`
}

// SearchMeta is an object of the API.
type SearchMeta struct {
	Page  Page            `json:"page"`
	Query SearchMetaQuery `json:"query"`
}

// SearchMetaQuery is a part of SearchMeta.
type SearchMetaQuery struct {
	Text string `json:"text"`
}

// Page is an object of the API.
type Page struct {
	Limit      int64  `json:"limit"`
	Offset     int64  `json:"offset"`
	NextOffset *int64 `json:"nextOffset"`
}
