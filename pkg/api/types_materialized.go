package api

// MaterializedQueryStatus is a record of the service.
type MaterializedQueryStatus struct {
	QueryID                string                     `json:"queryId"`
	QueryName              string                     `json:"queryName"`
	ScheduleSettings       *MaterializedQuerySchedule `json:"scheduleSettings"`
	NextExecutionStartTime *string                    `json:"nextExecutionStartTime"`
	Status                 string                     `json:"status"` // COMPLETED, RUNNING, FAILED, CANCELED
	LastExecutionStartTime *string                    `json:"lastExecutionStartTime"`
	LastUpdateTime         *string                    `json:"lastUpdateTime"`
}
