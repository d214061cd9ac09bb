package engine

import "context"

// Record is kept outside of the engine's directory. Its methods may be called concurrently.
type Record interface {
	HasData(ctx context.Context, project string) (bool, error)
	NoteData(ctx context.Context, project string) error
}

// Checker may be implemented by an Engine: it finds damage of the data of a project, and changes nothing.
type Checker interface {
	// Check opens the data of a project, and with rows reads all of them. Without rows, a project that another process
	// changes is not opened, because that process has opened it. With rows, it returns which of the results of Store
	// are not there.
	Check(ctx context.Context, id string, rows bool, results ...TableName) (missing []TableName, err error)
	// Look finds out, without opening anything, whether the data of a project can be complete.
	Look(ctx context.Context, id string) error
	// Users lists the other processes that have the data of a project open.
	Users(id string) ([]User, error)
}

// User is a process that has the data of a project open.
type User struct {
	Process string `json:"process"` // such as "pid 7 (dig)"
	PID     int    `json:"pid"`
	Changes bool   `json:"changes"` // it may change the data
	Stopped bool   `json:"stopped"` // by a signal, until it is continued
}
