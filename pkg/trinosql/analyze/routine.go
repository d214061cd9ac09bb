package analyze

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// routines resolves WITH FUNCTION. A function may call those before it.
func (z *analyzer) routines(list []*trinosql.Routine) {
	for _, r := range list {
		f, fields, result := z.declared(r)
		b := &routine{z: z, result: result}
		b.control(r.Body, fields, nil)
		called := z.nondeterministic(r.Body)
		switch declared := trait(r, "NOT DETERMINISTIC") != nil; {
		case declared && !called:
			fail("INVALID_ARGUMENTS", r, "Deterministic function declared NOT DETERMINISTIC")
		case !declared && called:
			fail("INVALID_ARGUMENTS", r, "Non-deterministic function declared DETERMINISTIC")
		}
		f.Nondeterministic = called
		z.declares[f.Name] = append(z.declares[f.Name], f)
	}
}

// traits are the clauses of a routine by their first word, of which each may be there once.
var traits = map[string]string{"LANGUAGE": "language", "DETERMINISTIC": "deterministic", "RETURNS": "null-call",
	"CALLED": "null-call", "SECURITY": "security", "COMMENT": "comment", "WITH": "properties"}

// declared is the signature of a routine, with its parameters and the type of its result.
func (z *analyzer) declared(r *trinosql.Routine) (*functions.Function, []*Field, *types.Type) {
	name := r.Name[0].Lower()
	seen := map[string]*trinosql.RoutineTrait{}
	for _, t := range r.Traits {
		kind := strings.Fields(strings.TrimPrefix(t.Kind, "NOT "))[0]
		switch clause := traits[kind]; {
		case seen[clause] != nil:
			fail("SYNTAX_ERROR", t, "Multiple %s clauses specified", clause)
		case kind == "SECURITY":
			fail("NOT_SUPPORTED", t, "Security mode not supported for inline functions")
		case kind == "LANGUAGE" && windowKey(t.Language) != "SQL":
			fail("NOT_SUPPORTED", t, "Unsupported function language: %s", windowKey(t.Language))
		default:
			seen[clause] = t
		}
	}
	switch {
	case len(r.Name) > 1:
		fail("SYNTAX_ERROR", r, "Inline function names cannot be qualified: %s",
			strings.Join(lowerNames(r.Name), "."))
	case strings.ContainsAny(name, "@$"):
		fail("NOT_SUPPORTED", r, "Function name cannot contain '@' or '$'")
	case r.Definition != nil:
		fail("SYNTAX_ERROR", r.Definition, "Functions using language 'SQL' must be defined using SQL")
	case seen["properties"] != nil:
		fail("INVALID_FUNCTION_PROPERTY", seen["properties"], "Function language 'SQL' does not support properties")
	}
	var fields []*Field
	var args []*types.Type
	for _, p := range r.Params {
		if p.Name == nil {
			fail("INVALID_ARGUMENTS", p, "Function parameters must have a name")
		}
		if slices.ContainsFunc(fields, func(f *Field) bool { return f.Name == p.Name.Lower() }) {
			fail("INVALID_ARGUMENTS", p, "Duplicate function parameter name: %s", p.Name.Lower())
		}
		t := routineType(p, p.Type)
		fields, args = append(fields, &Field{Name: p.Name.Lower(), Type: t}), append(args, t)
	}
	result := routineType(r.Returns, r.Returns)
	f := functions.Declare(name, args, result)
	if slices.ContainsFunc(z.declares[name], func(g *functions.Function) bool { return g.Key == f.Key }) {
		fail("SYNTAX_ERROR", r, "Function already exists: %s", f.Key)
	}
	if b := r.Body; b.Kind == "BEGIN" && (len(b.Body) == 0 || b.Body[len(b.Body)-1].Kind != "RETURN") {
		fail("MISSING_RETURN", b, "Function must end in a RETURN statement")
	}
	return f, fields, result
}

func trait(r *trinosql.Routine, kind string) *trinosql.RoutineTrait {
	for _, t := range r.Traits {
		if t.Kind == kind {
			return t
		}
	}
	return nil
}

func routineType(at trinosql.Node, tree trinosql.Type) *types.Type {
	t, err := types.FromTree(tree)
	if err != nil {
		failType(at, err)
	}
	return t
}

