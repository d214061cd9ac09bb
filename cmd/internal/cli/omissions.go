package cli

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

// lacks prints one note for each part that is missing from an answer: a catalog whose source is unreachable, or the
// columns of a saved query over it. The answer on stdout is printed as received. If Refuse is set, it is called
// instead.
func (e *Env) lacks(o api.Omission) error {
	e.Run.said.Lock()
	defer e.Run.said.Unlock()
	if e.Run.Refuse != nil {
		return e.Run.Refuse(o)
	}
	if e.Run.said.lacked[o] {
		return nil
	}
	if e.Run.said.lacked == nil {
		e.Run.said.lacked = map[api.Omission]bool{}
	}
	e.Run.said.lacked[o] = true
	fmt.Fprintf(e.Err, "note: the answer lacks %s\n", o)
	return nil
}
