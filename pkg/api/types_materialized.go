package api

// MaterializedQueryStatus tells of the latest refresh. A query that never ran is COMPLETED with null times; after a refresh was
// asked for, the state before it is served until the run begins, so that only a new lastExecutionStartTime proves a new run [L].
type MaterializedQueryStatus struct {
	QueryID                string                     `json:"queryId" reply:"must"`
	QueryName              string                     `json:"queryName"`
	ScheduleSettings       *MaterializedQuerySchedule `json:"scheduleSettings"`
	NextExecutionStartTime *string                    `json:"nextExecutionStartTime"`
	Status                 string                     `json:"status"` // COMPLETED, RUNNING, FAILED, CANCELED
	LastExecutionStartTime *string                    `json:"lastExecutionStartTime"`
	LastUpdateTime         *string                    `json:"lastUpdateTime"`
	Error                  *string                    `json:"error,omitempty"`       // why the latest run failed; zone local only
	RefreshedAt            *string                    `json:"refreshedAt,omitempty"` // of zone local: start of the run whose rows are stored
}

// Refreshed is the start of the run whose rows are stored, as far as it is known: the hosted zones tell of the latest run only, so
// that it is "" when that did not complete.
func (s MaterializedQueryStatus) Refreshed() string {
	switch {
	case s.RefreshedAt != nil:
		return *s.RefreshedAt
	case s.Status == "COMPLETED" && s.LastExecutionStartTime != nil:
		return *s.LastExecutionStartTime
	}
	return ""
}
