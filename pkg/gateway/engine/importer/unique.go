package importer

import (
	"fmt"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// UniqueTarget is the target of a column in which values are twice. If it has none, all rows have its default value,
// which is an error; without a default they have none, and ok is false.
func UniqueTarget(columns []engine.Column, targets []Target, column int) (tg Target, ok bool, err error) {
	for _, tg := range targets {
		if tg.Col == column {
			return tg, true, nil
		}
	}
	if col := columns[column]; col.DefaultValue != nil {
		err = MappingError("column %q is unique and not mapped: more than one row would hold its default value %q",
			col.Name, *col.DefaultValue)
	}
	return tg, false, err
}

// UniqueColumns are the columns whose values are unique, besides those of the system.
func UniqueColumns(columns []engine.Column) (out []int) {
	for i, c := range columns {
		if c.Unique && !c.System {
			out = append(out, i)
		}
	}
	return out
}

// Duplicate is the error of a line whose value of a unique column is stored, or in the line first, if that is not 0.
func Duplicate(line int64, column string, value []byte, first int64) engine.BadCell {
	reason := "duplicate key value violates unique constraint: a stored row holds it"
	if first > 0 {
		reason = fmt.Sprintf("duplicate key value violates unique constraint: line %d holds it", first)
	}
	return engine.BadCell{Line: line, Column: column, Value: csv.Clip(value, 1000), Reason: reason, First: first}
}
