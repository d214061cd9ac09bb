package faults

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// NoSpace reports whether DuckDB failed to extend a file; its message is that of the system.
func NoSpace(msg string) bool {
	return strings.Contains(msg, "No space left on device") || strings.Contains(msg, "not enough space on the disk")
}

// Opening is an error of opening the data of a project.
func Opening(err error) error {
	var d *Error
	switch {
	case !errors.As(err, &d):
	case NoSpace(d.Message):
		return DiskFull(err)
	case d.Type == "Out of Memory":
		return &engine.Error{Kind: engine.KindLimit, Message: "opening the data of the project: " + d.Message, Err: err,
			Hint: "raise the limit of memory (`ulimit -v`, or that of the container)"}
	}
	return fmt.Errorf("opening the data of the project: %w", err)
}

// DiskFull is the error for a full disk.
func DiskFull(err error) error {
	return &engine.Error{Kind: engine.KindFull, Message: "no space is left on the disk of the data directory", Err: err}
}
