package functions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Arg is an argument of a call: one with a type, or a lambda, whose result depends on the types of its parameters.
type Arg struct {
	Type *types.Type
	// Lambda returns the type of the body for the given parameter types. It is called for each signature that is tried;
	// an error ends the search.
	Lambda func(params []*types.Type) (*types.Type, error)
}

// Bound is a signature with its variables substituted.
type Bound struct {
	Function *Function
	Args     []*types.Type // the types that the arguments are coerced to; for a lambda a Function type
	Result   *types.Type
	Types    map[string]*types.Type // the values of type variables, by name in lower case
	Numbers  map[string]int64       // and of numeric variables
}

// Error says why no signature accepts the arguments. Its text has no position.
type Error struct {
	// FUNCTION_NOT_FOUND, AMBIGUOUS_FUNCTION_CALL, OPERATOR_NOT_FOUND, or for an invalid result type TYPE_NOT_FOUND or
	// INVALID_FUNCTION_ARGUMENT
	Kind string
	Msg  string
}

func (e *Error) Error() string { return e.Msg }

// Resolve finds the signature that a call resolves to. The name is as written in the statement, and declared are the
// functions of this name that the statement itself declares. The error is an *Error or one of a lambda.
func Resolve(name string, args []Arg, declared ...*Function) (*Bound, error) {
	if b, err := choose(declared, args); b != nil || err != nil {
		return b, err
	}
	candidates := append(slices.Clip(Named(strings.ToLower(name))), declared...)
	if len(candidates) == 0 {
		return nil, &Error{"FUNCTION_NOT_FOUND", fmt.Sprintf("Function '%s' not registered", name)}
	}
	b, err := choose(candidates, args)
	if b != nil {
		err = b.check()
	}
	if b != nil || err != nil {
		return b, err
	}
	var expected []string
	for _, f := range candidates {
		expected = append(expected, f.expected(name))
	}
	slices.Sort(expected)
	given := make([]string, len(args))
	for i, a := range args {
		if given[i] = "<function>"; a.Lambda == nil {
			given[i] = a.Type.Signature()
		}
	}
	return nil, &Error{"FUNCTION_NOT_FOUND", fmt.Sprintf("Unexpected parameters (%s) for function %s. Expected: %s",
		strings.Join(given, ", "), name, strings.Join(slices.Compact(expected), ", "))}
}

// symbols are the symbols of the operators.
var symbols = map[string]string{
	"ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*", "DIVIDE": "/", "MODULUS": "%", "NEGATION": "-",
	"EQUAL": "=", "LESS_THAN": "<", "LESS_THAN_OR_EQUAL": "<=",
}

// ResolveOperator finds the signature of an operator: ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULUS, NEGATION, EQUAL,
// LESS_THAN, LESS_THAN_OR_EQUAL, IS_DISTINCT_FROM or SUBSCRIPT.
func ResolveOperator(name string, args ...*types.Type) (*Bound, error) {
	list := make([]Arg, len(args))
	for i, a := range args {
		list[i].Type = a
	}
	b, err := choose(loaded().byName["$"+name], list)
	if b != nil {
		err = b.check()
	}
	if b != nil || err != nil {
		return b, err
	}
	var msg string
	switch {
	case name == "SUBSCRIPT":
		msg = fmt.Sprintf("Cannot use %s for subscript of %s", args[1], args[0])
	case len(args) == 1:
		msg = fmt.Sprintf("Cannot negate %s", args[0])
	case name == "IS_DISTINCT_FROM":
		msg = fmt.Sprintf("Cannot check if %s is distinct from %s", args[0], args[1])
	default:
		msg = fmt.Sprintf("Cannot apply operator: %s %s %s", args[0], symbols[name], args[1])
	}
	return nil, &Error{"OPERATOR_NOT_FOUND", msg}
}

// CanCast reports whether CAST converts one type to another.
func CanCast(from, to *types.Type) bool {
	switch {
	case from.Kind == types.Unknown || to.Kind == types.Unknown || types.Equal(from, to):
		return true
	case from.Kind == types.Row && to.Kind == types.Row:
		if len(from.Args) != len(to.Args) {
			return false
		}
		for i := range from.Args {
			if !CanCast(from.Args[i], to.Args[i]) {
				return false
			}
		}
		return true
	case from.Kind == types.Array && to.Kind == types.Array:
		return CanCast(from.Args[0], to.Args[0])
	case from.Kind == types.Row && to.Kind == types.JSON:
		return !slices.ContainsFunc(from.Args, func(t *types.Type) bool { return !CanCast(t, to) })
	case from.Kind == types.JSON && to.Kind == types.Row:
		return !slices.ContainsFunc(to.Args, func(t *types.Type) bool { return !CanCast(from, t) })
	}
	return Cast(from, to) != nil
}

