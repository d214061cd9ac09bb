package analyze

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// children are the direct operands of an expression, in the order in which Trino visits them; subqueries are not
// included.
func children(x trinosql.Expr) []trinosql.Expr {
	switch x := x.(type) {
	case *trinosql.Deref:
		return []trinosql.Expr{x.Base}
	case *trinosql.Unary:
		return []trinosql.Expr{x.X}
	case *trinosql.Binary:
		return []trinosql.Expr{x.L, x.R}
	case *trinosql.Compare:
		return []trinosql.Expr{x.L, x.R}
	case *trinosql.Quantified:
		return []trinosql.Expr{x.X}
	case *trinosql.Between:
		return []trinosql.Expr{x.X, x.Lo, x.Hi}
	case *trinosql.InList:
		return append([]trinosql.Expr{x.X}, x.List...)
	case *trinosql.InQuery:
		return []trinosql.Expr{x.X}
	case *trinosql.LikeExpr:
		return some(x.X, x.Pattern, x.Escape)
	case *trinosql.IsNull:
		return []trinosql.Expr{x.X}
	case *trinosql.IsDistinct:
		return []trinosql.Expr{x.L, x.R}
	case *trinosql.Not:
		return []trinosql.Expr{x.X}
	case *trinosql.Logic:
		return x.Terms
	case *trinosql.Func:
		list := append([]trinosql.Expr{}, x.Args...)
		list = append(list, sortKeys(x.OrderBy)...)
		if x.Over != nil {
			list = append(list, windowParts(x.Over)...)
		}
		return append(list, some(x.Filter)...)
	case *trinosql.Listagg:
		return append(append([]trinosql.Expr{x.X}, sortKeys(x.Within)...), some(x.Filter)...)
	case *trinosql.Lambda:
		return []trinosql.Expr{x.Body}
	case *trinosql.Case:
		list := some(x.Operand)
		for _, w := range x.Whens {
			list = append(list, w.Cond, w.Then)
		}
		return append(list, some(x.Else)...)
	case *trinosql.Cast:
		return []trinosql.Expr{x.X}
	case *trinosql.Array:
		return x.Items
	case *trinosql.Row:
		return x.Items
	case *trinosql.Subscript:
		return []trinosql.Expr{x.X, x.Index}
	case *trinosql.AtTimeZone:
		return []trinosql.Expr{x.X, x.Zone}
	case *trinosql.Trim:
		return some(x.X, x.Chars)
	case *trinosql.Substring:
		return some(x.X, x.From, x.For)
	case *trinosql.Position:
		return []trinosql.Expr{x.X, x.Sub}
	case *trinosql.Normalize:
		return []trinosql.Expr{x.X}
	case *trinosql.Extract:
		return []trinosql.Expr{x.X}
	case *trinosql.Grouping:
		return x.Columns
	case *trinosql.JSONFunc:
		list := []trinosql.Expr{x.Input.X}
		for _, p := range x.Passing {
			list = append(list, p.Input.X)
		}
		for _, b := range []*trinosql.JSONBehaviour{x.Empty, x.Error} {
			if b != nil {
				list = append(list, some(b.Value)...)
			}
		}
		return list
	case *trinosql.JSONObject:
		var list []trinosql.Expr
		for _, m := range x.Members {
			list = append(list, m.Key, m.Value.X)
		}
		return list
	case *trinosql.JSONArray:
		var list []trinosql.Expr
		for _, v := range x.Values {
			list = append(list, v.X)
		}
		return list
	}
	return nil
}

// some are the expressions that are not nil.
func some(list ...trinosql.Expr) []trinosql.Expr {
	var there []trinosql.Expr
	for _, x := range list {
		if x != nil {
			there = append(there, x)
		}
	}
	return there
}

func sortKeys(items []*trinosql.SortItem) []trinosql.Expr {
	var list []trinosql.Expr
	for _, s := range items {
		list = append(list, s.Expr)
	}
	return list
}

func windowParts(w *trinosql.WindowSpec) []trinosql.Expr {
	list := append(append([]trinosql.Expr{}, w.PartitionBy...), sortKeys(w.OrderBy)...)
	if w.Frame != nil {
		list = append(list, frameParts(w.Frame)...)
	}
	return list
}

func frameParts(f *trinosql.Frame) []trinosql.Expr {
	list := some(f.Start.Value)
	if f.End != nil {
		list = append(list, some(f.End.Value)...)
	}
	return list
}

// query is the direct subquery of an expression, nil if there is none.
func query(x trinosql.Expr) *trinosql.Query {
	switch x := x.(type) {
	case *trinosql.Subquery:
		return x.Query
	case *trinosql.Exists:
		return x.Query
	case *trinosql.InQuery:
		return x.Query
	case *trinosql.Quantified:
		return x.Query
	}
	return nil
}

// collect returns the expressions below the roots, the roots included, for which f is true: operands before the
// expression they belong to.
func collect(roots []trinosql.Expr, f func(trinosql.Expr) bool) []trinosql.Expr {
	var found []trinosql.Expr
	var walk func(trinosql.Expr)
	walk = func(x trinosql.Expr) {
		for _, c := range children(x) {
			walk(c)
		}
		if f(x) {
			found = append(found, x)
		}
	}
	for _, x := range roots {
		walk(x)
	}
	return found
}

// funcName is the name of a function in lower case, with dots between the parts.
func funcName(f *trinosql.Func) string {
	if len(f.Name) == 1 {
		return f.Name[0].Lower()
	}
	return strings.Join(lowerNames(f.Name), ".")
}

func lowerNames(ids []*trinosql.Ident) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.Lower()
	}
	return names
}

// isAggregate reports whether an expression is an aggregate call without OVER.
func isAggregate(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.Listagg:
		return true
	case *trinosql.Func:
		return (functions.IsKind(funcName(x), functions.Aggregate) || x.Filter != nil) && !isWindow(x) ||
			x.OrderBy != nil
	}
	return false
}

// isWindow reports whether an expression is a call with OVER.
func isWindow(x trinosql.Expr) bool {
	f, ok := x.(*trinosql.Func)
	return ok && (f.Over != nil || f.OverName != nil)
}

// isWindowFunction reports whether an expression is a call with OVER, or of a function that requires it.
func isWindowFunction(x trinosql.Expr) bool {
	f, ok := x.(*trinosql.Func)
	return ok && (isWindow(f) || functions.IsKind(funcName(f), functions.Window))
}

func isGrouping(x trinosql.Expr) bool {
	_, ok := x.(*trinosql.Grouping)
	return ok
}

// qualifiedName are the parts of a name or of a chain of dots, in lower case; nil for other expressions.
func qualifiedName(x trinosql.Expr) []string {
	var parts []string
	for {
		switch e := x.(type) {
		case *trinosql.Ident:
			parts = append(parts, e.Lower())
			for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
				parts[i], parts[j] = parts[j], parts[i]
			}
			return parts
		case *trinosql.Deref:
			parts = append(parts, e.Field.Lower())
			x = e.Base
			continue
		}
		return nil
	}
}
