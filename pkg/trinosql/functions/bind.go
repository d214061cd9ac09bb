package functions

import (
	"slices"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// bindings are the values of a signature's variables.
type bindings struct {
	types map[string]*types.Type
	longs map[string]int64
}

// binder infers the values of a signature's variables from the arguments of a call.
type binder struct {
	f      *Function
	coerce bool // arguments may be coerced
	bindings
	solvers []func() status
	err     error // of the body of a lambda
}

// status is the result of a step of solving, mildest first; the worst of all steps counts.
type status int

const (
	satisfied status = iota
	waiting          // not yet satisfied, without progress
	changed
	unsolvable
)

// bind returns the types of the arguments and of the result if the function accepts the arguments.
func bind(f *Function, args []Arg, coerce bool) (*Bound, error) { return bindTo(f, args, nil, coerce) }

// bindTo is bind with a required result type, unless that is nil.
func bindTo(f *Function, args []Arg, result *types.Type, coerce bool) (*Bound, error) {
	formal := f.Args
	if f.Variadic {
		if len(args) < len(formal)-1 {
			return nil, nil
		}
		if len(args) == len(formal)-1 {
			formal = formal[:len(args)]
		}
		for len(formal) < len(args) {
			formal = append(slices.Clip(formal), f.Args[len(f.Args)-1])
		}
	}
	if len(formal) != len(args) {
		return nil, nil
	}
	b := &binder{f: f, coerce: coerce, bindings: bindings{map[string]*types.Type{}, map[string]int64{}}}
	if result != nil && (!b.relation(f.Result, Arg{Type: result}, exact) || !b.constrain(f.Result,
		Arg{Type: result}, false)) {
		return nil, nil
	}
	how := exact
	if coerce {
		how = coercible
	}
	for i, a := range args {
		if !b.relation(formal[i], a, how) {
			return nil, nil
		}
	}
	for i, a := range args {
		if !b.constrain(formal[i], a, coerce) {
			return nil, nil
		}
	}
	if !b.solve() {
		return nil, b.err
	}
	bound := &Bound{Function: f, Args: make([]*types.Type, len(args)), Result: f.Result.apply(&b.bindings),
		Types: b.types, Numbers: b.longs}
	if bound.Result == nil {
		return nil, nil
	}
	for i := range args {
		if bound.Args[i] = formal[i].apply(&b.bindings); bound.Args[i] == nil {
			return nil, nil
		}
	}
	return bound, nil
}

// solve runs the solvers until nothing changes.
func (b *binder) solve() bool {
	for range 4 { // more rounds than any signature needs
		worst := satisfied
		for _, s := range b.solvers {
			if worst = max(worst, s()); worst == unsolvable {
				return false
			}
		}
		switch worst {
		case waiting:
			return false
		case satisfied:
			for _, v := range b.f.LongVars {
				n, ok := evaluate(v.Expr, b.longs)
				if !ok {
					return false
				}
				b.longs[v.Name] = n
			}
			for _, v := range b.f.TypeVars {
				if b.types[v.Name] == nil {
					return false
				}
			}
			return true
		}
	}
	return false
}

// relationship is the required relationship of an argument to the type of the parameter.
type relationship int

const (
	exact relationship = iota
	coercible
	castableTo
	castableFrom
)

// relation adds the step that checks an argument against a type once the variables of the type are known.
func (b *binder) relation(formal *Sig, a Arg, how relationship) bool {
	if a.Lambda != nil {
		return formal.Lambda()
	}
	b.solvers = append(b.solvers, func() status {
		want := formal.apply(&b.bindings)
		if want == nil {
			return waiting
		}
		ok := false
		switch how {
		case exact:
			ok = types.Equal(a.Type, want)
		case coercible:
			ok = types.CanCoerce(a.Type, want)
		case castableTo:
			ok = CanCast(a.Type, want)
		case castableFrom:
			ok = CanCast(want, a.Type)
		}
		if !ok {
			return waiting
		}
		return satisfied
	})
	return true
}

// constrain adds the steps that infer the variables of a type from an argument.
func (b *binder) constrain(formal *Sig, a Arg, coerce bool) bool {
	switch {
	case formal.Lambda():
		b.solvers = append(b.solvers, func() status { return b.lambda(formal, a) })
		return true
	case a.Lambda != nil:
		return false
	case formal.variable != "":
		i := slices.IndexFunc(b.f.TypeVars, func(v TypeVar) bool { return v.Name == formal.variable })
		v := &b.f.TypeVars[i]
		if v.CastableTo != nil {
			b.relation(v.CastableTo, a, castableTo)
		}
		if v.CastableFrom != nil {
			b.relation(v.CastableFrom, a, castableFrom)
		}
		if v.Row && a.Type.Kind != types.Row {
			return a.Type.Kind == types.Unknown
		}
		b.solvers = append(b.solvers, func() status { return b.typeVariable(v, a.Type) })
		return true
	case formal.fixed != nil && len(formal.args) == 0:
		return true
	case len(formal.literals) > 0:
		b.solvers = append(b.solvers, func() status { return b.literals(formal, a.Type) })
		return true
	}
	actual := a.Type.Args
	if a.Type.Kind == types.Unknown {
		actual = slices.Repeat([]*types.Type{a.Type}, len(formal.args))
	}
	if len(actual) != len(formal.args) {
		return false
	}
	for i, s := range formal.args {
		if !b.constrain(s, Arg{Type: actual[i]}, coerce && (formal.kind == types.Array || formal.kind == types.Map)) {
			return false
		}
	}
	return true
}

func (b *binder) typeVariable(v *TypeVar, actual *types.Type) status {
	fits := func(t *types.Type) bool {
		return (!v.Comparable || t.Comparable()) && (!v.Orderable || t.Orderable()) && (!v.Row || t.Kind == types.Row ||
			t.Kind == types.Unknown)
	}
	was := b.types[v.Name]
	if was == nil {
		if !fits(actual) {
			return unsolvable
		}
		b.types[v.Name] = actual
		return changed
	}
	common := types.Common(was, actual)
	if common == nil || !fits(common) {
		return unsolvable
	}
	if types.Equal(common, was) {
		return satisfied
	}
	b.types[v.Name] = common
	return changed
}

func (b *binder) literals(formal *Sig, actual *types.Type) status {
	var n [2]int
	for i, l := range formal.literals {
		v := l.n
		if l.name != "" {
			var ok bool
			if v, ok = b.longs[l.name]; !ok {
				t := types.CoerceBase(actual, formal.kind, formal.name)
				if t == nil {
					return unsolvable
				}
				v = literalsOf(t)[i]
			}
		}
		n[i] = int(v)
	}
	common := types.Common(withLiterals(formal.kind, n), actual)
	if common == nil || common.Kind != formal.kind {
		return unsolvable
	}
	result := satisfied
	got := literalsOf(common)
	for i, l := range formal.literals {
		if l.name == "" {
			if got[i] != l.n {
				return unsolvable
			}
		} else if was, ok := b.longs[l.name]; !ok || was != got[i] {
			b.longs[l.name] = got[i]
			result = changed
		}
	}
	return result
}

// lambda infers variables from the result type of a lambda whose parameter types are known.
func (b *binder) lambda(formal *Sig, a Arg) status {
	last := len(formal.args) - 1
	args := make([]*types.Type, last)
	for i := range last {
		if args[i] = formal.args[i].apply(&b.bindings); args[i] == nil {
			return waiting
		}
	}
	var actual *types.Type
	switch {
	case a.Lambda != nil:
		result, err := a.Lambda(args)
		if err != nil {
			b.err = err
			return unsolvable
		}
		actual = result
	case a.Type.Kind != types.Function || len(a.Type.Args) != len(formal.args):
		return unsolvable
	default:
		for i := range last {
			if !types.Equal(a.Type.Args[i], args[i]) {
				return unsolvable
			}
		}
		actual = a.Type.Args[last]
	}
	inner := &binder{f: b.f, coerce: b.coerce, bindings: b.bindings}
	if !inner.relation(formal.args[last], Arg{Type: actual}, exact) || !inner.constrain(formal.args[last],
		Arg{Type: actual}, b.coerce) {
		return unsolvable
	}
	worst := satisfied
	for _, s := range inner.solvers {
		if worst = max(worst, s()); worst == unsolvable {
			return unsolvable
		}
	}
	return worst
}
