package analyze

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// window is a window including what it inherits from a named one, which was resolved there.
type window struct {
	Window
	partition, order, frame bool // inherited
	// hasOrder is set when the window has an ORDER BY clause, its own or inherited.
	hasOrder bool
}

func windowKey(id *trinosql.Ident) string {
	if id.Quoted {
		return id.Name
	}
	return strings.ToUpper(id.Name)
}

// namedWindows resolves the clause WINDOW.
func (z *analyzer) namedWindows(b *trinosql.Select, s *scope) {
	for _, w := range b.Windows {
		key := windowKey(w.Name)
		if z.sel.windows[key] != nil {
			fail("DUPLICATE_WINDOW_NAME", w, "WINDOW name '%s' specified more than once", showName(w.Name))
		}
		r := z.resolveWindow(w.Window, nil)
		z.window(r, context{scope: s, noOuter: z.noOuter}, w.Window)
		z.sel.windows[key] = r
	}
}

// callWindows finds the windows of the calls in the select list and in ORDER BY.
func (z *analyzer) callWindows(b *trinosql.Select, order []*trinosql.SortItem) {
	var roots []trinosql.Expr
	for _, item := range b.Items {
		switch item := item.(type) {
		case *trinosql.SelectExpr:
			roots = append(roots, item.Expr)
		case *trinosql.SelectStar:
			roots = append(roots, some(item.Target)...)
		}
	}
	for _, x := range collect(append(roots, sortKeys(order)...), isWindow) {
		f := x.(*trinosql.Func)
		z.windows[f] = z.resolveWindow(f.Over, f.OverName)
	}
}

// resolveWindow adds what the window inherits from a named one.
func (z *analyzer) resolveWindow(spec *trinosql.WindowSpec, name *trinosql.Ident) *window {
	find := func(id *trinosql.Ident) *window {
		var w *window
		if z.sel != nil {
			w = z.sel.windows[windowKey(id)]
		}
		if w == nil {
			fail("INVALID_WINDOW_REFERENCE", id, "Cannot resolve WINDOW name %s", showName(id))
		}
		return w
	}
	if name != nil {
		w := find(name)
		return &window{Window: w.Window, partition: true, order: true, frame: true, hasOrder: w.hasOrder}
	}
	w := &window{Window: Window{PartitionBy: spec.PartitionBy, OrderBy: spec.OrderBy, Frame: spec.Frame},
		hasOrder: spec.OrderBy != nil}
	if spec.Base == nil {
		return w
	}
	base := find(spec.Base)
	if len(spec.PartitionBy) > 0 {
		fail("INVALID_PARTITION_BY", spec.PartitionBy[0],
			"WINDOW specification with named WINDOW reference cannot specify PARTITION BY")
	}
	if spec.OrderBy != nil && base.hasOrder {
		fail("INVALID_ORDER_BY", clause{spec}, "Cannot specify ORDER BY if referenced named WINDOW specifies ORDER BY")
	}
	if base.Frame != nil {
		fail("INVALID_WINDOW_REFERENCE", spec.Base, "Cannot reference named WINDOW containing frame specification")
	}
	w.PartitionBy, w.partition = base.PartitionBy, true
	if spec.OrderBy == nil {
		w.OrderBy, w.order, w.hasOrder = base.OrderBy, true, base.hasOrder
	}
	return w
}

