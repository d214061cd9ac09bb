package cli

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

// lacks prints one note for each part that is missing from an answer: a catalog whose source is unreachable, or the
// columns of a saved query over it. The answer on stdout is printed as received. If Refuse is set, it is called
// instead.
func (e *Env) lacks(o api.Omission) error {
	e.Run.OutputLock.Lock()
	defer e.Run.OutputLock.Unlock()
	if e.Run.Refuse != nil {
		return e.Run.Refuse(o)
	}
	if e.Run.lacked[o] {
		return nil
	}
	if e.Run.lacked == nil {
		e.Run.lacked = map[api.Omission]bool{}
	}
	e.Run.lacked[o] = true
	fmt.Fprintf(e.Err, "note: the answer lacks %s\n", o)
	return nil
}
