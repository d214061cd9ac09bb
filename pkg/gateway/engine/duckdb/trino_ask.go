//go:build cgo

package duckdb

import (
	"context"
	"strconv"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// maxRounds bounds how deep expressions may nest whose types must be asked for.
const maxRounds = 400

// rounds asks for types and rewrites by them until no rule waits. A round serves all rules whose operands wait for no other.
func (r *rewriter) rounds() error {
	for round := 0; waits(r.root); round++ {
		if round > maxRounds {
			return &engine.Error{Kind: engine.KindLimit, Message: "the statement nests too deep: its SELECTs read from each other over more than " + strconv.Itoa(maxRounds) + " levels"}
		}
		if err := r.ask(); err != nil {
			return err
		}
		if _, err := r.settle(r.root); err != nil {
			return err
		}
	}
	return nil
}

// settle applies the waiting rules whose operands' types are known by now.
func (r *rewriter) settle(v any) (any, error) {
	switch v := v.(type) {
	case node:
		leave := r.enter(v)
		if class(v) != "" {
			r.up = append(r.up, v)
		}
		for _, k := range sortedKeys(v) {
			x, err := r.settle(v[k])
			if err != nil {
				return nil, err
			}
			v[k] = x
		}
		if class(v) != "" {
			r.up = r.up[:len(r.up)-1]
		}
		leave()
		name, ok := v[waitKey].(string)
		if !ok {
			return v, nil
		}
		out, err := r.typed(name, v)
		if err != nil {
			return nil, err
		}
		return r.instead(out, v), nil
	case []any:
		for i, x := range v {
			y, err := r.settle(x)
			if err != nil {
				return nil, err
			}
			v[i] = y
		}
	}
	return v, nil
}

// idKey is what enter knows a SELECT or a call with a lambda by.
const idKey = "\x00id"

// enter notes the scope of what is below a node: expressions that are written alike have one type only within one SELECT and
// the call around their lambda.
func (r *rewriter) enter(n node) (leave func()) {
	old := r.scope
	switch str(n, "type") {
	case "SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
		id, ok := n[idKey].(string)
		if !ok {
			r.selects++
			id = "s" + strconv.Itoa(r.selects)
			n[idKey] = id
		}
		r.scope = id
	case "FUNCTION":
		for _, a := range args(n) {
			if class(a) == "LAMBDA" {
				call, ok := n[idKey].(string)
				if !ok {
					written := signature(n)
					if call = r.calls[written]; call == "" {
						call = "c" + strconv.Itoa(len(r.calls))
						r.calls[written] = call
					}
					n[idKey] = call
				}
				r.scope += "|" + call
				break
			}
		}
	}
	return func() { r.scope = old }
}

// key names an operand within the scope.
func (r *rewriter) key(n node) string { return r.scope + "|" + signature(n) }

// notes collects the types that DuckDB reports while it plans.
type notes struct{ types map[int64]*vtype }

// ask plans the statement with the operands in question wrapped, so that DuckDB reports their types. It is never run in this form.
func (r *rewriter) ask() error {
	stage(r.root)
	ids := map[string]int64{}
	text, err := r.s.deserialize(r.ctx, bare(r.instrument(r.root, ids)).(node))
	if err != nil {
		return err
	}
	id := r.s.c.id()
	sink := &notes{types: map[int64]*vtype{}}
	r.s.c.in.notes.Store(id, sink)
	defer r.s.c.in.notes.Delete(id)
	if err := r.s.plan(r.ctx, text); err != nil {
		if r.ctx.Err() != nil {
			return err
		}
		// An error of the statement itself is told about the statement without the wraps.
		if plain, err2 := r.s.deserialize(r.ctx, bare(r.blind(r.root)).(node)); err2 == nil {
			if err3 := r.s.plan(r.ctx, plain); err3 != nil {
				return &planFault{err3, plain, r.blind(r.root).(node)}
			}
		}
		return internalError("the types of the statement cannot be told: " + err.Error())
	}
	if len(ids) == 0 {
		return internalError("nothing to ask")
	}
	for key, n := range ids {
		if sink.types[n] == nil {
			// What the planner drops unseen, such as a branch that is never taken, counts as unknown.
			sink.types[n] = typed("unknown")
		}
		r.asked[key] = sink.types[n]
	}
	return nil
}

// planFault is an error of the planner about a text that was made from a tree.
type planFault struct {
	err  error
	text string
	root node
}

func (f *planFault) Error() string { return f.err.Error() }

// plan has DuckDB plan a text; parameters count as NULL.
func (s *statement) plan(ctx context.Context, text string) error {
	stop := s.c.watch(ctx)
	defer stop()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(s.c.c, text, &ps) == bindings.StateError {
		return s.c.fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(ps))
	}
	return nil
}

