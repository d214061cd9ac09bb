package api

// MaterializedQueryStatus describes the latest refresh. A query that never ran is COMPLETED with null times; after a
// refresh was requested, the previous state is returned until the run starts, so that only a new lastExecutionStartTime
// proves a new run [L].
type MaterializedQueryStatus struct {
	QueryID                string                     `json:"queryId" reply:"must"`
	QueryName              string                     `json:"queryName"`
	ScheduleSettings       *MaterializedQuerySchedule `json:"scheduleSettings"`
	NextExecutionStartTime *string                    `json:"nextExecutionStartTime"`
	Status                 string                     `json:"status"` // COMPLETED, RUNNING, FAILED, CANCELED
	LastExecutionStartTime *string                    `json:"lastExecutionStartTime"`
	LastUpdateTime         *string                    `json:"lastUpdateTime"`
	// why the latest run failed; zone local only
	Error *string `json:"error,omitempty"`
	// zone local only: start of the run that stored the current rows
	RefreshedAt *string `json:"refreshedAt,omitempty"`
	// zone local only: number of the current rows
	RowCount *int64 `json:"rowCount,omitempty"`
}

// Refreshed returns the start of the run that stored the current rows, if known: the hosted zones report only the
// latest run, so it is "" if that did not complete.
func (s MaterializedQueryStatus) Refreshed() string {
	switch {
	case s.RefreshedAt != nil:
		return *s.RefreshedAt
	case s.Status == StateCompleted && s.LastExecutionStartTime != nil:
		return *s.LastExecutionStartTime
	}
	return ""
}
