package sql

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// The service receives the values of ? as strings. The type that the statement expects at the position of each
// determines its meaning:
//
//   - where a number is expected the string must be a number, and all its digits count, so that '1.499' compared with a
//     decimal(10,2) column is 1.499 and not 1.50;
//   - where a boolean, date, time, timestamp or UUID is expected the string must be exactly one;
//   - where no particular type is expected it is a string, or a number where only that is valid.
//
// A string that does not fit is a KindBinding error; it is never rounded or truncated.

// ownForms changes the tree for the gateway's own forms: information_schema without a catalog, current_user_props, and
// the literals of a statement written by the gateway, which take the type of what they are compared with. It returns
// those literals.
func (s *session) ownForms(q *trinosql.Query, c *catalog) (texts []string, err error) {
	count := 0
	props := false
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.TableRef:
			c.note(&n.Name)
		case *trinosql.TableBody:
			c.note(&n.Name)
		case *trinosql.Param:
			count++
		case *trinosql.Func:
			props = props || isProps(n)
		}
		return true
	})
	values := s.bindings()
	switch {
	case len(s.chain) > 0 && count > 0:
		return nil, &engine.Error{Kind: engine.KindBinding, Message: "a saved query cannot have parameters"}
	case count != len(values):
		return nil, &engine.Error{Kind: engine.KindBinding,
			Message: fmt.Sprintf("Incorrect number of parameters: expected %d but found %d", count, len(values))}
	}
	if s.untyped {
		texts = untypedTexts(q, count)
	}
	if props {
		trinosql.Replace(q, func(x trinosql.Expr) trinosql.Expr {
			f, ok := x.(*trinosql.Func)
			if !ok || !isProps(f) || err != nil {
				return x
			}
			var y trinosql.Expr
			y, err = s.property(f)
			return y
		})
	}
	return texts, err
}

// note records the spelling of a table name that has quoted capitals, and completes one of information_schema.
func (c *catalog) note(name *[]*trinosql.Ident) {
	parts := *name
	if len(parts) == 2 && parts[0].Lower() == infoschema.Schema {
		*name = append([]*trinosql.Ident{{Name: allCatalogs, Quoted: true}}, parts...)
		return
	}
	written := make([]string, len(parts))
	capitals := false
	for i, p := range parts {
		if written[i] = p.Lower(); p.Quoted {
			written[i] = p.Name
			capitals = capitals || p.Name != p.Lower()
		}
	}
	if !capitals || len(parts) > 3 {
		return
	}
	w := engine.WrittenName(written)
	if c.written == nil {
		c.written = map[analyze.Name]engine.TableName{}
	}
	c.written[analyze.Name{Catalog: strings.ToLower(w.Catalog), Schema: strings.ToLower(w.Schema),
		Table: strings.ToLower(w.Table)}] = w
}

func isProps(f *trinosql.Func) bool {
	return len(f.Name) == 1 && f.Name[0].Lower() == "current_user_props"
}

// property implements current_user_props('key').
func (s *session) property(f *trinosql.Func) (trinosql.Expr, error) {
	key := ""
	if len(f.Args) == 1 {
		if lit, ok := f.Args[0].(*trinosql.StringLit); ok {
			key = lit.Value
		}
	}
	switch {
	case key == "":
		return f, engine.Placed(f.Pos(), &engine.Error{Kind: engine.KindUnsupported,
			Message: "current_user_props needs a constant key on zone local"})
	case len(s.chain) > 0:
		return f, engine.Placed(f.Pos(), &engine.Error{Kind: engine.KindUnsupported,
			Message: "current_user_props is not supported inside a saved query on zone local"})
	}
	return &trinosql.Cast{X: &trinosql.StringLit{Value: s.Query.Props[key]}, Type: varcharTree()}, nil
}

func varcharTree() trinosql.Type {
	t, err := trinosql.ParseType("varchar")
	if err != nil {
		panic(err)
	}
	return t
}

// untypedTexts replaces each string and number in a comparison with a ?, and returns them. The first ? has the given
// index.
func untypedTexts(q *trinosql.Query, first int) (texts []string) {
	param := func(x *trinosql.Expr) {
		text := ""
		switch lit := (*x).(type) {
		case *trinosql.StringLit:
			text = lit.Value
		case *trinosql.IntLit:
			text = lit.Text
		case *trinosql.DecimalLit:
			text = lit.Text
		case *trinosql.DoubleLit:
			text = lit.Text
		default:
			return
		}
		*x = &trinosql.Param{Index: first + len(texts)}
		texts = append(texts, text)
	}
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Compare:
			param(&n.L)
			param(&n.R)
		case *trinosql.Between:
			param(&n.Lo)
			param(&n.Hi)
		case *trinosql.InList:
			for i := range n.List {
				param(&n.List[i])
			}
		}
		return true
	})
	return texts
}