// nondeterministic reports whether a routine calls a function that is.
func (z *analyzer) nondeterministic(body *trinosql.Control) (is bool) {
	trinosql.Inspect(body, func(n trinosql.Node) bool {
		if x, ok := n.(trinosql.Expr); ok && z.rec.Calls[x] != nil && z.rec.Calls[x].Function.Nondeterministic {
			is = true
		}
		return true
	})
	return is
}

// routine is the body of a routine that is being resolved.
type routine struct {
	z      *analyzer
	result *types.Type
}

func (b *routine) controls(list []*trinosql.Control, vars []*Field, labels []string) {
	for _, c := range list {
		b.control(c, vars, labels)
	}
}

// control resolves a statement that sees variables and labels.
func (b *routine) control(c *trinosql.Control, vars []*Field, labels []string) {
	vars = slices.Clip(vars)
	switch c.Kind {
	case "RETURN":
		b.want(c.Expr, vars, b.result, "Value of RETURN")
	case "SET":
		i := slices.IndexFunc(vars, func(f *Field) bool { return f.Name == c.Name.Lower() })
		if i < 0 {
			fail("NOT_FOUND", c.Name, "Variable cannot be resolved: %s", showName(c.Name))
		}
		b.want(c.Expr, vars, vars[i].Type, "Value of SET '"+showName(c.Name)+"'")
	case "ITERATE", "LEAVE":
		if !slices.Contains(labels, c.Name.Lower()) {
			fail("NOT_FOUND", c.Name, "Label not defined: %s", showName(c.Name))
		}
	case "BEGIN":
		vars = b.declare(c, vars)
	case "IF", "CASE":
		var operand *types.Type
		if c.Expr != nil {
			operand = b.expr(c.Expr, vars)
		}
		for i, branch := range c.Branches {
			what := "Condition of IF statement"
			switch {
			case c.Kind == "CASE":
				what = "Condition of WHEN clause"
			case i > 0:
				what = "Condition of ELSEIF clause"
			}
			if operand == nil {
				b.want(branch.Cond, vars, boolean, what)
			} else if t := b.expr(branch.Cond, vars); types.Common(operand, t) == nil {
				fail("TYPE_MISMATCH", branch.Cond, "WHEN clause value must evaluate to CASE value type %s (actual: %s)",
					operand, t)
			}
			b.controls(branch.Body, vars, labels)
		}
		b.controls(c.Else, vars, labels)
	default: // a loop
		if c.Name != nil {
			if slices.Contains(labels, c.Name.Lower()) {
				fail("ALREADY_EXISTS", c.Name, "Label already declared in this scope: %s", showName(c.Name))
			}
			labels = append(slices.Clip(labels), c.Name.Lower())
		}
		if c.Expr != nil {
			b.want(c.Expr, vars, boolean, "Condition of "+c.Kind+" statement")
		}
	}
	b.controls(c.Body, vars, labels)
}

// declare adds the variables of a block to those around it.
func (b *routine) declare(c *trinosql.Control, vars []*Field) []*Field {
	for _, d := range c.Declares {
		t := routineType(d, d.Type)
		if d.Default != nil {
			b.want(d.Default, vars, t, "Value of DEFAULT")
		}
		for _, name := range d.Names {
			if slices.ContainsFunc(vars, func(f *Field) bool { return f.Name == name.Lower() }) {
				fail("ALREADY_EXISTS", name, "Variable already declared in this scope: %s", showName(name))
			}
			vars = append(vars, &Field{Name: name.Lower(), Type: t})
		}
	}
	return vars
}

func (b *routine) expr(x trinosql.Expr, vars []*Field) *types.Type {
	for _, sub := range collect([]trinosql.Expr{x}, func(x trinosql.Expr) bool { return query(x) != nil }) {
		fail("NOT_SUPPORTED", sub, "Queries are not allowed in functions")
	}
	return b.z.expr(x, &scope{relation: newRelation(vars)})
}

// want resolves an expression that must have a type.
func (b *routine) want(x trinosql.Expr, vars []*Field, t *types.Type, what string) {
	got := b.expr(x, vars)
	switch {
	case types.Equal(got, t):
	case !types.CanCoerce(got, t):
		fail("TYPE_MISMATCH", x, "%s must evaluate to %s (actual: %s)", what, t, got)
	default:
		b.z.rec.Coercions[x] = t
	}
}
