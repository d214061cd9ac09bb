package engine

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Statement is a query that is parsed and analysed, with all its names resolved.
type Statement struct {
	Text     string // as its author wrote it
	Query    *trinosql.Query
	Analysis *analyze.Analysis
	Params   []Param // the values of ?, by index
	Columns  []analyze.Column
	Origins  []TableName // the table that each column of the result is an unchanged copy of
	Simple   bool        // it nests deeply and joins nothing: it is planned faster without an optimizer

	Catalog, Schema, User string // the values of current_catalog and similar

	Relations map[*analyze.Table]*Relation // what the tables of the analysis stand for
	Divisions []trinosql.Pos               // whose divisor may be zero
	Casts     []Cast                       // that may fail
}

// Param is the value of a ?, or one that the text of the gateway itself has for it.
type Param struct {
	Type *types.Type
	Text string // of a varchar the value, of other types in the form of a literal of the type without its quotes
}

// Relation is a table of a statement. One of View, Base, Scan and Relay says what it stands for. All references to a
// name in a statement and in its saved queries share one Relation.
type Relation struct {
	Name  TableName // in the statement
	Shown TableName // for users
	Table *analyze.Table

	View  *Statement // a saved query
	Text  string     // of View
	Base  *BaseTable // a table that the engine reads by itself
	Scan  Scanner    // rows of a source, or of the gateway itself
	Relay Relay      // rows of another project

	Infos []ColumnInfo // the columns of Scan and Relay, in the order of Table
	// What all references together need of Scan and Relay.
	Filters []Filter
	Limit   int64 // -1: all
	Count   bool  // no column is used: the rows are only counted
}

// BaseTable is a table that an engine reads by itself.
type BaseTable struct {
	Name    TableName // as the engine stores it: Catalog is empty, or SampleCatalog
	Columns []analyze.TableColumn
	Private any // for the engine
}

// ErrOutdated is wrapped by the error of a statement that reads a table as it is no more.
var ErrOutdated = errors.New("a table has changed since the statement was analysed")

// ErrStored is wrapped by the error of Project.Store for a name that has rows.
var ErrStored = errors.New("rows are stored under this name")

// Named are the tables that the statement itself names.
func (x *Statement) Named() []*Relation {
	return slices.SortedFunc(maps.Values(x.Relations), byName)
}

func byName(a, b *Relation) int { return a.Name.Compare(b.Name) }

// Reads are the tables of the statement and of the saved queries in it.
func (x *Statement) Reads() []*Relation {
	all := map[*Relation]bool{}
	var add func(x *Statement)
	add = func(x *Statement) {
		for _, r := range x.Relations {
			if !all[r] && r.View != nil {
				add(r.View)
			}
			all[r] = true
		}
	}
	add(x)
	return slices.SortedFunc(maps.Keys(all), byName)
}

// InRelation is an error about a table of the statement: at its first reference, and for a saved query with its name.
func (x *Statement) InRelation(r *Relation, err error) error {
	if r.View != nil {
		err = InSaved(r.Name, err)
	}
	at := trinosql.Pos{}
	trinosql.Inspect(x.Query, func(n trinosql.Node) bool {
		if use := x.Analysis.Tables[n]; at.Line == 0 && use != nil && use.Table == r.Table {
			at = n.Pos()
		}
		return at.Line == 0
	})
	if at.Line == 0 {
		return err
	}
	return PlaceError(err, at)
}

// InSaved is an error in the text of a saved query, reported for the statement that names it.
func InSaved(n TableName, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Kind == KindCycle || e.Kind == KindTimeout {
		return e
	}
	return e.In(n, err)
}

// Placed gives an error a position, if it has none yet.
func Placed(at trinosql.Pos, e *Error) error {
	if e.Line == 0 && at.Line > 0 {
		e.Line, e.Col = at.Line, at.Col
	}
	return e
}

// PlaceError gives an error a position, if it has none yet. The error may have other users and is not changed.
func PlaceError(err error, at trinosql.Pos) error {
	var e *Error
	if !errors.As(err, &e) || e.Line != 0 {
		return err
	}
	placed := *e
	placed.Err = err
	return Placed(at, &placed)
}

// ErrNotSupported is wrapped by the error for what is valid in Trino and not supported by the engine.
var ErrNotSupported = errors.New("not supported on zone local")

// Fault converts an *analyze.Error to an error of the engine's contract.
func Fault(err error) error {
	var e *analyze.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := KindValue
	switch e.Kind {
	case "SYNTAX_ERROR":
		kind = KindSyntax
	case "COLUMN_NOT_FOUND":
		kind = KindUnknownColumn
	case "NOT_SUPPORTED":
		kind = KindUnsupported
	case "FUNCTION_NOT_FOUND":
		if !strings.HasPrefix(e.Msg, "Unexpected parameters") {
			kind = KindUnsupported
		}
	}
	out := &Error{Kind: kind, Message: e.Msg, Hint: e.Hint, Err: err}
	if e.Unsupported {
		out.Kind, out.Err = KindUnsupported, errors.Join(err, ErrNotSupported)
		out.Message += " is " + ErrNotSupported.Error()
	}
	return Placed(e.At, out)
}