// window resolves the window's own clauses. The node is where a missing ORDER BY is reported.
func (z *analyzer) window(w *window, c context, at trinosql.Node) {
	var parts []trinosql.Expr
	if !w.partition {
		parts = append(parts, w.PartitionBy...)
	}
	if !w.order {
		parts = append(parts, sortKeys(w.OrderBy)...)
	}
	if w.Frame != nil && !w.frame {
		parts = append(parts, frameParts(w.Frame)...)
	}
	if nested := collect(parts, isWindow); len(nested) > 0 {
		fail("NESTED_WINDOW", nested[0],
			"Cannot nest window functions or row pattern measures inside window specification")
	}
	if !w.partition {
		for _, x := range w.PartitionBy {
			if t := z.visit(x, c); !t.Comparable() {
				fail("TYPE_MISMATCH", x,
					"%s is not comparable, and therefore cannot be used in window function PARTITION BY", t)
			}
		}
	}
	if !w.order {
		for _, s := range w.OrderBy {
			if t := z.visit(s.Expr, c); !t.Orderable() {
				fail("TYPE_MISMATCH", s,
					"%s is not orderable, and therefore cannot be used in window function ORDER BY", t)
			}
		}
	}
	if w.Frame != nil && !w.frame {
		z.frame(w, c, at)
	}
}

func (z *analyzer) frame(w *window, c context, at trinosql.Node) {
	f := w.Frame
	start, end := f.Start.Kind, "CURRENT ROW"
	if f.End != nil {
		end = f.End.Kind
	}
	if f.Patterns != nil {
		z.framePatterns(f, c)
	}
	bad := func(msg string) { fail("INVALID_WINDOW_FRAME", f, "%s", msg) }
	switch {
	case start == "UNBOUNDED FOLLOWING":
		bad("Window frame start cannot be UNBOUNDED FOLLOWING")
	case end == "UNBOUNDED PRECEDING":
		bad("Window frame end cannot be UNBOUNDED PRECEDING")
	case start == "CURRENT ROW" && end == "PRECEDING":
		bad("Window frame starting from CURRENT ROW cannot end with PRECEDING")
	case start == "FOLLOWING" && end == "PRECEDING":
		bad("Window frame starting from FOLLOWING cannot end with PRECEDING")
	case start == "FOLLOWING" && end == "CURRENT ROW":
		bad("Window frame starting from FOLLOWING cannot end with CURRENT ROW")
	}
	for i, b := range []*trinosql.FrameBound{f.Start, f.End} {
		if b == nil || b.Value == nil {
			continue
		}
		if f.Kind == "RANGE" {
			z.rangeOffset(b, w, c, at)
			continue
		}
		if f.Kind == "GROUPS" && !w.hasOrder {
			fail("MISSING_ORDER_BY", at, "Window frame of type GROUPS PRECEDING or FOLLOWING requires ORDER BY")
		}
		if t := z.visit(b.Value, c); !t.Integral() {
			fail("TYPE_MISMATCH", b.Value,
				"Window frame %s %s value type must be exact numeric type with scale 0 (actual %s)", f.Kind,
				[...]string{"start", "end"}[i], t)
		}
	}
}

// rangeOffset resolves x PRECEDING or FOLLOWING of a RANGE frame, which is added to or subtracted from the sort key.
func (z *analyzer) rangeOffset(b *trinosql.FrameBound, w *window, c context, at trinosql.Node) {
	if !w.hasOrder {
		fail("MISSING_ORDER_BY", at, "Window frame of type RANGE PRECEDING or FOLLOWING requires ORDER BY")
	}
	if len(w.OrderBy) != 1 {
		var place trinosql.Node = w.OrderBy[0]
		if spec, ok := at.(*trinosql.WindowSpec); ok && spec.OrderBy != nil {
			place = clause{spec}
		}
		fail("INVALID_ORDER_BY", place,
			"Window frame of type RANGE PRECEDING or FOLLOWING requires single sort item in ORDER BY (actual: %d)",
			len(w.OrderBy))
	}
	item := w.OrderBy[0]
	key := z.visit(item.Expr, c)
	if !key.Numeric() && !key.DateTime() {
		fail("TYPE_MISMATCH", item.Expr, "Window frame of type RANGE PRECEDING or FOLLOWING requires that sort item "+
			"type be numeric, datetime or interval (actual: %s)", key)
	}
	offset := z.visit(b.Value, c)
	mismatch := func() {
		fail("TYPE_MISMATCH", b.Value, "Window frame RANGE value type (%s) not compatible with sort item type (%s)",
			offset, key)
	}
	if key.Numeric() && !offset.Numeric() || key.DateTime() && !offset.Interval() {
		mismatch()
	}
	op := "ADD"
	if (b.Kind == "PRECEDING") != item.Desc {
		op = "SUBTRACT"
	}
	bound, err := z.resolveOperator(op, key, offset)
	if err != nil {
		mismatch()
	}
	info := &FrameOffset{Operator: bound}
	if !types.Equal(bound.Args[0], key) {
		info.Key = bound.Args[0]
	}
	z.coerce(b.Value, offset, bound.Args[1], "Function "+op+" argument 1")
	if !types.Equal(bound.Result, key) {
		if !types.CanCoerce(key, bound.Result) {
			fail("TYPE_MISMATCH", item.Expr, "Sort key must evaluate to a %s (actual: %s)", bound.Result, key)
		}
		info.Compare = bound.Result
	}
	z.an.FrameOffsets[b.Value] = info
}

