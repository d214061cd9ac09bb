//go:build !(linux || darwin)

package tempfile

// FreeSpace is unknown on this system.
func FreeSpace(string) (int64, bool) { return 0, false }
