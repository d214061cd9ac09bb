package api

import "encoding/json"

// CacheRequest asks for a cache of a table [O]. A schedule that is absent is none.
type CacheRequest struct {
	ID                       string         `json:"id,omitempty"` // in published examples; the gateway gives the id itself
	CatalogID                string         `json:"catalogId,omitempty"`
	SchemaName               string         `json:"schemaName,omitempty"`
	TableName                string         `json:"tableName,omitempty"`
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule,omitempty"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule,omitempty"`
	ChangeTracking           *CacheTracking `json:"changeTracking,omitempty"` // zone local only
}

// CacheTracking says how an incremental refresh of zone local finds what changed. Without a key all rows are read and compared as a
// whole; with a key they are read and compared by it. With a key and one of the other two only keys and changed rows are read.
type CacheTracking struct {
	KeyColumns      []string `json:"keyColumns"`           // together they tell rows apart and are never NULL
	UpdatedAtColumn string   `json:"updatedAtColumn"`      // every insertion and change raises it; "" for none
	InsertOnly      bool     `json:"insertOnly,omitempty"` // rows never change once they are there
}

// CacheSchedule is BASIC with an ISO 8601 duration such as PT1H, or NONE with none [O]. The hosted service takes a malformed
// duration and ignores it [L].
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

// CacheCreateStatus is the outcome of one item of a batch, in the order of the request.
type CacheCreateStatus struct {
	Success bool    `json:"success" reply:"must"`
	Error   *string `json:"error,omitempty"`
	Cache   *Cache  `json:"cache,omitempty"` // nil when it failed
}

// CacheStatus is the state of a cache. Each slot holds the last run of its kind for ever; the one with the newer createdAt is
// current [L]. Logs are absent from lists.
type CacheStatus struct {
	ID                            string              `json:"id" reply:"must"`
	Status                        string              `json:"status"` // RUNNING, CANCELLED, FAILED, COMPLETED, DELETED, NOT_INITIALIZED
	CatalogID                     string              `json:"catalogId"`
	SchemaName                    string              `json:"schemaName"`
	TableName                     string              `json:"tableName"`
	LastIncrementalCacheExecution *CacheExecutionInfo `json:"lastIncrementalCacheExecution"`
	LastFullRefreshCacheExecution *CacheExecutionInfo `json:"lastFullRefreshCacheExecution"`
	CacheActionLogs               []CacheActionLog    `json:"cacheActionLogs,omitzero"`
	RefreshedAt                   *string             `json:"refreshedAt,omitempty"` // of zone local: start of the run whose rows are read
	ProjectID                     string              `json:"projectId"`
}

// Newest is the current run: that of the two slots which began last; nil when there was none.
func (s CacheStatus) Newest() *CacheExecutionInfo {
	a, b := s.LastIncrementalCacheExecution, s.LastFullRefreshCacheExecution
	if a == nil || b != nil && b.CreatedAt > a.CreatedAt {
		return b
	}
	return a
}

// Refreshed is the start of the refresh whose rows are read, as far as it is known: the hosted zones tell of the last run of each
// kind only, so that it is "" when neither has completed.
func (s CacheStatus) Refreshed() string {
	at := ""
	if s.RefreshedAt != nil {
		return *s.RefreshedAt
	}
	for _, run := range []*CacheExecutionInfo{s.LastIncrementalCacheExecution, s.LastFullRefreshCacheExecution} {
		if run != nil && run.Status == "COMPLETED" {
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
	Error         map[string]json.RawMessage `json:"error"`         // of zone local: {"message": text}
	Progress      *CacheExecutionProgress    `json:"progress"`
	CreatedAt     string                     `json:"createdAt"`
	UpdatedAt     string                     `json:"updatedAt"`
	FinishedAt    *string                    `json:"finishedAt"`
}

// CacheExecutionProgress counts rows. On the hosted service the updated and deleted counters are not reliable [L]; on zone local
// an incremental run counts what differs from the rows before it, and a full one every row as replaced.
type CacheExecutionProgress struct {
	NumberOfCachedRecords   int64   `json:"numberOfCachedRecords"`
	NumberOfInsertedRecords int64   `json:"numberOfInsertedRecords"`
	NumberOfUpdatedRecords  int64   `json:"numberOfUpdatedRecords"`
	NumberOfDeletedRecords  int64   `json:"numberOfDeletedRecords"`
	LastOffset              *string `json:"lastOffset"`
	LastCacheTxID           *string `json:"lastCacheTxId"`
}

// CacheActionLog is something that happened to a cache.
type CacheActionLog struct {
	Timestamp   string `json:"timestamp"`
	Action      string `json:"action"`
	Message     string `json:"message"`
	CacheType   string `json:"cacheType"`
	IsScheduled bool   `json:"isScheduled"`
}

// CacheScheduleUpdate changes schedules. The documents disagree on whether an absent one is kept or wiped on the hosted service:
// send both [O][M]. Zone local keeps it.
type CacheScheduleUpdate struct {
	IncrementalCacheSchedule *CacheSchedule `json:"incrementalCacheSchedule,omitempty"`
	FullRefreshCacheSchedule *CacheSchedule `json:"fullRefreshCacheSchedule,omitempty"`
	ChangeTracking           *CacheTracking `json:"changeTracking,omitempty"` // zone local only
}