// instrument copies a tree: operands in question are wrapped, rules that wait for other rules are blinded.
func (r *rewriter) instrument(v any, ids map[string]int64) any {
	switch v := v.(type) {
	case node:
		if str(v, "type") == "VALUE_PARAMETER" {
			return nullConst()
		}
		leave := r.enter(v)
		c := make(node, len(v))
		for k, x := range v {
			c[k] = r.instrument(x, ids)
		}
		leave()
		name, ok := v[waitKey].(string)
		if !ok {
			return c
		}
		rule := typedRuleOf(name)
		stand := func() node {
			switch {
			case rule.native:
				return c
			case name == "unnest_rows":
				return blindRows(c)
			}
			return blinded(c, rule)
		}
		if v[askKey] == nil {
			return stand()
		}
		delete(v, askKey)
		inner := rule.operands(c)
		for i, o := range rule.operands(v) {
			if waits(o) || r.typeOf(o) != nil || str(o, "type") == "VALUE_PARAMETER" {
				continue
			}
			key := r.key(o)
			if ids[key] == 0 {
				ids[key] = int64(len(ids) + 1)
			}
			r.wrap(inner[i], ids[key], clone(inner[i]))
		}
		return stand()
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = r.instrument(x, ids)
		}
		return l
	}
	return v
}

// blind copies a tree with all waiting rules blinded.
func (r *rewriter) blind(v any) any {
	switch v := v.(type) {
	case node:
		c := make(node, len(v))
		for k, x := range v {
			c[k] = r.blind(x)
		}
		if name, ok := v[waitKey].(string); ok && name == "unnest_rows" {
			return blindRows(c)
		} else if ok && !typedRuleOf(name).native {
			return blinded(c, typedRuleOf(name))
		}
		return c
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = r.blind(x)
		}
		return l
	}
	return v
}

// blinded stands for an expression whose type is not known yet: it is NULL, and plans its operands.
func blinded(n node, rule typedRule) node {
	seen := operatorNode("OPERATOR_IS_NULL", call("struct_pack", namedFields(rule.operands(n))...))
	out := node{"class": "CASE", "type": "CASE_EXPR", "case_checks": []any{node{"when_expr": seen, "then_expr": nullConst()}}, "else_expr": nullConst()}
	if a := str(n, "alias"); a != "" {
		out["alias"] = a
	}
	return placed(out, n)
}

// blindRows stands for UNNEST of a map or rows: as many columns of NULL as there are names for.
func blindRows(n node) node {
	a := args(n)
	count, _ := literalInt(a[1])
	seen := operatorNode("OPERATOR_IS_NULL", call("struct_pack", namedFields(a[:1])...))
	null := node{"class": "CASE", "type": "CASE_EXPR", "case_checks": []any{node{"when_expr": seen, "then_expr": nullConst()}}, "else_expr": nullConst()}
	fields := make([]node, max(count, 1))
	for i := range fields {
		f := clone(null)
		f["alias"] = "f" + strconv.Itoa(i)
		fields[i] = f
	}
	depth := intConst(2)
	depth["alias"] = "max_depth"
	return call("unnest", call("list_value", call("struct_pack", fields...)), depth)
}

// wrap turns an expression, in place, into one of the same type that also reports it; again is a copy of the expression.
func (r *rewriter) wrap(n node, id int64, again node) {
	inner := node{}
	for k, v := range n {
		inner[k] = v
	}
	alias := inner["alias"]
	delete(inner, "alias")
	delete(again, "alias")
	clear(n)
	if alias != nil {
		n["alias"] = alias
	}
	if containsNode(inner, isSubquery) { // DuckDB cannot hand a subquery to the function that reports
		out, err := r.s.template(r.ctx, `(SELECT struct_extract(struct_pack(f0 := "~v", f1 := "`+noteFunction+`"($b, "~v")), 'f0') FROM (SELECT $a) AS q("~v"))`, inner, intConst(id))
		if err == nil {
			for k, v := range out {
				n[k] = v
			}
			return
		}
	}
	pack := call("struct_pack", namedFields([]node{inner, call(noteFunction, intConst(id), again)})...)
	for k, v := range call("struct_extract", pack, textConst("f0")) {
		n[k] = v
	}
}

func isSubquery(n node) bool { return class(n) == "SUBQUERY" }

// namedFields gives the expressions the field names f0, f1, ...
func namedFields(ns []node) []node {
	out := make([]node, len(ns))
	for i, n := range ns {
		c := clone(n)
		c["alias"] = "f" + string(rune('0'+i))
		out[i] = c
	}
	return out
}

// bare takes the marks of the rules off a tree, in place, and writes doubles so that they stay doubles.
func bare(v any) any {
	switch v := v.(type) {
	case node:
		for k, x := range v {
			if k[0] == 0 {
				delete(v, k)
				continue
			}
			v[k] = bare(x)
		}
		if class(v) == "CONSTANT" && str(sub(sub(v, "value"), "type"), "id") == "DOUBLE" {
			c := castTo(textConst(numText(sub(v, "value")["value"])), "DOUBLE")
			if a := str(v, "alias"); a != "" {
				c["alias"] = a
			}
			return placed(c, v)
		}
	case []any:
		for i, x := range v {
			v[i] = bare(x)
		}
	}
	return v
}