// Cast is the signature of the cast from one type to another, nil when there is none.
func Cast(from, to *types.Type) *Bound {
	for _, generic := range []bool{false, true} {
		for _, f := range loaded().byName["$CAST"] {
			if f.generic() != generic || f.Args[0].fixed != nil && f.Args[0].fixed.Kind != from.Kind {
				continue
			}
			if b, _ := bindTo(f, []Arg{{Type: from}}, to, false); b != nil {
				return b
			}
		}
	}
	return nil
}

// choose picks the signature: one that accepts the argument types exactly, without variables first, or else the most
// specific one that accepts them coerced. It is nil if there is none.
func choose(candidates []*Function, args []Arg) (*Bound, error) {
	for _, generic := range []bool{false, true} {
		fits, err := applicable(candidates, args, false, func(f *Function) bool { return f.generic() == generic })
		if err != nil {
			return nil, err
		}
		if len(fits) == 1 {
			return fits[0], nil
		}
		if len(fits) > 1 {
			return nil, ambiguous(fits)
		}
	}
	fits, err := applicable(candidates, args, true, func(*Function) bool { return true })
	if err != nil || len(fits) == 0 {
		return nil, err
	}
	if fits = mostSpecific(fits, args); len(fits) > 1 {
		return nil, ambiguous(fits)
	}
	return fits[0], nil
}

func ambiguous(fits []*Bound) error {
	var b strings.Builder
	b.WriteString("Could not choose a best candidate operator. Explicit type casts must be added.\nCandidates are:\n")
	for _, f := range fits {
		fmt.Fprintf(&b, "\t * %s\n", f)
	}
	return &Error{"AMBIGUOUS_FUNCTION_CALL", b.String()}
}

// check rejects a result type whose precision or length exceeds the maximum.
func (b *Bound) check() error {
	switch t := b.Result; {
	case t.Kind == types.Decimal && t.Scale > t.N:
		return &Error{"INVALID_FUNCTION_ARGUMENT", fmt.Sprintf("DECIMAL scale must be in range [0, precision (%d)]: %d",
			t.N, t.Scale)}
	case t.Kind == types.Char && t.N > types.MaxCharLength:
		return &Error{"TYPE_NOT_FOUND", "Unknown type: " + t.String()}
	}
	return nil
}

// String is the signature with its variables substituted: (bigint,bigint):bigint.
func (b *Bound) String() string {
	args := make([]string, len(b.Args))
	for i, a := range b.Args {
		args[i] = a.Signature()
	}
	return "(" + strings.Join(args, ",") + "):" + b.Result.Signature()
}

func applicable(candidates []*Function, args []Arg, coerce bool, which func(*Function) bool) ([]*Bound, error) {
	var list []*Bound
	for _, f := range candidates {
		if !which(f) {
			continue
		}
		b, err := bind(f, args, coerce)
		if err != nil {
			return nil, err
		}
		if b != nil {
			list = append(list, b)
		}
	}
	return list, nil
}

// mostSpecific keeps the signatures whose parameter types the other signatures accept too.
func mostSpecific(fits []*Bound, args []Arg) []*Bound {
	if len(fits) == 1 {
		return fits
	}
	takes := func(f *Function, with *Bound) bool {
		list := make([]Arg, len(with.Args))
		for i, t := range with.Args {
			list[i].Type = t
		}
		b, err := bind(f, list, true)
		return b != nil && err == nil
	}
	var best []*Bound
next:
	for _, f := range fits {
		for i, other := range best {
			narrower := takes(other.Function, f)
			if narrower {
				best[i] = f
			}
			if narrower || takes(f.Function, other) {
				continue next
			}
		}
		best = append(best, f)
	}
	if len(best) == 1 || slices.ContainsFunc(args, func(a Arg) bool { return a.Lambda != nil }) ||
		!slices.ContainsFunc(args, func(a Arg) bool { return a.Type.Kind == types.Unknown }) {
		return best
	}
	var unknownOnly []*Bound
	for _, f := range fits {
		if onlyUnknown(f, args) {
			unknownOnly = append(unknownOnly, f)
		}
	}
	if len(unknownOnly) > 0 {
		best = unknownOnly
	}
	// The choice makes no difference when the result is NULL of the same type.
	if len(best) > 1 && !slices.ContainsFunc(best, func(f *Bound) bool {
		return !types.Equal(f.Result,
			best[0].Result) || !f.null(args)
	}) {
		return []*Bound{slices.MaxFunc(best, func(a, b *Bound) int {
			return cmp.Compare(a.Function.Key,
				b.Function.Key)
		})}
	}
	return best
}

// onlyUnknown reports whether only NULLs are coerced.
func onlyUnknown(f *Bound, args []Arg) bool {
	for i, a := range args {
		if a.Type.Kind != types.Unknown && !types.Equal(a.Type, f.Args[i]) {
			return false
		}
	}
	return true
}

// null reports whether an argument that is NULL makes the result NULL.
func (b *Bound) null(args []Arg) bool {
	if b.Function.Kind != Scalar && b.Function.Kind != Operator {
		return true
	}
	for i, a := range args {
		if a.Type.Kind == types.Unknown && !b.Function.Nullable[min(i, len(b.Function.Nullable)-1)] {
			return true
		}
	}
	return false
}
