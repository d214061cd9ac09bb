//go:build cgo && !linux

package instance

import (
	"errors"
	"os"
)

// Link is for Linux, whose files have names while they are open.
func (in *Instance) Link(*os.File) (string, error) { return "", errors.ErrUnsupported }
