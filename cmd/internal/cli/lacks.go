package cli

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

// lacks reports, once, what is missing from an answer: a catalog whose source is unreachable, or the columns of a saved
// query over it. stdout holds the answer as received. With --strict it is an error.
func (e *Env) lacks(o api.Omission) error {
	e.Run.Telling.Lock()
	defer e.Run.Telling.Unlock()
	if e.Run.Whole {
		return &Failure{Exit: ExitUntrusted, Code: "left-out", Msg: "--strict: the answer is incomplete, it lacks " + o.String()}
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
