package cmd

import (
	"fmt"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// refuseStatement refuses, without asking the gateway, a statement that changes something: no zone runs one [L]. Zone local says so
// itself, and where.
func (e *Env) refuseStatement(sql string) error {
	if !e.guarded() {
		return nil
	}
	return notAQuery(sql)
}

func notAQuery(sql string) error {
	kind := sqltext.Kind(sql)
	if kind == "" {
		return nil
	}
	f := &failure{exit: exitFailed, code: string(api.KindInvalid), msg: fmt.Sprintf("Statement type '%s' is not allowed; it was not sent", kind)}
	if f.hint = statementHint(kind); f.hint == "" {
		f.hint = "only SELECT runs"
	}
	return f
}
