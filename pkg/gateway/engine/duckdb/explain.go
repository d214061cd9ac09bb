//go:build cgo

package duckdb

import (
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

var (
	missingColumn = late.Regexp(`(?i)(?:column|Referenced column|Values list "[^"]*" does not have a column named) "([^"]+)"`)
	missingTable  = late.Regexp(`(?i)Table with name "?([^" ]+?)"? does not exist`)
)

// explain converts an error of DuckDB to one of the contract, with the service's message where it is known [O].
func (t *translation) explain(err error) error {
	if t.trino != nil {
		return t.explainTranslated(err)
	}
	var d *duckError
	if !errors.As(err, &d) {
		return t.place(err)
	}
	e := &engine.Error{Kind: engine.KindInternal, Message: d.Message, Err: err}
	if d.Pos >= 0 {
		e.Line, e.Col = lineCol(t.original, t.origin(d.Pos))
	}
	switch d.Type {
	case "Parser", "Syntax":
		e.Kind = engine.KindSyntax
	case "Binder", "Catalog", "Planner", "Expression":
		t.binder(d, e)
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
		case noSpace(d.Message):
			return diskFull(err)
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
	e.Message = hideStore(e.Message)
	return e
}

// binder classifies errors of names and types.
func (t *translation) binder(d *duckError, e *engine.Error) {
	e.Kind = engine.KindValue // a wrong type of argument, a misplaced aggregate
	switch {
	case d.Subtype == "COLUMN_NOT_FOUND" || strings.Contains(d.Message, "not found in FROM clause"):
		e.Kind = engine.KindUnknownColumn
		name := d.Name
		if m := missingColumn().FindStringSubmatch(d.Message); name == "" && m != nil {
			name = m[1]
		}
		if name != "" {
			e.Message = "Column '" + t.written(d.Pos, name) + "' cannot be resolved"
		}
		if name = t.written(d.Pos, name); t.doubled[strings.ToLower(name)] {
			e.Kind, e.Message = engine.KindValue, "Column '"+name+"' is ambiguous"
		}
	case strings.HasPrefix(d.Message, "Referenced table"), strings.Contains(d.Message, "does not have a column named"):
		e.Kind = engine.KindUnknownColumn
		name := d.Name
		if m := missingColumn().FindStringSubmatch(d.Message); m != nil {
			name = m[1]
		}
		e.Message = "Column '" + t.written(d.Pos, name) + "' cannot be resolved"
	case missingTable().MatchString(d.Message):
		e.Kind = engine.KindUnknownTable
		e.Message = "Table '" + missingTable().FindStringSubmatch(d.Message)[1] + "' does not exist"
	case strings.Contains(d.Message, "does not exist!") && strings.Contains(d.Message, "Function"):
		e.Kind = engine.KindUnsupported
	}
}

// written is the dotted name at a position of the running text, or the given name.
func (t *translation) written(pos int, name string) string {
	if pos < 0 || pos >= len(t.text) {
		return name
	}
	tokens, err := lex(t.text[pos:])
	if err != nil && len(tokens) == 0 {
		return name
	}
	var parts []string
	for i := 0; i < len(tokens) && tokens[i].isName(); i += 2 {
		parts = append(parts, tokens[i].text)
		if i+1 >= len(tokens) || !tokens[i+1].is(".") {
			break
		}
	}
	if len(parts) == 0 || !strings.Contains(strings.ToLower(strings.Join(parts, ".")), strings.ToLower(name)) {
		return name
	}
	return strings.Join(parts, ".")
}

// hideStore removes the engine's own names from a message.
func hideStore(msg string) string {
	msg = strings.ReplaceAll(msg, `"`+storeDB+`".`, "")
	msg = strings.ReplaceAll(msg, storeDB+".", "")
	return msg
}