// analyze analyses a query, and returns the values of its parameters.
func (s *session) analyze(q *trinosql.Query, c *catalog, values []string,
	given int) (*analyze.Analysis, []engine.Param, error) {
	o := analyze.Options{Catalog: c, DefaultCatalog: s.Query.Defaults.Catalog, DefaultSchema: s.Query.Defaults.Schema}
	weight := s.weight
	run := func() (*analyze.Analysis, error) {
		s.weight = weight
		a, err := analyze.Analyze(q, o)
		if err != nil {
			return nil, c.analysisError(err)
		}
		return a, nil
	}
	if len(values) == 0 {
		a, err := run()
		return a, nil, err
	}
	o.Describe = true
	first, err := run()
	if c.err != nil {
		return nil, nil, err
	}
	want := make([]*types.Type, len(values))
	if first != nil {
		trinosql.Inspect(q, func(n trinosql.Node) bool {
			if p, ok := n.(*trinosql.Param); ok {
				want[p.Index] = first.Coercions[p]
			}
			return true
		})
	}
	o.Describe = false
	var a *analyze.Analysis
	for _, guess := range []bool{false, true} {
		var params []engine.Param
		o.Parameters = nil
		for i, v := range values {
			p, ok := paramValue(v, want[i], guess)
			if !ok {
				kind := engine.KindBinding
				if i >= given {
					kind = engine.KindValue // a value in a text written by the gateway
				}
				return nil, nil, &engine.Error{Kind: kind,
					Message: fmt.Sprintf("parameter %d: '%s' is not a value of type %s", i+1, clip.Bytes(v, Clipped),
						typeName(want[i]))}
			}
			o.Parameters = append(o.Parameters, p.Type)
			params = append(params, p)
		}
		var again error
		if a, again = run(); again == nil {
			return a, params, fetchPositive(q, values)
		}
		if err = again; guess || c.err != nil {
			break
		}
		if _, again := paramTypes(values, want); !again {
			break
		}
	}
	return nil, nil, err
}

// fetchPositive rejects FETCH FIRST ? with a value that is not positive.
func fetchPositive(q *trinosql.Query, values []string) (err error) {
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		if q, ok := n.(*trinosql.Query); ok && q.Fetch {
			if p, ok := q.Limit.(*trinosql.Param); ok {
				if n, bad := strconv.ParseInt(strings.TrimSpace(values[p.Index]), 10, 64); bad == nil && n <= 0 {
					err = engine.Placed(p.Pos(), &engine.Error{Kind: engine.KindValue,
						Message: fmt.Sprintf("FETCH FIRST row count must be positive (actual value: %d)", n)})
				}
			}
		}
		return err == nil
	})
	return err
}

// paramTypes counts the values without an expected type that could be numbers.
func paramTypes(values []string, want []*types.Type) (n int, some bool) {
	for i, v := range values {
		if want[i] == nil && DoubleText().MatchString(strings.TrimSpace(v)) {
			n++
		}
	}
	return n, n > 0
}

// typeName is the name of a type in an error about a value.
func typeName(t *types.Type) string {
	if t == nil {
		return "varchar"
	}
	if t.Kind == types.Decimal {
		return "decimal"
	}
	return wire.TypeName(t)
}

// paramValue converts a string to a value of the expected type, nil for no particular one; false if it is invalid.
func paramValue(v string, want *types.Type, guess bool) (engine.Param, bool) {
	word := strings.TrimSpace(v)
	kind := types.Varchar
	switch {
	case want != nil:
		kind = want.Kind
	case guess && DoubleText().MatchString(word):
		kind = types.Decimal
	}
	switch kind {
	case types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Decimal:
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			t := types.Of(types.Bigint)
			if want != nil && want.Kind != types.Decimal && fits(n, want.Kind) {
				t = want
			}
			return engine.Param{Type: t, Text: strconv.FormatInt(n, 10)}, true
		}
		if DecimalText().MatchString(word) {
			_, width, scale, ok := DecimalDigits(word)
			if !ok {
				return engine.Param{}, false
			}
			t := types.NewDecimal(width, scale)
			return engine.Param{Type: t, Text: word}, true
		}
		if !DoubleText().MatchString(word) {
			return engine.Param{}, false
		}
		want = types.Of(types.Double)
		fallthrough
	case types.Real, types.Double:
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return engine.Param{}, false
		}
		return engine.Param{Type: want, Text: strconv.FormatFloat(f, 'g', -1, 64)}, true
	case types.Boolean:
		low := strings.ToLower(word)
		return engine.Param{Type: want, Text: low}, low == "true" || low == "false"
	}
	form := DateText
	switch kind {
	case types.Date:
	case types.Time:
		form = TimeText
	case types.Timestamp:
		form = TimestampText
	case types.TimestampTZ:
		form = ZonedText
	case types.UUID:
		form = UuidText
	default:
		return engine.Param{Type: types.Of(types.Varchar), Text: v}, true
	}
	if !form().MatchString(word) || !RealDay(word) {
		return engine.Param{}, false
	}
	if kind == types.Time || kind == types.Timestamp || kind == types.TimestampTZ {
		want = types.NewTime(kind, 6)
	}
	return engine.Param{Type: want, Text: word}, true
}

func fits(n int64, k types.Kind) bool {
	bits := map[types.Kind]uint{types.Tinyint: 7, types.Smallint: 15, types.Integer: 31, types.Bigint: 63}[k]
	return n>>bits == 0 || n>>bits == -1
}
