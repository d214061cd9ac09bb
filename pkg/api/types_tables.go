package api

// ColumnRequest is the body of a request.
type ColumnRequest struct {
	Name         string  `json:"name,omitempty"`
	DataType     string  `json:"dataType,omitempty"` // VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE, UUID
	DisplayName  string  `json:"displayName,omitempty"`
	DefaultValue *string `json:"defaultValue,omitempty"`
	IsNotNull    *bool   `json:"isNotNull,omitempty"`
	IsUnique     *bool   `json:"isUnique,omitempty"`
	Desc         *string `json:"desc,omitempty"`
}

// ImportJob is an object of the API.
type ImportJob struct {
	ID        string          `json:"id"`
	Status    string          `json:"status" reply:"must"` // COMPLETED
	StartTime int64           `json:"startTime"`
	EndTime   int64           `json:"endTime"`
	Progress  int64           `json:"progress"`
	Result    ImportJobResult `json:"result"`
}

// ImportJobResult is a part of ImportJob.
type ImportJobResult struct {
	Processed int64 `json:"processed"`
}
