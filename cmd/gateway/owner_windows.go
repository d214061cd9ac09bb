package gateway

import "os"

// ofAnother: the rights of a file keep other users out here, and its owner is not asked.
func ofAnother(os.FileInfo) bool { return false }
