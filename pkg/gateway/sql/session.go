// Package sql reads statements of Trino's language for every engine: it parses and analyses them, resolves their names, and implements
// SHOW, EXPLAIN and the tables of information_schema. It knows nothing of how an engine runs a Statement.
package sql

import (
	"context"
	"maps"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// Store is the engine as the analysis of one statement sees it: the tables that the engine keeps, and what it can do.
type Store interface {
	// StoredAs is the name under which an internal table is stored. A table that does not exist is KindUnknownTable.
	StoredAs(ctx context.Context, schema, table string) (string, error)
	// Stored returns the columns of a stored table: an internal one or the result of Materialize. n is its name in the statement.
	Stored(ctx context.Context, n engine.TableName, schema, table string) ([]analyze.TableColumn, error)
	// Sample returns the columns of a table of the built-in catalog.
	Sample(ctx context.Context, table string) ([]analyze.TableColumn, error)
	// Relayed returns a table of another project and the Scanner that reads it.
	Relayed(ctx context.Context, n engine.TableName, src engine.Relay) (*analyze.Table, engine.Scanner, error)
	// OwnTables names the internal tables.
	OwnTables(ctx context.Context) ([]engine.TableName, error)
	// Plan is the engine's plan of a statement. No rows are read.
	Plan(ctx context.Context, x *Statement) (*plan.Node, error)
	// Has reports whether the engine can call a function.
	Has(f *functions.Function) bool
}

// allCatalogs stands for the catalog in the name of a table of information_schema that was written without one.
const allCatalogs = "*"

// Session reads the statements of one request.
type Session struct {
	Query    engine.Query
	defaults engine.TableName // the default catalog and schema
	store    Store

	relations map[engine.TableName]*Relation // by the names of all texts of the statement
	absent    map[engine.TableName]error     // errors of names that do not exist
	chain     []engine.TableName             // saved queries being expanded
	weight    int                            // the number of saved queries that the current text expands to
	untyped   bool                           // the current text was written by the gateway, with untyped values
	describes bool                           // only the columns of the result are wanted: nothing is collected or planned
}

// NewSession starts to read a request.
func NewSession(q engine.Query, defaults engine.TableName, store Store) *Session {
	if q.Catalogs == nil {
		q.Catalogs = engine.NoCatalogs{}
	}
	return &Session{Query: q, defaults: defaults, store: store, untyped: q.Untyped,
		relations: map[engine.TableName]*Relation{}, absent: map[engine.TableName]error{}}
}

// Forget clears the resolved names.
func (s *Session) Forget() {
	clear(s.relations)
	clear(s.absent)
}

// Relations are the tables of the statement and of the saved queries in it, by name.
func (s *Session) Relations() []*Relation {
	return slices.SortedFunc(maps.Values(s.relations), func(a, b *Relation) int { return a.Name.Compare(b.Name) })
}

// bindings are the parameter values of the current text: a saved query has none.
func (s *Session) bindings() []string {
	if len(s.chain) > 0 {
		return nil
	}
	return s.Query.Bindings
}
