package files

import (
	"context"
	"errors"
	"io/fs"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// FileError is an error while a file is read.
type FileError struct {
	File string // within the folder
	At   string // a place in it, such as ", line 3"
	Err  error
}

func (e *FileError) Error() string { return "file " + e.File + e.At + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// Is reports an error about the content of a file as engine.ErrContent.
func (e *FileError) Is(target error) bool {
	var path *fs.PathError
	return target == engine.ErrContent && !errors.As(e.Err, &path) && !errors.Is(e.Err, errChanged) &&
		!errors.Is(e.Err, context.Canceled) && !errors.Is(e.Err, context.DeadlineExceeded)
}

// errChanged is the error of a file that is not as it was when its columns were determined.
var errChanged = errors.New("the file has changed while it was read")
