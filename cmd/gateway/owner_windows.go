package gateway

import "os"

// ofAnother returns false: on Windows the permissions of a file keep other users out, and its owner is not checked.
func ofAnother(os.FileInfo) bool { return false }

// openToOthers returns false for the same reason.
func openToOthers(os.FileInfo) bool { return false }
