package functions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Sig is a type in a signature, which may contain variables: array(T), decimal(p,s), function(T,boolean).
type Sig struct {
	text     string
	fixed    *types.Type // the type, if it has no variables
	variable string      // the name in lower case, if it is a variable
	kind     types.Kind
	name     string    // of an opaque type
	args     []*Sig    // of array, map, row, function and qdigest
	names    []string  // of the fields of a row
	literals []literal // of varchar(x), decimal(p,s) and similar
	typeVars []string  // type variables anywhere in it
	longVars []string  // numeric variables anywhere in it
}

// literal is a number or a numeric variable.
type literal struct {
	name string
	n    int64
}

func (s *Sig) String() string { return s.text }

// Lambda reports whether the parameter is a function.
func (s *Sig) Lambda() bool { return s.kind == types.Function && s.variable == "" }

// Declare is a scalar function that a statement declares.
func Declare(name string, args []*types.Type, result *types.Type) *Function {
	sig := func(t *types.Type) *Sig { return &Sig{text: t.Signature(), fixed: t, kind: t.Kind, name: t.Name} }
	f := &Function{Kind: Scalar, Name: name, Result: sig(result), ResultNullable: true}
	texts := make([]string, len(args))
	for i, t := range args {
		f.Args, f.Nullable = append(f.Args, sig(t)), append(f.Nullable, true)
		texts[i] = t.Signature()
	}
	f.Key = name + "(" + strings.Join(texts, ", ") + ")"
	return f
}

func parseSig(text string, vars []TypeVar) (*Sig, error) {
	tree, err := trinosql.ParseType(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	s, err := sigOf(tree, vars)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	s.text = text
	return s, nil
}

func sigOf(tree trinosql.Type, vars []TypeVar) (*Sig, error) {
	s := &Sig{}
	switch tree := tree.(type) {
	case *trinosql.NamedType:
		base := tree.Name.Lower()
		if len(tree.Params) == 0 && slices.ContainsFunc(vars, func(v TypeVar) bool { return v.Name == base }) {
			s.variable, s.typeVars = base, []string{base}
			return s, nil
		}
		switch {
		case base == "function":
			s.kind = types.Function
		case base == "varchar" && len(tree.Params) > 0:
			s.kind = types.Varchar
		case base == "char" && len(tree.Params) > 0:
			s.kind = types.Char
		case base == "decimal" && len(tree.Params) > 0:
			s.kind = types.Decimal
		case base == "array":
			s.kind = types.Array
		case base == "map":
			s.kind = types.Map
		case len(tree.Params) > 0 && types.Parametric(base) != "":
			s.kind, s.name = types.Opaque, types.Parametric(base)
		default:
			t, err := types.FromTree(tree)
			if err != nil {
				return nil, err
			}
			s.fixed, s.kind, s.name = t, t.Kind, t.Name
			return s, nil
		}
		for _, p := range tree.Params {
			if s.kind == types.Varchar || s.kind == types.Char || s.kind == types.Decimal {
				s.literal(p)
				continue
			}
			if err := s.arg(p.Type, vars); err != nil {
				return nil, err
			}
		}
	case *trinosql.RowType:
		s.kind = types.Row
		for _, f := range tree.Fields {
			if err := s.arg(f.Type, vars); err != nil {
				return nil, err
			}
			if f.Name != nil {
				s.names = append(s.names, f.Name.Name)
			}
		}
	case *trinosql.TimeType:
		s.kind = types.Time
		if tree.Name == "TIMESTAMP" {
			s.kind = types.Timestamp
		}
		if tree.WithZone {
			s.kind++
		}
		s.literal(*tree.Precision)
	default:
		t, err := types.FromTree(tree)
		if err != nil {
			return nil, err
		}
		s.fixed, s.kind = t, t.Kind
	}
	if s.fixed == nil && len(s.typeVars) == 0 && len(s.longVars) == 0 {
		s.fixed = s.apply(&bindings{})
	}
	return s, nil
}

func (s *Sig) literal(p trinosql.TypeParam) {
	l := literal{}
	if p.Type != nil {
		l.name = strings.ToLower(trinosql.String(p.Type))
		s.longVars = append(s.longVars, l.name)
	} else {
		l.n, _ = strconv.ParseInt(p.Number, 10, 64)
	}
	s.literals = append(s.literals, l)
}

func (s *Sig) arg(tree trinosql.Type, vars []TypeVar) error {
	a, err := sigOf(tree, vars)
	if err != nil {
		return err
	}
	s.args = append(s.args, a)
	s.typeVars = append(s.typeVars, a.typeVars...)
	s.longVars = append(s.longVars, a.longVars...)
	return nil
}

// apply is the type with the variables substituted; nil if one has no value.
func (s *Sig) apply(b *bindings) *types.Type {
	if s.fixed != nil {
		return s.fixed
	}
	if s.variable != "" {
		return b.types[s.variable]
	}
	if len(s.literals) > 0 {
		var n [2]int
		for i, l := range s.literals {
			v := l.n
			if l.name != "" {
				var ok bool
				if v, ok = b.longs[l.name]; !ok {
					return nil
				}
			}
			n[i] = int(v)
		}
		return withLiterals(s.kind, n)
	}
	args := make([]*types.Type, len(s.args))
	for i, a := range s.args {
		if args[i] = a.apply(b); args[i] == nil {
			return nil
		}
	}
	return &types.Type{Kind: s.kind, Name: s.name, Args: args, Names: s.names}
}

func withLiterals(k types.Kind, n [2]int) *types.Type {
	switch k {
	case types.Varchar:
		return types.NewVarchar(n[0])
	case types.Decimal:
		return types.NewDecimal(n[0], n[1])
	}
	return &types.Type{Kind: k, N: n[0]}
}

// literalsOf are the numeric parameters of a type.
func literalsOf(t *types.Type) [2]int64 { return [2]int64{int64(t.N), int64(t.Scale)} }
