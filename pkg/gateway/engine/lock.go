package engine

import "context"

// Lock is a lock of a name, which all processes over the same rows share.
type Lock struct {
	Context context.Context // ends before another process can have the lock
	// Note records the id of a statement that is about to run: whoever takes the lock over ends it first. It fails if
	// another process may have the lock.
	Note   func(statement string) error
	Unlock func()
}

// Orphans may be implemented by an Engine whose statements continue without the process that has started them.
type Orphans interface {
	// EndStatement ends the statement of an id of Lock.Note, and waits until it has ended.
	EndStatement(ctx context.Context, id string) error
}
