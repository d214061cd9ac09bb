package cli

import (
	"errors"
	"fmt"
)

// Ended is a process that has said why it failed and did so with this code.
type Ended int

func (c Ended) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const exitDifferent = 1 // of query diff, after diff(1)

// ErrDifferent is an exit code without a message: what differs was printed.
var ErrDifferent = errors.New("the results differ")
