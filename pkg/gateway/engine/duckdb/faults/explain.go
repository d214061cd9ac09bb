package faults

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
)

// explained is an error of DuckDB as one of the contract. What DuckDB says of names and types is not about the text of
// the user.
func (d *Error) explained(err error) error {
	e := &engine.Error{Kind: engine.KindInternal, Message: d.Message, Err: err}
	switch d.Type {
	case "Parser", "Syntax":
		e.Kind = engine.KindSyntax
	case "Binder", "Catalog", "Planner", "Expression", "Conversion", "Out of Range", "Mismatch Type", "Divide by Zero",
		"Decimal", "Invalid type":
		e.Kind = engine.KindValue
	case "Invalid Input", "Invalid Configuration":
		e.Kind = engine.KindValue
	case "Constraint":
		e.Kind = engine.KindConstraint
	case "Object Size":
		e.Kind = engine.KindLimit
	case "Out of Memory":
		var n int64
		if k, _ := fmt.Sscanf(d.Message, "Failed to allocate block of %d bytes (bad allocation)", &n); k == 1 {
			e.Message = fmt.Sprintf("the statement was ended: it asked for %d MiB of memory, more than the process "+
				"may still use", n>>20)
		}
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
	if d.NoMemory() {
		e.Kind = engine.KindLimit
	}
	e.Message = naming.HideStore(e.Message)
	return e
}
