package query

import (
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// refuseStatement rejects, without calling the gateway, a statement that changes something: no zone runs one [L]. Zone
// local rejects it itself, with a position.
func refuseStatement(e *cli.Env, sql string) error {
	if !e.MayDropRows() {
		return nil
	}
	return notAQuery(sql)
}

func notAQuery(sql string) error {
	kind := sqltext.Kind(sql)
	if kind == "" {
		return nil
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindInvalid),
		Msg: fmt.Sprintf("Statement type '%s' is not allowed; it was not sent", kind), Hint: cli.StatementHint(kind)}
}
