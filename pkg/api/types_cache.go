package api

import "encoding/json"

// CacheRequest is the body of a request.
type CacheRequest struct {
	CatalogID                string         `json:"catalogId,omitempty"`
	SchemaName               string         `json:"schemaName,omitempty"`
	TableName                string         `json:"tableName,omitempty"`
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule,omitempty"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule,omitempty"`
}

// CacheSchedule is a record of the service.
type CacheSchedule struct {
	Type       string  `json:"type"` // BASIC, NONE
	Expression *string `json:"expression"`
}

// Cache is a record of the service.
type Cache struct {
	ID                       string         `json:"id"`
	CatalogID                string         `json:"catalogId"`
	SchemaName               string         `json:"schemaName"`
	TableName                string         `json:"tableName"`
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule"`
	ProjectID                string         `json:"projectId"`
}

// CacheCreateStatus is what became of one request of a batch: with success the cache, otherwise the error [O].
type CacheCreateStatus struct {
	Success bool    `json:"success"`
	Error   *string `json:"error,omitempty"`
	Cache   *Cache  `json:"cache,omitempty"`
}

// CacheStatus is a record of the service.
type CacheStatus struct {
	ID                            string              `json:"id"`
	Status                        string              `json:"status"` // RUNNING, CANCELLED, FAILED, COMPLETED, DELETED, NOT_INITIALIZED
	CatalogID                     string              `json:"catalogId"`
	SchemaName                    string              `json:"schemaName"`
	TableName                     string              `json:"tableName"`
	LastIncrementalCacheExecution *CacheExecutionInfo `json:"lastIncrementalCacheExecution"`
	LastFullRefreshCacheExecution *CacheExecutionInfo `json:"lastFullRefreshCacheExecution"`
	CacheActionLogs               []CacheActionLog    `json:"cacheActionLogs"`
	ProjectID                     string              `json:"projectId"`
}

// CacheExecutionInfo is a record of the service.
type CacheExecutionInfo struct {
	ID            string                     `json:"id"`
	ExecutionMode string                     `json:"executionMode"` // FULL_REFRESH, INCREMENTAL
	Status        string                     `json:"status"`        // RUNNING, COMPLETED, FAILED, CANCELLED
	Error         map[string]json.RawMessage `json:"error"`
	Progress      *CacheExecutionProgress    `json:"progress"`
	CreatedAt     string                     `json:"createdAt"`
	UpdatedAt     string                     `json:"updatedAt"`
	FinishedAt    *string                    `json:"finishedAt"`
}

// CacheExecutionProgress is a record of the service.
type CacheExecutionProgress struct {
	NumberOfCachedRecords   int64   `json:"numberOfCachedRecords"`
	NumberOfInsertedRecords int64   `json:"numberOfInsertedRecords"`
	NumberOfUpdatedRecords  int64   `json:"numberOfUpdatedRecords"`
	NumberOfDeletedRecords  int64   `json:"numberOfDeletedRecords"`
	LastOffset              *string `json:"lastOffset"`
	LastCacheTxID           *string `json:"lastCacheTxId"`
}

// CacheActionLog is a record of the service.
type CacheActionLog struct {
	Timestamp   string `json:"timestamp"`
	Action      string `json:"action"`
	Message     string `json:"message"`
	CacheType   string `json:"cacheType"`
	IsScheduled bool   `json:"isScheduled"`
}

// CacheScheduleUpdate is the body of a request.
type CacheScheduleUpdate struct {
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule,omitempty"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule,omitempty"`
}
