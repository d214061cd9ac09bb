//go:build !unix

package output

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
