package api

// States of caches and their refreshes, runs of materialized queries, imports and exports, as the API spells them.
// Clients must expect others.
const (
	StatePending   = "PENDING"
	StateRunning   = "RUNNING"
	StateCompleted = "COMPLETED" // of refreshes, runs and imports
	StateSucceeded = "SUCCEEDED" // of exports
	StateFailed    = "FAILED"
	StateCancelled = "CANCELLED"
	StateCanceled  = "CANCELED" // of runs of materialized queries
	StateExpired   = "EXPIRED"  // of exports
	StateDeleted   = "DELETED"  // of caches
)
