package engine

import "context"

// Backer may be implemented by an Engine: it copies the data of projects as they are at one moment.
type Backer interface {
	// Hold keeps the data of a project as they are until Held.Resume: changes wait, statements that read do not. It
	// waits for changes that run, and for other processes as a change does (KindLocked).
	Hold(ctx context.Context, id string) (Held, error)
}

// Held are the data of a project at the moment of Hold.
type Held interface {
	// Resume lets others change the data. What Copy copies stays the same. Processes that do not share this engine wait
	// until Close.
	Resume()
	// Copy writes the data to a new file of mode 0600 on the same disk, compares it with them, and syncs it.
	Copy(ctx context.Context, path string) error
	Close()
}
