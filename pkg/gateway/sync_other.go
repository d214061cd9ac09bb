//go:build !unix

package gateway

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
