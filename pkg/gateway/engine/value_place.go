package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// Cast is an expression of a statement that converts a value.
type Cast struct {
	At trinosql.Pos
	To string // the name of the type without parameters, empty where the error may name another one
}

// ExplainValue gives the error of a running statement about a value, which engines report without a position, that of
// the only expression of the statement or of its saved queries from which it can be. An error of a division has a hint.
func (x *Statement) ExplainValue(err error) error {
	var e *Error
	var coded *CodedError
	if !errors.As(err, &e) || e.Line > 0 || !errors.As(err, &coded) {
		return err
	}
	var places func(x *Statement) []trinosql.Pos
	divides := coded.Code == "DIVISION_BY_ZERO"
	switch {
	case divides:
		places = func(x *Statement) []trinosql.Pos { return x.Divisions }
	case coded.Code == "INVALID_CAST_ARGUMENT":
		to := castTo(e.Message)
		places = func(x *Statement) (at []trinosql.Pos) {
			for _, c := range x.Casts {
				if to == "" || c.To == "" || c.To == to {
					at = append(at, c.At)
				}
			}
			return at
		}
	default:
		return err
	}
	own := places(x)
	at, in := own, (*Relation)(nil)
	for _, r := range x.Reads() {
		if r.View != nil {
			if more := places(r.View); len(more) > 0 {
				at, in = append(slices.Clip(at), more...), r
			}
		}
	}
	if divides && e.Hint == "" && len(own)+len(at) > 0 {
		hinted := *e
		hinted.Hint, hinted.Err = divisionHint(own, len(at)), err
		err = &hinted
	}
	switch {
	case len(at) != 1:
		return err
	case in != nil:
		return x.Inside(in, PlaceError(err, at[0]))
	}
	return PlaceError(err, at[0])
}

// divisionHint tells where a query divides, unless the error has the position.
func divisionHint(own []trinosql.Pos, all int) string {
	const most, remedy = 3, "x / nullif(y, 0) is NULL where y is 0"
	var at []string
	for _, p := range own[:min(len(own), most)] {
		at = append(at, fmt.Sprintf("line %d:%d", p.Line, p.Col))
	}
	switch {
	case all == 1 || len(at) == 0:
		return remedy
	case len(own) > most:
		at = append(at, fmt.Sprintf("%d more places", len(own)-most))
	}
	return "the statement divides at " + strings.Join(at, ", ") + "; " + remedy
}

var (
	cannotCast = late.Regexp(`^(?:Cannot|Unable to) cast (?s:.*) to (\w+)(?:\(.*\))?$`)
	toUUID     = late.Regexp(`^Cannot cast value to UUID: `)
	toTime     = late.Regexp(`^Value cannot be cast to \w+: `)
)

// CastTime is the To of casts to dates and times: their errors name one another's types.
const CastTime = "time"

// castTo is the To of the casts that can have failed with a message, empty if it may have been any.
func castTo(message string) string {
	switch m := cannotCast().FindStringSubmatch(message); {
	case toUUID().MatchString(message):
		return "uuid"
	case toTime().MatchString(message):
		return CastTime
	case m != nil:
		to := strings.ToLower(m[1])
		return cmp.Or(map[string]string{"int": "integer", "float": "real"}[to], to)
	}
	return ""
}

// Inside is an error in the text of a saved query, as the statement has it that names it directly or through others.
func (x *Statement) Inside(in *Relation, err error) error {
	for _, r := range x.Named() {
		if r == in {
			return x.InRelation(r, err)
		}
		if r.View != nil && slices.Contains(r.View.Reads(), in) {
			return x.InRelation(r, r.View.Inside(in, err))
		}
	}
	return err
}
