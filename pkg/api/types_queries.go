package api

// Query is a saved query. Name is displayName made safe for SQL: "peaka"."query"."<name>" is its live text, and for a
// materialized one "peaka"."mtquery"."<name>" the stored result [O].
type Query struct {
	ID              string                     `json:"id" reply:"must"`
	DisplayName     string                     `json:"displayName"`
	Name            string                     `json:"name"`
	InputQuery      string                     `json:"inputQuery"`
	QueryType       string                     `json:"queryType"` // PLAIN, MATERIALIZED
	Schedule        *MaterializedQuerySchedule `json:"schedule"`
	Path            *string                    `json:"path"` // of the folder, "/" at the root [L]
	FolderID        *string                    `json:"folderId"`
	InputQueryRefID *string                    `json:"inputQueryRefId,omitempty"` // legacy form
}

// MaterializedQuerySchedule is the refresh schedule of a materialized query. Only the fields of its type are set [S].
type MaterializedQuerySchedule struct {
	Type           string  `json:"type"`                 // interval, cron, none
	CronExpression *string `json:"cronExpression"`       // five fields
	RepeatDuration *string `json:"repeatDuration"`       // ISO-8601, such as PT1H
	Timezone       *string `json:"timezone"`             // of the cron expression; UTC when absent [D]
	Expression     *string `json:"expression,omitempty"` // legacy form of repeatDuration
}

// QueryRequest creates or changes a saved query. On update an omitted field keeps its value [O].
type QueryRequest struct {
	DisplayName *string                    `json:"displayName,omitempty"`
	InputQuery  *string                    `json:"inputQuery,omitempty"`
	QueryType   string                     `json:"queryType,omitempty"` // PLAIN, MATERIALIZED
	Schedule    *MaterializedQuerySchedule `json:"schedule,omitempty"`
	// copies the statement of another query once [O]
	InputQueryRefID *string `json:"inputQueryRefId,omitempty"`
	// of the folder; missing folders are created
	Path *string `json:"path,omitempty"`
}

// ExecuteByBuilder is the body of a request.
type ExecuteByBuilder struct {
	Columns []SelectedColumn `json:"columns,omitempty"`
	From    []TableForQuery  `json:"from"`
	Limit   *int64           `json:"limit,omitempty"`
	Offset  *int64           `json:"offset,omitempty"`
	OrderBy []string         `json:"orderBy,omitempty"`
	Filters *FilterGroup     `json:"filters,omitempty"`
	Timeout *int64           `json:"timeout,omitempty"`
}

// SelectedColumn is a column to select: its name or "*" [S], or {"column": {...}} with its place [T]. One field is set.
type SelectedColumn struct {
	Name   string
	Column *FilterColumn
}

// TableForQuery is the body of a request. The catalog is given by its name or its id.
type TableForQuery struct {
	CatalogID   string `json:"catalogId,omitempty"`
	CatalogName string `json:"catalogName,omitempty"`
	SchemaName  string `json:"schemaName,omitempty"`
	TableName   string `json:"tableName,omitempty"`
}

// FilterGroup joins its nodes by "and" and "or". Decoding rejects unknown keys: a filter must not get lost.
type FilterGroup struct {
	And []FilterNode `json:"and,omitempty"`
	Or  []FilterNode `json:"or,omitempty"`
}

// ExecuteByID is the body of a request.
type ExecuteByID struct {
	ID      string `json:"id"`
	Timeout *int64 `json:"timeout,omitempty"`
}

// ExecuteByName is the body of a request.
type ExecuteByName struct {
	QualifiedName string `json:"qualifiedName"`
	Timeout       *int64 `json:"timeout,omitempty"`
}

// ExecuteByStatement is the body of a request.
type ExecuteByStatement struct {
	Statement string   `json:"statement"`
	Bindings  []string `json:"bindings,omitempty"`
	Timeout   *int64   `json:"timeout,omitempty"`
	BindArgs  []string `json:"bindArgs,omitempty"`
}

// QueryPathUpdateRequest names the folder that a query or folder moves to, "/" for the root. Missing folders are
// created [L].
type QueryPathUpdateRequest struct {
	Path string `json:"path"`
}

// FilterNode is a condition or a nested group; exactly one field is set. On the wire a condition is an array and a
// group an object, without a wrapper [S] (nesting of groups is in [O]).
type FilterNode struct {
	Condition *FilterCondition
	Group     *FilterGroup
}

// FilterCondition is one comparison. On the wire it is a three-element array [S]:
//
//	[{"column": {"catalogName": ..., "schemaName": ..., "tableName": ..., "columnName": ...}}, ">", [25]]
//
// Decoded values have numbers as json.Number, so no digit is lost. A condition without values is written with [].
type FilterCondition struct {
	Column FilterColumn
	Op     string
	Values []any
}

// FilterColumn names the column of a condition or of a select list.
type FilterColumn struct {
	CatalogID   string `json:"catalogId,omitempty"`
	CatalogName string `json:"catalogName"`
	SchemaName  string `json:"schemaName"`
	TableName   string `json:"tableName"`
	ColumnName  string `json:"columnName"`
}
