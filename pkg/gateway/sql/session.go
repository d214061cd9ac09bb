// Package sql reads statements of Trino's language for every engine: it parses and analyses them, resolves their names,
// and implements SHOW, EXPLAIN and the tables of information_schema. It knows nothing of how an engine runs a
// Statement.
package sql

import "github.com/dig-cli/dig/pkg/gateway/engine"

// allCatalogs stands for the catalog in the name of a table of information_schema that was written without one.
const allCatalogs = "*"

// session reads the statements of one request.
type session struct {
	Query  Query
	engine engine.Project

	relations map[engine.TableName]*relation // by the names of all texts of the statement
	absent    map[engine.TableName]error     // errors of names that do not exist
	chain     []engine.TableName             // saved queries being expanded
	weight    int                            // the number of saved queries that the current text expands to
	untyped   bool                           // the current text was written by the gateway, with untyped values
	// only the columns of the result are wanted: nothing is collected or planned
	describes bool
	// columns of sources may be guessed; those that are
	guesses bool
	guessed []engine.Guesser
}

// newSession starts to read a request.
func newSession(q Query, p engine.Project) *session {
	if q.Catalogs == nil {
		q.Catalogs = Own{}
	}
	if q.Defaults == (engine.TableName{}) {
		q.Defaults = engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaTable}
	}
	return &session{Query: q, engine: p, untyped: q.Untyped,
		relations: map[engine.TableName]*relation{}, absent: map[engine.TableName]error{}}
}

// bindings are the parameter values of the current text: a saved query has none.
func (s *session) bindings() []string {
	if len(s.chain) > 0 {
		return nil
	}
	return s.Query.Bindings
}
