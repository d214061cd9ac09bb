package translate

import (
	"math/big"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func windowRules(reg *registry) {
	// DuckDB adds the offset to the number of a row, which must not exceed its range.
	notNegative := mustParts(`CASE WHEN $1 IS NULL THEN "~error"('Offset must not be null') WHEN $1 < 0 THEN ` +
		`"~error"('Offset must be at least 0') ELSE least($1, ` + mostRows + `) END`)
	positive := mustParts(`CASE WHEN $1 < 1 THEN "~error"('Offset must be at least 1') ELSE $1 END`)
	buckets := mustParts(`CASE WHEN $1 < 1 THEN "~error"('Buckets must be greater than 0') ELSE $1 END`)
	check := func(name string, argument int, least int64, checked []part) {
		reg.rules[name] = func(p *printer, c *call) { p.checkedWindow(c, name, argument, least, checked) }
	}
	check("lag", 1, 0, notNegative)
	check("lead", 1, 0, notNegative)
	check("nth_value", 1, 1, positive)
	check("ntile", 0, 1, buckets)
}

// checkedWindow writes a window function with an argument that has a minimum.
func (p *printer) checkedWindow(c *call, name string, argument int, least int64, checked []part) {
	args := make([]operand, len(c.args))
	copy(args, c.args)
	if n, ok := p.constant(args[argument].expr); !ok || n.Cmp(big.NewInt(least)) < 0 || n.BitLen() > 62 {
		given := args[argument]
		args[argument] = operand{write: func() {
			p.put("CAST(")
			p.expand(&call{node: c.node, args: []operand{given}}, checked)
			p.put(" AS BIGINT)")
		}}
	}
	with := *c
	with.args = args
	p.aggregateCall(&with, []part{{text: name + "("}, {all: true}, {text: ")"}})
}

// over writes the window of a call.
func (p *printer) over(w *analyze.Window) {
	p.put(" OVER (")
	p.noWindowsBelow(w)
	space := ""
	if len(w.PartitionBy) > 0 {
		p.put("PARTITION BY ")
		p.list(len(w.PartitionBy), func(i int) {
			x := w.PartitionBy[i]
			p.key(p.typeOf(x), func() { p.expr(x) })
		})
		space = " "
	}
	if len(w.OrderBy) > 0 {
		p.put(space, "ORDER BY ")
		key := w.OrderBy[0].Expr
		if f := w.Frame; f != nil && f.Kind == "RANGE" && (f.Start.Value != nil || f.End != nil &&
			f.End.Value != nil) && w.OrderBy[0].Nulls == "FIRST" && float(p.typeOf(key)) && !p.finite(key) {
			p.refuse(f, "RANGE with an offset over %s with NULLS FIRST is not supported on zone local", p.typeOf(key))
		}
		if t := p.rangeType(w); t != nil {
			p.convert(key, p.typeOf(key), t, p.operand(key))
			p.direction(w.OrderBy[0])
		} else {
			p.sortItems(w.OrderBy)
		}
		space = " "
		// without an order, DuckDB does not compute the bounds for functions that need no frame
	} else if p.checksFrame(w.Frame) {
		p.put(space, "ORDER BY CAST(NULL AS INTEGER)")
		space = " "
	}
	if w.Frame != nil {
		p.put(space)
		p.frame(w.Frame)
	}
	p.put(")")
}

// noWindowsBelow rejects subqueries with window functions in the definition of a window: DuckDB treats these as windows
// of the same query.
func (p *printer) noWindowsBelow(w *analyze.Window) {
	refuse := func(n trinosql.Node) {
		trinosql.Inspect(n, func(n trinosql.Node) bool {
			if f, ok := n.(*trinosql.Func); ok && (f.Over != nil || f.OverName != nil) {
				p.refuse(f,
					"a subquery with a window function in the definition of a window is not supported on zone local")
			}
			return true
		})
	}
	for _, x := range w.PartitionBy {
		refuse(x)
	}
	for _, s := range w.OrderBy {
		refuse(s.Expr)
	}
	if w.Frame != nil {
		refuse(w.Frame)
	}
}

// rangeType is the type in which the sort key is compared with the bounds of a RANGE frame with offsets, nil for other
// windows and if it is the type of the key.
func (p *printer) rangeType(w *analyze.Window) *types.Type {
	if w.Frame == nil {
		return nil
	}
	var t *types.Type
	for _, b := range []*trinosql.FrameBound{w.Frame.Start, w.Frame.End} {
		if b == nil || b.Value == nil {
			continue
		}
		o := p.a.FrameOffsets[b.Value]
		if o == nil || o.Compare == nil {
			continue
		}
		if t == nil {
			t = o.Compare
		} else {
			t = types.Common(t, o.Compare)
		}
	}
	return t
}

func (p *printer) frame(f *trinosql.Frame) {
	if f.Patterns != nil {
		p.refuse(f.Patterns, "row pattern recognition in a window is not supported on zone local: "+noPatterns)
	}
	p.put(f.Kind, " ")
	if f.End == nil {
		p.bound(f, f.Start)
		return
	}
	p.put("BETWEEN ", func() { p.bound(f, f.Start) }, " AND ", func() { p.bound(f, f.End) })
}

// mayEndBeforeStart reports whether the end of a frame may be rows before its start, so that it is empty.
func mayEndBeforeStart(w *analyze.Window) bool {
	return w != nil && w.Frame != nil && w.Frame.End != nil && w.Frame.Start.Value != nil && w.Frame.End.Value != nil
}

// mostRows is a number of rows or groups that can be added to the place of a row without an overflow.
const mostRows = "4611686018427387904"

const offsetMessage = `"~error"('Window frame offset value must not be negative or null')`

var (
	offset         = mustParts("CASE WHEN $1 >= 0 THEN $1 ELSE " + offsetMessage + " END")
	rowsOffset     = mustParts("CASE WHEN $1 >= 0 THEN least($1, " + mostRows + ") ELSE " + offsetMessage + " END")
	intervalOffset = mustParts("CASE WHEN $1 >= INTERVAL 0 DAY THEN $1 ELSE " + offsetMessage + " END")
)

// checksFrame reports whether a bound of a frame may be invalid.
func (p *printer) checksFrame(f *trinosql.Frame) bool {
	if f == nil {
		return false
	}
	for _, b := range []*trinosql.FrameBound{f.Start, f.End} {
		if b == nil || b.Value == nil {
			continue
		}
		if n, ok := p.constant(b.Value); !ok || n.Sign() < 0 {
			return true
		}
	}
	return false
}

func (p *printer) bound(f *trinosql.Frame, b *trinosql.FrameBound) {
	if b.Value != nil {
		wide := f.Kind != "RANGE" && p.typeOf(b.Value).Kind != types.Integer
		n, constant := p.constant(b.Value)
		switch {
		case constant && n.Sign() >= 0 && wide && len(n.String()) >= len(mostRows):
			p.put(mostRows)
		case constant && n.Sign() >= 0:
			p.expr(b.Value)
		default:
			checked := offset
			switch {
			case p.typeOf(b.Value).Interval():
				checked = intervalOffset
			case wide:
				checked = rowsOffset
			}
			p.expand(&call{node: b.Value, args: []operand{p.operand(b.Value)}}, checked)
		}
		p.put(" ")
	}
	p.put(b.Kind)
}
