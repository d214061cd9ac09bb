package cli

import (
	"errors"
	"fmt"
)

// Ended is the error of a process that has printed its own error message and exited with this code.
type Ended int

func (c Ended) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const exitDifferent = 1 // of query diff, after diff(1)

// ErrDifferent is an exit code without a message: the differences were printed.
var ErrDifferent = errors.New("the results differ")
