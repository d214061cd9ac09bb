package faults

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql/missing"
)

var (
	missingColumn = late.Regexp(`(?i)(?:column|Referenced column|Values list "[^"]*" does not have a column named) "([^"]+)"`)
	missingTable  = late.Regexp(`(?i)Table with name "?([^" ]+?)"? does not exist`)
)

// Statement is the text in which an error was found.
type Statement interface {
	// Place returns the line and column, in the text of the user, of an offset in the text that ran.
	Place(pos int) (line, col int)
	// Written returns the dotted name at an offset of the text that ran, or the given name.
	Written(pos int, name string) string
	// Ambiguous reports whether a name in lower case refers to more than one column.
	Ambiguous(name string) bool
}

// Explain converts an error of DuckDB to one of the contract, with the service's message where it is known [O].
func (d *Error) Explain(t Statement, err error) error {
	e := &engine.Error{Kind: engine.KindInternal, Message: d.Message, Err: err}
	if d.Pos >= 0 {
		e.Line, e.Col = t.Place(d.Pos)
	}
	switch d.Type {
	case "Parser", "Syntax":
		e.Kind = engine.KindSyntax
	case "Binder", "Catalog", "Planner", "Expression":
		binder(d, e, t)
	case "Conversion", "Out of Range", "Mismatch Type", "Divide by Zero", "Decimal", "Invalid type":
		e.Kind = engine.KindValue
	case "Invalid Input", "Invalid Configuration":
		e.Kind = engine.KindValue
	case "Constraint":
		e.Kind = engine.KindConstraint
	case "Out of Memory", "Object Size":
		e.Kind = engine.KindLimit
	case "IO":
		e.Kind = engine.KindInternal
		switch {
		case NoSpace(d.Message):
			return DiskFull(err)
		case strings.HasPrefix(d.Message, noTempRoom):
			e.Kind = engine.KindLimit
		}
	case "Parameter Not Resolved", "Parameter Not Allowed":
		e.Kind = engine.KindBinding
	case "Not implemented":
		e.Kind = engine.KindUnsupported
	}
	if strings.HasPrefix(d.Message, "failed to allocate") || strings.HasPrefix(d.Message, "could not allocate") {
		e.Kind = engine.KindLimit
	}
	e.Message = naming.HideStore(e.Message)
	return e
}

// binder classifies errors of names and types.
func binder(d *Error, e *engine.Error, t Statement) {
	e.Kind = engine.KindValue // a wrong type of argument, a misplaced aggregate
	switch {
	case d.Subtype == "COLUMN_NOT_FOUND" || strings.Contains(d.Message, "not found in FROM clause"):
		e.Kind = engine.KindUnknownColumn
		name := d.Name
		if m := missingColumn().FindStringSubmatch(d.Message); name == "" && m != nil {
			name = m[1]
		}
		if name != "" {
			e.Message = "Column '" + t.Written(d.Pos, name) + "' cannot be resolved"
		}
		if name = t.Written(d.Pos, name); t.Ambiguous(strings.ToLower(name)) {
			e.Kind, e.Message = engine.KindValue, "Column '"+name+"' is ambiguous"
		}
	case strings.HasPrefix(d.Message, "Referenced table"), strings.Contains(d.Message, "does not have a column named"):
		e.Kind = engine.KindUnknownColumn
		name := d.Name
		if m := missingColumn().FindStringSubmatch(d.Message); m != nil {
			name = m[1]
		}
		e.Message = "Column '" + t.Written(d.Pos, name) + "' cannot be resolved"
	case missingTable().MatchString(d.Message):
		e.Kind = engine.KindUnknownTable
		e.Message = missing.Table(strings.Split(missingTable().FindStringSubmatch(d.Message)[1], ".")...)
	case strings.Contains(d.Message, "does not exist!") && strings.Contains(d.Message, "Function"):
		e.Kind = engine.KindUnsupported
	}
}
