package cmd

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

// lacks tells, once, what an answer was given without: a catalog whose source is away, the columns of a saved query over it. stdout holds
// the answer as it came. Under --strict there is none.
func (e *Env) lacks(o api.Omission) error {
	e.run.telling.Lock()
	defer e.run.telling.Unlock()
	if e.run.whole {
		return &failure{exit: exitUntrusted, code: "left-out", msg: "--strict: the answer is not whole, it lacks " + o.String()}
	}
	if e.run.lacked[o] {
		return nil
	}
	if e.run.lacked == nil {
		e.run.lacked = map[api.Omission]bool{}
	}
	e.run.lacked[o] = true
	fmt.Fprintf(e.Err, "note: the answer lacks %s\n", o)
	return nil
}
