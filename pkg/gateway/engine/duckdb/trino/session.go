// Package trino translates statements of Trino's dialect to DuckDB's: it resolves names, analyses and translates them, and
// implements SHOW, EXPLAIN and the tables of information_schema.
package trino

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
)

// Store is the interface of a translation to the connection of its statement.
type Store interface {
	// StoredAs is the name under which an internal table is stored.
	StoredAs(ctx context.Context, schema, table string) (string, error)
	// Kept is a table of the project's own file.
	Kept(ctx context.Context, n engine.TableName, schema, table string) (*Used, error)
	// Sampled is a table of the built-in catalog.
	Sampled(ctx context.Context, n engine.TableName, body string) (*Used, error)
	// Relayed is a table of another project.
	Relayed(ctx context.Context, n engine.TableName, src engine.Relay) (*Used, error)
	// OwnTables names the internal tables.
	OwnTables(ctx context.Context) ([]engine.TableName, error)
	// Columns returns the names and types of a table's columns.
	Columns(ctx context.Context, n engine.TableName) ([]engine.ColumnInfo, error)
	// AddScan registers the rows of a source under a name.
	AddScan(ctx context.Context, n engine.TableName, src engine.Scanner, cols []engine.ColumnInfo, want narrow.Narrowing) error
	// Widen relaxes the restrictions on a source for one more reference to it.
	Widen(n engine.TableName, want narrow.Narrowing)
	// Plan is DuckDB's plan of a text, as JSON.
	Plan(ctx context.Context, sql string) (string, error)
	// PlanScan is the table of a step that reads external rows, and the names of its columns.
	PlanScan(function string, columns []string) (plan.Table, []string)
}

// Session translates the statements of one request.
type Session struct {
	Q        engine.Query
	defaults engine.TableName // the default catalog and schema
	Store    Store

	uses    map[engine.TableName]*Used // what the names of statements in Trino's dialect resolve to
	Absent  map[engine.TableName]error // errors of names that do not exist
	Chain   []engine.TableName         // saved queries being expanded
	Weight  int                        // the number of saved queries that the current text expands to
	Untyped bool                       // the current text was written by the gateway, with untyped values
}

// NewSession starts the translation of a request.
func NewSession(q engine.Query, defaults engine.TableName) Session {
	return Session{Q: q, defaults: defaults, Untyped: q.Untyped, uses: map[engine.TableName]*Used{}, Absent: map[engine.TableName]error{}}
}

// Forget clears the resolved names.
func (s *Session) Forget() {
	clear(s.uses)
	clear(s.Absent)
}

// BoundHere are the parameter values of the current text: a saved query has none.
func (s *Session) BoundHere() []string {
	if len(s.Chain) > 0 {
		return nil
	}
	return s.Q.Bindings
}
