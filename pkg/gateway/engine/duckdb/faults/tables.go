package faults

import (
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// OfTables classifies DuckDB's own errors.
func OfTables(err error) error {
	var d *Error
	if err == nil || !errors.As(err, &d) {
		return err
	}
	kind := engine.KindInternal
	switch {
	case refused(err):
		kind = engine.KindDefect
	case d.Type == "Constraint":
		kind = engine.KindConstraint
	case NoSpace(d.Message):
		return DiskFull(err)
	case strings.HasPrefix(d.Type, "Out of Memory"):
		kind = engine.KindLimit
	}
	return &engine.Error{Kind: kind, Message: d.Message, Err: err}
}
