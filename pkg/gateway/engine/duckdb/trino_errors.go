//go:build cgo

package duckdb

import (
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

// outOfRange are errors about dates and times that DuckDB does not hold and Trino may.
var outOfRange = late.Regexp(`^(Date and time not in timestamp range|Interval value .* out of range|Date out of range|Timestamp .* out of range|(time)?stamp (field )?value out of range|date field value out of range|Could not convert Timestamp|Type INT32 with value .* can't be cast to the destination type INT64|Overflow in date)`)

// trinoFault is what went wrong while a statement ran.
type trinoFault struct {
	kind string // as Trino names it: DIVISION_BY_ZERO
	err  error
}

func (f *trinoFault) Error() string { return f.err.Error() }
func (f *trinoFault) Unwrap() error { return f.err }

// outerColumn is what DuckDB says of a column of an outer query in one of its lambdas, as which the translation writes some expressions.
var outerColumn = late.Regexp(`^Referenced table "~r\d+" not found`)

// explainTranslated is an error of a statement that runs as it was translated. Places in that text say nothing.
func (t *translation) explainTranslated(err error) error {
	var d *duckError
	if !errors.As(err, &d) {
		return err
	}
	plain := &translation{original: t.original, text: t.text}
	err = plain.explain(&duckError{Type: d.Type, Message: d.Message, Subtype: d.Subtype, Name: d.Name, Pos: -1})
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	if t.refused(err) && outerColumn().MatchString(d.Message) {
		return &engine.Error{Kind: engine.KindUnsupported, Message: "a column of an outer query inside of this expression of a subquery is not supported on zone local", Err: err}
	}
	if t.refused(err) { // not the fault of whoever wrote the statement
		return &engine.Error{Kind: engine.KindInternal, Message: "the engine does not take its own text: " + hideStore(d.Message), Err: err}
	}
	if e.Kind != engine.KindValue {
		return err
	}
	if rest, ok := strings.CutPrefix(d.Message, "\x01"); ok { // said with its kind
		kind, msg, _ := strings.Cut(rest, "\x01")
		return &engine.Error{Kind: engine.KindValue, Message: hideStore(msg), Err: &trinoFault{kind, err}}
	}
	if unlike := outOfRange().FindStringSubmatch(d.Message); unlike != nil {
		return &engine.Error{Kind: engine.KindUnsupported, Message: "a time out of the range of those on zone local is not supported: " + d.Message, Err: err}
	}
	msg, kind := inTrinosWords(d.Message)
	return &engine.Error{Kind: engine.KindValue, Message: hideStore(msg), Err: &trinoFault{kind, err}}
}

// refused reports whether an error says that DuckDB does not take a text of ours.
func (t *translation) refused(err error) bool {
	var d *duckError
	if t == nil || t.trino == nil || !errors.As(err, &d) {
		return false
	}
	switch d.Type {
	case "Parser", "Syntax", "Binder", "Catalog", "Planner", "Expression", "Parameter Not Resolved", "Parameter Not Allowed":
		return true
	}
	return false
}

// outdated reports whether an error says that a table of a text of ours is there no more.
func (t *translation) outdated(err error) bool {
	var d *duckError
	return t.refused(err) && errors.As(err, &d) && d.Type == "Catalog"
}
