package faults

import (
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/late"
)

// outOfRange matches errors about dates and times that DuckDB cannot represent; Trino may be able to.
var outOfRange = late.Regexp(`^(Date and time not in timestamp range|Interval value .* out of range|Date out of ` +
	`range|Timestamp .* out of range|(time)?stamp (field )?value out of range|date field value out of range|Could ` +
	`not convert Timestamp|Type INT32 with value .* can't be cast to the destination type INT64|Overflow in date)`)

// beyondDouble matches errors of aggregates whose results are infinite or NaN in Trino. DuckDB names the aggregate:
// STDDEV_POP for X is out of range!
var beyondDouble = late.Regexp(`^[A-Za-z_]+( for [XY])? is out of range!$`)

// outerColumn matches DuckDB's error for a column of an outer query in a lambda. The translation writes some
// expressions as lambdas.
var outerColumn = late.Regexp(`^Referenced (table "~r\d+"|column "~c\d+") (was )?not found`)

// inTry matches DuckDB's error for an expression that its TRY does not accept, such as a volatile function. The check
// that limits the size of a result (~room) is volatile.
var inTry = late.Regexp(`^TRY can not be used in combination with a volatile function|are not allowed inside the TRY ` +
	`expression`)

// subquery matches DuckDB's errors for a subquery where the translation of an expression cannot have one.
var subquery = late.Regexp(`^subqueries in lambda expressions are not supported|the expression has a subquery|^In a ` +
	`DISTINCT aggregate, ORDER BY expressions must appear`)

// Translated converts an error of a translated statement. Positions in the translated text are of no use to the user
// and are omitted.
func Translated(err error) error {
	var d *Error
	if !errors.As(err, &d) {
		return err
	}
	err = d.explained(d)
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	if refused(err) && outerColumn().MatchString(d.Message) {
		return &engine.Error{Kind: engine.KindUnsupported,
			Message: "a column of an outer query inside this expression of a subquery is not supported on zone local",
			Err:     err}
	}
	if refused(err) && strings.HasPrefix(d.Message, "correlated columns in window functions") {
		return &engine.Error{Kind: engine.KindUnsupported,
			Message: "a window function of columns of an outer query is not supported on zone local", Err: err}
	}
	if refused(err) && subquery().MatchString(d.Message) {
		return &engine.Error{Kind: engine.KindUnsupported,
			Message: "a subquery in an argument of this expression is not supported on zone local", Err: err}
	}
	if refused(err) && inTry().MatchString(d.Message) {
		return &engine.Error{Kind: engine.KindUnsupported, Message: "TRY of a function whose result may be very " +
			"large (replace, lpad, rpad, repeat, sequence) is not supported on zone local", Err: err}
	}
	if refused(err) && strings.HasPrefix(d.Message, "memory exhausted") { // of its parser
		return &engine.Error{Kind: engine.KindLimit,
			Message: "the statement nests its expressions too deeply for the engine, such as a chain of thousands of " +
				"operators", Err: err}
	}
	if refused(err) { // an error of the translation, not of the statement
		return &engine.Error{Kind: engine.KindDefect, Message: "the engine rejected the translated statement: " +
			naming.HideStore(d.Message), Err: err}
	}
	if e.Kind != engine.KindValue {
		return err
	}
	if rest, ok := strings.CutPrefix(d.Message, "\x01"); ok { // the message includes its kind
		kind, msg, _ := strings.Cut(rest, "\x01")
		return &engine.Error{Kind: engine.KindValue, Message: naming.HideStore(msg),
			Err: &engine.CodedError{Code: kind, Err: err}}
	}
	if unlike := outOfRange().FindStringSubmatch(d.Message); unlike != nil {
		return &engine.Error{Kind: engine.KindUnsupported,
			Message: "a date or time out of range is not supported on zone local", Err: err}
	}
	if beyondDouble().MatchString(d.Message) {
		return &engine.Error{Kind: engine.KindUnsupported,
			Message: "an aggregate whose computation exceeds the range of double is not supported on zone local",
			Err:     err}
	}
	msg, kind := inTrinosWords(d.Message)
	return &engine.Error{Kind: engine.KindValue, Message: naming.HideStore(msg),
		Err: &engine.CodedError{Code: kind, Err: err}}
}

// refused reports whether an error says that DuckDB rejects a translated text.
func refused(err error) bool {
	var d *Error
	if !errors.As(err, &d) {
		return false
	}
	switch d.Type {
	case "Parser", "Syntax", "Binder", "Catalog", "Planner", "Expression", "Parameter Not Resolved",
		"Parameter Not Allowed":
		return true
	}
	return false
}

// otherColumns matches the error for a table that has got or lost columns since its text was translated.
var otherColumns = late.Regexp(`has \d+ columns available but \d+ columns specified`)

// Outdated reports whether an error says that a table of a translated text no longer exists, or has other columns.
func Outdated(err error) bool {
	var d *Error
	return errors.As(err, &d) && (d.Type == "Catalog" || d.Type == "Binder" && otherColumns().MatchString(d.Message))
}
