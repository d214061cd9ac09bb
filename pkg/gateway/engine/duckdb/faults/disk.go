package faults

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// NoSpace reports whether DuckDB failed to extend a file; its message is that of the system.
func NoSpace(msg string) bool {
	return strings.Contains(msg, "No space left on device") || strings.Contains(msg, "not enough space on the disk")
}

// DiskFull is the error for a full disk.
func DiskFull(err error) error {
	return &engine.Error{Kind: engine.KindFull, Message: "no space is left on the disk of the data directory", Err: err}
}