// windowCalls checks the calls with OVER of a SELECT.
func (z *analyzer) windowCalls(b *trinosql.Select, info *Select) {
	var list []trinosql.Expr
	for _, it := range info.Items {
		list = append(list, some(it.Expr)...)
	}
	var order []trinosql.Expr
	for _, k := range info.OrderBy {
		if k.Output < 0 {
			order = append(order, k.Item.Expr)
		}
	}
	for _, roots := range [][]trinosql.Expr{list, order} {
		for _, x := range collect(roots, func(x trinosql.Expr) bool { _, ok := x.(*trinosql.Func); return ok }) {
			f := x.(*trinosql.Func)
			if call := z.rec.Calls[f]; call != nil && call.Function.Kind == functions.Window && !isWindow(f) {
				fail("MISSING_OVER", f, "Window function system.builtin.%s requires an OVER clause", funcName(f))
			}
		}
		for _, x := range collect(roots, isWindow) {
			f := x.(*trinosql.Func)
			z.windowCall(b, f)
			info.WindowCalls = append(info.WindowCalls, f)
		}
	}
}

func (z *analyzer) windowCall(b *trinosql.Select, f *trinosql.Func) {
	if f.Measure {
		return
	}
	if f.Filter != nil {
		fail("NOT_SUPPORTED", b, "FILTER is not yet supported for window functions")
	}
	if f.Distinct {
		fail("NOT_SUPPORTED", b, "DISTINCT in window function parameters not yet supported: %s", show(f))
	}
	if f.OrderBy != nil {
		fail("NOT_SUPPORTED", f, "Window function with ORDER BY is not supported")
	}
	if nested := collect(f.Args, isWindow); len(nested) > 0 {
		fail("NESTED_WINDOW", nested[0],
			"Cannot nest window functions or row pattern measures inside window function arguments")
	}
	w, name := z.windows[f], funcName(f)
	if (name == "lag" || name == "lead") && !w.hasOrder {
		var at trinosql.Node = f.Over
		if f.Over == nil {
			at = clause{f}
		}
		fail("MISSING_ORDER_BY", at, "%s function requires an ORDER BY window clause", name)
	}
	if (name == "lag" || name == "lead") && w.Frame != nil {
		fail("INVALID_WINDOW_FRAME", w.Frame, "Cannot specify window frame for %s function", name)
	}
	switch name {
	case "first_value", "last_value", "nth_value", "lag", "lead":
	default:
		if f.Nulls != "" {
			fail("NULL_TREATMENT_NOT_ALLOWED", f, "Cannot specify null treatment clause for %s function", name)
		}
	}
	call := z.rec.Calls[f]
	if call == nil || call.Function.Kind != functions.Aggregate && call.Function.Kind != functions.Window {
		fail("FUNCTION_NOT_WINDOW", b, "Not a window function: %s", name)
	}
}
