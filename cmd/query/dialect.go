package query

import (
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// Dialects of statements.
const (
	dialectTrino = "trino"
	dialectDuck  = "duckdb"
)

func dialectFlag(e *cli.Env, c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "dialect", dialectTrino, "dialect of the statement: trino, or on zone local duckdb, the engine's own")
	e.Fixed(c, "dialect", dialectTrino, dialectDuck)
}

// checkDialect rejects unknown dialects and, before anything is sent, those the zone does not support. text means that
// the user gave a statement: saved queries and query-builder objects are always Trino SQL.
func checkDialect(e *cli.Env, dialect string, text bool) error {
	switch {
	case dialect == dialectTrino || dialect == "":
		return nil
	case dialect != dialectDuck:
		return cli.Usagef("--dialect: %q is not one of trino, duckdb", dialect)
	case !text:
		return cli.Usagef("--dialect duckdb needs a statement: saved queries and query-builder objects are Trino SQL")
	}
	return e.OnlyLocal("--dialect duckdb")
}

// offsetHint adds a hint on OFFSET after LIMIT, the most common difference between Trino SQL and other dialects. known
// is the hint so far.
func offsetHint(e *cli.Env, known string) string {
	if known == "" {
		known = "Trino's order is OFFSET m LIMIT n"
	}
	if e.Local() {
		return fmt.Sprintf("%s; --dialect %s accepts LIMIT n OFFSET m, on zone local only", known, dialectDuck)
	}
	return known
}
