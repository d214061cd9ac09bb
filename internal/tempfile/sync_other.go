//go:build !unix

package tempfile

// SyncDir does nothing: directories cannot be synced here.
func SyncDir(string) error { return nil }
