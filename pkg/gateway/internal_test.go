package gateway

// Names in a data directory, for external tests.
const (
	LockName    = lockName
	ResetName   = resetName
	RemovedName = removedName
)
