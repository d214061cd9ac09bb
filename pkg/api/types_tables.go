package api

// ColumnRequest is the body of a request.
type ColumnRequest struct {
	Name string `json:"name,omitempty"`
	// DataType is VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE or UUID, on zone local also DECIMAL(15,2).
	DataType     string  `json:"dataType,omitempty"`
	DisplayName  string  `json:"displayName,omitempty"`
	DefaultValue *string `json:"defaultValue,omitempty"`
	IsNotNull    *bool   `json:"isNotNull,omitempty"`
	IsUnique     *bool   `json:"isUnique,omitempty"`
	Desc         *string `json:"desc,omitempty"`
	// Widens is true for a DECIMAL(15,2) to which imports give more digits where values need them (zone local).
	Widens *bool `json:"widens,omitempty"`
}

// SystemColumns lists the columns that every internal and BI table has besides those its owner declared, except "text",
// which an owner may declare too [L].
func SystemColumns() []string {
	return []string{"_id", "_version", "_created_time", "_created_by", "_last_modified_time", "_last_modified_by",
		"_session"}
}

// States of an import.
const (
	ImportCompleted = StateCompleted
	ImportFailed    = StateFailed
)

// ImportJob is an object of the API.
type ImportJob struct {
	ID        string          `json:"id"`
	Status    string          `json:"status" reply:"must"` // COMPLETED
	StartTime int64           `json:"startTime"`
	EndTime   int64           `json:"endTime"`
	Progress  int64           `json:"progress"`
	Result    ImportJobResult `json:"result"`
}

// RowDeletion is the body of a request of zone local.
type RowDeletion struct {
	Where  string `json:"where,omitempty"`  // a condition in Trino's language
	All    bool   `json:"all,omitempty"`    // instead of a condition
	Expect *int64 `json:"expect,omitempty"` // the number of rows to delete; if it is another one, none is deleted
}

// TableName is the body of a request of zone local: the name of a new table, or the new name of one.
type TableName struct {
	To string `json:"to"`
}

// ChangedTable is the reply to a request of zone local: a table and the number of rows that were copied
// or deleted, or that a renamed table has.
type ChangedTable struct {
	TableName string `json:"tableName" reply:"must"`
	Rows      int64  `json:"rows"`
}

// ImportJobResult is a part of ImportJob.
type ImportJobResult struct {
	Processed int64 `json:"processed"`

	// What became of the rows of the table, from zone local for an import that does not append; nil if it is not known.
	Inserted  *int64 `json:"inserted,omitempty"`
	Updated   *int64 `json:"updated,omitempty"`
	Unchanged *int64 `json:"unchanged,omitempty"`
	Deleted   *int64 `json:"deleted,omitempty"`
}
