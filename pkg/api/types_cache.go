package api

import "encoding/json"

// CacheRequest requests a cache of a table [O]. An absent schedule means none.
type CacheRequest struct {
	// in published examples; the gateway assigns the id itself
	ID                       string         `json:"id,omitempty"`
	CatalogID                string         `json:"catalogId,omitempty"`
	SchemaName               string         `json:"schemaName,omitempty"`
	TableName                string         `json:"tableName,omitempty"`
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule,omitempty"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule,omitempty"`
	ChangeTracking           *CacheTracking `json:"changeTracking,omitempty"` // zone local only
}

// CacheTracking configures how an incremental refresh of zone local detects changes. Without a key all rows are read
// and compared as a whole; with a key they are read and compared by it. With a key and one of the other two only keys
// and changed rows are read.
type CacheTracking struct {
	KeyColumns      []string `json:"keyColumns"`           // together they identify a row and are never NULL
	UpdatedAtColumn string   `json:"updatedAtColumn"`      // increases with every insert and update; "" for none
	InsertOnly      bool     `json:"insertOnly,omitempty"` // rows never change once they exist
}

// CacheSchedule is BASIC with an ISO 8601 duration such as PT1H, or NONE without one [O]. The hosted service accepts a
// malformed duration and ignores it [L].
type CacheSchedule struct {
	Type       string  `json:"type"` // BASIC, NONE
	Expression *string `json:"expression"`
}

// Cache is the settings of a cache.
type Cache struct {
	ID                       string         `json:"id" reply:"must"`
	CatalogID                string         `json:"catalogId"`
	SchemaName               string         `json:"schemaName"`
	TableName                string         `json:"tableName"`
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule"`
	ChangeTracking           *CacheTracking `json:"changeTracking,omitempty"` // zone local only
	ProjectID                string         `json:"projectId"`
}

// CacheCreateStatus is the result for one item of a batch, in the order of the request.
type CacheCreateStatus struct {
	Success bool    `json:"success" reply:"must"`
	Error   *string `json:"error,omitempty"`
	Cache   *Cache  `json:"cache,omitempty"` // nil when it failed
}

// CacheStatus is the state of a cache. Each slot keeps the last run of its kind permanently; the one with the newer
// createdAt is current [L]. Logs are absent from lists.
type CacheStatus struct {
	ID string `json:"id" reply:"must"`
	// RUNNING, CANCELLED, FAILED, COMPLETED, DELETED, NOT_INITIALIZED
	Status                        string              `json:"status"`
	CatalogID                     string              `json:"catalogId"`
	SchemaName                    string              `json:"schemaName"`
	TableName                     string              `json:"tableName"`
	LastIncrementalCacheExecution *CacheExecutionInfo `json:"lastIncrementalCacheExecution"`
	LastFullRefreshCacheExecution *CacheExecutionInfo `json:"lastFullRefreshCacheExecution"`
	CacheActionLogs               []CacheActionLog    `json:"cacheActionLogs,omitzero"`
	// zone local only: start of the run that stored the current rows
	RefreshedAt *string `json:"refreshedAt,omitempty"`
	// zone local only: when the next scheduled refresh is due
	NextRefreshTime *string `json:"nextRefreshTime,omitempty"`
	ProjectID       string  `json:"projectId"`
}

// Newest returns the current run: that of the slot which started last; nil if there was none.
func (s CacheStatus) Newest() *CacheExecutionInfo {
	a, b := s.LastIncrementalCacheExecution, s.LastFullRefreshCacheExecution
	if a == nil || b != nil && b.CreatedAt > a.CreatedAt {
		return b
	}
	return a
}

// Refreshed returns the start of the refresh that stored the current rows, if known: the hosted zones report only the
// last run of each kind, so it is "" if neither has completed.
func (s CacheStatus) Refreshed() string {
	at := ""
	if s.RefreshedAt != nil {
		return *s.RefreshedAt
	}
	for _, run := range []*CacheExecutionInfo{s.LastIncrementalCacheExecution, s.LastFullRefreshCacheExecution} {
		if run != nil && run.Status == StateCompleted {
			at = max(at, run.CreatedAt)
		}
	}
	return at
}

// CacheExecutionInfo is one run of a refresh.
type CacheExecutionInfo struct {
	ID            string                     `json:"id" reply:"must"`
	ExecutionMode string                     `json:"executionMode"` // FULL_REFRESH, INCREMENTAL
	Status        string                     `json:"status"`        // RUNNING, COMPLETED, FAILED, CANCELLED
	Error         map[string]json.RawMessage `json:"error"`         // zone local only: {"message": text}
	Progress      *CacheExecutionProgress    `json:"progress"`
	CreatedAt     string                     `json:"createdAt"`
	UpdatedAt     string                     `json:"updatedAt"`
	FinishedAt    *string                    `json:"finishedAt"`
}

// CacheExecutionProgress counts rows. On the hosted service the counters of updated and deleted rows are not reliable
// [L]; on zone local an incremental run counts the differences from the previous rows, and a full run counts every row
// as replaced.
type CacheExecutionProgress struct {
	NumberOfCachedRecords   int64   `json:"numberOfCachedRecords"`
	NumberOfInsertedRecords int64   `json:"numberOfInsertedRecords"`
	NumberOfUpdatedRecords  int64   `json:"numberOfUpdatedRecords"`
	NumberOfDeletedRecords  int64   `json:"numberOfDeletedRecords"`
	LastOffset              *string `json:"lastOffset"`
	LastCacheTxID           *string `json:"lastCacheTxId"`
}

// CacheActionLog is an entry of a cache's log.
type CacheActionLog struct {
	Timestamp   string `json:"timestamp"`
	Action      string `json:"action"`
	Message     string `json:"message"`
	CacheType   string `json:"cacheType"`
	IsScheduled bool   `json:"isScheduled"`
}

// CacheScheduleUpdate changes schedules. The documents disagree on whether an absent one is kept or removed on the
// hosted service: send both [O][M]. Zone local keeps it.
type CacheScheduleUpdate struct {
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule,omitempty"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule,omitempty"`
	ChangeTracking           *CacheTracking `json:"changeTracking,omitempty"` // zone local only
}
